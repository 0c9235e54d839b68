"""Schemas that no value can be checked against: what is said, and where; and sound ones."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from tables import every_case

from evalcontract.structure.authored.faults import schema_faults

TREE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "label": {"type": "string"},
        "children": {"type": "array", "items": {"$ref": "#"}},
        "first": {"anyOf": [{"$ref": "#"}, {"type": "null"}]},
    },
}
CIRCLES: list[tuple[Any, tuple[Any, ...], str]] = [
    ({"$ref": "#"}, ("$ref",), "`#` → `#`"),
    ({"$ref": ""}, ("$ref",), "`#` → `#`"),
    ({"allOf": [{"$ref": "#"}]}, ("allOf", 0, "$ref"), "`#` → `#/allOf/0` → `#`"),
    ({"not": {"$ref": "#"}}, ("not", "$ref"), "`#` → `#/not` → `#`"),
    ({"$dynamicAnchor": "n", "$dynamicRef": "#n"}, ("$dynamicRef",), "`#` → `#`"),
    ({"dependentSchemas": {"a": {"$ref": "#"}}}, ("dependentSchemas", "a", "$ref"), "→ `#`"),
    (
        {
            "$ref": "#/$defs/a",
            "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
        },
        ("$defs", "a", "$ref"),
        "`#/$defs/a` → `#/$defs/b` → `#/$defs/a`",
    ),
    (
        {"$defs": {"a": {"$anchor": "x", "anyOf": [{"$ref": "#x"}]}}},
        ("$defs", "a", "anyOf", 0, "$ref"),
        "`#/$defs/a` → `#/$defs/a/anyOf/0` → `#/$defs/a`",
    ),
]
FINE: list[Any] = [
    True,
    False,
    {},
    TREE,
    {"$dynamicAnchor": "n", "properties": {"c": {"items": {"$dynamicRef": "#n"}}}},
    {"$defs": {"a": {"properties": {"b": {"$ref": "#/$defs/b"}}}, "b": {"$ref": "#/$defs/a"}}},
    {"prefixItems": [{"$ref": "#"}], "contains": {"$ref": "#"}, "propertyNames": {"maxLength": 3}},
    {"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"type": "string"}}},
    {"$ref": "#name", "$defs": {"x": {"$anchor": "name"}}},
    {"$id": "https://example.org/a", "$ref": "b", "$defs": {"b": {"$id": "b", "type": "null"}}},
    {"$ref": "#/components/x", "components": {"x": {"type": "string"}}},
    {"oneOf": [{"$ref": f"#/$defs/d{n}"} for n in range(300)],
     "$defs": {f"d{n}": {"oneOf": [{"const": n}, {"const": -n}]} for n in range(300)}},
    {"properties": {f"key_{n}": {"$ref": "#/$defs/text"} for n in range(2000)},
     "$defs": {"text": {"type": "string"}}},
    {"pattern": r"^\p{Lu}\d{4}-(?<year>\d+)\/$"},
    {"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"a": {}}},
]  # fmt: skip


@every_case(("schema", "path", "chain"), CIRCLES, ids=str)
def test_references_that_never_reach_a_value(
    schema: Any, path: tuple[Any, ...], chain: str
) -> None:
    (fault,) = schema_faults(schema)
    assert fault.path == path
    assert chain in fault.message


@every_case("schema", FINE, ids=lambda schema: str(schema)[:60])
def test_sound_schemas(schema: Any) -> None:
    assert schema_faults(schema) == ()


def doubling(hops: int) -> dict[str, Any]:
    """Return a schema in which each of so many hops leads twice to the next."""
    defs: dict[str, Any] = {
        f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(hops)
    }
    return {"$ref": "#/$defs/d0", "$defs": {**defs, f"d{hops}": {"type": "string"}}}


def test_schemas_that_double_at_every_hop() -> None:
    (fault,) = schema_faults(doubling(40))
    assert "100,000 steps" in fault.message
    assert schema_faults(doubling(10)) == ()


def test_a_long_chain_is_no_circle() -> None:
    defs: dict[str, Any] = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(3000)}
    assert schema_faults({"$ref": "#/$defs/d0", "$defs": {**defs, "d3000": {}}}) == ()


@every_case(
    ("schema", "path", "message", "advice"),
    [
        (5, (), "a schema must be a mapping", None),
        ({"type": "strng"}, ("type",), "`type` cannot be `strng`", "did you mean `string`?"),
        ({"type": ["string", "nul"]}, ("type", 1), "cannot be `nul`", "did you mean `null`?"),
        ({"type": "list"}, ("type",), "cannot be `list`", "did you mean `array`?"),
        ({"type": "any"}, ("type",), "cannot be `any`", "leave `type` out"),
        ({"type": None}, ("type",), "`type` is empty", 'quote the name of a type: "null"'),
        ({"type": ["null", "null"]}, ("type",), "`null` stands in `type` twice", "remove one"),
        ({"properties": {"a": "string"}}, ("properties", "a"), "a schema", "{type: string}"),
        (
            {"properties": {"a": {"required": True}}},
            ("properties", "a", "required"),
            "`required` must be a list of names",
            "`required: [a]` beside `properties`",
        ),
        (
            {"properties": {"a": {}, "required": ["a"]}},
            ("properties", "required"),
            "`required` must be a schema",
            "belongs beside `properties`",
        ),
        ({"required": ["a", "a"]}, ("required",), "`a` stands in `required` twice", None),
        ({"minimum": "1"}, ("minimum",), "`minimum` must be a number, not text", "quotes"),
        ({"minLength": 1.5}, ("minLength",), "a whole number, not 1.5", None),
        ({"exclusiveMinimum": True}, ("exclusiveMinimum",), "a number", "no `minimum`"),
        ({"items": [{}]}, ("items",), "`items` must be a schema", "`prefixItems`"),
        ({"additionalProperties": "false"}, ("additionalProperties",), "a schema", "quotes: false"),
        ({"$id": "#x"}, ("$id",), "`$id` cannot be `#x`", "without `#"),
        ({"$id": "a b"}, ("$id",), "`$id` is no address", None),
        ({"$ref": "other.json"}, ("$ref",), "nothing is ever fetched", "below `$defs`"),
        (
            {"items": {"$ref": "#/definitions/a"}, "$defs": {"a": {}}},
            ("items", "$ref"),
            "leads nowhere in this schema",
            "did you mean `#/$defs/a`?",
        ),
        ({"title": "a", "$ref": "#/title"}, ("$ref",), "leads to no schema", None),
        (
            {"$ref": "#/parts/x", "parts": {"x": {"type": "strng"}}},
            ("parts", "x", "type"),
            "`type` cannot be `strng`",
            "`string`",
        ),
        ({"pattern": "("}, ("pattern",), "the pattern `(` cannot be read: missing )", None),
        ({"pattern": r"a\Z"}, ("pattern",), r"`\Z` is no part of it", "write `$`"),
        ({"patternProperties": {"*": {}}}, ("patternProperties", "*"), "nothing to repeat", None),
    ],
    ids=str,
)
def test_faults_are_told_in_our_words(
    schema: Any, path: tuple[Any, ...], message: str, advice: str | None
) -> None:
    (fault,) = schema_faults(schema)
    assert fault.path == path
    assert message in fault.message
    assert advice is None or advice in (fault.help or "")


def test_every_mistake_is_told() -> None:
    schema = {"type": "strng", "minimum": "1", "properties": {"a": {"pattern": "("}}}
    assert [each.path for each in schema_faults(schema)] == [
        ("type",),
        ("minimum",),
        ("properties", "a", "pattern"),
    ]


@pytest.mark.slow
def test_no_schema_makes_a_run_hang(tmp_path: Any) -> None:
    """In a process of its own: what was wrong here never came back."""
    (tmp_path / "bundles").mkdir()
    schema = tmp_path / "bundles" / "a.schema.json"
    data = tmp_path / "data.yaml"
    data.write_text("questions:\n  - {id: a, input: b, criteria: c, bundle: a}\n", "utf-8")
    for each in (doubling(40), *(schema for schema, _, _ in CIRCLES)):
        schema.write_text(json.dumps(each), encoding="utf-8")
        command = [sys.executable, "-m", "evalcontract", "validate-dataset", str(data)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert "bundle/invalid-schema" in done.stdout
        assert done.returncode == 0
        assert "Traceback" not in done.stderr


def test_a_pattern_too_long_to_match() -> None:
    """The fast engine would take gigabytes for it, and end the process."""
    (fault,) = schema_faults({"properties": {"a": {"pattern": "(a|b)?" * 20_000}}})
    assert fault.message == "a pattern has 120,000 characters, of 5,000 at the most"
    assert fault.path == ("properties", "a", "pattern")
