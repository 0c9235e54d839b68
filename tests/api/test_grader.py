"""`Grader` grades in Python what `grade` does on the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from doors import command_line
from tables import every_case
from writing import write

from evalcontract import (
    ContractViolation,
    DatasetLoader,
    Grader,
    RowResult,
    Summary,
    UsageError,
    Workspace,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RUBRIC = """\
id: short
version: "1.0.0"
checks:
  - {id: words, kind: must_contain_any, values: [day]}
  - {id: facts, kind: fact_match}
  - {id: kind, kind: llm_judge, judge_prompt_ref: judge/kind@1.0.0}
scoring: {combine: weighted_avg, weights: {words: 3, facts: 1, kind: 1}, threshold: 0.7}
"""
JUDGE = 'id: kind\nversion: "1.0.0"\ntemplate: "Kind? {{ output }}"\n'
REF = {"rubric_ref": "rubric/short@1.0.0"}
ROWS: list[dict[str, Any]] = [
    {"id": "a", "input": "When?", "expected_facts": ["today"], **REF},
    {"id": "b", "input": "When?", **REF},
    {"id": "c", "input": "Look it up.", "expected_tools": ["search"]},
]
ANSWERS: list[Any] = [
    "A day, today.",
    {"id": "b", "output": "Soon."},
    {"tool_calls": [{"type": "tool_use", "name": "search", "input": {}}]},
]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write(tmp_path, {"rubrics/short.yaml": RUBRIC, "judges/kind.yaml": JUDGE})
    return tmp_path


def told(results: list[RowResult]) -> list[tuple[str, str | None, Any]]:
    return [(each.id, each.outcome, each.bounds or each.score) for each in results]


# The judge of the first two is not asked: it could turn the verdict of neither.
EXPECTED = [("a", "passed", (0.8, 1)), ("b", "failed", (0, 0.25)), ("c", "passed", 1.0)]


def test_one_row_and_one_output(place: Path) -> None:
    with Grader(place) as grader:
        results = [grader.grade(*pair) for pair in zip(ROWS, ANSWERS, strict=True)]
    assert told(results) == EXPECTED
    assert [(check.id, check.outcome) for check in results[1].checks] == [
        ("words", "failed"),
        ("facts", "skipped"),
        ("kind", "unavailable"),
    ]
    assert results[1].rubric == "rubric/short@1.0.0"
    assert results[2].rubric is None


def test_a_stream_is_read_as_it_is_graded(place: Path) -> None:
    read: list[str] = []

    def pairs() -> Iterator[tuple[dict[str, Any], Any]]:
        for row, answer in zip(ROWS, ANSWERS, strict=True):
            read.append(row["id"])
            yield row, answer

    results = Grader(workspace=Workspace(place)).grade_all(pairs())
    assert read == []
    first = next(results)
    assert read == ["a"]
    summary = Summary.of([first, *results])
    assert summary.rows.total == 3
    assert (summary.rows.mean, summary.rows.scored, summary.rows.decided) == (1, 1, 3)
    assert summary.rows.bounds == pytest.approx((1.8 / 3, 2.25 / 3))
    assert dict(summary.unmeasured) == {("llm_judge", "unavailable", "no model is configured"): 2}
    assert summary.rubrics["rubric/short@1.0.0"].outcomes == {"passed": 1, "failed": 1}
    assert summary.checks["rubric/short@1.0.0", "facts"][0] == "fact_match"


def test_loaded_rows_are_rows(place: Path) -> None:
    write(place, {"data.json": json.dumps({"questions": ROWS})})
    dataset = DatasetLoader(place, strict=False).load(place / "data.json")
    results = [*Grader(place).grade_all(zip(dataset, ANSWERS, strict=True))]
    assert told(results) == EXPECTED


def test_rows_that_are_not_valid_are_undecided_as_on_the_command_line(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A row with other findings is graded; one whose fault a comment ignores is not valid, too."""
    write(place, {"bundles/ticket.schema.json": {"type": "object", "required": ["area"]}})
    text = """\
bundle: ticket
questions:
  - {id: fine, input: x, area: a, must_contain_any: [day]}
  - {id: unpinned, input: x, area: a, rubric_ref: rubric/short, expected_facts: [today]}
  - {id: bundled, input: x, must_contain_any: [day]}
  - {id: typed, input: 1, area: a, must_contain_any: [day]}
  - {input: x, area: a, must_contain_any: [day]}
  # evalcontract: ignore[dataset/wrong-type]
  - {id: ignored, input: [x], area: a, must_contain_any: [day]}
"""
    ids = ["fine", "unpinned", "bundled", "typed", "ignored"]
    records = [{"id": id_, "output": "A day, today."} for id_ in ids]
    lines = "".join(f"{json.dumps(record)}\n" for record in records)
    write(place, {"data.yaml": text, "outputs.jsonl": lines})
    dataset = DatasetLoader(place, strict=False).load(place / "data.yaml")
    assert [row.fault.code if row.fault else None for row in dataset] == [
        *(None, None, "dataset/missing-key", "dataset/wrong-type", "dataset/missing-key", None)
    ]
    results = [*Grader(place).grade_all((row, "A day, today.") for row in dataset)]
    assert [result.outcome for result in results] == ["passed"] * 2 + ["undecided"] * 4
    arguments = (place / "data.yaml", "--outputs", place / "outputs.jsonl")
    command_line("grade", *arguments, "--output-format", "jsonl")
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    graded = {row["id"]: (row["outcome"], row.get("reason")) for row in printed if "id" in row}
    assert graded == {result.id: (result.outcome, result.reason) for result in results}


