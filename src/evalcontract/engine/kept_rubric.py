"""A rubric that was made of a row, on its way to a system that has none: kept in the row.

It has no name and no file yet, so that a reference would lead nowhere. The way back takes it out
of the row again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcontract.formats._conversion import OurRow

_KEY, _JUDGES = "rubric", "judges"
# What every rubric that was made of a row says below its `metadata`.
_MARK = "made_from"


def with_rubric(
    row: dict[str, Any], rubric: dict[str, Any], judges: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Return a row that holds its rubric, and the judges that this one refers to."""
    whole = {**rubric, _JUDGES: list(judges)} if judges else rubric
    return {**row, _KEY: whole}


def without_rubric(found: OurRow) -> OurRow:
    """Return a row apart from the rubric that it holds, if it holds one."""
    whole = found.row.get(_KEY)
    if found.rubric is not None or "rubric_ref" in found.row or not _is_made(whole):
        return found
    row = {key: part for key, part in found.row.items() if key != _KEY}
    rubric = {key: part for key, part in whole.items() if key != _JUDGES}
    return found._replace(row=row, rubric=rubric, judges=tuple(whole.get(_JUDGES, ())))


def _is_made(value: Any) -> TypeGuard[dict[str, Any]]:
    """Whether a value has the form of such a rubric, so that nobody else's is taken for one."""
    if not isinstance(value, dict) or not isinstance(value.get("metadata"), dict):
        return False
    judges = value.get(_JUDGES, [])
    are_judges = isinstance(judges, list) and all(
        isinstance(each, dict) and isinstance(each.get("id"), str) for each in judges
    )
    return are_judges and _MARK in value["metadata"] and isinstance(value.get("checks"), list)
