"""Keys that the loader of another system drops without a word."""

from __future__ import annotations

from typing import Any

from tables import every_case

from evalcontract.structure.keys.ignored import ignored_keys
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
    assert [*ignored_keys(value, SCHEMA, SCHEMA)] == paths
    assert [*ignored_keys(value, SCHEMA, SCHEMA, ("a", 1))] == [("a", 1, *path) for path in paths]


@every_case("value", [object(), {"id": {1, 2}}, {5: "a"}])
def test_what_is_not_json_is_never_clean(value: Any) -> None:
    assert not SchemaValidator("rubric", load("rubric")).is_clean(value)
