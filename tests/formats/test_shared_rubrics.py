"""Rows that are graded alike share a rubric, and no target has the same rubric twice."""

from __future__ import annotations

import json
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from examples import mostly_costly

from evalcontract.converting.convert import convert
from evalcontract.converting.output import ConvertOptions
from evalcontract.converting.placing import DialectTarget
from evalcontract.datasets.dialect_pass import DialectRows
from evalcontract.datasets.opening import Input, Options
from evalcontract.datasets.passes import CheckedRow
from evalcontract.formats import dialect_of
from evalcontract.formats._conversion import OurRow
from evalcontract.source.external import read_external_stream

if TYPE_CHECKING:
    from pathlib import Path

    from evalcontract.converting.convert import ConvertResult

SAID = [{"role": "user", "content": "Well?"}, {"role": "assistant", "content": "Yes."}]
OTHERS = ["databricks", "evret", "inspect", "mlflow:oss", "mlflow:managed", "mlflow:evaluate"]


def cases(count: int) -> list[dict[str, Any]]:
    """Return cases, each with other phrases and another sequence of tools; every third has none."""
    return [
        {
            "id": f"case {n}",
            "messages": [{"role": "user", "content": f"What is {n}?"}, *SAID[1:]],
            "expected": {
                "contains": [f"{n}"],
                "not_contains": [f"not {n}"],
                **({"tool_sequence": [f"tool_{n}", "end"]} if n % 3 else {}),
            },
        }
        for n in range(count)
    ]


def converted(folder: Path, source: str, target: str, from_: str, to: str) -> ConvertResult:
    options = Options(root=folder)
    done = convert(Input(folder / source), folder / target, ConvertOptions(from_, to), options)
    assert done.refusal is None, done.diagnostics
    return done


def write(path: Path, value: Any) -> None:
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(json.dumps(value), encoding="utf-8")


@pytest.mark.costly
def test_many_cases_have_few_rubrics_with_names(tmp_path: Path) -> None:
    write(tmp_path / "harbour cases.json", cases(300))
    done = converted(
        tmp_path, "harbour cases.json", "datasets/Harbour 2.yaml", "northstar", "evalcontract"
    )
    rubrics = sorted(path.name for path in (tmp_path / "rubrics").iterdir())
    assert rubrics == [
        "harbour_2_contains_and_not_contains.yaml",
        "harbour_2_contains_and_not_contains_and_tool_sequence.yaml",
    ]
    assert not done.losses.total


def test_equal_names_have_numbers(tmp_path: Path) -> None:
    expected: list[dict[str, Any]] = [{"max_tool_calls": n} for n in range(12)]
    rows = [{**case, "expected": each} for case, each in zip(cases(12), expected, strict=True)]
    write(tmp_path / "1.json", rows)
    converted(tmp_path, "1.json", "1.yaml", "northstar", "evalcontract")
    names = {path.name for path in (tmp_path / "rubrics").iterdir()}
    assert names == {
        "dataset_1_max_tool_calls.yaml",
        *(f"dataset_1_max_tool_calls_{number}.yaml" for number in range(2, 13)),
    }


@pytest.mark.parametrize("other", mostly_costly(OTHERS, 2))
def test_a_rubric_stands_once_in_a_file(other: str, tmp_path: Path) -> None:
    write(tmp_path / "in.json", cases(30))
    converted(tmp_path, "in.json", "there.json", "northstar", other)
    text = (tmp_path / "there.json").read_text(encoding="utf-8")
    assert text.count('"checks"') == 2
    converted(tmp_path, "there.json", "back.json", other, "northstar")
    back = json.loads((tmp_path / "back.json").read_text(encoding="utf-8"))
    assert (back if isinstance(back, list) else back["cases"]) == cases(30)
    converted(tmp_path, "there.json", "ours/o.yaml", other, "evalcontract")
    assert len([*(tmp_path / "rubrics").iterdir()]) == 2


@pytest.mark.parametrize("other", mostly_costly(OTHERS, 2))
def test_a_row_without_the_one_that_has_its_rubric(other: str, tmp_path: Path) -> None:
    write(tmp_path / "in.json", cases(9))
    converted(tmp_path, "in.json", "there.json", "northstar", other)
    rows = json.loads((tmp_path / "there.json").read_text(encoding="utf-8"))
    del (rows["queries"] if other == "evret" else rows)[0]
    write(tmp_path / "fewer.json", rows)
    done = converted(tmp_path, "fewer.json", "ours.yaml", other, "evalcontract")
    told = [sort for sort in done.losses.counts if not sort.is_kept]
    assert [done.losses.counts[sort] for sort in told] == [2]
    assert told[0].reason == "no row before this one has the rubric of this label"
    assert told[0].key.endswith(".rubric")


def test_a_case_does_not_repeat_the_rubric_of_another(tmp_path: Path) -> None:
    checks = [{"id": "polite", "kind": "regex", "pattern": "please"}]
    rubric = {"id": "manners", "version": "1.0.0", "checks": checks}
    write(tmp_path / "rubrics/manners.json", {**rubric, "scoring": {"combine": "all_pass"}})
    reference = "rubric/manners@1.0.0"
    rows = [{"id": f"q{n}", "input": f"{n}?", "rubric_ref": reference} for n in range(20)]
    write(tmp_path / "datasets/a.json", {"questions": rows})
    converted(tmp_path, "datasets/a.json", "there.json", "evalcontract", "northstar")
    assert (tmp_path / "there.json").read_text(encoding="utf-8").count('"checks"') == 1
    converted(tmp_path, "there.json", "back.json", "northstar", "evalcontract")
    assert json.loads((tmp_path / "back.json").read_text(encoding="utf-8")) == {"questions": rows}
    there = json.loads((tmp_path / "there.json").read_text(encoding="utf-8"))
    write(tmp_path / "fewer.json", there[1:])
    done = converted(tmp_path, "fewer.json", "fewer.yaml", "northstar", "evalcontract")
    assert [sort.key for sort in done.losses.counts] == ["metadata.evalcontract"]


@pytest.mark.parametrize("other", [*OTHERS, "northstar"])
def test_judges_come_back_with_their_rubric(other: str) -> None:
    checks = [{"id": "kind", "kind": "llm_judge", "judge_prompt_ref": "judge/kind@1.0.0"}]
    scoring, origin = {"combine": "all_pass"}, {"made_from": "another"}
    rubric = {"checks": checks, "scoring": scoring, "metadata": origin}
    judge = {"id": "kind", "version": "1.0.0", "template": "{{ output }}"}
    dialect = dialect_of(other)
    target = DialectTarget(dialect, "json")
    rows = [{"id": f"q{n}", "input": f"{n}?"} for n in range(3)]
    written = [
        target.take(OurRow(row, rubric, judges=(judge,)), n)[0] for n, row in enumerate(rows)
    ]
    assert json.dumps(written).count('"template"') == 1
    empty = read_external_stream(BytesIO(b"[]"), "a.json")
    read = DialectRows(dialect.reader(empty), (), dialect.name)
    for number, (row, value) in enumerate(zip(rows, written, strict=True)):
        back = read.read(CheckedRow(number, (number,), value, [], None))
        assert (back.row["id"], back.rubric, back.judges) == (row["id"], rubric, (judge,))
