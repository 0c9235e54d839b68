"""The native JSON Schema engine, `jsonschema_rs`: values, patterns, limits and violations.

The native engine is a hundred times faster than the exact engine, `jsonschema`, which describes
violations in full. Both must give the same verdict. The known differences are patterns, which
follow ECMA-262 in both, and infinity and NaN, which are not JSON numbers.
"""

from __future__ import annotations

import marshal
import re
import threading
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import NAME_LENGTH, clipped
from evalcontract.structure.parts import Schema, follow

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError as NativeError


class Fits:
    """Validates values against the subschemas of one schema, each compiled once."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        # The subschema is kept in the entry, so that its id is not reused.
        self._validators: dict[int, tuple[Schema, NativeValidator | None]] = {}

    def same_shape(self, value: Any, schema: Any) -> bool:
        """Whether a value has the shape of a subschema's type: a mapping, a list or a scalar."""
        declared = follow(schema, self._root).get("type", ())
        types = [declared] if isinstance(declared, str) else declared
        if not types or value is None:
            return value is not None
        if isinstance(value, dict | list):
            return ("object" if isinstance(value, dict) else "array") in types
        return any(name not in ("object", "array") for name in types)

    def fits(self, value: Any, schema: Any) -> bool:
        """Whether a value is valid against a subschema."""
        if id(schema) not in self._validators:
            self._validators[id(schema)] = schema, self._compile(schema)
        _, validator = self._validators[id(schema)]
        return validator is not None and accepts(validator, value)

    def is_any_text(self, schema: Any) -> bool:
        """Whether a subschema accepts any string, so that a valid value proves nothing."""
        target = follow(schema, self._root)
        constraints = {"enum", "const", "pattern", "properties", "items"}
        is_text = target.get("type", "string") in ("string", ["string"])
        return is_text and not constraints & target.keys()

    def _compile(self, schema: Any) -> NativeValidator | None:
        defs = {"$defs": self._root["$defs"]} if "$defs" in self._root else {}
        try:
            return native_for({**defs, "allOf": [schema]})
        except ValueError:  # a reference to another document
            return None


#: Whether a pattern matches anywhere in a text; raises `PatternLimitError`.
Matches = Callable[[str, str], bool]

Result = TypeVar("Result")

#: Validators that are kept for schemas which come again, and the bytes of the largest such schema.
_SHARED, _MAX_SHARED = 64, 1 << 18

#: The steps of a search that backtracks, after which the engine gives up.
MAX_STEPS = 1_000_000
#: The same for guesses, where nothing follows from a pattern that is too slow; and steps times
#: characters, because one step may scan the whole rest of a text.
_QUICK_STEPS, _QUICK_WORK = 10_000, 1_000_000

# What only a backtracking matcher can do: look-around, references, possessive quantifiers. It
# finds some patterns that have none of it, and misses none.
_BACKTRACKS = lazy_pattern(r"\(\?(?!:)|\\[1-9kgGK]|[*+?}]\+")
_POSSESSIVE = lazy_pattern(r"[*+?}]\+")
_NO_SYNTAX = lazy_pattern(r"\\.|\[\^?(?:\\.|[^\]\\])*\]", re.DOTALL)


class PatternLimitError(ValueError):
    """The search for a pattern reached a limit: it is not known whether it matches.

    It is a `ValueError`, as all that the native engine raises for values that it cannot judge.
    """

    def __init__(self, pattern: str, reason: str = "this exceeds the limit of steps") -> None:
        shown = clipped(pattern, NAME_LENGTH)
        super().__init__(f"it cannot be decided whether `{shown}` matches: {reason}")


class NativeValidator(Protocol):
    """A schema in the native engine."""

    def is_valid(self, instance: Any, /) -> bool:
        """Whether a value is valid.

        Raises:
            PatternLimitError: it depends on a pattern whose search reached a limit.
            ValueError, TypeError, RecursionError: it is not a JSON value.

        """

    def validate(self, instance: Any, /) -> None:
        """Raise the first violation of a value, as `jsonschema_rs.ValidationError`.

        It raises as `is_valid` does, too.
        """

    def iter_errors(self, instance: Any, /) -> Iterator[NativeError]:
        """Return the violations of a value; it raises as `is_valid` does."""


def native_for(schema: Schema, search: Matches | None = None) -> NativeValidator:
    """Return the native validator (`jsonschema_rs`) for a schema, shared with equal ones.

    `search` is asked about patterns that may need backtracking, by default `matches`.

    Raises:
        ValueError: the engine does not support the schema.

    """
    try:
        written = marshal.dumps(schema)
    except ValueError:  # a value is of a type of ours
        written = b""
    if written and len(written) <= _MAX_SHARED and (shared := _shared(written)):
        return shared
    of_values, of_keys = _backtracking(schema)
    if of_values or of_keys:
        return _LimitedValidator(schema, of_keys, search or matches)
    return _compiled(schema)


