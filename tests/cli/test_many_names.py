"""Thousands of names that are near others: the work grows with their number, not with its square.

Each case doubles the names; work that compares each with each would be four times as much.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from doors import Options, check_workspaces
from work import calls_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FEW, MANY = 150, 300
CHECK = {"kind": "must_contain_any", "values": ["a b"]}
ROW = {"id": "a", "input": "b", "criteria": "c"}
Files = dict[str, Any]


def rubric(id_: str, **parts: Any) -> Files:
    """Return a rubric with one check, or with other parts."""
    scoring = {"combine": "all_pass"}
    checks = [{"id": "x", **CHECK}]
    return {"id": id_, "version": "1.0.0", "checks": checks, "scoring": scoring, **parts}


def bundle_keys(count: int) -> Files:
    properties = {f"expected_property_{n}": {"type": "string"} for n in range(count)}
    row = {**ROW, "bundle": "x", **{f"expected_propetry_{n}": "x" for n in range(count)}}
    return {"bundles/x.schema.json": {"properties": properties}, "a.json": {"questions": [row]}}


def closed_keys(count: int, closing: str) -> Files:
    properties = {f"expected_property_{n}": {"type": "string"} for n in range(count)}
    context = {"properties": properties, closing: False}
    row = {**ROW, "bundle": "x", "context": {f"expected_propetry_{n}": "x" for n in range(count)}}
    bundle = {"properties": {"context": context}}
    return {"bundles/x.schema.json": bundle, "a.json": {"questions": [row]}}


def weights(count: int) -> Files:
    checks = [{"id": f"check_{n}", "kind": "fact_match"} for n in range(count)]
    scoring = {"combine": "weighted_avg", "weights": {f"chekc_{n}": 1 for n in range(count)}}
    return {"rubrics/a.json": rubric("a", checks=checks, scoring=scoring)}


def ids(count: int) -> Files:
    rubrics = {f"rubrics/n{n}.json": rubric(f"longer_name_{n}") for n in range(count)}
    rows = [
        {"id": f"r{n}", "input": f"{n}", "rubric_ref": f"rubric/longer_nmae_{n}@1.0.0"}
        for n in range(count)
    ]
    return {**rubrics, "a.json": {"questions": rows}}


def definitions(count: int) -> Files:
    schema = {
        "$defs": {f"some_name_{n}": {"type": "string"} for n in range(count)},
        "allOf": [{"$ref": f"#/$defs/some_nmae_{n}"} for n in range(count)],
    }
    checks = [{"id": "x", "kind": "json_schema", "schema": schema}]
    return {"rubrics/a.json": rubric("a", checks=checks)}


@pytest.mark.slow
@pytest.mark.parametrize(
    "files",
    [
        bundle_keys,
        lambda count: closed_keys(count, "additionalProperties"),
        lambda count: closed_keys(count, "unevaluatedProperties"),
        weights,
        ids,
        definitions,
    ],
    ids=["bundle", "closed", "unevaluated", "weights", "ids", "definitions"],
)
def test_twice_the_names_are_about_twice_the_work(
    tmp_path: Path, files: Callable[[int], Files]
) -> None:
    def work(count: int) -> int:
        root = tmp_path / str(count)
        for name, value in files(count).items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(json.dumps(value), encoding="utf-8")
        options = Options(root=root, jobs=1)
        return calls_of(check_workspaces, root, options)

    work(2)  # what is computed once for all workspaces
    assert work(MANY) < 3 * work(FEW)


def test_a_version_in_very_many_files_lists_some_of_them(tmp_path: Path) -> None:
    (tmp_path / "rubrics").mkdir()
    for number in range(40):
        text = json.dumps(rubric("a"))
        (tmp_path / "rubrics" / f"{number:02}.json").write_text(text, encoding="utf-8")
    diagnostics = [
        diagnostic
        for diagnostic in check_workspaces(tmp_path, Options(root=tmp_path)).diagnostics
        if diagnostic.code == "rubric/duplicate-version"
    ]
    assert len(diagnostics) == 40
    assert {diagnostic.message for diagnostic in diagnostics} == {
        "39 other files also define rubric/a@1.0.0"
    }
    assert {len(diagnostic.related) for diagnostic in diagnostics} == {5}
