"""Budgets of a run end it with a part of the results, and a dry run says what it would ask."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from doors import ROOT
from model_server import ModelServer, Response, needs_client, verdict
from tables import every_case
from test_grade_with_judges import _write, by_prompt, configure, grade, results, rows, workspace

from evalcontract.judging.client import Reply
from evalcontract.judging.questions import BudgetError, QuestionBudget

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["workspace"]
pytestmark = [pytest.mark.slow, needs_client]


def always_pass(_: dict[str, Any], number: int) -> Response:
    del number
    return verdict("pass")


@every_case("allows", [(), ("--soft",), ("--soft", "--allow-undecided", "--threshold", "0")])
def test_a_run_beyond_its_budget_of_questions_never_passes(
    allows: tuple[str, ...],
    workspace: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What is graded is written, and `--resume` asks for the rest alone."""
    checks = [{"id": "polite", "kind": "llm_judge", "judge_prompt_ref": "judge/polite@1.0.0"}]
    rubric = {"id": "one", "version": "1.0.0", "checks": checks}
    _write(workspace / "rubrics/one.json", {**rubric, "scoring": {"combine": "all_pass"}})
    rows(workspace, *["one"] * 10)
    last = ("--results", "r.jsonl", "--output-format", "json", "--no-cache", "--force", *allows)
    with ModelServer(always_pass) as server:
        configure(monkeypatch, server)
        assert grade("--max-questions", "4", *last) == 1
        _, made, summary = results(capsys.readouterr().out)
        assert len(server.requests) == 4 == summary["judges"]["calls"]
        assert (len(made), summary["judges"]["unasked"]) == (10, 6)
        outcomes = [row["outcome"] for row in made.values()]
        assert sorted(outcomes) == ["passed"] * 4 + ["undecided"] * 6
        reasons = {row["checks"][0].get("reason") for row in made.values()}
        assert reasons == {None, "not asked: the budget is 4 questions (`--max-questions`)"}
        assert (
            grade("--resume", "--max-questions", "6", *(each for each in last if each != "--force"))
            == 0
        )
        _, made, _ = results(capsys.readouterr().out)
        assert len(server.requests) == 10
        assert {row["outcome"] for row in made.values()} == {"passed"}
        assert grade("--max-questions", "4", "--no-cache", *allows) == 1
    assert "6 questions were not asked" in " ".join(capsys.readouterr().out.split())


