"""Advice for texts where a number is required: `90%`, `2,000`, `10s`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.startup import lazy_pattern
from evalcontract.model.values import integer
from evalcontract.structure.native import surely_fits

if TYPE_CHECKING:
    import re

_NUMBER = lazy_pattern(
    r"(?P<number>-?(?:(?P<grouped>[1-9]\d{0,2}(?:[,_]\d{3})+)|(?:0|[1-9]\d*)(?:[.,]\d+)?))"
    r"(?P<unit>\s*(?:[A-Za-z]+|%)?)"
)
# The number of letters from which on a unit is clear: `k` and `m` may also be numbers.
_CLEAR = 3
_KEYWORDS = (
    "type", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
)  # fmt: skip
_PERCENT = 100


def number_advice(value: Any, schema: dict[str, Any], noun: str, key: str) -> str:
    """Return the advice to write a number; with the number itself only if it is certain.

    `noun` is the noun for the number that the schema of the key requires.
    """
    is_fraction = schema.get("maximum") == 1
    general = f"write {noun}{', such as 0.8' if is_fraction else ''}"
    text = value.strip() if isinstance(value, str) else ""
    match = _NUMBER.fullmatch(text)
    number = _without_commas(match, noun) if match else None
    if match is None or number is None:
        return general
    unit = match["unit"].strip()
    if unit == "%" and is_fraction:
        return f"write {float(number) / _PERCENT:g}"
    if unit and not _is_unit_of(unit, key):
        return f"{general}, without a unit"
    return _exact(text, number, match["number"]) if _is_valid(number, schema) else general


def _exact(text: str, number: str, written: str) -> str:
    if number == text:
        return f"remove the quotes: {number}"
    is_decimal = "," in written and "." in number
    return (
        f"write {number}, with a decimal point"
        if is_decimal
        else f"write only the number: {number}"
    )


def _without_commas(match: re.Match[str], noun: str) -> str | None:
    """Return a number as JSON has it; None if it is unclear what a comma separates."""
    if not match["grouped"]:
        return match["number"].replace(",", ".")
    if "," in match["number"] and noun == "a number":
        return None  # 1,500 is 1.5 in some languages
    return match["number"].replace(",", "").replace("_", "")


def _is_unit_of(unit: str, key: str) -> bool:
    """Whether a unit is the one that a key names: `s` and `sec` for `timeout_seconds`."""
    *_, last_word = key.split("_")
    if len(unit) < _CLEAR:
        return (unit, last_word) == ("s", "seconds")
    return last_word.startswith(unit.lower())


def _is_valid(number: str, schema: dict[str, Any]) -> bool:
    keywords = {keyword: schema[keyword] for keyword in _KEYWORDS if keyword in schema}
    value = float(number) if "." in number else integer(number)
    return value is not None and surely_fits(value, keywords)
