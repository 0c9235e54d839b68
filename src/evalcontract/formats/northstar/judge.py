"""One pass over the cases of a file: what the models of NorthStar refuse, and what it swallows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evalcontract.formats.northstar.lax import (
    OF_EXPECTED,
    OF_METRICS,
    OF_TRACE,
    RefusedError,
    Wanted,
)
from evalcontract.formats.northstar.quiet import is_quiet
from evalcontract.formats.northstar.traps import traps
from evalcontract.model.diagnostic import Problem, Related

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcontract.formats._format import Stage
    from evalcontract.model.path import Path

_NOTHING: tuple[Problem, ...] = ()
_REFUSES = frozenset(
    f"northstar/{fault}"
    for fault in ("missing-key", "wrong-type", "unknown-key", "out-of-range", "malformed-value")
)
_METRICS = tuple(OF_METRICS.items())
_TRACE = tuple(OF_TRACE.items())
_EXPECTED = tuple(OF_EXPECTED.items())
# What authors put at the top of a case, by the mapping that it belongs into.
_BELOW = {
    **dict.fromkeys(OF_METRICS, "metrics"),
    **dict.fromkeys(OF_TRACE, "expected.trace"),
    **dict.fromkeys(("allowed_state_transitions", "relevant_retrieval_ids"), "expected.trace"),
    **dict.fromkeys(OF_EXPECTED, "expected"),
    **dict.fromkeys(
        ("goal", "rubric", "ground_truth", "context", "contains", "not_contains"), "expected"
    ),
    **dict.fromkeys(
        ("required_tools", "forbidden_tools", "tool_sequence", "tool_arguments"), "expected"
    ),
}


class CaseJudge:
    """Judges cases; see `formats._format.Judge`."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._first: dict[str, str | int] = {}

    def see(self, row: Any, path: Path, *, is_clean: bool) -> Sequence[Problem]:
        """Judge the next case."""
        if is_clean and is_quiet(row) and self._is_new(row["id"], path):
            return _NOTHING
        found = [] if is_clean else self._of_structure(row, path)
        if is_clean or isinstance(row, dict):
            found += refused_numbers(row, path)
        if found and any(each.code in _REFUSES for each in found):
            return found
        id_ = row["id"]
        if not id_.strip():
            message = "the id is blank: nobody can tell whose result it is"
            found.append(Problem("northstar/blank-id", message, (*path, "id"), "name the case"))
        elif not self._is_new(id_, path):
            found.append(_duplicate(id_, path, (*path[:-1], self._first[id_])))
        found += traps(row, path)
        return found

    def _is_new(self, id_: str, path: Path) -> bool:
        """Whether an id is that of a case, and of no case before; it is kept."""
        if not path:  # one case alone
            return bool(id_.strip())
        index = path[-1]
        return bool(self._first.setdefault(id_, index) == index and id_ and not id_.isspace())

    def finish(self) -> tuple[Problem, ...]:
        """Return nothing: all was said of the cases."""
        return ()

    def _of_structure(self, row: Any, path: Path) -> list[Problem]:
        if not isinstance(row, dict):
            return self._stage.faults(row, path)
        return [_advised(each, path) for each in self._stage.faults(_without_numbers(row), path)]


def refused_numbers(row: dict[str, Any], path: Path) -> list[Problem]:
    """Return what is refused of the numbers of a case, as far as they stand where they belong."""
    found: list[Problem] = []
    expected = row.get("expected")
    if isinstance(expected, dict):
        found += _refused(expected, _EXPECTED, path, "expected")
        trace = expected.get("trace")
        if isinstance(trace, dict):
            found += _refused(trace, _TRACE, path, "expected", "trace")
    metrics = row.get("metrics")
    if isinstance(metrics, dict):
        found += _refused(metrics, _METRICS, path, "metrics")
    return found


def _refused(
    value: dict[str, Any], fields: tuple[tuple[str, Wanted], ...], path: Path, *where: str
) -> list[Problem]:
    found = []
    for key, wanted in fields:
        part = value.get(key)
        if part is not None:
            try:
                wanted.taken(part)
            except RefusedError as error:
                place = (*path, *where, key)
                message = f"`{key}` must be {wanted.says}, not {_shown(part)}"
                found.append(Problem(f"northstar/{error.fault}", message, place, _advice(wanted)))
    return found


def _advice(wanted: Wanted) -> str:
    if wanted.kind == "truth":
        return "write true or false"
    return f"write {wanted.says}, or leave it out"


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    text = value if isinstance(value, str) else f"{value!r}" if isinstance(value, float) else None
    if text is None:
        return f"`{value}`" if abs(value) < _PRINTED else "a number of that size"
    return f"`{text[:40]}`" if text.strip() else "blank text"


# Larger numbers are told, not shown.
_PRINTED = 10**40


def _without_numbers(row: dict[str, Any]) -> dict[str, Any]:
    """Return a case for the schema: what `refused_numbers` judges is null there.

    The schema cannot know all that pydantic takes, nor can its engines read NaN.
    """
    row = _nulled(row, "metrics", OF_METRICS)
    row = _nulled(row, "expected", OF_EXPECTED)
    if isinstance(row.get("expected"), dict):
        row = {**row, "expected": _nulled(row["expected"], "trace", OF_TRACE)}
    return row


def _nulled(value: dict[str, Any], key: str, fields: dict[str, Wanted]) -> dict[str, Any]:
    part = value.get(key)
    if not isinstance(part, dict):
        return value
    return {**value, key: {name: None if name in fields else each for name, each in part.items()}}


def _advised(problem: Problem, path: Path) -> Problem:
    """Tell of a key at the top of a case, or of `expected`, where it belongs."""
    key = problem.path[-1] if problem.path else None
    where = problem.path[len(path) : -1]
    home = _BELOW.get(str(key))
    if problem.code != "northstar/unknown-key" or home is None or home == ".".join(map(str, where)):
        return problem
    return replace(problem, help=f"it belongs below `{home}`")


def _duplicate(id_: str, path: Path, first: Path) -> Problem:
    message = f"the id `{id_}` is taken: NorthStar loads both, and results cannot be told apart"
    related = (Related("first here", (*first, "id")),)
    place = (*path, "id")
    return Problem("northstar/duplicate-id", message, place, "give it another one", related=related)
