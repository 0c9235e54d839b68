"""How rows are graded: one piece serves the check and the coverage, and a crash of it is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from evalcontract.checking.pipeline import check_workspaces
from evalcontract.checks.plan import plan_of
from evalcontract.covering import coverage
from evalcontract.datasets.opening import Input, Options
from evalcontract.structure.gate import Gate

if TYPE_CHECKING:
    from pathlib import Path

RUBRIC = """\
id: {id}
version: "1.0.0"
checks:
  - {{id: facts, kind: fact_match}}
scoring: {{combine: all_pass}}
"""
ROWS = """\
questions:
  - {id: a, input: b, rubric_ref: rubric/bad@1.0.0, expected_facts: [c]}
  - {id: b, input: b, rubric_ref: rubric/bad@1.0.0, expected_facts: [c]}
  - {id: c, input: b, rubric_ref: rubric/good@1.0.0, expected_facts: []}
"""


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a workspace in which the plan of one rubric crashes."""
    (tmp_path / "rubrics").mkdir()
    for id_ in ("bad", "good"):
        (tmp_path / "rubrics" / f"{id_}.yaml").write_text(RUBRIC.format(id=id_))
    (tmp_path / "data.yaml").write_text(ROWS)

    def crashing(artifact: Any, *around: Any) -> Any:
        if artifact.id == "bad":
            raise ZeroDivisionError("a plain bug")
        return plan_of(artifact, *around)

    monkeypatch.setattr("evalcontract.datasets.plans.plan_of", crashing)
    return tmp_path


def test_a_plan_that_crashes_is_told_once_and_the_rest_is_checked(workspace: Path) -> None:
    found = check_workspaces(workspace, Options(root=workspace)).diagnostics
    codes = [each.code for each in found]
    assert codes.count("internal/rule-crashed") == 1
    assert "dataset/check-always-passes" in codes
    (crash,) = [each for each in found if each.code == "internal/rule-crashed"]
    assert "rubrics/bad.yaml" in crash.message
    assert "ZeroDivisionError: a plain bug" in crash.message


def test_coverage_tells_a_crash_too(workspace: Path) -> None:
    inputs = [Input(workspace / "data.yaml"), Input(workspace / "rubrics" / "bad.yaml")]
    outcome = coverage(inputs, Options(root=workspace), all_rows=True)
    assert [each.code for each in outcome.diagnostics] == ["internal/rule-crashed"] * 2
    rows = [row for row, _ in outcome.files[0].rows]
    assert ["bug in evalcontract" in (row.fault or "") for row in rows] == [True, True, False]
    assert outcome.plans == []


@pytest.mark.costly
def test_the_work_does_not_grow_with_files_times_rubrics(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plan is made once for a run, and gates only where enough rows share one."""
    (tmp_path / "rubrics").mkdir()
    words = "  - {{id: words, kind: must_not_contain, values: [word{n}]}}\nscoring"
    for n in range(30):
        text = RUBRIC.format(id=f"rubric_{n}").replace("scoring", words.format(n=n))
        (tmp_path / "rubrics" / f"rubric_{n}.yaml").write_text(text)
    row = "  - {{id: a{n}, input: b, rubric_ref: rubric/rubric_{n}@1.0.0, expected_facts: [c]}}\n"
    rows = "questions:\n" + "".join(row.format(n=n) for n in range(30))
    for n in range(5):
        (tmp_path / f"data_{n}.yaml").write_text(rows)
    made = {"plans": 0, "gates": 0}

    def counted(*given: Any) -> Any:
        made["plans"] += 1
        return plan_of(*given)

    def gate(*given: Any) -> Gate:
        made["gates"] += 1
        return Gate(*given)

    monkeypatch.setattr("evalcontract.datasets.plans.plan_of", counted)
    monkeypatch.setattr("evalcontract.datasets.gates.Gate", gate)
    outcome = check_workspaces(tmp_path, Options(root=tmp_path))
    assert (outcome.diagnostics, outcome.rows) == ([], 150)
    assert made["plans"] == 30
    assert made["gates"] <= 5 * 8
