"""A schema held against a small value, without an engine: importing one takes longer than that.

Only the keywords that the contract's own schemas use are known, and only plain JSON values.
Whatever else there is, it gives no verdict, and the engines are asked. Where it gives one, it is
theirs: a test holds it against `jsonschema_rs`.
"""

from __future__ import annotations

import re
from functools import cache
from operator import ge, gt, le, lt
from typing import TYPE_CHECKING, Any

from evalcontract.structure.schemas import FOR_PEOPLE

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcontract.structure.schemas import Schema

    # Says what a keyword says: of its own value, the value that is judged, and the whole schema.
    _Judge = Callable[["SmallValues", Any, Any, Schema], bool]

# Steps over a schema and values, for all values together; as many as an engine's import takes.
_STEPS = 6000
_DEEPEST = 40
# From here on engines read integers in different ways.
_ROUNDED = 2**53

_ELSEWHERE = frozenset({"$defs", "then", "else"})
_OF_THE_ROOT = frozenset({"$id", "$schema"})
# A pattern of these parts means the same to Python and to ECMA-262, its last `$` but for its name.
_PLAIN_PATTERN = re.compile(
    r"(?:\\[.+\\/n-]|\\u[0-9a-fA-F]{4}|\(\?:|(?<!\()\?|\{[0-9]|[^\\.$?{])*+\$?"
)


class _UnsureError(Exception):
    """There is something here that only an engine knows."""


class SmallValues:
    """Judges values by a schema, as long as they are few and small."""

    def __init__(self, schema: Schema) -> None:
        self._root = schema
        self._steps = _STEPS

    def verdict(self, value: Any) -> bool | None:
        """Tell whether a value is valid; None where that is not certain, or too much work."""
        if self._steps <= 0:
            return None
        try:
            self._read(value, 0)
            return self.holds(self._root, value)
        except (_UnsureError, RecursionError):
            return None

    def _step(self) -> None:
        self._steps -= 1
        if self._steps <= 0:
            raise _UnsureError

    def _read(self, value: Any, depth: int) -> None:
        """Refuse what is no plain JSON value."""
        self._step()
        if depth == _DEEPEST:
            raise _UnsureError
        if type(value) is list:
            for part in value:
                self._read(part, depth + 1)
        elif type(value) is dict:
            for key, part in value.items():
                if type(key) is not str:
                    raise _UnsureError
                self._read(key, depth + 1)
                self._read(part, depth + 1)
        elif not _is_plain(value):
            raise _UnsureError

    def holds(self, schema: Any, value: Any) -> bool:
        """Whether a value is valid by a schema below the root."""
        self._step()
        if isinstance(schema, bool):
            return schema
        for keyword, part in schema.items():
            if keyword in FOR_PEOPLE or keyword in _ELSEWHERE:
                continue
            if keyword in _OF_THE_ROOT and schema is self._root:
                continue
            judge = _KEYWORDS.get(keyword)
            if judge is None:
                raise _UnsureError
            if not judge(self, part, value, schema):
                return False
        return True

    def target(self, reference: str) -> Any:
        """Return what a local reference leads to."""
        steps = reference.split("/")
        if steps[0] != "#" or "%" in reference or "~" in reference:
            raise _UnsureError
        found: Any = self._root
        for step in steps[1:]:
            if not isinstance(found, dict) or step not in found:
                raise _UnsureError
            found = found[step]
        return found


def _is_plain(value: Any) -> bool:
    """Whether a single value is one that all engines read in one way."""
    kind = type(value)
    if kind is str:
        return value.isascii() or not any("\ud800" <= each <= "\udfff" for each in value)
    if kind is int or kind is float:
        return bool(-_ROUNDED < value < _ROUNDED)  # neither infinity nor NaN is
    return value is None or kind is bool


def _if(small: SmallValues, part: Any, value: Any, schema: Schema) -> bool:
    branch = schema.get("then" if small.holds(part, value) else "else", True)
    return small.holds(branch, value)


