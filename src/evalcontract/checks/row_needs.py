"""What a row must have so that all checks of its rubric run that can: as keys, as a schema."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.checks.plan import Plan, Step

# What a text must hold so that there is something to see: a character that is neither a space of
# any width, nor invisible. It means the same to Python and to ECMA-262, which disagree on `\s`.
VISIBLE = (
    "[^\\u0000-\\u0020\\u007f-\\u00a0\\u00ad\\u1680\\u180e\\u2000-\\u200f\\u2028-\\u202f"
    "\\u205f-\\u206f\\u3000\\ufeff]"
)
#: Accepts what says something, of whatever type.
FILLED: dict[str, Any] = {
    "minItems": 1,
    "items": {"pattern": VISIBLE},
    "minProperties": 1,
    "pattern": VISIBLE,
}

_FORMAT = "expected.format"


class _Asked(StrEnum):
    """What is asked of a key: to be there, to hold something, or to hold what can fail."""

    PRESENT = "present"
    FILLED = "filled"
    TELLING = "telling"


def rows_with_all(plan: Plan) -> dict[str, Any] | bool:
    """Return a schema of rows on which every check of a rubric runs that can.

    It may refuse such a row, never accept another.
    """
    required = {need for step in plan.steps for need in _asked(step)}
    if not any(_runs_on_any_text(step) for step in plan.steps):
        required = {(field, _telling(field, how)) for field, how in required}
    return all_of(_must_have(field, how) for field, how in sorted(required))


def all_of(schemas: Iterable[dict[str, Any]]) -> dict[str, Any] | bool:
    """Return the schema of what all of these accept; of anything, where there is none."""
    parts = list(schemas)
    return {"allOf": parts} if parts else True


def asked_of_rows(plan: Plan) -> list[str]:
    """List the keys with which every check of a rubric runs that can."""
    return sorted({field for step in plan.steps for field, _ in _asked(step)})


def _asked(step: Step) -> Iterator[tuple[str, _Asked]]:
    """Yield what must be there for a check to run, and what is asked of it.

    Of a check that nothing in the row can help there is nothing to be asked.
    """
    if step.needs.never_runs is not None:
        return
    yield from ((field, _Asked.FILLED) for field in step.needs.fields)
    yield from ((field, _Asked.PRESENT) for field in step.needs.present)
    sound = [inner for inner in step.inner if inner.needs.never_runs is None]
    if sound:
        # One that runs is enough: that which asks for least.
        least = min((tuple(_asked(inner)) for inner in sound), key=len)
        yield from ((field, _telling(field, how)) for field, how in least)


def _runs_on_any_text(step: Step) -> bool:
    """Whether a check runs on every row that has what is asked, were its format `text`."""
    return step.needs.never_runs is None and not step.inner and _FORMAT not in step.needs.fields


def _telling(field: str, how: _Asked) -> _Asked:
    return _Asked.TELLING if field == _FORMAT else how


def _must_have(field: str, how: _Asked) -> dict[str, Any]:
    refused = [None, "text"] if how is _Asked.TELLING else [None]
    filled = {} if how is _Asked.PRESENT else FILLED
    schema: dict[str, Any] = {**filled, "not": {"enum": refused}}
    *above, last = field.split(".")
    schema = {"required": [last], "properties": {last: schema}}
    for name in reversed(above):  # a list on the way takes the exact way
        held = {"type": "object", **schema}
        schema = {"required": [name], "properties": {name: held}}
    return schema
