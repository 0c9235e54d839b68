"""What NorthStar takes for a number or a truth: as pydantic reads them when it is not strict.

Measured on pydantic 2.14. Texts of numbers may have spaces around them and underscores inside;
true and false count 1 and 0.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.formats._findings import mapping_at
from evalcontract.model.diagnostic import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.path import Path

# The white space of Unicode, which is not quite what `str.strip` takes for it.
_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
# After a zero, a minus is still taken for the sign, but only before one digit or no zero.
_WHOLE = re.compile(
    r"(?:(?P<sign>[+-]?)(?:0[0_]*(?=[0-9]))?|\+?0[0_]*(?P<late>-)_?(?!0[0-9_]))"
    r"(?P<digits>[0-9](?:_?[0-9])*)(?:\.0+)?",
    re.ASCII,
)
_NUMBER = re.compile(
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|inf(?:inity)?|nan)",
    re.ASCII | re.IGNORECASE,
)
_MOST_DIGITS = 4300
# From here on no float is taken for a whole number.
_LARGEST = 2.0**63
_TRUE = frozenset({"yes", "y", "true", "t", "on", "1"})
_FALSE = frozenset({"no", "n", "false", "f", "off", "0"})


class RefusedError(Exception):
    """A value is not taken; `fault` is the second half of the code that says so."""

    def __init__(self, fault: str) -> None:
        super().__init__(fault)
        self.fault = fault


def whole(value: Any) -> int:
    """Return the whole number that a value is taken for.

    Raises:
        RefusedError: it is taken for none.

    """
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if not value.is_integer():
            raise RefusedError("wrong-type")
        if not -_LARGEST < value < _LARGEST:
            raise RefusedError("out-of-range")
        return int(value)
    if not isinstance(value, str):
        raise RefusedError("wrong-type")
    found = _WHOLE.fullmatch(value.strip(_SPACE))
    if found is None:
        raise RefusedError("malformed-value")
    digits = found["digits"].replace("_", "").lstrip("0")
    if len(digits) > _MOST_DIGITS:
        raise RefusedError("out-of-range")
    number = int(digits or "0")
    return -number if "-" in (found["sign"], found["late"]) else number


def number(value: Any) -> float:
    """Return the number that a value is taken for; it may be infinite, or NaN.

    Raises:
        RefusedError: it is taken for none.

    """
    if isinstance(value, int | float):
        try:
            return float(value)
        except OverflowError:
            raise RefusedError("out-of-range") from None
    if not isinstance(value, str):
        raise RefusedError("wrong-type")
    text = value.strip(_SPACE)
    if "_" in text and not (text[0] == "_" or text[-1] == "_" or "__" in text):
        text = text.replace("_", "")
    if not _NUMBER.fullmatch(text):
        raise RefusedError("malformed-value")
    return float(text)


def truth(value: Any) -> bool:
    """Return the truth that a value is taken for.

    Raises:
        RefusedError: it is taken for none.

    """
    if isinstance(value, str):
        word = value.lower()
        if word not in _TRUE | _FALSE:
            raise RefusedError("malformed-value")
        return word in _TRUE
    if not isinstance(value, int | float) or value not in (0, 1):
        raise RefusedError("wrong-type")
    return bool(value)


class FieldType(NamedTuple):
    """What a field is taken for: `kind` names a function here, the rest are its bounds."""

    kind: str
    says: str
    low: float | None = None
    high: float | None = None

    def taken(self, value: Any) -> float:
        """Return what a value that is not null is taken for: an int, a float or a bool.

        Raises:
            RefusedError: it is not taken.

        """
        found: float = _KINDS[self.kind](value)
        if self.high is not None and not (self.low or 0) <= found <= self.high:
            raise RefusedError("out-of-range")  # NaN, too
        if self.low is not None and found < self.low:
            raise RefusedError("out-of-range")
        return found


_KINDS = {"whole": whole, "number": number, "truth": truth}

COUNT = FieldType("whole", "a whole number, 0 or more", 0)
POSITIVE = FieldType("whole", "a whole number, 1 or more", 1)
AMOUNT = FieldType("number", "a number, 0 or more", 0)
SHARE = FieldType("number", "a number from 0 to 1", 0, 1)
MEASURE = FieldType("number", "a number")
TRUTH = FieldType("truth", "true or false")

#: The fields that are numbers or truths, by the mapping that they stand in.
OF_EXPECTED = {
    "max_tool_calls": COUNT,
    "max_latency_ms": AMOUNT,
    "max_cost_usd": AMOUNT,
    "require_tool_output_reference": TRUTH,
}
OF_TRACE = {
    "max_repeated_tool_calls": POSITIVE,
    "min_retrieval_precision": SHARE,
    "min_retrieval_recall": SHARE,
    "max_step_cost_usd": AMOUNT,
}
OF_METRICS = {"latency_ms": MEASURE, "cost_usd": MEASURE}


# Each of them, with the way to its mapping in a case.
_FIELDS = (
    (("expected",), OF_EXPECTED),
    (("expected", "trace"), OF_TRACE),
    (("metrics",), OF_METRICS),
)
# Larger numbers are told, not shown.
_PRINTED = 10**40


def refused_numbers(row: dict[str, Any], path: Path) -> list[Problem]:
    """Return what is refused of the numbers of a case, as far as they stand where they belong."""
    return [
        problem
        for where, fields in _FIELDS
        if (value := mapping_at(row, *where))
        for problem in _refused(value, fields, path, where)
    ]


def _refused(
    value: dict[str, Any], fields: dict[str, FieldType], path: Path, where: tuple[str, ...]
) -> Iterator[Problem]:
    for key, wanted in fields.items():
        part = value.get(key)
        if part is not None:
            try:
                wanted.taken(part)
            except RefusedError as error:
                name = ".".join((*where, key))
                message = f"`{name}` must be {wanted.says}, not {_shown(part)}"
                code = f"northstar/{error.fault}"
                yield Problem(code, message, (*path, *where, key), _advice(wanted))


def _advice(wanted: FieldType) -> str:
    if wanted.kind == "truth":
        return "write true or false"
    return f"write {wanted.says}, or leave it out"


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    text = value if isinstance(value, str) else None
    if isinstance(value, float):
        text = json.dumps(value)
    if text is None:
        return f"`{value}`" if abs(value) < _PRINTED else "a number of that size"
    return f"`{text[:40]}`" if text.strip() else "blank text"


def without_numbers(row: dict[str, Any]) -> dict[str, Any]:
    """Return a case for the schema: what `refused_numbers` judges is null there.

    The schema cannot know all that pydantic takes, nor can its engines read NaN.
    """
    for where, fields in _FIELDS:
        row = _nulled(row, where, fields)
    return row


def _nulled(value: Any, where: tuple[str, ...], fields: dict[str, FieldType]) -> Any:
    """Return a value in which the fields of the mapping at a place are null."""
    if not isinstance(value, dict):
        return value
    if not where:
        return {key: None if key in fields else part for key, part in value.items()}
    key, *rest = where
    return {**value, key: _nulled(value[key], tuple(rest), fields)} if key in value else value