def _type(_: SmallValues, part: Any, value: Any, __: Schema) -> bool:
    return any(_is_of(name, value) for name in ([part] if isinstance(part, str) else part))


def _is_of(name: str, value: Any) -> bool:
    kind = type(value)
    if name == "integer":
        return kind is int or (kind is float and value.is_integer())
    return kind in _TYPES[name]


_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, dict | list) and type(one) is type(other):
        raise _UnsureError
    numbers = (int, float)
    if type(one) in numbers and type(other) in numbers:
        return bool(one == other)
    return type(one) is type(other) and bool(one == other)


def _unique(_: SmallValues, part: Any, value: Any, __: Schema) -> bool:
    if not part or type(value) is not list or len(value) < 2:  # noqa: PLR2004 - one is alone
        return True
    if any(type(each) is not str for each in value):
        raise _UnsureError
    return len(set(value)) == len(value)


@cache
def _compiled(pattern: str) -> re.Pattern[str] | None:
    if not _PLAIN_PATTERN.fullmatch(pattern):
        return None
    return re.compile(pattern[:-1] + r"\Z" if pattern.endswith("$") else pattern)


def _matches(pattern: str, text: str) -> bool:
    compiled = _compiled(pattern)
    if compiled is None:
        raise _UnsureError
    return compiled.search(text) is not None


def _keys(small: SmallValues, _: Any, value: Any, schema: Schema) -> bool:
    """Judge the parts of a mapping by all keywords on keys; the first of them leads here."""
    if type(value) is not dict:
        return True
    named = schema.get("properties", {})
    patterns = schema.get("patternProperties", {})
    other = schema.get("additionalProperties", True)
    for key, part in value.items():
        parts = [named[key]] if key in named else []
        parts += [each for pattern, each in patterns.items() if _matches(pattern, key)]
        if not all(small.holds(each, part) for each in parts or [other]):
            return False
    return True


def _sized(
    kind: type[str | list[Any] | dict[str, Any]], compare: Callable[[Any, Any], bool]
) -> _Judge:
    return lambda _, part, value, __: type(value) is not kind or compare(len(value), part)


def _bounded(compare: Callable[[Any, Any], bool]) -> _Judge:
    return lambda _, part, value, __: type(value) not in (int, float) or compare(value, part)


def _keys_without(*others: str) -> _Judge:
    """Judge the parts of a mapping, where none of the other keywords has done so."""
    return lambda small, _, value, schema: (
        any(each in schema for each in others) or _keys(small, _, value, schema)
    )


_KEYWORDS: dict[str, _Judge] = {
    "$ref": lambda small, part, value, _: small.holds(small.target(part), value),
    "allOf": lambda small, part, value, _: all(small.holds(each, value) for each in part),
    "anyOf": lambda small, part, value, _: any(small.holds(each, value) for each in part),
    "not": lambda small, part, value, _: not small.holds(part, value),
    "if": _if,
    "type": _type,
    "enum": lambda _, part, value, __: any(_is_same(each, value) for each in part),
    "const": lambda _, part, value, __: _is_same(part, value),
    "required": lambda _, part, value, __: type(value) is not dict or value.keys() >= set(part),
    "properties": _keys,
    "patternProperties": _keys_without("properties"),
    "additionalProperties": _keys_without("properties", "patternProperties"),
    "items": lambda small, part, value, _: (
        type(value) is not list or all(small.holds(part, each) for each in value)
    ),
    "uniqueItems": _unique,
    "pattern": lambda _, part, value, __: type(value) is not str or _matches(part, value),
    "minLength": _sized(str, ge),
    "maxLength": _sized(str, le),
    "minItems": _sized(list, ge),
    "maxItems": _sized(list, le),
    "minProperties": _sized(dict, ge),
    "maxProperties": _sized(dict, le),
    "minimum": _bounded(ge),
    "maximum": _bounded(le),
    "exclusiveMinimum": _bounded(gt),
    "exclusiveMaximum": _bounded(lt),
}
