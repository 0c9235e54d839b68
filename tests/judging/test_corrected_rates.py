"""The pass rate of a check beside the one without the errors of its judge, while that is known."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest
from model_server import ModelServer, Response, needs_client, verdict
from tables import every_case
from test_grade_with_judges import JUDGES, _write, configure, grade, results, rows, workspace

from evalcontract import Grader
from evalcontract.statistics.rates import Agreement, MeasuredRate, corrected

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["workspace"]
pytestmark = [pytest.mark.slow, needs_client]

COUNTS = {"tp": 80, "fn": 20, "tn": 45, "fp": 5}
TEMPLATE = JUDGES["polite"]["template"]
HOLDS: dict[str, Any] = {
    "confusion_matrix": COUNTS,
    "judge_version": "1.0.0",
    "model": {"provider": "acme", "name": "m-1"},
    "template_sha256": sha256(TEMPLATE.encode()).hexdigest(),
    "validated_at": "2026-05-01",
    "validated_against": "labels",
}


def write_judge(workspace: Path, validation: dict[str, Any]) -> None:
    """Write the judge `polite` with a validation."""
    judge = {"id": "polite", "version": "1.0.0", "template": TEMPLATE}
    _write(workspace / "judges/polite.json", {**judge, "validation": validation})


def summaries(
    workspace: Path,
    patch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *rubrics: str,
    **validation: Any,
) -> tuple[list[dict[str, Any]], str]:
    """Return what is said of corrected rates, as JSON and as text; 7 of 10 rows pass."""
    write_judge(workspace, validation)
    rows(workspace, *(rubrics or ["single"] * 10))

    def answer(request: dict[str, Any], _: int) -> Any:
        return verdict("pass" if request["messages"][1]["content"][-1] in "0123456" else "fail")

    with ModelServer(answer) as server:
        configure(patch, server)
        grade("--output-format", "json", "--cache")
        _, _, summary = results(capsys.readouterr().out)
        grade("--cache")
        grade("--cache", "--output-format", "markdown")
    return summary.get("corrected", []), " ".join(capsys.readouterr().out.split())


def test_the_corrected_rate_stands_beside_the_observed_one(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As `calibrate-judge` corrects the same rate."""
    (made,), text = summaries(workspace, monkeypatch, capsys, **HOLDS)
    known = corrected(MeasuredRate(0.7, 10), Agreement(**COUNTS))
    assert known is not None
    assert known.rate == pytest.approx((0.7 + 0.9 - 1) / (0.8 + 0.9 - 1))
    assert made == {
        "rubric": "rubric/single@1.0.0",
        "check": "polite",
        "judge": "judge/polite@1.0.0",
        "observed": 0.7,
        "n": 10,
        "corrected": pytest.approx(known.clipped.rate),
        "interval": {
            "lower": pytest.approx(known.clipped.interval.lower),
            "upper": pytest.approx(known.clipped.interval.upper),
            "level": 0.95,
        },
    }
    assert made["interval"]["lower"] < 0.7 < made["corrected"] < made["interval"]["upper"]
    low, high = known.clipped.interval
    line = f"`rubric/single@1.0.0` | `polite` | 0.70 | 0.86 | {low:.2f} to {high:.2f} | - |"
    assert line in text
    assert "polite: pass rate 0.700 of 10 rows as observed; 0.857, 95 % interval" in text
    assert "judge/polite@1.0.0 (TPR 0.800, TNR 0.900 of 150 outputs)" in text


