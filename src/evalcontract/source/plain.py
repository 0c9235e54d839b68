"""Convert Python values to plain data: what a JSON file could contain."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import format_path
from evalcontract.model.values import is_writable
from evalcontract.source.limits import MAX_DEPTH

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalcontract.model.diagnostic import Path

#: How types that JSON lacks are written, in rows in memory and in Parquet files.
CONVERTERS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (datetime | date | time, lambda value: value.isoformat()),
    (timedelta, timedelta.total_seconds),
    (Decimal, float),
    (bytes, lambda value: base64.b64encode(value).decode()),
)
_MAX_STEPS = 4  # steps of a path that a message quotes


class NotPlainError(Exception):
    """A value that JSON cannot represent; `code` is that of the finding, `path` its place."""

    def __init__(self, reason: str, code: str = "source/unsupported", path: Path = ()) -> None:
        super().__init__(reason, code, path)
        self.reason = reason
        self.code = code
        self.path = path

    def __str__(self) -> str:
        return f"`{format_path(self.path[:_MAX_STEPS])}` {self.reason}"

    def inside(self, step: str | int) -> NotPlainError:
        """Return the same error with its path below a key or an index."""
        return NotPlainError(self.reason, self.code, (step, *self.path))


def plain(value: Any, *, as_python: bool = False, depth: int = 0) -> Any:
    """Return a copy of a value with all its parts as dict, list, str, int, float, bool or None.

    Dates and times become ISO 8601 strings, bytes base64, durations seconds, decimals floats.
    `as_python` permits what Python's `json` reads beyond JSON: NaN, infinity, lone surrogates.

    Raises:
        NotPlainError: a part is of another type, is a mapping with a key that is not a string, or
            is nested too deeply.

    """
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        return _text(value, as_python=as_python)
    if isinstance(value, dict | list | tuple | Mapping):
        if depth == MAX_DEPTH:
            reason = f"is nested more than {MAX_DEPTH} levels deep"
            raise NotPlainError(reason, "source/limit-exceeded")
        if isinstance(value, list | tuple):
            return _items(value, as_python=as_python, depth=depth + 1)
        return _mapping(value, as_python=as_python, depth=depth + 1)
    for kind, convert in CONVERTERS:
        if isinstance(value, kind):
            value = convert(value)
    return value if isinstance(value, str) else _number(value, as_python=as_python)


def _mapping(value: Mapping[Any, Any], *, as_python: bool, depth: int) -> dict[str, Any]:
    copy = {}
    for key, part in value.items():
        if not isinstance(key, str):
            raise NotPlainError(f"has a key that is a `{type(key).__name__}` and not a string")
        try:
            copy[_text(key, as_python=as_python)] = plain(part, as_python=as_python, depth=depth)
        except NotPlainError as error:
            raise error.inside(key) from None
    return copy


def _items(value: Sequence[Any], *, as_python: bool, depth: int) -> list[Any]:
    copy = []
    for index, part in enumerate(value):
        try:
            copy.append(plain(part, as_python=as_python, depth=depth))
        except NotPlainError as error:
            raise error.inside(index) from None
    return copy


def _text(value: str, *, as_python: bool) -> str:
    text = value if type(value) is str else str.__str__(value)  # of a subclass, the text alone
    if not as_python and not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            reason = "has a lone surrogate, which UTF-8 cannot represent"
            raise NotPlainError(reason, "source/encoding") from None
    return text


def _number(value: Any, *, as_python: bool) -> int | float:
    if isinstance(value, Integral):
        number = int(value)
        if not is_writable(number):
            raise NotPlainError("has too many digits", "source/limit-exceeded")
        return number
    if not isinstance(value, Real):
        raise NotPlainError(f"is a `{type(value).__name__}`, which JSON cannot represent")
    if not as_python and not math.isfinite(value):
        name = "NaN" if math.isnan(value) else "infinite"
        raise NotPlainError(f"is {name}, which JSON cannot represent; use None")
    return float(value)