@every_case(
    ("usage", "tokens", "concurrency", "fewest", "most"),
    [
        ({"prompt_tokens": 100, "completion_tokens": 10}, "300", "1", 3, 3),
        ({"prompt_tokens": 100, "completion_tokens": 10}, "300", "4", 3, 6),
        ({"prompt_tokens": 100, "completion_tokens": 10}, "0", "1", 0, 0),
        (None, "600", "1", 2, 6),  # as many as the characters of the messages make likely
    ],
)
def test_no_question_is_sent_after_so_many_tokens(
    usage: dict[str, int] | None,
    tokens: str,
    concurrency: str,
    fewest: int,
    most: int,
    workspace: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Those that are sent at the same time come on top."""
    rows(workspace, *["single"] * 20)
    with ModelServer(lambda *_: verdict("pass")._replace(usage=usage, seconds=0.02)) as server:
        configure(monkeypatch, server, CONCURRENCY=concurrency)
        assert grade("--max-tokens", tokens, "--no-cache") == 1
    assert fewest <= len(server.requests) <= most


def test_what_the_cache_answers_is_free(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows(workspace, *["single"] * 5)
    with ModelServer(always_pass) as server:
        configure(monkeypatch, server)
        assert grade("--cache", "--max-questions", "5") == 0
        assert grade("--cache", "--max-questions", "0", "--max-tokens", "0") == 0
    assert len(server.requests) == 5
    assert "not asked" not in capsys.readouterr().out


def test_a_question_that_is_asked_once_more_is_one_of_the_budget(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows(workspace, "single", "single")
    with ModelServer(lambda *_: Response("what?")) as server:
        configure(monkeypatch, server, CONCURRENCY="1")
        assert grade("--max-questions", "3", "--no-cache") == 1
    assert len(server.requests) == 3


def test_a_budget_is_never_exceeded_by_threads() -> None:
    budget = QuestionBudget(questions=2, tokens=10)
    budget.take()
    budget.spend(Reply("abcde", 3, None), characters=9)
    budget.take()
    with pytest.raises(BudgetError, match="--max-questions"):
        budget.take()
    other = QuestionBudget(tokens=10)
    other.spend(Reply("abcde", None, None), characters=29)
    with pytest.raises(BudgetError, match="10 tokens"):
        other.take()


def test_a_dry_run_asks_nothing_and_says_what_a_run_asks(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its numbers are those of the run after it; cached answers tell what tokens to expect."""
    with ModelServer(by_prompt) as server:
        configure(monkeypatch, server, INPUT_PRICE="2", OUTPUT_PRICE="10")
        rows(workspace, "single", "single")
        assert grade("--cache") == 0
        assert len(server.requests) == 2
        rows(workspace, *["single"] * 3, "jury", "single", "single")
        capsys.readouterr()
        dry = ("--dry-run", "--cache")
        assert grade(*dry, "--output-format", "json", "--results", "r.jsonl") == 0
        made = json.loads(capsys.readouterr().out)["dry_run"]
        assert grade(*dry) == 0
        text = " ".join(capsys.readouterr().out.split())
        assert len(server.requests) == 2
        assert not (workspace / "r.jsonl").exists()
        asked, size = made["questions"], [_size(each) for each in server.requests]
        polite = next(each for each in made["judges"] if each["judge"] == "judge/polite@1.0.0")
        assert (polite["cached"], polite["output_tokens"]) == (2, 10 * polite["questions"])
        expected = polite["questions"] * 200 / sum(size) * size[0]
        assert polite["input_tokens"] == pytest.approx(expected, rel=0.05)
        useful = next(each for each in made["judges"] if each["judge"] == "judge/useful@1.0.0")
        assert (useful["cached"], useful["output_tokens"]) == (0, 150 * useful["questions"])
        costs = [
            (2 * each["input_tokens"] + 10 * each["output_tokens"]) / 1e6 for each in made["judges"]
        ]
        assert made["cost"] == pytest.approx(sum(costs))
        assert f"{asked} questions, 2 in the cache, about" in text
        assert "judge/useful@1.0.0 over m-1: 1 question, 0 in the cache" in text
        grade("--cache")
        assert len(server.requests) - 2 == asked


def _size(request: dict[str, Any]) -> int:
    return sum(len(message["content"]) for message in request["messages"])


def test_a_dry_run_says_what_cannot_be_asked(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows(workspace, "single", "single")
    assert grade("--dry-run") == 0
    assert "no model is configured" in " ".join(capsys.readouterr().out.split())
    with ModelServer(always_pass) as server:
        configure(monkeypatch, server)
        monkeypatch.delenv("EVALCONTRACT_MODEL")
        assert grade("--dry-run") == 0
        text = " ".join(capsys.readouterr().out.split())
        assert "dry run: 0 questions" in text
        assert "2 questions cannot be asked: no model is configured" in text
        assert grade("--dry-run", "--resume", "--results", "r.jsonl") == 2
    assert "leave out --resume" in capsys.readouterr().err
    assert server.requests == []


def test_a_killed_run_asks_no_more_again_than_what_was_in_flight(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the first of the answers is late, for which the others wait."""
    count, at_once, is_killed = 400, 8, False

    def answer(request: dict[str, Any], _: int) -> Response:
        is_late = request["messages"][1]["content"].endswith("answer r3") and not is_killed
        return verdict("pass")._replace(seconds=60 if is_late else 0.005)

    rows(workspace, *["single"] * count)
    with ModelServer(answer) as server:
        configure(monkeypatch, server, CONCURRENCY=str(at_once))
        call = [sys.executable, "-m", "evalcontract", "grade", "data.json"]
        call += ["--outputs", "outputs.jsonl", "--cache"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        running = subprocess.Popen(call, env=environment, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while len(server.requests) < 30:
            assert time.monotonic() < deadline
            assert running.poll() is None
            time.sleep(0.01)
        running.send_signal(signal.SIGKILL)
        running.wait()
        is_killed = True
        assert grade("--cache") == 0
    assert count <= len(server.requests) <= count + at_once
