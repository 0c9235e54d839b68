"""Embed the rubric that was made from a row, for target formats that have no rubrics.

Such a rubric has neither a name nor a file, so that the row cannot refer to it. Converting back
extracts it from the row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcontract.formats._conversion import OurRow

#: The key of a rubric that is embedded in a row.
RUBRIC_KEY = "rubric"
_JUDGES_KEY = "judges"
# The key below `metadata` of every rubric that was made from a row.
_ORIGIN_KEY = "made_from"


def with_rubric(
    row: dict[str, Any], rubric: dict[str, Any], judges: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Return a row with its rubric embedded, including the judges that the rubric refers to."""
    value = {**rubric, _JUDGES_KEY: list(judges)} if judges else rubric
    return {**row, RUBRIC_KEY: value}


def without_rubric(converted: OurRow) -> OurRow:
    """Return a row with its embedded rubric extracted, if it has one."""
    value = converted.row.get(RUBRIC_KEY)
    if (
        converted.rubric is not None
        or "rubric_ref" in converted.row
        or not _is_embedded_rubric(value)
    ):
        return converted
    row = {key: part for key, part in converted.row.items() if key != RUBRIC_KEY}
    rubric = {key: part for key, part in value.items() if key != _JUDGES_KEY}
    return converted._replace(row=row, rubric=rubric, judges=tuple(value.get(_JUDGES_KEY, ())))


def _is_embedded_rubric(value: Any) -> TypeGuard[dict[str, Any]]:
    """Whether a value is an embedded rubric, and not another value with the same key."""
    if not isinstance(value, dict) or not isinstance(value.get("metadata"), dict):
        return False
    judges = value.get(_JUDGES_KEY, [])
    are_judges = isinstance(judges, list) and all(
        isinstance(judge, dict) and isinstance(judge.get("id"), str) for judge in judges
    )
    return are_judges and _ORIGIN_KEY in value["metadata"] and isinstance(value.get("checks"), list)
