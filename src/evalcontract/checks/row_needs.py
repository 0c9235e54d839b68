"""What a row needs so that every check of its rubric that can run does: as keys and as a schema."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.checks._kind import Needs
    from evalcontract.checks.plan import Plan

# Matches a visible character: neither a space of any width nor an invisible character. The pattern
# means the same in Python and in ECMA-262, which disagree on `\s`.
VISIBLE = (
    "[^\\u0000-\\u0020\\u007f-\\u00a0\\u00ad\\u1680\\u180e\\u2000-\\u200f\\u2028-\\u202f"
    "\\u205f-\\u206f\\u3000\\ufeff]"
)
#: Accepts values of any type that are not empty or blank.
FILLED: dict[str, Any] = {
    "minItems": 1,
    "items": {"pattern": VISIBLE},
    "minProperties": 1,
    "pattern": VISIBLE,
}

_FORMAT = "expected.format"


class _Requirement(StrEnum):
    """What a key must be: present, not empty, or a value that a check can fail."""

    PRESENT = "present"
    FILLED = "filled"
    FALLIBLE = "fallible"


def rows_with_all(plan: Plan) -> dict[str, Any] | bool:
    """Return a schema of rows on which every check of a rubric that can run does.

    It may reject such a row but never accepts another.
    """
    needs = [group.needs for group in plan.steps.groups]
    required = {need for each in needs for need in _requirements(each)}
    if not any(map(_runs_on_any_text, needs)):
        required = {(field, _fallible(field, how)) for field, how in required}
    return all_of(_must_have(field, how) for field, how in sorted(required))


def all_of(schemas: Iterable[dict[str, Any]]) -> dict[str, Any] | bool:
    """Return a schema of what all the schemas accept, or True if there are none."""
    parts = list(schemas)
    return {"allOf": parts} if parts else True


def needed_keys(plan: Plan) -> list[str]:
    """Return the keys that a row needs so that every check of a rubric that can run does."""
    groups = plan.steps.groups
    return sorted({field for group in groups for field, _ in _requirements(group.needs)})


def _requirements(needs: Needs) -> Iterator[tuple[str, _Requirement]]:
    """Yield the keys that a check needs, each with its requirement.

    Yield nothing for a check that never runs.
    """
    if needs.never_runs is not None:
        return
    yield from ((field, _Requirement.FILLED) for field in needs.fields)
    yield from ((field, _Requirement.PRESENT) for field in needs.present)


def _runs_on_any_text(needs: Needs) -> bool:
    """Whether a check with its needs met runs even if the row's format is `text`."""
    return needs.never_runs is None and _FORMAT not in needs.fields


def _fallible(field: str, how: _Requirement) -> _Requirement:
    return _Requirement.FALLIBLE if field == _FORMAT else how


def _must_have(field: str, how: _Requirement) -> dict[str, Any]:
    rejected = [None, "text"] if how is _Requirement.FALLIBLE else [None]
    filled = {} if how is _Requirement.PRESENT else FILLED
    schema: dict[str, Any] = {**filled, "not": {"enum": rejected}}
    *parents, last = field.split(".")
    schema = {"required": [last], "properties": {last: schema}}
    for name in reversed(parents):  # a list on the path is rejected here and checked exactly
        parent = {"type": "object", **schema}
        schema = {"required": [name], "properties": {name: parent}}
    return schema
