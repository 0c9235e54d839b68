"""A slip in a key is told once: no rule asks for what stands there under another name."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from doors import Options, check_workspaces
from tables import every_case
from texts import facts

if TYPE_CHECKING:
    from pathlib import Path

RATES = {"tpr": 0.9, "tnr": 0.9, "validated_at": "2026-05-08", "sample_size": 200}
JUDGE = {"id": "a", "version": "1.0.0", "template": "Right? {{ output }}", "validation": RATES}
GRADED = {**JUDGE, "score_type": "continuous", "pass_threshold": 0.6}
CHECKS: list[dict[str, Any]] = [
    {"id": "a", "kind": "llm_judge", "judge_prompt_ref": "judge/a@1.0.0"},
    {"id": "b", "kind": "must_not_contain", "values": ["x"]},
]
SCORING = {"combine": "weighted_avg", "weights": {"a": 1, "b": 2}}
RUBRIC = {"id": "r", "version": "1.0.0", "checks": CHECKS, "scoring": SCORING}


def found(folder: Path, judge: Any, rubric: Any = RUBRIC) -> list[tuple[str, list[str]]]:
    for kind, artifact in (("judges", judge), ("rubrics", rubric)):
        (folder / kind).mkdir()
        text = json.dumps(artifact)
        (folder / kind / f"{artifact['id']}.json").write_text(text, encoding="utf-8")
    options = Options(root=folder, strict=True, today=date(2026, 6, 1))
    return [(each.code, facts(each.help)) for each in check_workspaces(folder, options).diagnostics]


def renamed(value: dict[str, Any], key: str, to: str) -> dict[str, Any]:
    return {to if each == key else each: part for each, part in value.items()}


def test_right(tmp_path: Path) -> None:
    assert found(tmp_path, GRADED) == []


@every_case(
    ("judge", "meant"),
    [
        (renamed(JUDGE, "validation", "validaton"), "validation"),
        (renamed(JUDGE, "validation", "Validation"), "validation"),
        (renamed(GRADED, "pass_threshold", "pass_treshold"), "pass_threshold"),
        (renamed(GRADED, "pass_threshold", "threshold"), "pass_threshold"),
        ({**JUDGE, "validation": renamed(RATES, "tpr", "TPR")}, "tpr"),
        ({**JUDGE, "validation": renamed(RATES, "tnr", "tnrr")}, "tnr"),
    ],
)
def test_key_of_a_judge(tmp_path: Path, judge: Any, meant: str) -> None:
    assert found(tmp_path, judge) == [("judge/near-miss-key", [meant])]


def test_rate_beside_the_validation(tmp_path: Path) -> None:
    rates = {key: value for key, value in RATES.items() if key != "tpr"}
    (only,) = found(tmp_path, {**JUDGE, "validation": rates, "tpr": 0.9})
    assert only[0] == "judge/misplaced-key"


def test_threshold_below_the_validation(tmp_path: Path) -> None:
    judge = {**GRADED, "validation": {**RATES, "pass_threshold": 3}}
    del judge["pass_threshold"]
    (only,) = found(tmp_path, judge)
    assert only[0] == "judge/misplaced-key"


@pytest.mark.parametrize("key", ["idd", "name", "ID", "check_id"])
def test_id_of_a_check_that_has_a_weight(tmp_path: Path, key: str) -> None:
    checks = [CHECKS[0], renamed(CHECKS[1], "id", key)]
    assert found(tmp_path, JUDGE, {**RUBRIC, "checks": checks}) == [("rubric/unknown-key", ["id"])]


def test_a_label_is_no_id(tmp_path: Path) -> None:
    checks = [CHECKS[0], renamed(renamed(CHECKS[1], "id", "label"), "values", "value")]
    codes = [code for code, _ in found(tmp_path, JUDGE, {**RUBRIC, "checks": checks})]
    assert "rubric/unknown-weight" in codes


def test_the_file_of_a_bundle(tmp_path: Path) -> None:
    row = {"id": "a", "input": "b", "criteria": "c", "bundle": "rag.schema.json"}
    (tmp_path / "datasets").mkdir()
    text = json.dumps({"questions": [row]})
    (tmp_path / "datasets" / "d.json").write_text(text, encoding="utf-8")
    assert found(tmp_path, JUDGE) == [("dataset/malformed-value", ["rag"])]


@pytest.mark.parametrize("score_type", [{"score_type": "continuous"}, {}])
def test_levels_of_a_judge_that_is_said_to_have_none(
    tmp_path: Path, score_type: dict[str, str]
) -> None:
    levels = {"level_names": ["bad", "good"], "level_values": [0, 1], "pass_threshold": 1}
    ((code, advice),) = found(tmp_path, {**JUDGE, **score_type, **levels})
    assert code == "judge/conflicting-key"
    assert "score_type: levels" in advice


def test_a_check_id_that_is_taken(tmp_path: Path) -> None:
    checks = [{**each, "id": "polite"} for each in CHECKS]
    scoring = {**SCORING, "weights": {"accurate": 1, "polite": 2}}
    ((code, _),) = found(tmp_path, JUDGE, {**RUBRIC, "checks": checks, "scoring": scoring})
    assert code == "rubric/duplicate-check-id"
