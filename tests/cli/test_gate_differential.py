"""With gates and without them, the same is found in the rows of a file, whatever else they hold."""

from __future__ import annotations

import json
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from doors import command_line
from examples import a_few, tries
from mixed_rows import MixedRows
from tables import every_case

from evalcontract.datasets.gates import Gates
from evalcontract.datasets.row_check import DatasetCheck

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from evalcontract.model.diagnostic import Problem

    Row = dict[str, Any]

ROWS = 60_000  # `make test` tries a sixth of them

_RUBRIC: dict[str, Any] = {"version": "1.0.0", "scoring": {"combine": "all_pass"}}
CHECKS: dict[str, list[Any]] = {
    "facts": [{"id": "a", "kind": "fact_match"}],
    "words": [
        {"id": "a", "kind": "must_not_contain", "values": ["refund", "strasse", "СЛОВО"]},
        {"id": "b", "kind": "fact_match"},
        {"id": "c", "kind": "must_contain_any"},
        {"id": "d", "kind": "must_not_contain"},
    ],
    "judged": [
        {"id": "a", "kind": "llm_judge", "judge_prompt_ref": "judge/contextual@1.0.0"},
        {"id": "b", "kind": "format"},
        {"id": "c", "kind": "tool_usage", "max_calls": 1},
    ],
    "fixed": [{"id": "a", "kind": "regex", "pattern": "a"}],
    "formatted": [{"id": "a", "kind": "llm_judge", "judge_prompt_ref": "judge/formatted@1.0.0"}],
}
REFERENCES = (
    *[f"rubric/{name}@1.0.0" for name in CHECKS for _ in range(4)],
    *["rubric/facts@1.0", "rubric/facts", "rubric/nowhere@1.0.0", "judge/contextual@1.0.0"],
)
BUNDLES: dict[str, Any] = {
    "tours": {"properties": {"tour": {"enum": ["text", "dutch", None]}}, "required": ["input"]},
    "closed": {"properties": {"label": {"type": "string"}}, "additionalProperties": False},
    "lists": {
        "additionalProperties": {"type": ["array", "string"]},
        "unevaluatedProperties": False,
    },
    "open": {},
}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Write rubrics, a judge and bundles."""
    draft = "https://json-schema.org/draft/2020-12/schema"
    for name, checks in CHECKS.items():
        write(tmp_path / f"rubrics/{name}.json", {"id": name, **_RUBRIC, "checks": checks})
    shown = "{{# expected.answer }}{{ expected.answer }}{{/ expected.answer }}"
    template = f"{{{{ output }}}} {{{{ context }}}} {shown}"
    templates = {"contextual": template, "formatted": "{{ output }} {{ expected.format }}"}
    for name, text in templates.items():
        judge = {"id": name, "version": "1.0.0", "template": text}
        write(tmp_path / f"judges/{name}.json", judge)
    for name, schema in BUNDLES.items():
        write(tmp_path / f"bundles/{name}.schema.json", {"$schema": draft, **schema})
    return tmp_path


def write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def as_jsonl(rows: list[Row]) -> str:
    return "".join(f"{json.dumps(row, ensure_ascii=n % 2 == 0)}\n" for n, row in enumerate(rows))


def as_json(rows: list[Row]) -> str:
    return json.dumps({"questions": rows}, ensure_ascii=False, indent=1)


def as_yaml(rows: list[Row]) -> str:
    text: str = yaml.dump(
        {"questions": rows}, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True
    )
    return text.replace(": null\n", ":\n")  # as people leave a value out


def as_yaml_in_braces(rows: list[Row]) -> str:
    """Return rows in braces, in which a null is a key alone, as the rest of a sentence is."""
    return "questions:\n" + "".join(f"- {{{', '.join(map(pair, row.items()))}}}\n" for row in rows)


def pair(item: tuple[str, Any]) -> str:
    key, value = item
    plain = key if value is None else json.dumps(key, ensure_ascii=False)
    return plain if value is None else f"{plain}: {json.dumps(value, ensure_ascii=False)}"


FORMS: dict[str, tuple[str, Callable[[list[Row]], str], int]] = {
    "JSON Lines": ("a.jsonl", as_jsonl, 1),
    "JSON": ("a.json", as_json, 4),
    "YAML": ("a.yaml", as_yaml, 6),
    "YAML in braces": ("b.yaml", as_yaml_in_braces, 6),
}


GRADED: tuple[list[str], ...] = ([], ["criteria", "context", "tags", "owner", "expected"])


@pytest.mark.costly
@pytest.mark.parametrize(("form", "graded"), a_few(product(FORMS, GRADED), 4))
def test_gates_change_no_finding(
    form: str,
    graded: list[str],
    workspace: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (workspace / "evalcontract.toml").write_text(f"row_keys_graded = {graded}\n")
    name, written, share = FORMS[form]
    chance = Random(f"{form} {graded}")  # noqa: S311 - the same rows every time
    rows = MixedRows(chance, [*BUNDLES, "undeclared"], REFERENCES)
    file = workspace / "datasets" / name
    file.parent.mkdir()
    file.write_text(written([*rows.rows(tries(ROWS) // share // 2)]), encoding="utf-8")
    with_gates = findings_in(file, capsys)
    monkeypatch.setattr(Gates, "pass_all", lambda *_: False)
    without = findings_in(file, capsys)
    lost = [each for each in without if each not in with_gates]
    assert (lost, [each for each in with_gates if each not in without]) == ([], [])
    assert with_gates == without


FACTS: Row = {"expected_facts": ["left"]}
JUDGED = {"rubric_ref": "rubric/words@1.0.0", "must_contain_any": ["a"], "must_not_contain": ["b"]}
#: Rows without a finding, in the shapes that tables and people give them.
CLEAN: dict[str, Row] = {
    "nulls": {**FACTS, "context": None, "owner": None, "user_name": None},
    "empty texts": {**FACTS, "context": "", "note": "", "tags": []},
    "names of other tools": {**FACTS, "question": "a", "answer": "b", "reference": "c"},
    "a key of checks": {**FACTS, "facts": "left"},
    "a word of rubrics": {**FACTS, "checks": "passed"},
    "letters beyond ASCII": {"expected_facts": ["Größe", "слово"], "criteria": "日本語"},
    "letters beyond ASCII, and banned words": {**JUDGED, "expected_facts": ["Größe", "日本語"]},
    "an alternative with a forbidden text": {
        "must_contain_any": ["a refund", "money"],
        "must_not_contain": ["refund"],
    },
    "signs of patterns": {"must_contain_any": ["**bold**", "C++", "{}"]},
    "quoted words": {"tags": ["“a” and “b”"], **FACTS},
    "nulls beside an expectation": {"expected": {"format": "json", "note": None}},
    "a fact as reference": {
        "rubric_ref": "rubric/facts@1.0.0",
        "expected": {"reference": "left", "note": None},
        **FACTS,
    },
    "a bundle": {**FACTS, "bundle": "tours", "tour": "dutch", "owner": None},
}


@pytest.mark.costly
@pytest.mark.parametrize("form", FORMS)
@every_case("row", CLEAN.values(), ids=CLEAN)
def test_clean_rows_are_not_looked_at_one_by_one(
    form: str,
    row: Row,
    workspace: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked_at: list[Row] = []

    def look(_: DatasetCheck, row: Row, *__: Any) -> Iterator[Problem]:
        looked_at.append(row)
        return iter(())

    monkeypatch.setattr(DatasetCheck, "_problems_of", look)
    name, written, _ = FORMS[form]
    file = workspace / name
    rows = [{"id": f"r{n}", "input": "b", **(row if n % 3 else FACTS)} for n in range(30)]
    file.write_text(written(rows), encoding="utf-8")
    assert findings_in(file, capsys) == []
    assert looked_at == []


def findings_in(file: Path, capsys: pytest.CaptureFixture[str]) -> list[Any]:
    """Return what the command line finds in the rows of a file, line by line."""
    asked = ("--output-format", "json", "--max-findings", "0", "--limit", "0", "--jobs", "1")
    assert command_line("validate-dataset", *asked, file) in {0, 1}
    found = json.loads(capsys.readouterr().out)["findings"]
    return [(each["code"], each["line"], each["message"]) for each in found]


def in_bundle(tmp_path: Path, schema: Row, rows: list[Row], name: str = "rows.jsonl") -> Path:
    """Write rows of a bundle as JSON Lines; return the file."""
    (tmp_path / "bundles").mkdir()
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "bundles" / "own.schema.json").write_text(json.dumps(schema), encoding="utf-8")
    whole = [{"id": f"r{n}", "input": "b", "bundle": "own", **row} for n, row in enumerate(rows)]
    file = tmp_path / name
    file.write_text("".join(f"{json.dumps(row)}\n" for row in whole), encoding="utf-8")
    return file


@every_case(
    ("schema", "value"),
    [
        ({"minimum": 18446744073709551617}, 18446744073709551616),
        ({"not": {"const": 123456789012345678901234}}, 123456789012345678901234),
        ({"multipleOf": 7}, 70000000000000000000000000008),
    ],
)
def test_long_integers_of_lines_are_judged_exactly(
    schema: Row,
    value: int,
    tmp_path_factory: pytest.TempPathFactory,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The quick reader rounds them."""
    folder = tmp_path_factory.mktemp("long")
    file = in_bundle(folder, {"properties": {"n": schema}}, [{**FACTS, "n": value}] * 3)
    assert len(findings_in(file, capsys)) > 0


def test_keys_of_a_continuous_judge_are_reported_in_each_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What they mean depends on the value of another key."""
    schema = {"properties": {"score_type": {"type": "string"}, "min_score": {"type": "number"}}}
    row = {**FACTS, "score_type": "continuous", "minimum": 0}
    file = in_bundle(tmp_path, schema, [row, row])
    codes = [code for code, _, _ in findings_in(file, capsys)]
    assert codes == ["dataset/foreign-key"] * 2
