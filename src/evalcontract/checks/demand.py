"""What a row must be like so that no rule has anything to say of it: a schema for the gate."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from evalcontract.checks.plan import OWN_EXPECTATIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.checks.plan import Plan, Step

#: Expectations that some check has to read, where a row has a rubric.
EXPECTATIONS = ("expected_facts", "expected_tools", "expected.format", "must_not_contain")

# What a text must hold so that there is something to see: a character that is neither a space of
# any width, nor invisible. It means the same to Python and to ECMA-262, which disagree on `\s`.
_VISIBLE = (
    "[^\\u0000-\\u0020\\u007f-\\u00a0\\u00ad\\u1680\\u180e\\u2000-\\u200f\\u2028-\\u202f"
    "\\u205f-\\u206f\\u3000\\ufeff]"
)
#: The texts of a row that must not be blank, and its lists of texts that hold none twice.
TEXTS = ("id", "input", "criteria")
LISTS = ("expected_facts", "must_not_contain", "tags")

_FILLED: dict[str, Any] = {"minItems": 1, "minLength": 1, "minProperties": 1}
_SEEN: dict[str, Any] = {"pattern": _VISIBLE}
_SAYS_SOMETHING: dict[str, Any] = {
    "properties": {
        **dict.fromkeys(TEXTS, _SEEN),
        **{key: {"items": _SEEN, "uniqueItems": True} for key in LISTS},
        "expected_tools": {"items": {**_SEEN, "properties": {"name": _SEEN}}},
    }
}


def is_blank(text: str) -> bool:
    """Whether a text has nothing to see."""
    return re.search(_VISIBLE, text) is None


def demand_of(plan: Plan | None, *, has_bundle: bool) -> dict[str, Any]:
    """Return a schema that accepts a row only if no rule on its checks finds anything.

    It may refuse a row that is fine, which then takes the exact way; never the reverse. The bundle
    of a row is not looked at here. None stands for a row without a rubric; one of a bundle may be
    graded by keys of its own.
    """
    if plan is None:
        return {"allOf": [_SAYS_SOMETHING, _demand_of_own(has_bundle=has_bundle)]}
    required = {need for step in plan.steps for need in _asked(step)}
    parts = [_must_have(field, filled=filled) for field, filled in sorted(required)]
    if plan.is_complete:
        parts += [_must_not_have(field) for field in EXPECTATIONS if field not in plan.reads]
    return {"allOf": [_SAYS_SOMETHING, *parts]}


def asked_of_rows(plan: Plan) -> list[str]:
    """List the keys with which every check of a rubric runs that can."""
    return sorted({field for step in plan.steps for field, _ in _asked(step)})


def _asked(step: Step) -> Iterator[tuple[str, bool]]:
    """Yield what must be there for a check to run, and whether it must hold something.

    Of a check that nothing in the row can help there is nothing to be asked.
    """
    if step.needs.barred is not None:
        return
    yield from ((field, True) for field in step.needs.fields)
    yield from ((field, False) for field in step.needs.present)
    sound = [inner for inner in step.inner if inner.needs.barred is None]
    if sound:
        # One that runs is enough: that which asks for least.
        yield from min((tuple(_asked(inner)) for inner in sound), key=len)


def _must_have(field: str, *, filled: bool) -> dict[str, Any]:
    schema: dict[str, Any] = {**(_FILLED if filled else {}), "not": {"type": "null"}}
    *above, last = field.split(".")
    schema = {"required": [last], "properties": {last: schema}}
    for name in reversed(above):  # a list on the way takes the exact way
        held = {"type": "object", **schema}
        schema = {"required": [name], "properties": {name: held}}
    return schema


def _must_not_have(field: str) -> dict[str, Any]:
    name, _, inner = field.partition(".")
    if inner:
        return {"properties": {name: {"properties": {inner: False}}}}
    return {"properties": {name: False}}


def _demand_of_own(*, has_bundle: bool) -> dict[str, Any]:
    filled: dict[str, Any] = {"properties": dict.fromkeys(OWN_EXPECTATIONS, _FILLED)}
    if has_bundle:
        return filled
    return {**filled, "anyOf": [{"required": [field]} for field in OWN_EXPECTATIONS]}
