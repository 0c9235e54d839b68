"""Exceptions for data that cannot be used, with the place of each fault."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.datasets.placing import to_diagnostics
from evalcontract.model.errors import ContractViolation
from evalcontract.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.datasets.placing import Locatable
    from evalcontract.model.diagnostic import Problem


def violation(problems: Iterable[Problem], source: Locatable) -> ContractViolation:
    """Return the exception for problems that prevent the use of what they are about.

    They are errors whatever the mode is, since the caller asks for what does not exist.
    """
    return ContractViolation(tuple(to_diagnostics(problems, source, Policy(strict=True), {})))
