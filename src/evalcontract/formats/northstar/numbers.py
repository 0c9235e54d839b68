"""Check the numbers and booleans of a case as NorthStar's models do."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from evalcontract.formats._findings import is_list_of, mapping_at
from evalcontract.formats.northstar.case import (
    CoercionError,
    is_blank,
    phrases,
    to_bool,
    to_float,
    to_int,
)
from evalcontract.model.diagnostic import Path, Problem
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import json_equal

# Larger numbers are described, not shown.
_LARGEST_SHOWN = 10**40
_MAX_LENGTH = 40


class FieldType(NamedTuple):
    """The type of a field: how its value is read, and its bounds."""

    read: Callable[[Any], float]
    description: str
    low: float | None = None
    high: float | None = None

    def coerce(self, value: Any) -> float:
        """Coerce a value that is not null to an int, a float or a bool.

        Raises:
            CoercionError: it is rejected.

        """
        result = self.read(value)
        if self.high is not None and not (self.low or 0) <= result <= self.high:
            raise CoercionError("out-of-range")  # also NaN
        if self.low is not None and result < self.low:
            raise CoercionError("out-of-range")
        return result


_COUNT = FieldType(to_int, "a whole number, 0 or more", 0)
_POSITIVE = FieldType(to_int, "a whole number, 1 or more", 1)
_AMOUNT = FieldType(to_float, "a number, 0 or more", 0)
_FRACTION = FieldType(to_float, "a number from 0 to 1", 0, 1)
_MEASURE = FieldType(to_float, "a number")
_BOOLEAN = FieldType(to_bool, "true or false")

#: The fields that are numbers or booleans, by their mapping.
OF_EXPECTED = {
    "max_tool_calls": _COUNT,
    "max_latency_ms": _AMOUNT,
    "max_cost_usd": _AMOUNT,
    "require_tool_output_reference": _BOOLEAN,
}
OF_TRACE = {
    "max_repeated_tool_calls": _POSITIVE,
    "min_retrieval_precision": _FRACTION,
    "min_retrieval_recall": _FRACTION,
    "max_step_cost_usd": _AMOUNT,
}
OF_METRICS = {"latency_ms": _MEASURE, "cost_usd": _MEASURE}
#: Limits of a run and of its trace. Rows of the bundle `agent` may have them by the same names.
LIMITS_OF_RUN = ("require_tool_output_reference", "max_latency_ms", "max_cost_usd")
LIMITS_OF_TRACE = (
    *("max_repeated_tool_calls", "allowed_state_transitions", "min_retrieval_precision"),
    *("min_retrieval_recall", "max_step_cost_usd"),
)
_FIELDS = (
    (("expected",), OF_EXPECTED),
    (("expected", "trace"), OF_TRACE),
    (("metrics",), OF_METRICS),
)


def number_faults(row: dict[str, Any], path: Path) -> list[Problem]:
    """Return the problems of the numbers and booleans of a case."""
    return [
        problem
        for where, fields in _FIELDS
        if (value := mapping_at(row, *where))
        for problem in _field_faults(value, fields, path, where=where)
    ]


def _field_faults(
    value: dict[str, Any], fields: dict[str, FieldType], path: Path, where: tuple[str, ...]
) -> Iterator[Problem]:
    for key, wanted in fields.items():
        part = value.get(key)
        if part is not None:
            try:
                wanted.coerce(part)
            except CoercionError as error:
                name = ".".join((*where, key))
                message = f"`{name}` must be {wanted.description}, not {_shown(part)}"
                otherwise = "" if wanted is _BOOLEAN else ", or remove it"
                advice = f"write {wanted.description}{otherwise}"
                yield Problem(f"northstar/{error.fault}", message, (*path, *where, key), advice)


def _shown(value: Any) -> str:
    match value:
        case dict():
            return "a mapping"
        case list():
            return "a list"
        case str():
            return f"`{value[:_MAX_LENGTH]}`" if value.strip() else "blank text"
        case int() if abs(value) >= _LARGEST_SHOWN:
            return "a number of that size"
    return f"`{json.dumps(value)}`"


def without_numbers(row: dict[str, Any]) -> dict[str, Any]:
    """Return a case for the schema, with null for everything that `number_faults` checks."""
    for where, fields in _FIELDS:
        row = _nulled(row, where, fields)
    return row


def _nulled(value: Any, where: tuple[str, ...], fields: dict[str, FieldType]) -> Any:
    if not isinstance(value, dict):
        return value
    if not where:
        return {key: None if key in fields else part for key, part in value.items()}
    key, *rest = where
    return {**value, key: _nulled(value[key], tuple(rest), fields)} if key in value else value


#: Returns the normal form of a value, or None if it says nothing that can be represented. Raises
#: `CoercionError` if a case cannot have the value.
Form = Callable[[Any], Any]


def _typed(type_: type) -> Form:
    """Return the form of a value of a type, which is as it is."""

    def form(value: Any) -> Any:
        if isinstance(value, type_):
            return value
        raise CoercionError("wrong-type")

    return form


_TEXT, _MAPPING = _typed(str), _typed(dict)


def _list_of(type_: type, value: Any) -> list[Any]:
    if not is_list_of(value, type_):
        raise CoercionError("wrong-type")
    return value


def _phrases(value: Any) -> list[str]:
    """Return the texts of a field that holds a list of texts, a single text, or null."""
    return _list_of(str, phrases(value))


def _text(value: Any) -> str | None:
    return None if value is None or is_blank(_TEXT(value)) else str(value)


def _distinct(value: Any) -> list[str] | None:
    """Return phrases without duplicates, ignoring case."""
    distinct: dict[str, str] = {}
    for phrase in _phrases(value):
        if not is_blank(phrase):
            distinct.setdefault(phrase.lower(), phrase)
    return [*distinct.values()] or None


def _names(value: Any) -> list[str] | None:
    return [*dict.fromkeys(name for name in _phrases(value) if not is_blank(name))] or None


def _sequence(value: Any) -> list[str] | None:
    """Return names in their order; an empty list means that no tool may be called."""
    names = _phrases(value)
    return None if value is None or any(map(is_blank, names)) else [*names]


def _passages(value: Any) -> list[str] | None:
    return [*_phrases(value)] or None


def _calls(value: Any) -> list[dict[str, Any]] | None:
    calls = _list_of(dict, value or [])
    for call in calls:
        if not (isinstance(call.get("name"), str) and isinstance(call.get("arguments"), dict)):
            raise CoercionError("wrong-type")
    if not calls or any(is_blank(call["name"]) for call in calls):
        return None
    return [{"name": call["name"], "arguments": call["arguments"]} for call in calls]


def _items(type_: type) -> Form:
    return lambda value: None if value is None else [*_list_of(type_, value)]


def _number(wanted: FieldType) -> Form:
    def form(value: Any) -> Any:
        if value is None:
            return None
        number = wanted.coerce(value)
        if wanted.read is to_float and not isinstance(value, str):
            number = int(value) if isinstance(value, bool) else value
        return None if isinstance(number, float) and not math.isfinite(number) else number

    return form


#: The forms of the fields, by their mapping.
TRACE: Mapping[str, Form] = {
    **{key: _number(wanted) for key, wanted in OF_TRACE.items()},
    "allowed_state_transitions": _items(dict),
    "relevant_retrieval_ids": _items(str),
}
EXPECTED: Mapping[str, Any] = {
    **{key: _number(wanted) for key, wanted in OF_EXPECTED.items()},
    **dict.fromkeys(("goal", "rubric", "ground_truth"), _text),
    **dict.fromkeys(("required_tools", "forbidden_tools"), _names),
    **dict.fromkeys(("contains", "not_contains"), _distinct),
    "context": _passages,
    "tool_sequence": _sequence,
    "tool_arguments": _calls,
    "trace": TRACE,
}
METRICS: Mapping[str, Form] = {key: _number(wanted) for key, wanted in OF_METRICS.items()}
CASE: Mapping[str, Any] = {
    "id": _TEXT,
    "messages": partial(_list_of, dict),
    "input": lambda value: value,
    "trace": lambda value: None if value is None else _MAPPING(value),
    "metadata": _MAPPING,
    "expected": EXPECTED,
    "metrics": METRICS,
}


def normal(value: Mapping[str, Any], forms: Mapping[str, Any]) -> dict[str, Any]:
    """Return the normal form of a mapping, without what cannot be represented."""
    result = {}
    for key, part in value.items():
        form = forms[key]
        normalized = form(part) if callable(form) else normal(part or {}, form) or None
        if normalized is not None:
            result[key] = normalized
    return result


def valid(value: Mapping[str, Any], forms: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapping of somebody else without what a case cannot have."""
    result: dict[str, Any] = {}
    for key, part in value.items():
        form = forms.get(key)
        if form is None:
            continue
        if not callable(form):
            if isinstance(part, dict):
                result[key] = valid(part, form)
            elif part is None and form is TRACE:
                result[key] = None
            continue
        try:
            form(part)
        except CoercionError:
            continue
        result[key] = part
    return result


def same_as(value: Mapping[str, Any], forms: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a mapping that a case may have, and that are their normal form."""
    given = valid({key: part for key, part in value.items() if part is not None}, forms)
    return {key: part for key, part in given.items() if json_equal(forms[key](part), part)}
