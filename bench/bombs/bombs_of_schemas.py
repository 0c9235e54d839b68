"""Bombs in JSON Schemas: bundles, and the schemas of checks."""

from __future__ import annotations

import random
from typing import Any

from bomb import CHECK, JSON, ROW, Bomb, Files, dataset, rubric

BUNDLE = "bundles/x.schema.json"
NODE = {"$ref": "#/$defs/n"}
LOOK_AHEAD = {"pattern": "(?=a*b)c"}


def recursive_alternatives(size: int) -> Files:
    """Levels of a value whose bundle offers two alternatives at each level, and neither fits."""
    options = [{"properties": {"a": NODE}, "required": [key]} for key in "bc"]
    return _with_bundle(_context(options), context=_nested(size))


def recursive_alternatives_that_fit(size: int) -> Files:
    """Levels of a value whose bundle offers two alternatives at each level, and both fit."""
    return _with_bundle(_context([{"properties": {"a": NODE}}] * 2), context=_nested(size))


def recursive_alternatives_of_a_check(size: int) -> Files:
    """Alternatives of an inline schema that refer to all of them again."""
    one = [{"properties": {"a": NODE}}, {"items": NODE}, {"oneOf": [NODE] * size}]
    return _with_schema({"$defs": {"n": {"oneOf": one}}, **NODE})


def mutual_alternatives(size: int) -> Files:
    """Definitions that each offer all the others as alternatives."""
    names = range(size)
    defs = {f"n{at}": {"oneOf": [_definition(to) for to in names if to != at]} for at in names}
    return _with_schema({"$defs": defs, **_definition(0)})


def layers_of_alternatives(size: int) -> Files:
    """Layers of definitions, each with two alternatives that are the next layer."""
    return _with_schema({"$defs": _layers("oneOf", size), **_definition(0)})


def layers_of_parts(size: int) -> Files:
    """Layers of definitions, each with two parts that are the next layer, also in a bundle."""
    defs = _layers("allOf", size)
    bundle = {"$defs": defs, "properties": {"context": _definition(0)}}
    schema = {"$defs": defs, **_definition(0)}
    return {**_with_schema(schema), **_with_bundle(bundle, context={"a": 2})}


def chain_of_references(size: int) -> Files:
    """References in an inline schema and in a bundle, each to the next one."""
    defs = _chain(size)
    bundle = {"$defs": defs, "properties": {"context": _definition(0)}}
    return {**_with_schema({"$defs": defs, **_definition(0)}), **_with_bundle(bundle, context=1)}


def long_chain_of_references(size: int) -> Files:
    """References in an inline schema, each to the next one."""
    return _with_schema({"$defs": _chain(size), **_definition(0)})


def parts_with_unevaluated_keys(size: int) -> Files:
    """Parts of a bundle that each allow no keys beyond their own, of a row with a fault."""
    parts = [{"unevaluatedProperties": {"type": "string"}, "title": f"{at}"} for at in range(size)]
    return _with_bundle({"allOf": parts}, context=1)


def values_of_an_enum(size: int) -> Files:
    """Mappings in the `enum` of an inline schema."""
    return _with_schema({"enum": [{"a": number} for number in range(size)]})


def inline_schemas(size: int) -> Files:
    """Checks with a schema of their own."""
    checks = [
        {
            "id": f"x{number}",
            "kind": "json_schema",
            "schema": {
                "type": "object",
                "properties": {f"a{number}": {"type": "string"}},
                "required": [f"a{number}"],
            },
        }
        for number in range(size)
    ]
    return {"rubrics/a.json": rubric(*checks)}


def many_bundles(size: int) -> Files:
    """Bundles, each with one row."""
    schema = {"properties": {"context": {"type": "string"}}}
    bundles = {f"bundles/b{number}.schema.json": schema for number in range(size)}
    rows = [{**ROW, "id": f"a{number}", "bundle": f"b{number}"} for number in range(size)]
    return {**dataset(*rows), **bundles}


def rows_of_many_bundles_with_faults(size: int) -> Files:
    """Bundles, each with one row that has a fault."""
    schema = {"properties": {"context": {"type": "string"}}, "required": ["context"]}
    bundles = {f"bundles/b{number}.schema.json": schema for number in range(size)}
    rows = [
        {**ROW, "id": f"a{number}", "bundle": f"b{number}", "context": 1} for number in range(size)
    ]
    return {**dataset(*rows), **bundles}


