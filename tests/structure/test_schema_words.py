"""Words of a JSON Schema that a validator passes over: misspelled and outdated ones, and others."""

from __future__ import annotations

from typing import Any

from tables import every_case

from evalcontract.structure.authored.keywords import remarks

MISSPELLED = [
    ("requierd", ["a"], "required"),
    ("require", ["a"], "required"),
    ("propertis", {"a": {}}, "properties"),
    ("property", {"a": {}}, "properties"),
    ("Properties", {"a": {}}, "properties"),
    ("aditionalProperties", False, "additionalProperties"),
    ("additional_properties", False, "additionalProperties"),
    ("unevaluatedPropertys", False, "unevaluatedProperties"),
    ("minimun", 1, "minimum"),
    ("maxlength", 3, "maxLength"),
    ("min_items", 1, "minItems"),
    ("uniqeItems", True, "uniqueItems"),
    ("item", {"type": "string"}, "items"),
    ("anyof", [{}], "anyOf"),
    ("enums", ["a"], "enum"),
    ("types", "string", "type"),
    ("patern", "^a", "pattern"),
    ("ref", "#/$defs/a", "$ref"),
    ("defs", {"a": {}}, "$defs"),
    ("dependantRequired", {"a": ["b"]}, "dependentRequired"),
    ("desciption", "Words.", "description"),
]
OWN: dict[str, Any] = {
    "x-require": ["a"], "x-minimun": 1, "example": ["a"], "note": {"by": "me"}, "notes": "a",
    "markdownDescription": "a", "enumDescriptions": ["a"], "enumNames": ["a"], "order": 1,
    "errorMessage": "a", "deprecationMessage": "a", "defaultSnippets": [], "label": "a",
    "name": "a", "version": "1", "id": "a", "schema": "a", "comment": "a", "tags": ["a"],
    "options": {}, "values": [1], "min": 1, "max": 2, "length": 3, "unit": "s", "units": "s",
    "cost": 3, "count": 3, "context": {}, "contents": {}, "container": {}, "links": [], "xml": {},
    "discriminator": {"propertyName": "a"}, "externalDocs": {}, "readonly": True, "category": "a",
    "propertyOrder": 3, "ui:order": [], "widget": "a", "placeholder": "a", "help": "a",
    "nullable": False, "definition": {}, "formats": ["a"], "patterns": ["a"], "when": {},
    "$schema": "http://json-schema.org/draft-07/schema#", "$comment": "a", "definitions": {},
    "typeName": "a", "itemType": "a", "requiredIf": "a", "meta": {}, "title": "a",
}  # fmt: skip


@every_case(("key", "value", "meant"), MISSPELLED)
def test_a_keyword_that_is_misspelled(key: str, value: Any, meant: str) -> None:
    (found,) = remarks({"items": {}, "allOf": [{key: value}]} if key != "item" else {key: value})
    assert found.fault == "near-miss-keyword"
    assert found.path[-1] == key
    assert found.help == f"did you mean `{meant}`?"


@every_case("key", OWN)
def test_words_of_the_author_s_own(key: str) -> None:
    assert list(remarks({key: OWN[key]})) == []


def test_names_of_properties_are_no_keywords() -> None:
    names = ("requierd", "propertis", "minimun", "dependencies", "ref")
    schema: dict[str, Any] = {key: {name: {} for name in names} for key in ("properties", "$defs")}
    assert list(remarks({**schema, "enum": [{"minimun": 1}], "default": {"minimun": 1}})) == []


@every_case(
    ("schema", "key", "advice"),
    [
        ({"dependencies": {"a": ["b"]}}, "dependencies", "write `dependentRequired`"),
        ({"dependencies": {"a": {}}}, "dependencies", "write `dependentSchemas`"),
        ({"dependencies": {"a": {}, "b": ["c"]}}, "dependencies", "for the lists"),
        ({"additionalItems": False}, "additionalItems", "`prefixItems`"),
        ({"$recursiveRef": "#"}, "$recursiveRef", "`$dynamicRef`"),
        ({"nullable": True, "type": "string"}, "nullable", '`type: [string, "null"]`'),
        ({"divisibleBy": 2}, "divisibleBy", "`multipleOf`"),
    ],
)
def test_keywords_of_other_drafts(schema: Any, key: str, advice: str) -> None:
    (found,) = remarks({"properties": {"x": schema}})
    assert (found.fault, found.path) == ("outdated-keyword", ("properties", "x", key))
    assert advice in found.help


@every_case(
    ("schema", "meant"),
    [
        ({"required": ["anwser"], "properties": {"answer": {}}}, "answer"),
        ({"required": ["documnets"], "properties": {"documents": {}}}, "documents"),
        ({"required": ["answers", "answer"], "properties": {"answers": {}}}, None),
        ({"required": ["question"], "properties": {"answer": {}}}, None),
        ({"required": ["answer"]}, None),
        ({"required": ["inputs"], "properties": {"input": {}}, "allOf": [
            {"properties": {"inputs": {}}}]}, None),
    ],
)  # fmt: skip
def test_required_names_that_nothing_describes(schema: Any, meant: str | None) -> None:
    found = list(remarks(schema))
    assert [each.help for each in found] == ([f"did you mean `{meant}`?"] if meant else [])


def test_names_that_are_known_besides() -> None:
    schema = {"required": ["input"], "properties": {"inputs": {}}}
    assert list(remarks(schema, ["input"])) == []
