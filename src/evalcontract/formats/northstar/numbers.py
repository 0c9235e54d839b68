"""The numbers of a case that NorthStar refuses, and the case without them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from evalcontract.formats.northstar.lax import (
    OF_EXPECTED,
    OF_METRICS,
    OF_TRACE,
    RefusedError,
    Wanted,
)
from evalcontract.model.diagnostic import Problem

if TYPE_CHECKING:
    from evalcontract.model.path import Path

_METRICS = tuple(OF_METRICS.items())
_TRACE = tuple(OF_TRACE.items())
_EXPECTED = tuple(OF_EXPECTED.items())
# Larger numbers are told, not shown.
_PRINTED = 10**40


def refused_numbers(row: dict[str, Any], path: Path) -> list[Problem]:
    """Return what is refused of the numbers of a case, as far as they stand where they belong."""
    found: list[Problem] = []
    expected = row.get("expected")
    if isinstance(expected, dict):
        found += _refused(expected, _EXPECTED, path, "expected")
        trace = expected.get("trace")
        if isinstance(trace, dict):
            found += _refused(trace, _TRACE, path, "expected", "trace")
    metrics = row.get("metrics")
    if isinstance(metrics, dict):
        found += _refused(metrics, _METRICS, path, "metrics")
    return found


def _refused(
    value: dict[str, Any], fields: tuple[tuple[str, Wanted], ...], path: Path, *where: str
) -> list[Problem]:
    found = []
    for key, wanted in fields:
        part = value.get(key)
        if part is not None:
            try:
                wanted.taken(part)
            except RefusedError as error:
                place = (*path, *where, key)
                name = ".".join((*where, key))
                message = f"`{name}` must be {wanted.says}, not {_shown(part)}"
                found.append(Problem(f"northstar/{error.fault}", message, place, _advice(wanted)))
    return found


def _advice(wanted: Wanted) -> str:
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
    row = _nulled(row, "metrics", OF_METRICS)
    row = _nulled(row, "expected", OF_EXPECTED)
    if isinstance(row.get("expected"), dict):
        row = {**row, "expected": _nulled(row["expected"], "trace", OF_TRACE)}
    return row


def _nulled(value: dict[str, Any], key: str, fields: dict[str, Wanted]) -> dict[str, Any]:
    part = value.get(key)
    if not isinstance(part, dict):
        return value
    return {**value, key: {name: None if name in fields else each for name, each in part.items()}}
