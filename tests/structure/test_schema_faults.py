"""Schemas that no value can be checked against: what is said, and where; and sound ones."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from tables import every_case
from texts import facts, plain, told

from evalcontract.structure.schema_faults import schema_faults

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

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


@pytest.mark.costly
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


@pytest.mark.slow
def test_a_long_chain_is_no_circle() -> None:
    defs: dict[str, Any] = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(3000)}
    assert schema_faults({"$ref": "#/$defs/d0", "$defs": {**defs, "d3000": {}}}) == ()


FAULTY: list[tuple[Any, tuple[Any, ...]]] = [
    (5, ()),
    ({"type": "strng"}, ("type",)),
    ({"type": ["string", "nul"]}, ("type", 1)),
    ({"type": "list"}, ("type",)),
    ({"type": "any"}, ("type",)),
    ({"type": None}, ("type",)),
    ({"type": ["null", "null"]}, ("type",)),
    ({"properties": {"a": "string"}}, ("properties", "a")),
    ({"properties": {"a": {"required": True}}}, ("properties", "a", "required")),
    ({"properties": {"a": {}, "required": ["a"]}}, ("properties", "required")),
    ({"required": ["a", "a"]}, ("required",)),
    ({"minimum": "1"}, ("minimum",)),
    ({"minLength": 1.5}, ("minLength",)),
    ({"enum": 5}, ("enum",)),
    ({"exclusiveMinimum": True}, ("exclusiveMinimum",)),
    ({"items": [{}]}, ("items",)),
    ({"additionalProperties": "false"}, ("additionalProperties",)),
    ({"$id": "#x"}, ("$id",)),
    ({"$id": "a b"}, ("$id",)),
    ({"$ref": "other.json"}, ("$ref",)),
    ({"items": {"$ref": "#/definitions/a"}, "$defs": {"a": {}}}, ("items", "$ref")),
    ({"title": "a", "$ref": "#/title"}, ("$ref",)),
    ({"$ref": "#/parts/x", "parts": {"x": {"type": "strng"}}}, ("parts", "x", "type")),
    ({"pattern": "("}, ("pattern",)),
    ({"pattern": "[[a]("}, ("pattern",)),  # Python warns of the bracket
    ({"pattern": r"a\Z"}, ("pattern",)),
    ({"patternProperties": {"*": {}}}, ("patternProperties", "*")),
]


@pytest.mark.messages
def test_faults_are_told_in_our_words(snapshot: SnapshotAssertion) -> None:
    said = []
    for schema, path in FAULTY:
        (fault,) = schema_faults(schema)
        assert fault.path == path, schema
        said.append((schema, fault.message, fault.help))
    assert told(said) == plain(snapshot)


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
    assert {"120,000", "5,000"} <= set(facts(fault.message))
    assert fault.path == ("properties", "a", "pattern")


def test_of_very_many_faults_the_first_are_told() -> None:
    wrong = {f"key_{number:02}": {"type": "strng"} for number in range(30)}
    assert len(schema_faults({"properties": wrong})) == 20
    assert len(schema_faults({"properties": dict([*wrong.items()][:20])})) == 20
    assert len(schema_faults({"properties": dict([*wrong.items()][:3])})) == 3
