"""What of a rubric or a judge is well-formed: the rest is withheld from rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.structure.codes import GUESSES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.model.diagnostic import Problem
    from evalcontract.model.path import Path

Checks = tuple[tuple["Path", dict[str, Any]], ...]


def valid_parts(value: dict[str, Any], faults: Iterable[Problem]) -> tuple[dict[str, Any], Checks]:
    """Return the keys of an artifact that have no fault of structure, and its sound checks.

    In a rubric a check is withheld by itself; elsewhere the whole key at the top is.
    """
    paths = [problem.path for problem in faults if not problem.code.endswith(GUESSES)]
    withheld = {path[:2] for path in paths if path[:1] == ("checks",) and len(path) > 1}
    broken = {path[0] for path in paths if path and path[:2] not in withheld}
    kept = {key: part for key, part in value.items() if key not in broken}
    checks = kept.get("checks")
    listed = enumerate(checks) if isinstance(checks, list) else ()
    sound = tuple(
        (("checks", index), check)
        for index, check in listed
        if ("checks", index) not in withheld and "kind" in check  # it may be there, misspelled
    )
    return kept, sound
