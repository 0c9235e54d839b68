"""What a row of ours has and a case has no place for: kept under `metadata.evalcontract`.

`row` are keys of the row as they were, `without` keys that it had not, and `rubric` the rubric
that graded it, or null, where the case gives another one.
"""

from __future__ import annotations

from typing import Any

from evalcontract.formats._conversion import OURS
from evalcontract.formats._residual import is_row
from evalcontract.formats.northstar.as_row import Row, as_row
from evalcontract.formats.northstar.to_case import to_case
from evalcontract.model.same import same

_NAMES = ("id", "version")


def unnamed(rubric: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return a rubric without its id and version."""
    return rubric and {key: part for key, part in rubric.items() if key not in _NAMES}


def own_stash(
    row: dict[str, Any], rubric: dict[str, Any] | None, case: dict[str, Any], index: int
) -> dict[str, Any]:
    """Return what is to be kept of a row beside the case that it became; nothing, mostly."""
    plain = as_row(case, index)
    kept = {k: v for k, v in row.items() if k not in plain.row or not same(v, plain.row[k])}
    without = [key for key in plain.row if key not in row]
    stash: dict[str, Any] = {}
    is_made = same(rubric, plain.rubric)
    if is_made and rubric:
        kept.pop("rubric_ref", None)  # it is made again, and named
    if kept:
        stash["row"] = kept
    if without:
        stash["without"] = without
    if not is_made:
        stash["rubric"] = rubric
    return stash


def from_own_stash(case: dict[str, Any], index: int) -> Row | None:
    """Return the row that a case was written from.

    None where it was not, or where what it expects was changed since, so that it is no longer
    what the kept rubric asks for.
    """
    metadata = case.get("metadata", {})
    stash = metadata.get(OURS)
    if not isinstance(stash, dict):
        return None
    rest = {key: part for key, part in metadata.items() if key != OURS}
    bare = {key: part for key, part in case.items() if key != "metadata"}
    if rest:
        bare["metadata"] = rest
    plain = as_row(bare, index)
    kept, without = stash.get("row", {}), stash.get("without", [])
    if not isinstance(kept, dict) or not isinstance(without, list):
        return None
    row = {key: part for key, part in plain.row.items() if key not in without} | kept
    found = Row(row, stash.get("rubric", plain.rubric))
    return found if _is_of(found, case, index) else None


def _is_of(plain: Row, case: dict[str, Any], index: int) -> bool:
    """Whether a row becomes this very case."""
    if not _is_ours(plain.row, plain.rubric):
        return False
    try:
        return same(with_own_stash(plain.row, plain.rubric, index), case)
    except (AttributeError, KeyError, TypeError):
        return False  # somebody else has written below that key


def _is_ours(row: dict[str, Any], rubric: Any) -> bool:
    """Whether what was read has the form of a row and of a rubric of ours."""
    if not is_row(row):
        return False
    if rubric is None:
        return True
    checks = rubric.get("checks") if isinstance(rubric, dict) else None
    return (
        isinstance(checks, list)
        and bool(checks)
        and all(isinstance(each, dict) and isinstance(each.get("kind"), str) for each in checks)
        and isinstance(rubric.get("scoring"), dict)
    )


def with_own_stash(
    row: dict[str, Any], rubric: dict[str, Any] | None, index: int
) -> dict[str, Any]:
    """Return the case that a row becomes, with what is kept of it."""
    case = to_case(row, rubric).case
    if stash := own_stash(row, unnamed(rubric), case, index):
        case = {**case, "metadata": {**case.get("metadata", {}), OURS: stash}}
    return case
