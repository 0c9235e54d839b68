"""Outputs that are graded together get what each of them gets alone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tables import every_case
from writing import write

from evalcontract import Grader, Summary
from evalcontract.checks.outcome import PASSED, Output, Verdict, failed, of_text
from evalcontract.grading import runner
from evalcontract.grading.results import CheckResult, RowResult
from evalcontract.grading.runner import Single, block_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

RUBRICS = {
    "rubrics/all.yaml": """\
id: all
version: "1.0.0"
checks:
  - {id: any, kind: must_contain_any}
  - {id: exact, kind: must_contain_any, values: [Été], case_sensitive: true}
  - {id: none, kind: must_not_contain, values: [nothing]}
  - {id: period, kind: regex, pattern: "[0-9]+ days", flags: [i]}
  - {id: format, kind: format}
  - {id: facts, kind: fact_match, min_recall: 0.5}
  - {id: more, kind: fact_match, facts: [a day]}
  - {id: tools, kind: tool_usage}
  - {id: inside, kind: composite, rubric_ref: rubric/few@1.0.0}
scoring: {combine: weighted_avg, weights: {facts: 3}, threshold: 0.6}
""",
    "rubrics/few.yaml": """\
id: few
version: "1.0.0"
checks: [{id: words, kind: must_contain_any, values: [day]}, {id: facts, kind: fact_match}]
scoring: {combine: all_pass}
""",
}
TEXTS = ("30 DAYS", "É a\u2003day", "Été\n\nnothing", '{"a": "day"}', "", " ", None, "a  day, été")
KEYS: tuple[dict[str, Any], ...] = (
    {"expected_facts": ["a day", "30 days"]},
    {"must_contain_any": ["été"], "expected": {"format": "json"}},
    {"expected_tools": ["look"], "expected_facts": [" "]},
)
REFS = ("rubric/all@1.0.0", "rubric/few@1.0.0", None, "rubric/none@1.0.0")


def rows_and_outputs() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return rows of all sorts, by turns, and their outputs."""
    rows: list[dict[str, Any]] = []
    outputs: list[dict[str, Any]] = []
    for text in TEXTS:
        for keys in KEYS:
            for ref in REFS:
                id_ = f"row_{len(rows)}"
                rows.append(
                    {"id": id_, "input": "?", **keys} | ({"rubric_ref": ref} if ref else {})
                )
                calls = [{"name": "look"}] if len(rows) % 2 else []
                outputs.append({"id": id_, "output": text, "tool_calls": calls})
    return rows, outputs


def lines(of: Iterable[Mapping[str, Any]]) -> str:
    return "".join(f"{json.dumps(each)}\n" for each in of)


@pytest.mark.slow
@pytest.mark.parametrize("limits", [(500, 1 << 18), (3, 1 << 18), (500, 8)])
def test_together_and_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limits: tuple[int, int]
) -> None:
    monkeypatch.setattr(runner, "_BLOCK_ROWS", limits[0])
    monkeypatch.setattr(runner, "_BLOCK_CHARACTERS", limits[1])
    rows, outputs = rows_and_outputs()
    write(tmp_path, {**RUBRICS, "rows.jsonl": lines(rows), "outputs.jsonl": lines(outputs)})
    grader = Grader(tmp_path)
    together = list(grader.grade_files(tmp_path / "rows.jsonl", tmp_path / "outputs.jsonl"))
    alone = [grader.grade(*pair) for pair in zip(rows, outputs, strict=True)]
    assert together == alone
    assert {each.outcome for each in alone} == {"passed", "failed", "undecided"}
    assert written(Summary.of(together)) == written(one_by_one(together))


def one_by_one(rows: Iterable[RowResult]) -> Summary:
    summary = Summary()
    for row in rows:
        summary.add(row)
    return summary


def written(summary: Summary) -> list[Any]:
    """Return all that a summary counts, in its order."""
    tallies = [("rows", summary.rows), *summary.rubrics.items()]
    tallies += [(f"{key} {kind}", tally) for key, (kind, tally) in summary.checks.items()]
    return [
        *((name, tally.outcomes, tally.scores, tally.bounds) for name, tally in tallies),
        summary.unmeasured,
        summary.has_errors,
    ]


def test_an_executor_that_fails_spoils_one_result() -> None:
    def judge(row: Mapping[str, Any], text: str) -> Verdict:
        if text == "bad":
            raise ZeroDivisionError("no")
        return PASSED if row["wants"] in text else failed("it does not")

    execute = of_text(judge)
    passed = CheckResult("x", "own", *PASSED)
    single = Single("x", "own", 1.0, None, execute, passed, execute.judge)
    texts = ["good", "bad", "other"]
    results = single.results(block_of([{"wants": "good"}] * 3, list(map(Output, texts))))
    assert [each.outcome for each in results] == ["passed", "error", "failed"]
    assert results[1].reason == "the executor of `own` failed: ZeroDivisionError: no"


@every_case("is_batched", [False, True])
def test_what_is_no_verdict_spoils_one_result(*, is_batched: bool) -> None:
    def judge(row: Mapping[str, Any], text: str) -> Any:
        del row
        return {"good": PASSED, "bounds": PASSED._replace(bounds=7)}.get(text)  # type: ignore[arg-type]

    execute = of_text(judge)
    passed = CheckResult("x", "own", *PASSED)
    single = Single("x", "own", 1.0, None, execute, passed, execute.judge if is_batched else None)
    texts = ["good", "bad", "bounds", "good"]
    results = single.results(block_of([{}] * 4, list(map(Output, texts))))
    assert [each.outcome for each in results] == ["passed", "error", "error", "passed"]
    assert results[0] is results[3] == passed
    assert "the executor of `own` failed: TypeError: cannot unpack" in (results[1].reason or "")