def unknown_bundles(size: int) -> Files:
    """Rows with a bundle whose name nearly is one of a thousand."""
    schema = {"properties": {"context": {"type": "string"}}}
    bundles = {f"bundles/some_bundle_{number}.schema.json": schema for number in range(1000)}
    rows = [
        {**ROW, "id": f"a{number}", "bundle": f"smoe_bundle_{number}x"} for number in range(size)
    ]
    return {**dataset(*rows), **bundles}


def near_keys_of_a_bundle(size: int) -> Files:
    """Keys of a bundle, and as many misspelled keys of a row."""
    known = {f"expected_property_number_{number}": {"type": "string"} for number in range(size)}
    keys = {f"expected_propetry_number_{number}": "x" for number in range(size)}
    return _with_bundle({"properties": known}, **keys)


def unique_items(size: int) -> Files:
    """Mappings in a list that must not repeat itself."""
    return _with_bundle(_unique(), context=[{"k": [number]} for number in range(size)])


def unique_items_with_a_repeated_one(size: int) -> Files:
    """Mappings in a list that must not repeat itself, whose last one does."""
    items = [{"k": number} for number in range(size)]
    return _with_bundle(_unique(), context=[*items, items[-1]])


def patterns_of_a_bundle(size: int) -> Files:
    """Slow patterns of the keys of a bundle."""
    known = {
        f"k{number}": {"pattern": f"(a|a{number})*(b|b{number}?)*(c+)+d"} for number in range(size)
    }
    return _with_bundle({"properties": known}, **{f"k{number}": "a" * 35 for number in range(20)})


def look_ahead_of_a_bundle(size: int) -> Files:
    """Characters of a text that a bundle looks ahead in from each of them."""
    return _with_bundle({"properties": {"context": LOOK_AHEAD}}, context="a" * size)


def look_ahead_of_keys(size: int) -> Files:
    """Characters of a key that a bundle looks ahead in from each of them."""
    return _with_bundle({"patternProperties": {LOOK_AHEAD["pattern"]: True}}, **{"a" * size: 1})


def look_ahead_by_rows(size: int) -> Files:
    """Rows with a bundle each, which looks ahead in 20,000 characters of the row."""
    rows = [
        {**ROW, "id": f"a{at}", "bundle": f"b{at}", "context": "a" * 20_000} for at in range(size)
    ]
    schema = {"properties": {"context": LOOK_AHEAD}}
    return {**dataset(*rows), **{f"bundles/b{at}.schema.json": schema for at in range(size)}}


def backtracking_by_rows(size: int) -> Files:
    """Rows whose bundle has a pattern that backtracks on a short text of them."""
    rows = [{**ROW, "id": f"{at}", "bundle": "x", "context": "a" * 40} for at in range(size)]
    return {**dataset(*rows), BUNDLE: {"properties": {"context": {"pattern": r"(a*)*\1b"}}}}


