"""Words of a JSON Schema that a validator passes over: misspelled and outdated ones, and others."""

from __future__ import annotations

from typing import Any

from jsonschema_specifications import REGISTRY
from tables import every_case

from evalcontract.model.diagnostic import Rename
from evalcontract.structure.schema_keywords import remarks

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


# The keywords of Draft 2020-12 that are no annotations: what each accepts, and what it does not.
ACCEPTED: list[tuple[str, Any, Any]] = [
    ("additionalProperties contains contentSchema else items not", {"type": "string"}, "string"),
    ("propertyNames then unevaluatedItems unevaluatedProperties", {"type": "string"}, "string"),
    ("additionalProperties items unevaluatedProperties", False, None),
    ("allOf anyOf oneOf prefixItems", [{}, True], []),
    ("allOf anyOf oneOf prefixItems", [{}], [{}, "a"]),
    ("properties patternProperties dependentSchemas dependentRequired $defs", {"a": {}}, ["a"]),
    ("minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength", 2, True),
    ("minItems maxItems minProperties maxProperties minContains maxContains", 2, True),
    ("minimum maximum exclusiveMinimum exclusiveMaximum multipleOf", 0.5, "1"),
    ("pattern format description title $ref $dynamicRef $anchor $dynamicAnchor", "a", 1),
    ("uniqueItems", True, 1),
    ("required", ["a"], ["a", 1]),
    ("required", True, False),
    ("enum", [1], "a"),
    ("type", "string", "text"),
    ("type", ["number", "integer", "object", "array", "boolean", "null"], ["null", "any"]),
]  # fmt: skip
ANNOTATIONS = {
    *("$comment", "$id", "$schema", "$vocabulary", "contentEncoding", "contentMediaType"),
    *("default", "deprecated", "examples", "readOnly", "writeOnly"),
}


def official_keywords() -> set[str]:
    """Return the keywords of the vocabularies of Draft 2020-12."""
    prefix = "https://json-schema.org/draft/2020-12/meta/"
    names: set[str] = set()
    for uri in REGISTRY:
        if uri.startswith(prefix):
            names.update(REGISTRY.contents(uri).get("properties", {}))
    return names


@every_case(
    ("keyword", "value", "refused"),
    [(keyword, value, bad) for keywords, value, bad in ACCEPTED for keyword in keywords.split()],
)
def test_a_misspelling_counts_where_the_keyword_accepts_the_value(
    keyword: str, value: Any, refused: Any
) -> None:
    misspelled = keyword + keyword[-1]
    assert [remark.help for remark in remarks({misspelled: value})] == [
        f"did you mean `{keyword}`?"
    ]
    assert list(remarks({misspelled: refused})) == []
    assert list(remarks({misspelled: value, keyword: value})) == [], "the keyword is there as well"


def test_the_table_has_every_official_keyword() -> None:
    # `if` is too short to be misspelled, and anything may be the value of `const`.
    table = {"const", "if", *(name for names, *_ in ACCEPTED for name in names.split())}
    assert official_keywords() == table | ANNOTATIONS


def test_keywords_are_not_misspellings_of_each_other() -> None:
    values: list[Any] = [1, "a", ["a"], {"a": {}}, True]
    for keyword in sorted(official_keywords() - {"properties", "required"}):
        for schema in ({keyword: value} for value in values):
            assert list(remarks(schema)) == [], keyword


@every_case(("key", "value", "meant"), MISSPELLED)
def test_a_keyword_that_is_misspelled(key: str, value: Any, meant: str) -> None:
    (found,) = remarks({"items": {}, "allOf": [{key: value}]} if key != "item" else {key: value})
    assert found.fault == "near-miss-keyword"
    assert found.path[-1] == key
    assert found.help == f"did you mean `{meant}`?"
    assert found.message == f"`{key}` is ignored: it is not a keyword of JSON Schema"
    assert found.fix is not None
    assert (found.fix.path, found.fix.edit) == (found.path, Rename(meant))


@every_case(
    ("key", "value", "is_safe"),
    [("Properties", {}, True), ("min_items", 1, True), ("patern", "a", True), ("ref", "#", False)],
)
def test_renaming_a_keyword_is_safe_where_it_is_certain(
    key: str, value: Any, *, is_safe: bool
) -> None:
    (found,) = remarks({key: value})
    assert found.fix is not None
    assert found.fix.safe is is_safe


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
        ({"dependencies": {"a": {}, "b": {}}}, "dependencies", "write `dependentSchemas`"),
        ({"$recursiveAnchor": True}, "$recursiveAnchor", "write `$dynamicAnchor`"),
        ({"disallow": "string"}, "disallow", "write `not`, with a schema"),
        ({"nullable": True}, "nullable", "write `anyOf` with null"),
    ],
)
def test_keywords_of_other_drafts(schema: Any, key: str, advice: str) -> None:
    (found,) = remarks({"properties": {"x": schema}})
    assert (found.fault, found.path) == ("outdated-keyword", ("properties", "x", key))
    assert advice in found.help
    assert found.message == f"`{key}` is ignored: it is not a keyword of Draft 2020-12"
    assert found.fix is None


@every_case(
    ("key", "value"),
    [("dependencies", 1), ("additionalItems", "a"), ("$recursiveRef", 1), ("$recursiveAnchor", 1),
     ("divisibleBy", "2"), ("disallow", 2)],
)  # fmt: skip
def test_custom_keys_that_share_a_name_with_other_drafts(key: str, value: Any) -> None:
    assert list(remarks({key: value})) == []


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
