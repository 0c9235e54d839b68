"""Rows by checks, and rubrics by the checks that they reach: the work has a limit."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from doors import Input, Options, check_workspaces, coverage
from texts import plain
from work import calls_of

from evalcontract.datasets import plans as grading
from evalcontract.rules import _rule as _composites

if TYPE_CHECKING:
    from pathlib import Path

    from syrupy.assertion import SnapshotAssertion

    from evalcontract.model.diagnostic import Diagnostic


def judge(name: str) -> dict[str, Any]:
    template = f"{{{{ input }}}} {{{{ output }}}} {{{{ expected.{name} }}}}"
    return {"id": name, "version": "1.0.0", "template": template}


def rubric(id_: str, *checks: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": id_,
        "version": "1.0.0",
        "checks": [{"id": f"c{number}", **check} for number, check in enumerate(checks)],
        "scoring": {"combine": "all_pass"},
    }


def rows(many: int) -> dict[str, Any]:
    kept = {"rubric_ref": "rubric/a@1.0.0", "expected": {"k0": "x"}}
    return {"questions": [{"id": f"r{at}", "input": f"i{at}", **kept} for at in range(many)]}


def composites(id_: str, *others: str) -> dict[str, Any]:
    references = (f"rubric/{name}@1.0.0" for name in others)
    return rubric(id_, *({"kind": "composite", "rubric_ref": text} for text in references))


def save(folder: Path, **files: Any) -> None:
    for name, value in files.items():
        path = folder / f"{name.replace('__', '/')}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(value))


@pytest.fixture
def with_judges(tmp_path: Path) -> Path:
    """Twenty rows that lack most of the 40 keys that the judges of their rubric show."""
    names = [f"k{number}" for number in range(40)]
    checks = [{"kind": "llm_judge", "judge_prompt_ref": f"judge/{name}@1.0.0"} for name in names]
    save(tmp_path, rubrics__a=rubric("a", *checks), datasets__a=rows(20))
    save(tmp_path, **{f"judges__{name}": judge(name) for name in names})
    return tmp_path


def told(folder: Path) -> list[Diagnostic]:
    return list(check_workspaces(folder, Options()).diagnostics)


def test_rows_by_the_keys_that_checks_need_have_a_limit(
    with_judges: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = [finding.code for finding in told(with_judges)].count("dataset/check-never-runs")
    assert compared == 20, "the limit is far above that"

    monkeypatch.setattr(grading, "MAX_PREDICTIONS", 50)  # each row takes ten beyond those it may
    findings = told(with_judges)
    limited = [finding for finding in findings if finding.code == "source/limit-exceeded"]
    assert [finding.code for finding in findings].count("dataset/check-never-runs") == 5
    assert len(limited) == 1, "once for the dataset"
    assert "rubric/a@1.0.0" in limited[0].message
    assert "40" in limited[0].message


def test_rows_that_need_few_sets_of_keys_have_no_limit(
    with_judges: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grading, "MAX_PREDICTIONS", 0)
    monkeypatch.setattr(grading, "PREDICTIONS_PER_ROW", 40)
    assert [finding.code for finding in told(with_judges)].count("dataset/check-never-runs") == 20


@pytest.mark.messages
def test_what_is_said_of_the_limit(
    with_judges: Path, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    monkeypatch.setattr(grading, "MAX_PREDICTIONS", 0)
    lines = [
        f"{finding.code} {finding.pointer} {finding.message}\n  help: {finding.help}\n"
        for finding in told(with_judges)
        if finding.code == "source/limit-exceeded"
    ]
    assert "".join(lines) == plain(snapshot)


def test_coverage_says_which_rows_are_beyond_the_limit(
    with_judges: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grading, "MAX_PREDICTIONS", 55)
    inputs = [Input(with_judges / "datasets" / "a.json")]
    (file,) = coverage(inputs, Options(), all_rows=True).files
    faults = [row.fault for row, _ in file.rows if row.fault]
    assert faults, "some rows are unknown"
    assert all("rubric/a@1.0.0" in fault for fault in faults)


def contradictions(folder: Path) -> int:
    codes = [finding.code for finding in told(folder)]
    assert "internal/rule-crashed" not in codes
    return codes.count("rubric/contradiction")


@pytest.fixture
def with_composites(tmp_path: Path) -> Path:
    """Three rubrics that refer to two others, which contradict each other."""
    save(
        tmp_path,
        rubrics__must=rubric("must", {"kind": "must_contain_any", "values": ["full refund"]}),
        rubrics__never=rubric("never", {"kind": "must_not_contain", "values": ["refund"]}),
    )
    save(
        tmp_path, **{f"rubrics__both{at}": composites(f"both{at}", "must", "never") for at in "123"}
    )
    return tmp_path


def test_checks_inside_composites_are_compared_up_to_a_limit(
    with_composites: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert contradictions(with_composites) == 3
    monkeypatch.setattr(_composites, "MAX_REACHED", 4)  # each of the rubrics reaches two
    assert contradictions(with_composites) == 2


@pytest.mark.slow
def test_rubrics_that_only_refer_to_a_large_one_do_not_look_at_its_checks(tmp_path: Path) -> None:
    checks = [{"kind": "must_contain_any", "values": [f"a text {at}"]} for at in range(200)]
    save(tmp_path, rubrics__large=rubric("large", *checks))
    alone = calls_of(told, tmp_path)
    save(tmp_path, **{f"rubrics__r{at}": composites(f"r{at}", "large") for at in range(50)})
    assert calls_of(told, tmp_path) - alone < 50 * 200 * 4, "it took nine for each before"
