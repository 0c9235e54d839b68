"""Report the faults of a template, up to a limit."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from evalcontract.model.diagnostic import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcontract.analysis.template_tags import TagFault

_MOST = 20


def problems_of(code: str, faults: Sequence[TagFault]) -> Iterator[Problem]:
    """Yield the first faults of a template, and the number of remaining ones."""
    for fault in islice(faults, _MOST):
        yield Problem(code, fault.message, ("template",), fault.help, within=fault.within)
    left = len(faults) - _MOST
    if left > 0:
        message = f"{left} more faults like these follow" if left > 1 else faults[-1].message
        advice = "fix the others first" if left > 1 else faults[-1].help
        yield Problem(code, message, ("template",), advice, within=faults[_MOST].within)
