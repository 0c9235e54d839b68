"""The well-formed parts of a rubric or a judge; rules never see the other parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.structure.codes import GUESSES
from evalcontract.structure.validator import structure_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.model.diagnostic import Problem
    from evalcontract.model.path import Path

#: The checks of a rubric, each with its path.
Checks = tuple[tuple["Path", dict[str, Any]], ...]


def valid_parts_of_rubric(value: dict[str, Any]) -> tuple[dict[str, Any], Checks]:
    """Check the structure of a rubric, and return its valid top-level keys and its valid checks."""
    return valid_parts(value, structure_of("rubric").check(value))


def valid_parts(
    value: dict[str, Any], problems: Iterable[Problem]
) -> tuple[dict[str, Any], Checks]:
    """Return the valid top-level keys of an artifact, and its valid checks.

    An invalid check of a rubric is left out alone; any other problem excludes its top-level key. If
    not all faults were listed, nothing is known to be valid.
    """
    problems = tuple(problems)
    if any(problem.code == "source/limit-exceeded" for problem in problems):
        return {}, ()
    paths = [problem.path for problem in problems if not problem.code.endswith(GUESSES)]
    invalid_checks = {path[:2] for path in paths if path[:1] == ("checks",) and len(path) > 1}
    invalid_keys = {path[0] for path in paths if path and path[:2] not in invalid_checks}
    valid = {key: part for key, part in value.items() if key not in invalid_keys}
    checks = valid.get("checks")
    numbered = enumerate(checks) if isinstance(checks, list) else ()
    valid_checks = tuple(
        (("checks", index), check)
        for index, check in numbered
        if ("checks", index) not in invalid_checks and "kind" in check  # may be misspelled
    )
    return valid, valid_checks
