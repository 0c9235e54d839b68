"""What a row must be like so that no rule has anything to say of it: a schema for the gate."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from evalcontract.checks.plan import OWN_EXPECTATIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.checks.conflicts import Conflicts
    from evalcontract.checks.plan import Plan, Step

#: Expectations that some check has to read, where a row has a rubric.
EXPECTATIONS = ("expected_facts", "expected_tools", "expected.format", "must_not_contain")

# A character that neither Python nor ECMA-262 takes for a space.
_INK = r"[^\s\u001c-\u001f\u0085\ufeff]"
_FORMAT = "expected.format"


class Asked(StrEnum):
    """What is asked of a key: to be there, to hold something, or to hold what can fail."""

    PRESENT = "present"
    FILLED = "filled"
    TELLING = "telling"


def demand_of(plan: Plan | None, *, has_bundle: bool) -> dict[str, Any]:
    """Return a schema that accepts a row only if no rule on its checks finds anything.

    It may refuse a row that is fine, which then takes the exact way; never the reverse. The bundle
    of a row is not looked at here. None stands for a row without a rubric; one of a bundle may be
    graded by keys of its own.
    """
    if plan is None:
        return _demand_of_own(has_bundle=has_bundle)
    required = {need for step in plan.steps for need in _asked(step)}
    if not any(_runs_on_any_text(step) for step in plan.steps):
        required = {(field, _telling(field, how)) for field, how in required}
    parts = [_must_have(field, how) for field, how in sorted(required)]
    if plan.is_complete:
        parts += [_must_not_have(field) for field in EXPECTATIONS if field not in plan.reads]
    parts += _refused(plan.conflicts)
    return {"allOf": parts} if parts else {}


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


def _filled(field: str) -> dict[str, Any]:
    """Return a schema of what `is_empty` does not find empty in a field."""
    facts = {"contains": {"pattern": _INK}} if field == "expected_facts" else {}
    return {"minItems": 1, "pattern": _INK, "minProperties": 1, **facts}


def _must_have(field: str, how: Asked) -> dict[str, Any]:
    name, _, inner = field.partition(".")
    refused = [None, "text"] if how is Asked.TELLING else [None]
    filled = {} if how is Asked.PRESENT else _filled(field)
    value = {**filled, "not": {"enum": refused}}
    if inner:
        held = {"required": [inner], "properties": {inner: value}}
        return {"required": [name], "properties": {name: {"type": "object", **held}}}
    return {"required": [name], "properties": {name: value}}


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
    filled = {"properties": {field: _filled(field) for field in OWN_EXPECTATIONS}}
    if has_bundle:
        return filled
    some: dict[str, dict[str, Any]] = {each: {"required": [each]} for each in OWN_EXPECTATIONS}
    some["expected"]["properties"] = {"expected": {"not": {"const": {"format": "text"}}}}
    return {**filled, "anyOf": list(some.values())}
