"""Keys that the loader of another system drops without a word."""

from __future__ import annotations

from typing import Any

from tables import every_case

from evalcontract.structure.dialect_checker import IgnoredKey, ignored_keys
from evalcontract.structure.native import Fits
from evalcontract.structure.schemas import load
from evalcontract.structure.validator import SchemaValidator

INNER = {"properties": {"b": {"type": "string"}}}
SCHEMA = {
    "properties": {
        "one": INNER,
        "many": {"items": {"$ref": "#/$defs/inner"}},
        "open": {"properties": {"b": {}}, "additionalProperties": True},
        "free": {"type": "object"},
    },
    "$defs": {"inner": INNER},
}


@every_case(
    ("value", "paths"),
    [
        ({"one": {"b": 1}, "many": [{"b": 1}], "open": {"c": 1}, "free": {"c": 1}}, []),
        ({"two": 1, "x_two": 1}, [("two",)]),
        ({"one": {"b": 1, "c": 1, "x_c": 1}}, [("one", "c")]),
        ({"many": [{"b": 1}, 5, {"c": 1}, [{"d": 1}]]}, [("many", 2, "c")]),
        ({"one": [{"c": 1}], "many": {"c": 1}}, []),
        ({"one": "text", "zero": {"b": 1}}, [("zero",)]),
        ([{"one": 1}], []),
        ("text", []),
    ],
)
def test_ignored(value: Any, paths: list[tuple[Any, ...]]) -> None:
    fits = Fits(SCHEMA)
    assert [each.path for each in ignored_keys(value, SCHEMA, SCHEMA, fits)] == paths
    below = [each.path for each in ignored_keys(value, SCHEMA, SCHEMA, fits, ("a", 1))]
    assert below == [("a", 1, *path) for path in paths]


@every_case(
    ("key", "value", "meant"),
    [
        ("expected", "Paris", "expected_output"),
        ("ground_truth", "Paris", "expected_output"),
        ("output", "Paris", "actual_output"),
        ("expected", ["Paris"], None),
        ("variables", {}, None),
        ("verbosity", 1, None),
    ],
)
def test_what_other_tools_call_a_key(key: str, value: Any, meant: str | None) -> None:
    text = {"type": ["string", "null"]}
    known = {"input": text, "expected_output": text, "actual_output": text}
    schema = {"type": "object", "properties": known}
    fits = Fits(schema)
    row = {"input": "a", key: value}
    assert [*ignored_keys(row, schema, schema, fits)] == [IgnoredKey((key,), meant)]
    both = {**row, "expected_output": "a", "actual_output": "b"}
    assert [*ignored_keys(both, schema, schema, fits)] == [IgnoredKey((key,), None)]


@every_case("value", [object(), {"id": {1, 2}}, {5: "a"}])
def test_what_is_not_json_is_never_clean(value: Any) -> None:
    assert not SchemaValidator("rubric", load("rubric")).is_clean(value)
