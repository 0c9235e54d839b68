"""The well-formed parts of a rubric or a judge; rules never see the other parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.codes import GUESSES
from evalcontract.structure.validator import structure_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.model.diagnostic import Path, Problem

#: The checks of a rubric, each with its path.
Checks = tuple[tuple["Path", dict[str, Any]], ...]


def valid_parts_of_rubric(
    value: dict[str, Any], declared: frozenset[str] = frozenset()
) -> tuple[dict[str, Any], Checks]:
    """Check the structure of a rubric, and return its valid top-level keys and its valid checks.

    Checks of the kinds that are `declared` are valid, too, since only another runner knows them.
    """
    problems = structure_of("rubric").check(value)
    return valid_parts(value, without_declared(problems, value, declared))


def without_declared(
    problems: Iterable[Problem], value: Any, declared: frozenset[str]
) -> list[Problem]:
    """Return problems of a rubric but for those of the kinds of checks that are declared."""
    return [problem for problem in problems if declared_kind(problem, value, declared) is None]


def declared_kind(problem: Problem, value: Any, declared: frozenset[str]) -> str | None:
    """Return the kind that a problem is about, if it is unknown and declared."""
    match problem.path:
        case ("checks", int() as index, "kind") if problem.code == "rubric/unknown-value":
            kind = value["checks"][index]["kind"]
            return kind if isinstance(kind, str) and kind in declared else None
    return None


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
