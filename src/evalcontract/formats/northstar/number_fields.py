"""Check the numbers and booleans of a case as NorthStar's models do."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import mapping_at
from evalcontract.formats.northstar.pydantic_coercion import (
    CoercionError,
    to_bool,
    to_float,
    to_int,
)
from evalcontract.model.diagnostic import Problem
from evalcontract.model.startup import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.diagnostic import Path

_KINDS = {"integer": to_int, "number": to_float, "boolean": to_bool}
# Larger numbers are described, not shown.
_LARGEST_SHOWN = 10**40
_MAX_LENGTH = 40


class FieldType(NamedTuple):
    """The type of a field: `kind` names a coercion, the rest are its bounds."""

    kind: str
    description: str
    low: float | None = None
    high: float | None = None

    def coerce(self, value: Any) -> float:
        """Coerce a value that is not null to an int, a float or a bool.

        Raises:
            CoercionError: it is rejected.

        """
        result: float = _KINDS[self.kind](value)
        if self.high is not None and not (self.low or 0) <= result <= self.high:
            raise CoercionError("out-of-range")  # also NaN
        if self.low is not None and result < self.low:
            raise CoercionError("out-of-range")
        return result


_COUNT = FieldType("integer", "a whole number, 0 or more", 0)
_POSITIVE = FieldType("integer", "a whole number, 1 or more", 1)
_AMOUNT = FieldType("number", "a number, 0 or more", 0)
_FRACTION = FieldType("number", "a number from 0 to 1", 0, 1)
_MEASURE = FieldType("number", "a number")
_BOOLEAN = FieldType("boolean", "true or false")

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
        for problem in _field_faults(value, fields, path, where)
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
    """Return a value with null for some fields of the mapping at a place."""
    if not isinstance(value, dict):
        return value
    if not where:
        return {key: None if key in fields else part for key, part in value.items()}
    key, *rest = where
    return {**value, key: _nulled(value[key], tuple(rest), fields)} if key in value else value
