"""What the rules about whole datasets say, and where, in whatever blocks the rows are read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from doors import Options, check_workspaces
from tables import every_case
from work import calls_of

from evalcontract.datasets import gates
from evalcontract.datasets import run as engine_run
from evalcontract.datasets.gates import SharedGates

if TYPE_CHECKING:
    from pathlib import Path


BUNDLE = {"type": "object", "properties": {"documents": {"type": "array"}}}
UNDECLARED = "the bundle `tour` is not declared"
DECLARE = "declare it in bundles/tour.schema.json"


def row(number: int, **keys: Any) -> dict[str, Any]:
    return {"id": f"row_{number}", "input": "Where?", "expected_facts": ["It is short."], **keys}


@every_case(
    ("ids", "repeated"),
    [
        (["a", "b", "c"], []),
        (["a", "b", "a"], [(2, 0)]),
        (["b", "a", "a"], [(2, 1)]),
        (["a", "a", "a"], [(1, 0), (2, 0)]),
        (["b", "x\0a", "b", "c"], [(2, 0)]),
        (["x\0a", "b", "a"], []),
        (["x\0a", "x\0a"], [(1, 0)]),
        (["", ""], []),
    ],
    ids=str,
)
def test_ids_that_are_repeated(
    ids: list[str], repeated: list[tuple[int, int]], tmp_path: Path
) -> None:
    """Each is shown with its first row, whatever characters an id has."""
    lines = ",\n".join(json.dumps({**row(0), "id": id_}) for id_ in ids)
    (tmp_path / "data.json").write_text(f'{{"questions": [\n{lines}\n]}}', encoding="utf-8")
    diagnostics = check_workspaces(tmp_path, Options(root=tmp_path)).diagnostics
    found = [
        (finding.row_index, *(place.span.line - 2 for _, place in finding.related if place.span))
        for finding in diagnostics
        if finding.code == "dataset/duplicate-id"
    ]
    assert found == repeated


def unknown_bundles(folder: Path, name: str, text: str) -> list[tuple[str, str, str | None]]:
    """Check a dataset beside the bundle `rag`: the pointers, messages and helps of the findings."""
    for file, content in {"bundles/rag.schema.json": json.dumps(BUNDLE), name: text}.items():
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_text(content, encoding="utf-8")
    diagnostics = check_workspaces(folder, Options(root=folder)).diagnostics
    return [
        (finding.pointer, finding.message, finding.help)
        for finding in diagnostics
        if finding.code == "dataset/unknown-bundle"
    ]


@every_case(
    ("dataset", "pointer", "rows"),
    [
        ({"bundle": "tour", "questions": [row(0), row(1)]}, "$.bundle", ""),
        (
            {"bundle": "tour", "questions": [row(0, bundle="tour"), row(1, bundle="tour")]},
            "$.bundle",
            " (used by 2 rows)",
        ),
        ({"questions": [row(0), row(1, bundle="tour")]}, "$.questions[1].bundle", ""),
        (
            {"questions": [row(0, bundle="rag"), *(row(n, bundle="tour") for n in (1, 2, 3))]},
            "$.questions[1].bundle",
            " (used by 3 rows)",
        ),
        ({"bundle": "rag", "questions": [row(0), row(1, bundle="rag")]}, None, ""),
    ],
)
def test_a_bundle_that_is_not_declared_is_reported_once(
    dataset: dict[str, Any], pointer: str | None, rows: str, tmp_path: Path
) -> None:
    expected = [] if pointer is None else [(pointer, UNDECLARED + rows, DECLARE)]
    assert unknown_bundles(tmp_path, "data.json", json.dumps(dataset)) == expected


def test_a_bundle_that_is_misspelled(tmp_path: Path) -> None:
    text = json.dumps({"questions": [row(0, bundle="rga")]})
    ((_, _, advice),) = unknown_bundles(tmp_path, "data.json", text)
    assert advice == "did you mean `rag`? Otherwise declare it in bundles/rga.schema.json"


def test_a_bundle_is_found_in_a_late_block_of_rows(tmp_path: Path) -> None:
    late = {7_000, 7_500}
    rows = [row(n, bundle="tour") if n in late else row(n) for n in range(8_000)]
    text = "".join(f"{json.dumps(each)}\n" for each in rows)
    ((pointer, message, _),) = unknown_bundles(tmp_path, "data.jsonl", text)
    assert "[7000]" in pointer
    assert message == f"{UNDECLARED} (used by 2 rows)"


FAULTY = "{id: [x], inpt: a, expected_fact: [b], rubric_ref: rubric/none@1.0.0}"


def found_in(path: Path, rows: list[str]) -> list[tuple[object, ...]]:
    text = "questions:\n" + "".join(f"- {row}\n" for row in rows)
    path.write_text(text, encoding="utf-8")
    found = check_workspaces(path.parent, Options(root=path.parent, is_joined=False)).diagnostics
    return [
        (one.code, one.message, one.path, one.row_index, one.fix and one.fix.path)
        for one in found
        if not one.code.startswith("reference/")  # one, with all of the rows
    ]


def test_a_row_that_aliases_repeat_has_the_findings_of_an_equal_row(tmp_path: Path) -> None:
    written = found_in(tmp_path / "data.yaml", [FAULTY] * 4)
    aliased = found_in(tmp_path / "data.yaml", [f"&a {FAULTY}", "*a", "*a", "*a"])
    assert {row for _, _, _, row, _ in aliased} == {0, 1, 2, 3}
    assert sorted(map(str, aliased)) == sorted(map(str, written))


@pytest.mark.slow
def test_a_row_that_aliases_repeat_is_checked_once(tmp_path: Path) -> None:
    path = tmp_path / "data.yaml"
    written = calls_of(found_in, path, [FAULTY] * 200)
    aliased = calls_of(found_in, path, [f"&a {FAULTY}", *["*a"] * 199])
    assert aliased < written / 2


def test_few_gates_are_kept_for_rows_of_many_bundles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each bundle makes another gate, of some megabytes."""
    shared: list[SharedGates] = []

    def made() -> SharedGates:
        shared.append(SharedGates())
        return shared[-1]

    monkeypatch.setattr(engine_run, "SharedGates", made)
    monkeypatch.setattr(gates, "_KEPT_GATES", 4)
    (tmp_path / "bundles").mkdir()
    for n in range(8):
        schema = {"properties": {f"key_{n}": {"type": "string"}}}
        file = tmp_path / "bundles" / f"bundle_{n}.schema.json"
        file.write_text(json.dumps(schema), encoding="utf-8")
    rows = [row(number, bundle=f"bundle_{number // 25}") for number in range(200)]
    (tmp_path / "data.json").write_text(json.dumps({"questions": rows}), encoding="utf-8")
    assert check_workspaces(tmp_path, Options(root=tmp_path, jobs=1)).diagnostics == []
    assert [len(one.gates) for one in shared] == [4]


def test_no_gate_is_kept_for_keys_that_were_known_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each new key inside of what a bundle describes makes another gate, of some megabytes."""
    learning: list[gates.Gates] = []
    learn = gates.Gates.learn

    def noted(self: gates.Gates, row: object) -> bool:
        learning.append(self)
        return learn(self, row)

    monkeypatch.setattr(gates.Gates, "learn", noted)
    schema = {"properties": {"customer": {"type": "object", "properties": {"name": {}}}}}
    (tmp_path / "bundles").mkdir()
    (tmp_path / "bundles" / "own.schema.json").write_text(json.dumps(schema), encoding="utf-8")
    rows = [row(n, bundle="own", customer={f"own_{n // 20}": "x"}) for n in range(400)]
    text = "".join(f"{json.dumps(each)}\n" for each in rows)
    (tmp_path / "data.jsonl").write_text(text, encoding="utf-8")
    check_workspaces(tmp_path, Options(root=tmp_path, jobs=1))
    assert learning
    assert {len(each._barriers) for each in learning} <= {0, 1}  # noqa: SLF001 - what is kept
