"""Which schemas apply to a value together, and which of their keywords a shape has to say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.structure.schemas import Schema

_ABOUT = frozenset({"$schema", "$id", "$defs", "$comment", "definitions", "title", "description"})
_ALSO_ABOUT = frozenset({"default", "examples", "deprecated", "readOnly", "writeOnly", "format"})
_OF_CONTENT = frozenset({"contentEncoding", "contentMediaType", "contentSchema"})
_SAY_NOTHING = _ABOUT | _ALSO_ABOUT | _OF_CONTENT
_FOLLOWED = frozenset({"$ref", "allOf"})
OF_TEXT = frozenset({"minLength", "maxLength", "pattern"})
OF_NUMBER = {
    "minimum": "ge",
    "maximum": "le",
    "exclusiveMinimum": "gt",
    "exclusiveMaximum": "lt",
}
OF_LIST = frozenset({"minItems", "maxItems", "items", "uniqueItems"})
_OF_KEYS = frozenset({"properties", "required", "additionalProperties", "patternProperties"})
OF_MAPPING = _OF_KEYS | {"minProperties", "maxProperties", "anyOf"}
_OF_PLACES = frozenset({"prefixItems", "contains", "minContains", "maxContains"})
_OTHER_LIST = _OF_PLACES | {"unevaluatedItems"}
_OF_OTHER_KEYS = frozenset({"propertyNames", "dependentRequired", "dependentSchemas"})
_OTHER_MAPPING = _OF_OTHER_KEYS | {"unevaluatedProperties"}
LISTS = frozenset({*OF_LIST, *_OTHER_LIST})
MAPPINGS = frozenset({*OF_MAPPING, *_OTHER_MAPPING} - {"anyOf"})
ELSEWHERE = LISTS | MAPPINGS


class UnfitError(Exception):
    """Values that no shape tells from others."""


def unfit() -> NoReturn:
    """Raise UnfitError, in the place of a value."""
    raise UnfitError


@dataclass(frozen=True, slots=True)
class Applied:
    """A schema that a value has to meet, and the resource in which its references lead."""

    schema: Any
    root: Schema


def flat(applied: Applied, steps: int) -> Iterator[tuple[Schema, Schema]]:
    """Yield the schemas that apply together, each with its resource, references followed."""
    schema, root = applied.schema, applied.root
    if schema is True:
        return
    if not isinstance(schema, dict) or not steps:
        raise UnfitError
    if "$id" in schema:
        root = schema
    yield schema, root
    if "$ref" in schema:
        yield from flat(_target(schema["$ref"], root, applied.root), steps - 1)
    for part in schema.get("allOf", ()):
        yield from flat(Applied(part, root), steps - 1)


def _target(reference: Any, root: Schema, outer: Schema) -> Applied:
    if reference == "#":
        return Applied(root, root)
    if isinstance(reference, str) and reference.startswith("#/"):
        found: Any = root
        for step in reference[2:].split("/"):
            key = step.replace("~1", "/").replace("~0", "~")
            if "%" in key or not isinstance(found, dict) or key not in found:
                raise UnfitError
            found = found[key]
            if isinstance(found, dict) and "$id" in found:
                root = found
        return Applied(found, root)
    for each in outer.get("$defs", {}).values():
        if isinstance(each, dict) and each.get("$id") == reference:
            return Applied(each, each)
    raise UnfitError


def say_all(parts: Iterable[Schema], mine: Iterable[str], others: Iterable[str]) -> None:
    """Check that every keyword is said by the shape, or says nothing of this kind of values.

    Raises:
        UnfitError: one is neither.

    """
    # `type`, and `not` of a kind, speak of the kind alone, and of this kind a value was accepted.
    known = {*_SAY_NOTHING, *_FOLLOWED, *mine, *others, "type"}
    for part in parts:
        for key, value in part.items():
            if key in known or key.startswith("x-"):
                continue
            if key == "not" and (value == {"enum": [None]} or set(value) == {"type"}):
                continue
            raise UnfitError