def test_a_row_is_judged_by_the_schema_of_its_bundle(place: Path) -> None:
    write(place, {"bundles/ticket.schema.json": {"type": "object", "required": ["area"]}})
    row = {"id": "a", "input": "x", "bundle": "ticket", "must_contain_any": ["y"]}
    with pytest.raises(UsageError, match="the row is malformed: `area` is missing"):
        Grader(place).grade(row, "y")
    assert Grader(place).grade({**row, "area": "b"}, "y").outcome == "passed"


def test_files_are_graded_as_on_the_command_line(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = [{"id": "z", "output": ""}, {**ANSWERS[1]}, {**ANSWERS[2], "id": "c"}]
    lines = "".join(f"{json.dumps(record)}\n" for record in records)
    data, outputs = place / "data.json", place / "outputs.jsonl"
    write(place, {data.name: json.dumps({"questions": ROWS}), outputs.name: lines})
    graded = Grader(place).grade_files(data, outputs)
    results = list(graded)
    assert sorted(told(results), key=str) == [("a", "undecided", (0, 1)), *EXPECTED[1:]]
    codes = [found.code for found in graded.diagnostics if found.code.startswith("output/")]
    assert codes == ["output/missing", "output/unknown-id"]
    command_line("grade", data, "--outputs", outputs, "--output-format", "jsonl")
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [
        (row["id"], row["outcome"], tuple(row.get("bounds", ())) or row["score"])
        for row in printed
        if "id" in row
    ] == told(results)


@every_case(
    ("row", "answer", "part"),
    [
        ({"id": "a"}, "b", "row is malformed"),
        ({"id": 7, "input": "b"}, "b", "row is malformed"),
        (7, "b", "row is malformed"),
        (ROWS[0], {"output": 7}, "output is malformed"),
        (ROWS[0], 7, "output is malformed"),
        (ROWS[0], {"response": "A day"}, "output is malformed: `response` is not read"),
        (ROWS[0], {"id": "a"}, "output is malformed: the record has neither"),
        (ROWS[0], {"id": 7.0, "output": ""}, "output is malformed: `id` must be"),
        (ROWS[0], {"id": 7, "output": ""}, "the output is of `7`, the row is `a`"),
        (ROWS[2], {"tool_calls": [{"name": "x", "kwargs": {"n": 1}}]}, "malformed: `kwargs`"),
        (ROWS[0], {"id": "b", "output": "c"}, "the output is of `b`, the row is `a`"),
    ],
)
def test_what_is_malformed_raises(row: Any, answer: Any, part: str, place: Path) -> None:
    with pytest.raises(UsageError, match=part):
        Grader(place).grade(row, answer)


@every_case(
    ("answer", "message"),
    [
        ({"output": "A day", "tools_called": [{"name": "x"}]}, "`tools_called` is not read"),
        ({"output": "A day", "contxt": "b"}, "unknown key `contxt`"),
    ],
)
def test_a_key_that_is_probably_meant_to_be_read_is_logged(
    answer: Any, message: str, place: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.clear()
    Grader(place).grade(ROWS[0], answer)
    (record,) = caplog.records
    assert record.name == "evalcontract"
    assert record.levelname == "WARNING"
    assert message in record.getMessage()


def test_a_row_whose_rubric_is_not_there_is_undecided(place: Path) -> None:
    result = Grader(place).grade({**ROWS[0], "rubric_ref": "rubric/none@1.0.0"}, "a")
    assert told([result]) == [("a", "undecided", (0, 1))]
    assert result.reason == "there is no `rubric/none@1.0.0`"


def test_files_that_cannot_be_read_raise(place: Path) -> None:
    graded = Grader(place).grade_files(place / "none.json", place / "none.jsonl")
    with pytest.raises(ContractViolation, match="source/unreadable"):
        list(graded)


def test_a_workspace_is_given_once(place: Path) -> None:
    with pytest.raises(UsageError, match="not both"):
        Grader(place, workspace=Workspace(place))
