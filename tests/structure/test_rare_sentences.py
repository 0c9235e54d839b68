"""What the schema of a bundle can say against a row: in our words, with what to do instead."""

from __future__ import annotations

from typing import Any

from tables import every_case

from evalcontract.structure.schemas import definition
from evalcontract.structure.subschemas import plain
from evalcontract.structure.validator import SchemaValidator

ROW = definition("row", of="dataset")
SOUND = {"id": "a", "input": "b", "criteria": "c"}

CASES: list[tuple[Any, Any, str, str, str | None]] = [
    ({"maxLength": 2}, "abc", "invalid-value", "`x` has 3 characters, and may have 2 at", None),
    ({"minLength": 5}, "abc", "empty-value", "`x` has 3 of at least 5 characters", None),
    ({"minLength": 1}, "", "empty-value", "`x` is empty", "write something"),
    ({"maxItems": 1}, [1, 2], "invalid-value", "`x` has 2 items, and may have 1 at the", None),
    ({"minProperties": 2}, {"a": 1}, "invalid-value", "`x` has 1 key, and needs 2", None),
    ({"maxProperties": 0}, {"a": 1}, "invalid-value", "`x` has 1 key, and may have 0", None),
    ({"multipleOf": 5}, 7, "invalid-value", "`x` must be a multiple of 5, not 7", None),
    ({"contains": {"const": 1}}, [2], "invalid-value", "`x` must hold 1 of a certain", None),
    (
        {"dependentRequired": {"a": ["b"]}},
        {"a": 1},
        "invalid-value",
        "`b` is missing: `a` needs it",
        "add `b`",
    ),
    (False, 1, "conflicting-key", "`x` is not allowed here", "remove it"),
    ({"prefixItems": [{}], "items": False}, [1, 2], "invalid-value", "`x` has items", "too much"),
    ({"prefixItems": [{}], "unevaluatedItems": False}, [1, 2], "invalid-value", "items", "much"),
    (
        {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        [1],
        "wrong-type",
        "`x` must be text or a whole number, not a list",
        None,
    ),
    ({"oneOf": [{}, {}]}, 1, "invalid-value", "fits more than one of its forms", None),
    ({"oneOf": [{"minimum": 3}, {"maximum": 0}]}, 1, "invalid-value", "none of the forms", None),
    ({"anyOf": [{"minimum": 3}, {"maximum": 0}]}, 1, "invalid-value", "none of the forms", None),
    ({"pattern": "^a"}, "b", "malformed-value", "`x` cannot be `b`", "match `^a`"),
    (
        {"propertyNames": {"pattern": "^a"}},
        {"b": 1},
        "malformed-value",
        "`b` cannot be a key",
        "^a",
    ),
    ({"enum": [None, True, 1]}, "b", "unknown-value", "cannot be `b`", "`null`, `true`, `1`"),
    ({"enum": list(range(50))}, "b", "unknown-value", "cannot be `b`", "and 38 more"),
    ({"enum": ["english", "dutch"]}, "englsh", "unknown-value", "cannot be", "mean `english`?"),
]


@every_case(("schema", "value", "fault", "message", "advice"), CASES, ids=str)
def test_a_fault_of_a_row(
    schema: Any, value: Any, fault: str, message: str, advice: str | None
) -> None:
    bundle = plain({"properties": {"x": schema}})
    (found,) = SchemaValidator("dataset", ROW, bundle).check({**SOUND, "x": value})
    assert found.code == f"dataset/{fault}"
    assert message in found.message
    assert advice is None or advice in (found.help or "")
