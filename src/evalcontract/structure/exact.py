"""The exact engine, `jsonschema`, made to read a schema as ECMA-262 does.

Importing it takes longer than all else that a small clean file needs: see `engine`.
"""

from __future__ import annotations

import math
import re
from functools import cache
from typing import TYPE_CHECKING, Any

import jsonschema
from jsonschema import validators
from jsonschema.exceptions import best_match
from referencing import Registry

if TYPE_CHECKING:
    from collections.abc import Iterator


# The engines' own registries would go to the network for a `$ref` that they do not know.
NOTHING_TO_FETCH: Registry[Any] = Registry()


def _in_short(error: jsonschema.ValidationError) -> str:
    if error.validator == "enum":
        return f"`{error.instance}` is none of {', '.join(map(str, error.validator_value))}"
    return str(error.message)


@cache
def ecma_pattern(pattern: str) -> re.Pattern[str]:
    r"""Compile a pattern as ECMA-262 means it: an unescaped `$` matches at the very end only."""
    return re.compile(
        re.sub(r"(\\.|\[(?:\\.|[^\]\\])*\])|\$", _end_anchor, pattern, flags=re.DOTALL)
    )


def _end_anchor(found: re.Match[str]) -> str:
    return found[1] or r"\Z"


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[Any]:
    if validator.is_type(instance, "string") and not ecma_pattern(pattern).search(instance):
        yield jsonschema.ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if not validator.is_type(instance, "object"):
        return
    for pattern, subschema in value.items():
        for key, part in instance.items():
            if ecma_pattern(pattern).search(key):
                yield from validator.descend(part, subschema, path=key, schema_path=pattern)


def _is_number(checker: Any, instance: Any) -> bool:
    if isinstance(instance, bool) or not isinstance(instance, int | float):
        return False
    return isinstance(instance, int) or math.isfinite(instance)


Exact: Any = validators.extend(
    jsonschema.Draft202012Validator,
    {"pattern": _pattern, "patternProperties": _pattern_properties},
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine("number", _is_number),
)


def metaschema_fault(schema: Any) -> tuple[str, tuple[str | int, ...]] | None:
    """Say how a schema breaks the rules of Draft 2020-12, and where; None if it does not."""
    try:
        Exact.check_schema(schema)
    except jsonschema.SchemaError as error:
        worst = best_match(error.context or ()) or error
        return _in_short(worst), tuple(error.absolute_path)
    except Exception as error:  # noqa: BLE001 - more can go wrong than is documented
        return f"it cannot be used: {error}", ()
    return None