@lru_cache(maxsize=_SHARED)
def _shared(written: bytes) -> NativeValidator | None:
    """Return the validator of a schema; None if it depends on who searches for its patterns."""
    schema = marshal.loads(written)  # noqa: S302 - it was written here
    return None if any(_backtracking(schema)) else _compiled(schema)


def accepts(validator: NativeValidator, value: Any) -> bool:
    """Whether a value is known to be valid: False if it is not JSON, or cannot be decided."""
    try:
        return validator.is_valid(value)
    except (ValueError, TypeError, RecursionError):
        return False


def _compiled(schema: Schema, keywords: dict[str, Any] | None = None) -> NativeValidator:
    import jsonschema_rs  # slow to import: help and completion do without

    return jsonschema_rs.Draft202012Validator(schema, retriever=_refuse, keywords=keywords)


def _backtracking(schema: Schema) -> tuple[bool, tuple[str, ...]]:
    """Return whether the values of `pattern` may need backtracking, and the patterns of keys."""
    of_values = False
    of_keys: dict[str, None] = {}
    seen: set[int] = set()  # what aliases repeat is looked at once
    pending: list[Any] = [schema]
    while pending:
        part = pending.pop()
        if not isinstance(part, dict | list) or id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, list):
            pending += part
            continue
        pattern, by_pattern = part.get("pattern"), part.get("patternProperties")
        of_values = of_values or (isinstance(pattern, str) and may_backtrack(pattern))
        if isinstance(by_pattern, dict):
            of_keys.update((key, None) for key in filter(may_backtrack, by_pattern))
        pending += part.values()
    return of_values, tuple(of_keys)


def may_backtrack(pattern: Any) -> bool:
    """Whether the engine may have to backtrack for a pattern, so that a search has limits."""
    is_suspect = isinstance(pattern, str) and _BACKTRACKS.search(pattern) is not None
    return is_suspect and not _is_linear(pattern)


@lru_cache(maxsize=4_096)
def _is_linear(pattern: str) -> bool:
    """Whether the engine that never backtracks supports a pattern, as it does `[*+]` or `(?i)`."""
    # It reads `a++` as a repeated repetition.
    if _POSSESSIVE.search(_NO_SYNTAX.sub("", pattern)):
        return False
    import jsonschema_rs  # slow to import

    never = jsonschema_rs.RegexOptions()
    try:
        jsonschema_rs.Draft202012Validator({"pattern": pattern}, pattern_options=never)
    except ValueError:
        return False
    return True


class _ReachedLimit(threading.local):
    """The limit that the validation in a thread has reached."""

    error: PatternLimitError | None = None


class _LimitedValidator:
    """The native engine for a schema with patterns that it backtracks for."""

    # Its own search calls a text that takes too many steps a mismatch, also below `not` and `if`.
    # Here `search` makes each search, and no result is returned if one reached its limit.

    def __init__(self, schema: Schema, of_keys: tuple[str, ...], search: Matches) -> None:
        reached = self._reached = _ReachedLimit()
        self._of_keys = of_keys
        self._search = search

        class PatternKeyword:
            def __init__(self, parent: Any, value: Any, path: Any) -> None:
                del parent, path
                self._pattern = value

            def validate(self, instance: Any) -> None:
                try:
                    if isinstance(instance, str) and not search(self._pattern, instance):
                        raise ValueError(f"{instance!r} does not match {self._pattern!r}")
                except PatternLimitError as error:
                    reached.error = error
                    raise

        _compiled(schema)  # raises an error for a pattern that is none
        self._native = _compiled(schema, {"pattern": PatternKeyword})

    def is_valid(self, instance: Any) -> bool:
        return self._decide(self._native.is_valid, instance)

    def validate(self, instance: Any) -> None:
        self._decide(self._native.validate, instance)

    def iter_errors(self, instance: Any) -> Iterator[NativeError]:
        return iter(self._decide(lambda value: [*self._native.iter_errors(value)], instance))

    def _decide(self, call: Callable[[Any], Result], value: Any) -> Result:
        """Return what a call returns, unless a search that it makes reaches the limit."""
        self._reached.error = None
        for key in _keys_in(value) if self._of_keys else ():
            for pattern in self._of_keys:  # the engine lets nobody else search keys
                self._search(pattern, key)
        try:
            return call(value)
        finally:
            if self._reached.error is not None:
                raise self._reached.error


def _keys_in(value: Any) -> set[str]:
    keys: set[str] = set()
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, dict):
            keys.update(key for key in part if isinstance(key, str))
            pending.extend(part.values())
        elif isinstance(part, list):
            pending.extend(part)
    return keys


