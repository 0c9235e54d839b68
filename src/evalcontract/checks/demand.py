"""What a row must be like so that no rule has anything to say of it: a schema for the gate."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from evalcontract.checks.plan import OWN_EXPECTATIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.checks.conflicts import Conflicts
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

_FORMAT = "expected.format"
_SEEN: dict[str, Any] = {"pattern": _VISIBLE}
_FILLED: dict[str, Any] = {"minItems": 1, "minProperties": 1, **_SEEN}
_SAYS_SOMETHING: dict[str, Any] = {
    "properties": {
        **dict.fromkeys(TEXTS, _SEEN),
        **{key: {"items": _SEEN, "uniqueItems": True} for key in LISTS},
        "expected_tools": {"items": {**_SEEN, "properties": {"name": _SEEN}}},
    }
}


class Asked(StrEnum):
    """What is asked of a key: to be there, to hold something, or to hold what can fail."""

    PRESENT = "present"
    FILLED = "filled"
    TELLING = "telling"


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
    if not any(_runs_on_any_text(step) for step in plan.steps):
        required = {(field, _telling(field, how)) for field, how in required}
    parts = [_must_have(field, how) for field, how in sorted(required)]
    if plan.is_complete:
        parts += [_must_not_have(field) for field in EXPECTATIONS if field not in plan.reads]
    return {"allOf": [_SAYS_SOMETHING, *parts, *_refused(plan.conflicts)]}


def asked_of_rows(plan: Plan) -> list[str]:
    """List the keys with which every check of a rubric runs that can."""
    return sorted({field for step in plan.steps for field, _ in _asked(step)})


def _asked(step: Step) -> Iterator[tuple[str, Asked]]:
    """Yield what must be there for a check to run, and what is asked of it.

    Of a check that nothing in the row can help there is nothing to be asked.
    """
    if step.needs.barred is not None:
        return
    yield from ((field, Asked.FILLED) for field in step.needs.fields)
    yield from ((field, Asked.PRESENT) for field in step.needs.present)
    sound = [inner for inner in step.inner if inner.needs.barred is None]
    if sound:
        # One that runs is enough: that which asks for least.
        least = min((tuple(_asked(inner)) for inner in sound), key=len)
        yield from ((field, _telling(field, how)) for field, how in least)


def _runs_on_any_text(step: Step) -> bool:
    """Whether a check runs on every row that meets the demand, were its format `text`."""
    return step.needs.barred is None and not step.inner and _FORMAT not in step.needs.fields


def _telling(field: str, how: Asked) -> Asked:
    return Asked.TELLING if field == _FORMAT else how


def _must_have(field: str, how: Asked) -> dict[str, Any]:
    refused = [None, "text"] if how is Asked.TELLING else [None]
    filled = {} if how is Asked.PRESENT else _FILLED
    schema: dict[str, Any] = {**filled, "not": {"enum": refused}}
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


def _refused(conflicts: Conflicts) -> Iterator[dict[str, Any]]:
    """Yield schemas that refuse at least every row with a conflict."""
    if conflicts.tools:
        names = sorted(conflicts.tools)
        named = {"required": ["name"], "properties": {"name": {"enum": names}}}
        refused = {"anyOf": [{"enum": names}, {"type": "object", **named}]}
        yield {"properties": {"expected_tools": {"items": {"not": refused}}}}
    if conflicts.max_calls is not None:
        yield {"properties": {"expected_tools": {"maxItems": conflicts.max_calls[0]}}}
    if conflicts.banned:
        if sum(map(len, conflicts.banned)) > _LONGEST:
            yield {"properties": {"expected_facts": False}}
        else:
            pattern = "|".join(map(_in_any_case, sorted(conflicts.banned)))
            yield {"properties": {"expected_facts": {"items": {"not": {"pattern": pattern}}}}}
    if conflicts.max_chars is not None:
        limit = {"maxLength": conflicts.max_chars[0]}
        yield {"properties": {"expected_facts": {"items": limit}}}
    if conflicts.markdown is not None:
        no_json = {"properties": {"format": {"not": {"const": "json"}}}}
        yield {"properties": {"expected": no_json}}


# Of so many characters no pattern is made.
_LONGEST = 5000


def _in_any_case(word: str) -> str:
    """Return a pattern for a word, its ASCII letters in either case."""
    return "".join(
        f"[{each}{each.upper()}]"
        if "a" <= each <= "z"
        else f"\\{each}"
        if each in _SPECIAL
        else each
        for each in word
    )


_SPECIAL = frozenset(r"\^$.|?*+()[]{}/")


def _demand_of_own(*, has_bundle: bool) -> dict[str, Any]:
    filled: dict[str, Any] = {"properties": dict.fromkeys(OWN_EXPECTATIONS, _FILLED)}
    if has_bundle:
        return filled
    some: dict[str, dict[str, Any]] = {each: {"required": [each]} for each in OWN_EXPECTATIONS}
    some["expected"]["properties"] = {"expected": {"not": {"const": {"format": "text"}}}}
    return {**filled, "anyOf": list(some.values())}
