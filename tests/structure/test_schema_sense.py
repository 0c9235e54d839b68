"""Schemas that accept every value, or none; and those that come close."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tables import every_case

from evalcontract.structure.schema_keywords import accepts_everything, refusal, unknown_keywords

EVERYTHING: list[Any] = [
    True,
    {},
    {"title": "Answer", "$defs": {"a": {"type": "object"}}},
    {"requierd": ["a"], "x-note": 1},
    {"type": ["object", "array", "string", "number", "boolean", "null"]},
    {"type": ["object", "array", "string", "number", "integer", "boolean", "null"]},
    {"properties": {"a": {}}, "required": [], "minItems": 0},
    {"allOf": [{}, True], "anyOf": [{"type": "string"}, {}]},
    {"additionalProperties": True, "items": {"description": "any"}, "uniqueItems": False},
]

SOMETHING: list[Any] = [
    {"type": "object"},
    {"type": ["object", "array", "string", "integer", "boolean", "null"]},
    {"required": ["a"]},
    {"properties": {"a": {"type": "string"}}},
    {"$ref": "#/$defs/a", "$defs": {"a": {}}},
    {"oneOf": [{}, {"type": "string"}]},
    {"minLength": 1},
    {"minItems": 3, "maxItems": 2},
    {"type": ["array", "object"], "minItems": 3, "maxItems": 2},
    {"type": "object", "properties": {"a": False}},
    {"type": "object", "required": ["ab"], "additionalProperties": False,
     "patternProperties": {"^a": {}}},
    {"type": "number", "minimum": 1, "maximum": 1},
    {"enum": [1, "a"], "type": "integer"},
    {"type": "integer", "enum": [1.0]},
    {"type": "array", "items": False},
    {"type": "array", "prefixItems": [False]},
    {"not": {"type": "string"}},
    {"anyOf": [False, {"type": "string"}]},
    {"format": "email"},
    {"allOf": [{"type": "number"}, {"type": "integer"}]},
    {"allOf": [{"type": ["string", "number"]}, {"type": ["number", "integer"]}], "minimum": 1.5},
    {"type": "object", "allOf": [{}, {"type": ["object", "array"]}, True]},
]  # fmt: skip

NOTHING: list[tuple[Any, tuple[Any, ...]]] = [
    (False, ()),
    ({"not": {}}, ("not",)),
    ({"not": {"title": "x"}}, ("not",)),
    ({"type": "string", "enum": [1, None]}, ("enum",)),
    ({"type": "integer", "const": 1.5}, ("const",)),
    ({"type": "object", "required": ["a"], "additionalProperties": False}, ("required", 0)),
    ({"type": "object", "required": ["a"], "properties": {"a": False}}, ("properties", "a")),
    ({"type": "object", "required": ["a", "b"], "maxProperties": 1}, ("maxProperties",)),
    ({"type": "object", "minProperties": 2, "maxProperties": 1}, ("minProperties",)),
    ({"type": "string", "minLength": 2, "maxLength": 1}, ("minLength",)),
    ({"type": "array", "minItems": 2, "maxItems": 1}, ("minItems",)),
    ({"type": "array", "items": False, "minItems": 1}, ("minItems",)),
    ({"type": "array", "prefixItems": [{}, False], "minItems": 2}, ("prefixItems", 1)),
    ({"type": "number", "minimum": 2, "maximum": 1}, ("minimum",)),
    ({"type": "integer", "exclusiveMinimum": 1, "maximum": 1}, ("exclusiveMinimum",)),
    ({"allOf": [{}, {"type": "string", "const": 1}]}, ("allOf", 1, "const")),
    ({"allOf": [{"type": "string"}, {"type": "number"}]}, ("allOf", 1)),
    ({"type": "object", "allOf": [{"type": ["string", "array"]}]}, ("allOf", 0)),
    ({"allOf": [{"type": "integer"}, {"type": "number"}], "const": 1.5}, ("const",)),
    ({"anyOf": [False, {"not": True}]}, ("anyOf",)),
    (
        {"type": ["string", "array"], "minItems": 2, "maxItems": 1, "minLength": 1, "maxLength": 0},
        ("minLength",),
    ),
]


@every_case("schema", EVERYTHING, ids=str)
def test_it_accepts_everything(schema: Any) -> None:
    assert accepts_everything(schema)
    assert refusal(schema) is None


@every_case("schema", SOMETHING, ids=str)
def test_it_accepts_something_and_not_everything(schema: Any) -> None:
    assert not accepts_everything(schema)
    assert refusal(schema) is None


@every_case(("schema", "place"), NOTHING, ids=str)
def test_it_accepts_nothing(schema: Any, place: tuple[Any, ...]) -> None:
    assert not accepts_everything(schema)
    assert refusal(schema) == place


def test_words_that_are_no_keywords_are_named() -> None:
    assert unknown_keywords({"title": "x", "requierd": [], "required": []}) == ["requierd"]


TYPES = st.sampled_from(["object", "array", "string", "number", "integer", "boolean", "null"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | st.sampled_from([0.5, "", "a", "ab"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
    ),
    max_leaves=4,
)


def _schema(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    small = st.integers(0, 3)
    keys = st.lists(st.sampled_from("ab"), unique=True)
    keywords: dict[str, st.SearchStrategy[Any]] = {
        "type": TYPES | st.lists(TYPES, min_size=1, unique=True),
        "enum": st.lists(VALUES, min_size=1, max_size=2),
        "const": VALUES,
        "required": keys,
        "properties": st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
        "patternProperties": st.dictionaries(st.just("^a"), inner, max_size=1),
        "additionalProperties": inner,
        "items": inner,
        "prefixItems": st.lists(inner, min_size=1, max_size=2),
        "allOf": st.lists(inner, min_size=1, max_size=2),
        "anyOf": st.lists(inner, min_size=1, max_size=2),
        "oneOf": st.lists(inner, min_size=1, max_size=2),
        "not": inner,
        "if": inner,
        "then": inner,
        "contains": inner,
        "propertyNames": inner,
        **{f"{side}{what}": small for side in ("min", "max")
           for what in ("imum", "Length", "Items", "Properties", "Contains")},
        "exclusiveMinimum": small,
        "exclusiveMaximum": small,
    }  # fmt: skip
    return st.fixed_dictionaries({}, optional=keywords).map(
        lambda schema: dict(list(schema.items())[:4])
    )


SCHEMAS: st.SearchStrategy[Any] = st.recursive(st.booleans() | st.just({}), _schema, max_leaves=5)


@given(SCHEMAS, st.lists(VALUES, min_size=1, max_size=10))
def test_what_is_proven_is_true(schema: Any, values: list[Any]) -> None:
    validator = Draft202012Validator(schema)
    for value in (None, 0, "", [], {}, *values):
        if accepts_everything(schema):
            assert validator.is_valid(value)
        if refusal(schema) is not None:
            assert not validator.is_valid(value)