def alternatives_by_items(size: int) -> Files:
    """Alternatives for each item of a list, and half as many items that fit none but the last."""
    options = [*({"const": number} for number in range(size)), {"type": "integer"}]
    schema = {"properties": {"context": {"items": {"anyOf": options}}}}
    return _with_bundle(schema, context=[-number - 1 for number in range(size // 2)])


def alternatives_by_rows(size: int) -> Files:
    """Alternatives for a key, and half as many rows, whose value fits none but the last."""
    options = [*({"const": number} for number in range(size)), {"type": "integer"}]
    rows = [{**ROW, "id": f"a{at}", "bundle": "x", "context": -at} for at in range(1, size // 2)]
    return {**dataset(*rows), BUNDLE: {"properties": {"context": {"anyOf": options}}}}


def mappings_of_an_enum_by_items(size: int) -> Files:
    """Mappings in an `enum`, and as many items of which only the last is one of them."""
    options = {"enum": [{"a": number} for number in range(size)]}
    schema = {"properties": {"context": {"items": {"anyOf": [options, {"type": "object"}]}}}}
    return _with_bundle(schema, context=[{"a": -number} for number in range(size)])


def values_of_an_enum_by_rows(size: int) -> Files:
    """Texts in an `enum`, and half as many rows that nearly have one of them."""
    known = {"enum": [f"some_colour_number_{number}" for number in range(size)]}
    rows = [
        {**ROW, "id": f"a{at}", "bundle": "x", "colour": f"some_colour_nubmer_{at}x"}
        for at in range(size // 2)
    ]
    return {**dataset(*rows), BUNDLE: {"properties": {"colour": known}}}


def required_keys_of_a_bundle(size: int) -> Files:
    """Keys that a bundle requires and a row lacks, of which it has other spellings."""
    known = {f"expected_property_number_{number}": {"type": "string"} for number in range(size)}
    keys = {f"expected_propetry_number_{number}": "x" for number in range(size)}
    return _with_bundle({"properties": known, "required": [*known]}, **keys)


def random_keys_of_a_bundle(size: int) -> Files:
    """Keys of a bundle and of a row, random words of two letters, so that many are alike."""
    chosen = random.Random(1)
    words = ["".join(chosen.choices("ab", k=20)) for _ in range(2 * size)]
    known = {key: {"type": "string"} for key in words[:size]}
    return _with_bundle({"properties": known}, **dict.fromkeys(words[size:], "x"))


def large_patterns_of_a_bundle(size: int) -> Files:
    """Short patterns of a bundle that take much memory once they are compiled."""
    known = {f"k{at}": {"pattern": f"(?:x{at}[a-z]{{0,100}}){{0,100}}"} for at in range(size)}
    return _with_bundle({"properties": known}, **{f"k{at}": "x" for at in range(size)})


def letters_in_patterns_of_a_bundle(size: int) -> Files:
    """Short patterns of a bundle with many repeated letters of any script."""
    known = {f"k{at}": {"pattern": f"x{at}\\p{{L}}{{1,100}}"} for at in range(size)}
    return _with_bundle({"properties": known}, **{f"k{at}": "x" for at in range(size)})


def _definition(number: int) -> dict[str, str]:
    return {"$ref": f"#/$defs/n{number}"}


def _layers(keyword: str, size: int) -> dict[str, Any]:
    layers: dict[str, Any] = {f"n{at}": {keyword: [_definition(at + 1)] * 2} for at in range(size)}
    return {**layers, f"n{size}": {"type": "object", "properties": {"a": {"const": 1}}}}


def _chain(size: int) -> dict[str, Any]:
    return {**{f"n{at}": _definition(at + 1) for at in range(size)}, f"n{size}": {"type": "string"}}


def _nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


def _context(options: list[dict[str, Any]]) -> dict[str, Any]:
    return {"$defs": {"n": {"oneOf": options}}, "properties": {"context": NODE}}


def _unique() -> dict[str, Any]:
    return {"properties": {"context": {"uniqueItems": True}}}


def _with_bundle(schema: dict[str, Any], **keys: Any) -> Files:
    return {**dataset({**ROW, "bundle": "x", **keys}), BUNDLE: schema}


def _with_schema(schema: dict[str, Any]) -> Files:
    return {"rubrics/a.json": rubric({"id": "x", "kind": "json_schema", "schema": schema})}


BOMBS = (
    Bomb(recursive_alternatives, 60),
    Bomb(recursive_alternatives_that_fit, 90),
    Bomb(recursive_alternatives_of_a_check, 2),
    Bomb(mutual_alternatives, 8),
    Bomb(layers_of_alternatives, 30),
    Bomb(layers_of_parts, 30),
    Bomb(chain_of_references, 2000),
    Bomb(long_chain_of_references, 20_000),
    Bomb(parts_with_unevaluated_keys, 9000, (CHECK, JSON)),
    Bomb(values_of_an_enum, 50_000),
    Bomb(inline_schemas, 6000),
    Bomb(many_bundles, 3000),
    Bomb(rows_of_many_bundles_with_faults, 3000, (CHECK, JSON)),
    Bomb(unknown_bundles, 8000),
    Bomb(near_keys_of_a_bundle, 9000, (CHECK, JSON)),
    Bomb(unique_items, 60_000),
    Bomb(unique_items_with_a_repeated_one, 30_000),
    Bomb(patterns_of_a_bundle, 9000),
    Bomb(look_ahead_of_a_bundle, 900_000),
    Bomb(look_ahead_of_keys, 900_000),
    Bomb(look_ahead_by_rows, 45),
    Bomb(backtracking_by_rows, 8000, (CHECK, JSON)),
    Bomb(alternatives_by_items, 20_000),
    Bomb(alternatives_by_rows, 10_000),
    Bomb(mappings_of_an_enum_by_items, 15_000),
    Bomb(values_of_an_enum_by_rows, 10_000),
    Bomb(required_keys_of_a_bundle, 7000),
    Bomb(random_keys_of_a_bundle, 10_000),
    Bomb(large_patterns_of_a_bundle, 10_000),
    Bomb(letters_in_patterns_of_a_bundle, 10_000),
)
