"""What is said of the schema of a bundle, at its very place in the file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from doors import Options, check_workspaces
from tables import every_case

from evalcontract.analysis.ambiguity import PatternSearch
from evalcontract.checking.artifact_check import check_bundle
from evalcontract.structure.authored import SchemaAnalyses

if TYPE_CHECKING:
    from pathlib import Path

RAG: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": ["documents", "input"],
    "properties": {
        "documents": {
            "type": "array",
            "items": {"type": "object", "required": ["title"], "properties": {"title": {}}},
        },
        "slug": {"type": "string", "pattern": "^[a-z]+(-[a-z]+)*$"},
    },
}


@every_case(
    "schema",
    [
        True,
        {},
        RAG,
        {**RAG, "additionalProperties": False},
        {"required": ["id", "rubric_ref"], "additionalProperties": False},
        {"type": ["object", "null"]},
        {"properties": {"x": False}},
        {"if": {"required": ["a"]}, "then": False},
    ],
    ids=str,
)
def test_sound_bundles(schema: Any) -> None:
    assert list(check_bundle(schema, PatternSearch(), SchemaAnalyses())) == []


@every_case(
    ("schema", "code", "path", "advice"),
    [
        (False, "unsatisfiable-schema", (), "describe the keys"),
        ({"not": {}}, "unsatisfiable-schema", ("not",), "no row can satisfy this"),
        ({"type": "array", "items": RAG}, "unsatisfiable-schema", ("type",), "`type: object`"),
        (
            {"required": ["a"], "properties": {"b": {}}, "additionalProperties": False},
            "unsatisfiable-schema",
            ("required", 0),
            "no row can satisfy this",
        ),
        (
            {"properties": {"x": {"pattern": "^(a+)+$"}, "y": {"pattern": "^(a+)+$"}}},
            "slow-regex",
            ("properties", "x", "pattern"),
            "unambiguous",
        ),
        (
            {"patternProperties": {"^(a|a)*$": {}}},
            "slow-regex",
            ("patternProperties", "^(a|a)*$"),
            "unambiguous",
        ),
        ({"propertis": {}}, "near-miss-keyword", ("propertis",), "`properties`"),
        (
            {"required": ["documnets"], "properties": {"documents": {}}},
            "near-miss-required",
            ("required", 0),
            "`documents`",
        ),
        (
            {"required": ["inptu"], "properties": {"input": {"minLength": 9}}},
            "near-miss-required",
            ("required", 0),
            "`input`",
        ),
        ({"dependencies": {"a": ["b"]}}, "outdated-keyword", ("dependencies",), "dependentReq"),
    ],
    ids=str,
)
def test_one_mistake_is_one_finding(
    schema: Any, code: str, path: tuple[Any, ...], advice: str
) -> None:
    (found,) = check_bundle(schema, PatternSearch(), SchemaAnalyses())
    assert (found.code, found.path) == (f"bundle/{code}", path)
    assert advice in (found.help or "")


def test_the_place_is_that_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "bundles").mkdir()
    (tmp_path / "rubrics").mkdir()
    schema = {
        "properties": {
            "a": {"minimun": 1},
            "b": {"$ref": "#/$defs/b"},
        },
        "$defs": {"b": {"$ref": "#/$defs/c"}, "c": {"$ref": "#/$defs/b"}},
    }
    file = tmp_path / "bundles" / "a.schema.json"
    file.write_text(json.dumps(schema, indent=1), encoding="utf-8")
    (found,) = check_workspaces(tmp_path, Options(root=tmp_path)).diagnostics
    assert found.code == "bundle/invalid-schema"
    assert found.place.text is not None
    assert found.place.text.strip() == '"$ref": "#/$defs/c"'
    assert [place.text.strip() for _, place in found.related if place.text] == [
        '"$ref": "#/$defs/b"'
    ]