@every_case("questions", [None, 4])
def test_python_says_what_the_command_says(
    questions: int | None,
    workspace: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What was asked, how it was read, that a budget ended the run, and corrected rates."""
    write_judge(workspace, HOLDS)
    rows(workspace, *["single"] * 10)
    budget = () if questions is None else ("--max-questions", str(questions))
    with ModelServer(lambda *_: Response("Pass.")) as server:
        configure(monkeypatch, server, CONCURRENCY="1")
        grade("--output-format", "json", "--no-cache", *budget)
        _, _, said = results(capsys.readouterr().out)
        with Grader(workspace, ask_judges=True, max_questions=questions) as grader:
            graded = grader.grade_files(workspace / "data.json", workspace / "outputs.jsonl")
            made = graded.results().summary()
    assert json.loads(json.dumps(made)) == said
    assert made["judges"]["lenient"] == made["judges"]["calls"] == (questions or 10)
    assert made["judges"].get("unasked", 0) == 10 - (questions or 10)
    assert len(made["corrected"]) == 1


@every_case(
    ("changes", "reason"),
    [
        ({"template_sha256": "0" * 64}, "another template"),
        ({"template_sha256": None}, "does not say of which template"),
        ({"judge_version": "0.9.0"}, "another version"),
        ({"judge_version": None}, "does not say of which version"),
        ({"model": None}, "does not say of which model"),
        ({"model": {"name": "m-0"}}, "was validated on m-0, and asked over m-1"),
        ({"confusion_matrix": {"tp": 5, "fn": 5, "tn": 5, "fp": 5}}, "more than 1 in sum"),
        ({"confusion_matrix": {"tp": 5, "fn": 5, "tn": 0, "fp": 0}}, "more than 1 in sum"),
    ],
)
def test_a_validation_that_does_not_hold_corrects_nothing(
    changes: dict[str, Any],
    reason: str,
    workspace: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    validation = {key: value for key, value in {**HOLDS, **changes}.items() if value is not None}
    (made,), text = summaries(workspace, monkeypatch, capsys, **validation)
    assert (made["observed"], made["corrected"]) == (0.7, None)
    assert reason in made["reason"]
    assert "interval" not in made
    assert made["reason"] in text


def test_what_is_not_measured_or_not_of_one_judge_is_no_correction(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rates without counts have no interval; a jury has errors of its own."""
    rates = {**HOLDS, "tpr": 0.8, "tnr": 0.9, "sample_size": 150}
    del rates["confusion_matrix"]
    assert summaries(workspace, monkeypatch, capsys, **rates)[0] == []
    assert summaries(workspace, monkeypatch, capsys, "jury", "facts", "plain", **HOLDS)[0] == []


def sampled(count: int) -> list[dict[str, Any]]:
    """Return three outputs of each of some rows: of each second row, two of them pass, else one."""
    return [
        {
            "id": f"r{row}",
            "sample": n,
            "output": f"{'good' if n < row % 2 + 1 else 'bad'} {row} {n}",
        }
        for row in range(count)
        for n in range(3)
    ]


@every_case("reduce", ["mean", "max", "pass_at_k"])
def test_the_rate_of_rows_with_several_outputs_is_that_of_all_outputs(
    reduce: str,
    workspace: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The judge was measured on single outputs: not on the majority of three, nor the best."""
    write_judge(workspace, HOLDS)
    rows(workspace, *["single"] * 12)

    def answer(request: dict[str, Any], _: int) -> Any:
        return verdict("pass" if "good" in request["messages"][1]["content"] else "fail")

    (workspace / "outputs.jsonl").write_text(
        "\n".join(map(json.dumps, sampled(12))), encoding="utf-8"
    )
    with ModelServer(answer) as server:
        configure(monkeypatch, server)
        grade("--output-format", "json", "--cache", "--reduce", reduce)
        (made,) = json.loads(capsys.readouterr().out)["summary"]["corrected"]
        grade("--cache", "--reduce", reduce)
        text = " ".join(capsys.readouterr().out.split())
        few = "\n".join(map(json.dumps, sampled(9)))
        (workspace / "outputs.jsonl").write_text(few, encoding="utf-8")
        rows_of_nine = workspace / "data.json"
        questions = json.loads(rows_of_nine.read_text(encoding="utf-8"))["questions"][:9]
        _write(rows_of_nine, {"questions": questions})
        grade("--cache", "--reduce", reduce)
        of_few = " ".join(capsys.readouterr().out.split())
    assert (made["observed"], made["n"]) == (pytest.approx(0.5), 36)
    assert made["corrected"] == pytest.approx((0.5 + 0.9 - 1) / (0.8 + 0.9 - 1))
    assert "polite: pass rate 0.500 of 36 outputs as observed; 0.571, 95 % interval" in text
    # Twelve rows whose rates are 1/3 and 2/3 vary less than 36 outputs would: no more is claimed.
    most = corrected(MeasuredRate(0.5, 36), Agreement(**COUNTS))
    assert most is not None
    width = made["interval"]["upper"] - made["interval"]["lower"]
    assert width > most.clipped.interval.width
    assert "9 rows are too few to say: at least 10" in of_few


def test_the_interval_of_a_corrected_rate_accounts_for_clusters(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_judge(workspace, HOLDS)
    rows(workspace, *["single"] * 40)
    path = workspace / "data.json"
    questions = json.loads(path.read_text(encoding="utf-8"))["questions"]

    def answer(request: dict[str, Any], _: int) -> Any:
        row = int(request["messages"][1]["content"].rpartition("r")[2])
        return verdict("pass" if row // 4 % 10 < 7 else "fail")

    def made(size: int) -> dict[str, Any]:
        of = [{**each, "metadata": {"document": n // size}} for n, each in enumerate(questions)]
        _write(path, {"questions": of})
        grade("--output-format", "json", "--cache", "--cluster", "document")
        (found,) = json.loads(capsys.readouterr().out)["summary"]["corrected"]
        return dict(found)

    with ModelServer(answer) as server:
        configure(monkeypatch, server)
        alone, together, few = made(1), made(4), made(8)
    widths = [each["interval"]["upper"] - each["interval"]["lower"] for each in (alone, together)]
    assert alone["observed"] == together["observed"] == 0.7
    assert alone["corrected"] == together["corrected"]
    assert widths[1] > 1.3 * widths[0]
    assert (few["corrected"], few["reason"]) == (
        None,
        "5 clusters are too few to say: at least 10",
    )


def test_a_check_inside_of_a_composite_is_corrected_and_a_threshold_is_told(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = workspace / "rubrics/jury.json"
    rubric = json.loads(path.read_text(encoding="utf-8"))
    reference = "judge/polite@1.0.0"
    check = {"id": "own", "kind": "llm_judge", "judge_prompt_ref": reference, "threshold": 0.9}
    _write(path, {**rubric, "checks": [check]})
    made, _ = summaries(workspace, monkeypatch, capsys, "inside", "jury", **HOLDS)
    assert [(each["check"], each["corrected"] is None) for each in made] == [
        ("inner/polite", False),
        ("own", True),
    ]
    assert "`threshold`" in made[1]["reason"]
