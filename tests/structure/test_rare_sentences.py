"""What the schema of a bundle can say against a row: in our words, with what to do instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from texts import plain, told

from evalcontract.structure.parts import plain as plain_schema
from evalcontract.structure.schemas import definition
from evalcontract.structure.validator import SchemaValidator

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

ROW = definition("row", of="dataset")
SOUND = {"id": "a", "input": "b", "criteria": "c"}

CASES: list[tuple[Any, Any, str]] = [
    ({"maxLength": 2}, "abc", "invalid-value"),
    ({"minLength": 5}, "abc", "empty-value"),
    ({"minLength": 1}, "", "empty-value"),
    ({"maxItems": 1}, [1, 2], "invalid-value"),
    ({"minProperties": 2}, {"a": 1}, "invalid-value"),
    ({"maxProperties": 0}, {"a": 1}, "invalid-value"),
    ({"multipleOf": 5}, 7, "invalid-value"),
    ({"contains": {"const": 1}}, [2], "invalid-value"),
    ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, "invalid-value"),
    (False, 1, "conflicting-key"),
    ({"propertyNames": False}, {"a": 1}, "invalid-value"),
    ({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, {"c": 1}, "missing-key"),
    ({"prefixItems": [{}], "items": False}, [1, 2], "invalid-value"),
    ({"prefixItems": [{}], "unevaluatedItems": False}, [1, 2], "invalid-value"),
    ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, [1], "wrong-type"),
    ({"oneOf": [{}, {}]}, 1, "invalid-value"),
    ({"oneOf": [{"minimum": 3}, {"maximum": 0}]}, 1, "invalid-value"),
    ({"anyOf": [{"minimum": 3}, {"maximum": 0}]}, 1, "invalid-value"),
    ({"pattern": "^a"}, "b", "malformed-value"),
    ({"propertyNames": {"pattern": "^a"}}, {"b": 1}, "malformed-value"),
    ({"enum": [None, True, 1]}, "b", "unknown-value"),
    ({"enum": list(range(50))}, "b", "unknown-value"),
    ({"enum": ["english", "dutch"]}, "englsh", "unknown-value"),
    ({"type": "array", "items": True}, "a, b", "wrong-type"),
    ({"type": "array", "items": True}, 5, "wrong-type"),
    ({"type": "object", "properties": {"a": True}, "required": ["a"]}, 5, "wrong-type"),
]


@pytest.mark.messages
def test_a_fault_of_a_row(snapshot: SnapshotAssertion) -> None:
    said = []
    for schema, value, fault in CASES:
        bundle = plain_schema({"properties": {"x": schema}})
        (found,) = SchemaValidator("dataset", ROW, bundle).check({**SOUND, "x": value})
        assert found.code == f"dataset/{fault}", schema
        said.append((schema, found.message, found.help))
    assert told(said) == plain(snapshot)
