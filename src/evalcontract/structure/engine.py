"""The two engines of JSON Schema, made to give one verdict: ECMA-262's reading of a schema.

`jsonschema` says exactly what is wrong; `jsonschema_rs` says, a hundred times faster, that
nothing is. Measured differences are settled here: patterns, which Python reads by rules of its own,
and infinity and NaN, which are no JSON numbers.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema.protocols import Validator
    from jsonschema_rs import Draft202012Validator as NativeValidator

    from evalcontract.structure.schemas import Schema


def validator_for(schema: Schema) -> Validator:
    """Return the exact engine for a schema (`jsonschema`)."""
    from evalcontract.structure.exact import NOTHING_TO_FETCH, Exact  # slow to import

    exact: Validator = Exact(schema, registry=NOTHING_TO_FETCH)
    return exact


def native_for(schema: Schema) -> NativeValidator:
    """Return the fast engine for a schema (`jsonschema_rs`); its verdict is the same."""
    import jsonschema_rs  # slow to import

    return jsonschema_rs.Draft202012Validator(schema, retriever=_refuse)


def _refuse(uri: str) -> Any:
    raise LookupError(f"`{uri}` is elsewhere, and nothing is ever fetched")


@cache
def _metaschema() -> NativeValidator:
    return native_for({"$ref": "https://json-schema.org/draft/2020-12/schema"})


def is_schema(value: Any) -> bool:
    """Whether a value keeps the rules of Draft 2020-12; its patterns and references aside."""
    try:
        return bool(_metaschema().is_valid(value))
    except (ValueError, TypeError, RecursionError):
        return False


@cache
def _pattern(pattern: str) -> NativeValidator:
    return native_for({"pattern": pattern})


def reads_pattern(pattern: str) -> bool:
    """Whether a pattern is a regular expression, as ECMA-262 has them."""
    try:
        _pattern(pattern)
    except ValueError:
        return False
    return True


def matches(pattern: str, text: str) -> bool:
    """Whether a pattern matches anywhere in a text. The fast engine alone decides, for both.

    It reads most patterns without backtracking and gives up on the rest in time, so that no
    text makes it hang.
    """
    try:
        return bool(_pattern(pattern).is_valid(text))
    except ValueError:  # a lone surrogate, which is no text
        return bool(_pattern(pattern).is_valid(text.encode("utf-8", "replace").decode()))
