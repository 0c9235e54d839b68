"""Coverage and executors are one table: what is predicted of a row is what grading does with it."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from doors import Input, Options, coverage
from examples import examples
from hypothesis import example, given
from hypothesis import strategies as st

from evalcontract.checks import KINDS, State
from evalcontract.checks.outcome import PASSED, Outcome, Verdict
from evalcontract.checks.plan import OWN_EXPECTATIONS, RUNNER
from evalcontract.grading.grade import Grading

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.checks.coverage import RowCoverage
    from evalcontract.grading.results import CheckResult, RowResult
    from evalcontract.judging.asking import Judging

Row = dict[str, Any]

DECLARED = {"id": "d", "kind": "target_match", "source": "expected.reference"}
JURY = {
    "judges": [{"judge_prompt_ref": f"judge/{name}@1.0.0"} for name in ("plain", "critical")],
}
CHECKS: list[Any] = [
    {"kind": "must_contain_any"},
    {"kind": "must_contain_any", "values": ["left"]},
    {"kind": "must_not_contain"},
    {"kind": "regex", "pattern": "l"},
    {"kind": "regex", "pattern": "("},
    {"kind": "json_schema", "schema": {"type": "object"}},
    {"kind": "json_schema", "schema_ref": "nowhere.json"},
    {"kind": "php_lint", "on_no_code": "pass"},
    {"kind": "markdown_structure", "min_headings": 1},
    {"kind": "markdown_structure", "min_headings": 0},
    {"kind": "tool_usage"},
    {"kind": "tool_usage", "forbidden_tools": ["left"]},
    {"kind": "format"},
    {"kind": "format", "max_chars": 3},
    {"kind": "fact_match"},
    {"kind": "fact_match", "facts": [" "]},
    {"kind": "fact_match", "min_recall": 0},
    {"kind": "fact_match", "judge_prompt_ref": "judge/contextual@1.0.0"},
    {"kind": "llm_judge", "judge_prompt_ref": "judge/plain@1.0.0"},
    {"kind": "llm_judge", "judge_prompt_ref": "judge/contextual@1.0.0"},
    {"kind": "llm_judge", "judge_prompt_ref": "judge/nobody@1.0.0"},
    {"kind": "llm_judge", "judge_prompt_ref": "judge/critical@1.0.0", "threshold": 0},
    {"kind": "llm_judge", "jury": JURY},
    {"kind": "composite", "rubric_ref": "rubric/inner@1.0.0"},
    {"kind": "composite", "rubric_ref": "rubric/nobody@1.0.0"},
    DECLARED,
    {**DECLARED, "id": 7},
    {"kind": "undeclared"},
    7,
]
JUDGES = {
    "plain": "{{ output }}",
    "critical": "{{ output }} {{ criteria }}",
    "contextual": "{{ output }} {{ context }} {{ expected.answer }}",
}
TEXTS = st.lists(st.sampled_from(["left", " ", "a b"]), max_size=2)
EXPECTED = [{}, {"format": "text"}, {"format": "json"}, {"format": "text", "answer": "b"}]
ROW: st.SearchStrategy[Row] = st.fixed_dictionaries(
    {"id": st.just("a"), "input": st.just("b")},
    optional={
        "rubric_ref": st.sampled_from(["rubric/own@1.0.0", "rubric/inner@1.0.0", "rubric/none@1"]),
        "criteria": st.sampled_from(["Names Paris", "", " "]),
        "expected": st.sampled_from([*EXPECTED, {"answer": " "}, {"reference": "c"}]),
        "expected_facts": TEXTS,
        "expected_tools": TEXTS,
        "must_contain_any": TEXTS,
        "must_not_contain": TEXTS,
        "context": st.sampled_from(["Ghent", "", " ", [], None]),
        "tags": TEXTS,
    },
)
OUTPUT = st.fixed_dictionaries(
    {
        "id": st.just("a"),
        "output": st.sampled_from(
            [None, "", "left", "# Left\n\nb", "{}", "```php\n<?php echo 1;\n```"]
        ),
    },
    optional={
        "tool_calls": st.lists(st.fixed_dictionaries({"name": st.just("left")}), max_size=2),
        "context": st.sampled_from(["Ghent", ""]),
    },
)
RUBRIC = st.lists(st.sampled_from(CHECKS), max_size=4)
GRADED = st.lists(st.sampled_from(["criteria", "expected", "tags"]), max_size=2, unique=True)
BARE: Row = {"id": "a", "input": "b"}
OWN: Row = {**BARE, "rubric_ref": "rubric/own@1.0.0"}
SAID: Row = {"id": "a", "output": "left"}

#: What becomes of a check, by the prediction.
OUTCOMES = {
    State.SKIP: {Outcome.SKIPPED},
    State.VACUOUS: {Outcome.SKIPPED},
    State.UNAVAILABLE: {Outcome.UNAVAILABLE},
}
#: A check that runs is skipped only if it finds nothing to judge in the output.
MAY_SKIP = {"php_lint"}


def test_every_kind_is_tried() -> None:
    assert {check["kind"] for check in CHECKS if check != 7} >= set(KINDS)


@pytest.mark.slow
@examples(200)
@given(row=ROW, output=OUTPUT, own=RUBRIC, inner=RUBRIC, graded=GRADED)
@example(row={**BARE, "criteria": "c"}, output=SAID, own=[], inner=[], graded=[])
@example(row={**BARE, "criteria": "c"}, output=SAID, own=[], inner=[], graded=["criteria"])
@example(row={**BARE, "criteria": " "}, output=SAID, own=[], inner=[], graded=[])
@example(row={**BARE, "expected": {"reference": "c"}}, output=SAID, own=[], inner=[], graded=[])
@example(row={**BARE, "expected": EXPECTED[3]}, output=SAID, own=[], inner=[], graded=[])
@example(row=OWN, output=SAID, own=[CHECKS[1], DECLARED], inner=[], graded=[])
@example(row=OWN, output=SAID, own=[CHECKS[1], CHECKS[26]], inner=[], graded=[])
@example(row=OWN, output=SAID, own=[CHECKS[1], 7], inner=[], graded=[])
@example(row=OWN, output=SAID, own=[CHECKS[1], CHECKS[23]], inner=[7], graded=[])
@example(row=OWN, output=SAID, own=[CHECKS[23]], inner=[CHECKS[22], DECLARED], graded=[])
@example(row=OWN, output={"id": "a", "output": None}, own=CHECKS[:4], inner=[], graded=["tags"])
@example(
    row={**OWN, "criteria": "c"},
    output=SAID,
    own=[{"kind": "undeclared"}],
    inner=[],
    graded=["criteria"],
)
def test_what_is_predicted_of_a_row_is_what_grading_does(
    row: Row, output: Row, own: list[Any], inner: list[Any], graded: list[str]
) -> None:
    covered, result = predicted_and_graded(row, output, own, inner, graded)
    if not result.checks:
        assert {cell.kind for cell in covered.cells if cell.outlook.runs} <= {RUNNER}
        assert result.outcome in (Outcome.UNDECIDED, Outcome.SKIPPED)
        return
    cells = [cell for cell in covered.cells if cell.kind != RUNNER]
    checks = dict(flat(result.checks))
    names = [(cell.check, cell.kind) for cell in cells]
    read_by_runner = {cell.check for cell in covered.cells if cell.kind == RUNNER}
    assert sorted(names) == sorted(
        (name, check.kind)
        for name, check in flat(result.checks)
        if result.rubric or name not in read_by_runner
    )
    if len(set(names)) < len(names):
        return  # two checks with one id
    for cell in cells:
        check = checks[cell.check]
        outlook = cell.outlook
        text = output.get("output")
        if outlook.may_run and "php" not in (text or ""):
            assert (check.outcome is Outcome.UNAVAILABLE) is (text is None)
            continue
        if not outlook.runs:
            assert {check.outcome} == OUTCOMES[outlook.state], (cell, check)
            assert check.reason == outlook.reason
            continue
        needed = "tool_calls" if cell.kind == "tool_usage" else "output"
        if output.get(needed) is None:
            assert check.outcome is Outcome.UNAVAILABLE, (cell, check)
        elif check.outcome is Outcome.SKIPPED:
            assert cell.kind in MAY_SKIP, (cell, check)
        else:
            assert check.outcome is not Outcome.UNAVAILABLE, (cell, check)


def flat(checks: tuple[CheckResult, ...], prefix: str = "") -> Iterator[tuple[str, CheckResult]]:
    """Yield the checks with their names, those of composites in place of these."""
    for check in checks:
        if check.checks:
            yield from flat(check.checks, f"{prefix}{check.id}/")
        else:
            yield f"{prefix}{check.id}", check


def predicted_and_graded(
    row: Row, output: Row, own: list[Any], inner: list[Any], graded: list[str]
) -> tuple[RowCoverage, RowResult]:
    files: dict[str, Any] = {
        "data.json": {"questions": [row]},
        "outputs.jsonl": output,
        **{f"judges/{name}.json": artifact(name, template=JUDGES[name]) for name in JUDGES},
    }
    scoring = {"combine": "weighted_avg"}
    for name, checks in {"own": own, "inner": inner}.items():
        files[f"rubrics/{name}.json"] = artifact(name, checks=checks, scoring=scoring)
    folder = Path(tempfile.mkdtemp())
    try:
        for path, value in files.items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(json.dumps(value), encoding="utf-8")
        text = f'row_keys_graded = {json.dumps(graded)}\ndeclared_kinds = ["target_match"]\n'
        (folder / "evalcontract.toml").write_text(text, encoding="utf-8")
        options = Options(root=folder)
        data = Input(folder / "data.json")
        ((covered, _),) = coverage([data], options, all_rows=True).files[0].rows
        judging = cast("Judging", _Model())
        (result,) = Grading(data, Input(folder / "outputs.jsonl"), options, judging).results()
    finally:
        shutil.rmtree(folder)
    return covered, result


class _Model:
    """Stands for an endpoint: every judge passes everything."""

    concurrency = 1

    def ask(self, judge: object, variables: object) -> Verdict:
        assert judge
        assert variables
        return PASSED

    ask_ahead = ask

    def basis_of(self, judge: object) -> dict[str, Any]:
        assert judge
        return {}

    def wait(self, asked: object) -> None:
        assert asked is PASSED

    def close(self) -> None:
        self.concurrency = 0


def artifact(name: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "version": "1.0.0", **more}


def test_every_expectation_of_a_row_is_tried() -> None:
    keys = {"criteria", "expected", "expected_facts", "expected_tools"}
    assert set(OWN_EXPECTATIONS) == keys | {"must_contain_any", "must_not_contain"}