def _refuse(uri: str) -> Any:
    raise LookupError(f"`{uri}` is an external schema, which is never fetched")


@cache
def _metaschema() -> NativeValidator:
    return native_for({"$ref": "https://json-schema.org/draft/2020-12/schema"})


def is_schema(value: Any) -> bool:
    """Whether a value is a valid Draft 2020-12 schema; patterns and references are not checked."""
    return accepts(_metaschema(), value)


@lru_cache(maxsize=256)  # a compiled pattern may take a megabyte
def _pattern(pattern: str, steps: int = MAX_STEPS) -> NativeValidator:
    import jsonschema_rs  # slow to import

    limited = jsonschema_rs.FancyRegexOptions(backtrack_limit=steps)
    return jsonschema_rs.Draft202012Validator({"pattern": pattern}, pattern_options=limited)


def reads_pattern(pattern: str) -> bool:
    """Whether a pattern is a valid regular expression of ECMA-262."""
    try:
        _pattern(pattern)
    except ValueError:
        return False
    return True


def matches(pattern: str, text: str, steps: int = MAX_STEPS) -> bool:
    """Whether a pattern matches anywhere in a text. Both engines use this function.

    The native engine matches most patterns in linear time, and counts its steps where it has to
    backtrack. What an author writes goes through a `PatternMatcher`, which limits the time, too.

    Raises:
        PatternLimitError: it takes more than so many steps, a power of two or `MAX_STEPS`.

    """
    is_limited = may_backtrack(pattern)
    validator = _pattern(pattern, steps if is_limited else MAX_STEPS)
    text = encodable(text)
    if not is_limited:
        return validator.is_valid(text)
    error = next(iter(validator.iter_errors(text)), None)
    if error is None:
        return True
    from jsonschema_rs import ValidationErrorKind  # slow to import

    if not isinstance(error.kind, ValidationErrorKind.Pattern):
        raise PatternLimitError(pattern)
    return False


def encodable(text: str) -> str:
    """Return a text with lone surrogates, which are not valid Unicode, replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def surely_fits(value: Any, schema: Schema) -> bool:
    """Whether a value is known to be valid: False for what cannot be decided quickly."""
    try:
        return native_for(schema, _matches_quickly).is_valid(value)
    except (ValueError, TypeError, RecursionError):
        return False


def _matches_quickly(pattern: str, text: str) -> bool:
    return matches(pattern, text, steps_for(text, _QUICK_WORK, _QUICK_STEPS))


def steps_for(text: str, work: int, most: int = MAX_STEPS) -> int:
    """Return the steps of a search that are at most so much `work`: steps times characters.

    A power of two, so that few validators are compiled for a pattern, or `most`.
    """
    return min(most, 1 << (work // (len(text) + 1)).bit_length())


#: Maximum number of violations of one value that are described; each takes about 5 KB of memory.
MAX_VIOLATIONS = 10_000

# Keywords that depend only on their own value and the instance.
_SIMPLE_KEYWORDS = frozenset(
    {
        "type",
        "enum",
        "const",
        "required",
        "pattern",
        "minLength",
        "minItems",
        "uniqueItems",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
    }
)


class SchemaViolation(NamedTuple):
    """A keyword that a value violates.

    `instance` is the part of the value at `path` that violates it, `schema` the one that has the
    keyword, at `schema_path`. `forms` are the violations of the forms of `anyOf` and `oneOf`.
    """

    keyword: Any
    keyword_value: Any
    instance: Any
    schema: Any
    path: tuple[Any, ...]
    schema_path: tuple[Any, ...]
    forms: tuple[SchemaViolation, ...] = ()


def first_error(validator: NativeValidator, value: Any) -> NativeError | None:
    """Return the first violation of a value; it raises as `is_valid` does."""
    from jsonschema_rs import ValidationError  # slow to import

    try:
        validator.validate(value)
    except ValidationError as error:
        return error
    return None


def from_native(error: NativeError, value: Any, schema: Any) -> SchemaViolation | None:
    """Convert an error of the native engine; None if only the exact engine can describe it.

    The exact engine is slow to import and doubles the time per value. It adds nothing if the
    only failed keyword is a simple one.
    """
    path, schema_path = tuple(error.instance_path), tuple(error.schema_path)
    if not schema_path or schema_path[-1] not in _SIMPLE_KEYWORDS or "propertyNames" in schema_path:
        return None
    instance, subschema = value, schema
    try:
        for step in path:
            instance = instance[step]
        for step in schema_path[:-1]:
            subschema = subschema[step]
        keyword_value = subschema[schema_path[-1]]
    except (KeyError, IndexError, TypeError):
        return None
    keyword = str(schema_path[-1])
    return SchemaViolation(keyword, keyword_value, instance, subschema, path, schema_path)
