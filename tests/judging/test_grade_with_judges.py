"""`grade` asks judges over an endpoint on this machine."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from doors import ROOT, command_line
from examples import some
from model_server import KEY, ModelServer, Response, failure, needs_client, verdict
from results import partial_of
from tables import every_case
from terminals import drawings, on_terminal

from evalcontract import Grader
from evalcontract.cache import cache_folder
from evalcontract.datasets.opening import Input, Options
from evalcontract.grading.grade import Grading
from evalcontract.judging.asking import Judging
from evalcontract.structure.native import native_for

if TYPE_CHECKING:
    from pathlib import Path

    from evalcontract.datasets.opening import Advance

pytestmark = [pytest.mark.slow, needs_client]

JUDGES: dict[str, dict[str, Any]] = {
    "polite": {"template": "POLITE? {{ output }}"},
    "useful": {
        "template": "USEFUL for {{ input }}? {{ output }}",
        "score_type": "continuous",
        "min_score": 1,
        "max_score": 5,
        "pass_threshold": 4,
    },
    "states": {"template": "STATES {{ expected.facts.0 }}? {{ output }}"},
}
JURY = {
    "judges": [{"judge_prompt_ref": f"judge/{name}@1.0.0"} for name in ("polite", "useful")],
    "aggregation": "average",
}
CHECKS: dict[str, list[dict[str, Any]]] = {
    "single": [
        {"id": "polite", "kind": "llm_judge", "judge_prompt_ref": "judge/polite@1.0.0"},
        {"id": "short", "kind": "format", "format": "text", "max_chars": 100},
        {"id": "pattern", "kind": "regex", "pattern": "^[a-z]"},
    ],
    "jury": [{"id": "jury", "kind": "llm_judge", "jury": JURY, "threshold": 0.6}],
    "facts": [
        {"id": "facts", "kind": "fact_match", "judge_prompt_ref": "judge/states@1.0.0"},
    ],
    "inside": [{"id": "inner", "kind": "composite", "rubric_ref": "rubric/single@1.0.0"}],
    "plain": [{"id": "pattern", "kind": "regex", "pattern": "^[a-z]"}],
}


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a workspace with the judges and a rubric for each list of checks."""
    for name, keys in JUDGES.items():
        _write(tmp_path / f"judges/{name}.json", {"id": name, "version": "1.0.0", **keys})
    for name, checks in CHECKS.items():
        rubric: dict[str, Any] = {"id": name, "version": "1.0.0", "checks": checks}
        rubric["scoring"] = {"combine": "weighted_avg", "threshold": 0.5}
        _write(tmp_path / f"rubrics/{name}.json", rubric)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _write(path: Path, value: object) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def rows(folder: Path, *rubrics: str, **keys: object) -> None:
    """Write a dataset with a row for each rubric, and an output for each row."""
    questions = [
        {"id": f"r{n}", "input": f"q{n}", "rubric_ref": f"rubric/{rubric}@1.0.0", **keys}
        for n, rubric in enumerate(rubrics)
    ]
    _write(folder / "data.json", {"questions": questions})
    lines = [json.dumps({"id": row["id"], "output": f"answer {row['id']}"}) for row in questions]
    (folder / "outputs.jsonl").write_text("\n".join(lines), encoding="utf-8")


def configure(patch: pytest.MonkeyPatch, server: ModelServer, **others: str) -> None:
    """Set the variables that name an endpoint."""
    values = {"BASE_URL": server.url, "API_KEY": KEY, "MODEL": "m-1", **others}
    for name, value in values.items():
        patch.setenv(f"EVALCONTRACT_{name}", value)


def grade(*arguments: str) -> int:
    return command_line("grade", "data.json", "--outputs", "outputs.jsonl", *arguments)


def results(printed: str) -> tuple[dict[str, Any], dict[str, dict[str, Any]], dict[str, Any]]:
    """Return what was used, the rows by id in order, and the summary; all lines are valid."""
    schema = json.loads((ROOT / "schema/results.schema.json").read_text(encoding="utf-8"))
    run = json.loads(printed)
    rows = run.pop("rows")
    validator = native_for(schema)
    assert [error.message for line in (run, *rows) for error in validator.iter_errors(line)] == []
    return run["used"], {row["id"]: row for row in rows}, run["summary"]


def by_prompt(request: dict[str, Any], _: int) -> Response:
    """Pass what is asked of r0 and fail the rest; facts are stated if they are `blue`."""
    prompt = request["messages"][1]["content"]
    if prompt.startswith("USEFUL"):
        return verdict(5 if "r0" in prompt else 2)
    if prompt.startswith("STATES"):
        return verdict("pass" if "blue" in prompt else "fail")
    return verdict("pass" if "r0" in prompt else "fail", "it is rude")


def test_a_judge_a_jury_and_facts_are_graded(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows(workspace, "single", "single", "jury", "facts", "inside", expected_facts=["blue", "red"])
    with ModelServer(by_prompt) as server:
        configure(monkeypatch, server, INPUT_PRICE="1", OUTPUT_PRICE="10")
        assert grade("--output-format", "json") == 0
    used, made, summary = results(capsys.readouterr().out)
    assert list(made) == ["r0", "r1", "r2", "r3", "r4"]
    assert made["r0"]["checks"][0]["outcome"] == "passed"
    assert made["r1"]["checks"][0]["reason"] == "it is rude"
    assert made["r1"]["checks"][0]["details"] == {
        "judge": "judge/polite@1.0.0",
        "model": "m-1",
        "verdict": "fail",
        "reason": "it is rude",
    }
    assert made["r2"]["checks"][0]["details"]["scores"] == [0, 0.25]
    assert made["r2"]["score"] == 0.125
    assert made["r3"]["score"] == 0.5
    assert made["r3"]["checks"][0]["details"]["missing"] == ["red"]
    assert made["r4"]["checks"][0]["checks"][0]["outcome"] == "failed"
    judges = {f"judge/{name}@1.0.0" for name in JUDGES}
    assert used["models"] == dict.fromkeys(judges, "m-1")
    assert used["prompts"].keys() == judges
    assert used["prompts"]["judge/polite@1.0.0"] != used["prompts"]["judge/useful@1.0.0"]
    assert used["endpoint"]["host"] == server.url.split("/")[2]
    assert used["parameters"] == {"temperature": 0, "response_format": {"type": "json_object"}}
    assert summary["judges"] == {
        "calls": 7,
        "cached": 0,
        "input_tokens": 700,
        "output_tokens": 70,
        "unmetered": 0,
        "cost": 0.0014,
    }


def test_answers_in_another_form_are_counted_in_the_run(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The readings of cached answers are those of the answers, so that every run has them."""
    rows(workspace, *["single"] * 4)
    answers = ["<think>Hm.</think>PASS", 'So: {"verdict": "Fail."}', "what?", '{"verdict": true}']

    def answer(request: dict[str, Any], _: int) -> Response:
        prompt = request["messages"][1]["content"]
        row = next(index for index in range(4) if f"r{index}" in prompt)
        is_again = len(request["messages"]) > len(("system", "user"))
        return verdict("pass") if is_again else Response(answers[row])

    with ModelServer(answer) as server:
        configure(monkeypatch, server)
        assert grade("--output-format", "jsonl", "--cache") == 0
        _, made, summary = results(capsys.readouterr().out)
        assert grade("--cache") == 0
    read = {"bare": 1, "form": 2, "prose": 1, "thoughts": 1}
    usage = summary["judges"]
    assert (usage["repeated"], usage["lenient"], usage["readings"]) == (1, 3, read)
    assert made["r1"]["checks"][0]["details"]["readings"] == ["prose", "form"]
    assert "readings" not in made["r2"]["checks"][0]["details"]
    out = " ".join(capsys.readouterr().out.split())
    assert "0 calls, 4 from the cache" in out
    assert "3 answers were not in the form that was asked for: 1 without JSON, 2 with" in out


def test_a_record_names_the_models_that_were_asked(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the provider that a judge declares; weights and aggregation are those of the jury."""
    _write(workspace / "judges/polite.json", {
        "id": "polite", "version": "1.0.0", **JUDGES["polite"],
        "model": {"provider": "acme", "name": "declared"},
    })  # fmt: skip
    rows(workspace, "single", "jury", "inside")
    to = ("--export", "every_eval_ever", "records", "--model", "acme/m", "--organization", "Org")
    with ModelServer(by_prompt) as server:
        configure(monkeypatch, server, MODEL="other/m-1")
        assert grade(*to, "--relationship", "other") == 0
    (path,) = (workspace / "records").rglob("*.json")
    record = json.loads(path.read_bytes())
    metrics = {
        each["evaluation_result_id"]: each["metric_config"] for each in record["evaluation_results"]
    }
    scorings = {
        name: each["llm_scoring"] for name, each in metrics.items() if "llm_scoring" in each
    }
    assert scorings.keys() == {
        "rubric/single@1.0.0/polite",
        "rubric/jury@1.0.0/jury",
        "rubric/inside@1.0.0/inner/polite",
    }
    single, jury = list(scorings.values())[:2]
    (judge,) = single["judges"]
    assert (judge["model_info"]["id"], judge["model_info"]["name"]) == ("acme/declared", "declared")
    assert [each["model_info"]["id"] for each in jury["judges"]] == ["acme/declared", "other/m-1"]
    assert single["input_prompt"] == JUDGES["polite"]["template"]
    assert [each["weight"] for each in jury["judges"]] == [1, 1]
    assert jury["aggregation_method"] == "average"
    assert json.loads(jury["input_prompt"]) == [
        JUDGES[name]["template"] for name in ("polite", "useful")
    ]


def test_the_order_is_kept_and_many_are_asked_at_a_time(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def answer(request: dict[str, Any], number: int) -> Response:
        return by_prompt(request, number)._replace(seconds=0.2 if number % 4 == 0 else 0.02)

    rows(workspace, *["single", "single", "plain"] * 10)
    with ModelServer(answer) as server:
        configure(monkeypatch, server, CONCURRENCY="4")
        assert grade("--output-format", "json") == 0
    _, made, summary = results(capsys.readouterr().out)
    assert list(made) == [f"r{number}" for number in range(30)]
    assert [row["checks"][0]["outcome"] for row in made.values()].count("passed") == 11
    assert 1 < server.most_at_once <= 4
    assert summary["judges"]["calls"] == len(server.requests) == 20


def test_people_are_told_what_was_asked(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows(workspace, "single", "single")
    with ModelServer(by_prompt) as server:
        configure(monkeypatch, server)
        assert grade() == 0
        assert "judges: 2 calls, 0 from the cache, 220 tokens\n" in capsys.readouterr().out
        assert grade() == 0
        assert "judges: 0 calls, 2 from the cache, 0 tokens\n" in capsys.readouterr().out
        assert grade("--no-cache") == 0
        assert "judges: 2 calls, 0 from the cache, 220 tokens\n" in capsys.readouterr().out
        monkeypatch.setenv("CI", "1")
        monkeypatch.delenv("EVALCONTRACT_CACHE_DIR")
        assert grade() == 0
        assert "judges: 2 calls, 0 from the cache, 220 tokens\n" in capsys.readouterr().out


def test_progress_counts_questions_and_tokens(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows(workspace, "single", "jury", "plain", "single")
    told: list[Advance] = []
    options = Options(progress=told.append)
    inputs = (Input(workspace / "data.json"), Input(workspace / "outputs.jsonl"))
    with ModelServer(by_prompt) as server:
        configure(monkeypatch, server)
        judging = Judging.of(os.environ)
        assert judging
        list(Grading(*inputs, options, judging).results())
    asked = [(at.rows, at.questions) for at in told]
    of_all = [(0, 0), (0, 1), (1, 1), (1, 2), (1, 3), (2, 3), (3, 3), (3, 4), (4, 4)]
    assert asked == [(rows_, (answered, 4)) for rows_, answered in of_all]
    assert {at.read for at in told} == {None}, "all outputs are read before the first answer"
    assert [told[0].tokens, told[1].tokens, told[-1].tokens] == [0, 110, 440]
    assert judging.usage.tokens == 440
    assert len(server.requests) == 4


def messages(grading: Grading) -> list[str]:
    """Return what is found, but for what only the lack of an endpoint leads to."""
    return [each.message for each in grading.diagnostics if each.code != "output/undecided"]


def _told(
    folder: Path, server: ModelServer, patch: pytest.MonkeyPatch, **how: Any
) -> list[Advance]:
    """Grade with judges; return what progress was told."""
    configure(patch, server)
    told: list[Advance] = []
    outputs = how.get("outputs", Input(folder / "outputs.jsonl"))
    judging = Judging.of(os.environ, cache_folder() if how.get("cache") else None)
    grading = Grading(Input(folder / "data.json"), outputs, Options(progress=told.append), judging)
    list(grading.results(how.get("done", ())))
    once = Grading(Input(folder / "data.json"), Input(folder / "outputs.jsonl"), Options())
    list(once.results())
    assert judging
    assert not judging.usage.remarks
    assert messages(grading) == messages(once), "the first reading reports nothing"
    return told


def test_all_questions_are_counted_before_the_first(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of juries, of facts and of composites; nothing that is not sent, or sent before."""
    monkeypatch.setenv("EVALCONTRACT_CACHE_DIR", str(workspace / "cache"))
    rows(workspace, "jury", "facts", "inside", "plain", "single", expected_facts=["a", "b", "a"])
    output = (workspace / "outputs.jsonl").read_text(encoding="utf-8")
    lines = [*output.splitlines()[:4], '{"id": "r3", "output": "twice"}', '{"id": "x"}']
    (workspace / "outputs.jsonl").write_text("\n".join(lines), encoding="utf-8")
    with ModelServer(by_prompt) as server:
        kept = ["r0", "r1"]
        for done, cache, total in (((), False, 5), (kept, True, 1), ((), True, 4), ((), True, 0)):
            before = len(server.requests)
            told = _told(workspace, server, monkeypatch, done=done, cache=cache)
            sent = len(server.requests) - before
            assert sent == total
            assert {at.questions for at in told} == (
                {(number, total) for number in range(total + 1)} if total else {None}
            )


def test_outputs_of_standard_input_are_counted_too(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows(workspace, "single", "jury")
    stream = io.BytesIO((workspace / "outputs.jsonl").read_bytes())
    with ModelServer(by_prompt) as server:
        outputs = Input(workspace / "outputs.jsonl", stream)
        told = _told(workspace, server, monkeypatch, outputs=outputs)
        assert len(server.requests) == 3
    assert [told[0].questions, told[-1].questions] == [(0, 3), (3, 3)]


def test_what_is_asked_once_more_is_one_question(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows(workspace, "single", "single")
    with ModelServer(lambda *_: Response("Well, yes")) as server:
        told = _told(workspace, server, monkeypatch)
        assert len(server.requests) == 4
    assert (told[-1].questions, told[-1].errors) == ((2, 2), 2)


#: The beginning of the line of progress: how many, how fast, and how long it takes.
_ASKED = r"6 of 6 questions(, 1 error)?, [3-5]\.[0-9] a second, 0 s left"


@every_case(
    ("columns", "last"),
    some(
        [
            (110, f"{_ASKED}, 660 tokens, [56] rows: outputs.jsonl"),
            (75, f"{_ASKED}, 660 tokens, [56] rows"),
            (60, f"{_ASKED}, 660 tokens"),
            (48, _ASKED),
            (20, "6 of 6 questions"),
        ],
        times=4,
    ),
)
def test_the_line_of_progress_has_questions_of_all(
    columns: int, last: str, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is there before the first answer, and no number in it is cut."""
    rows(workspace, *["single"] * 6)
    options = ["--outputs", "outputs.jsonl", "--no-cache"]
    command = [sys.executable, "-m", "evalcontract", "grade", "data.json", *options]
    with ModelServer(lambda *asked: by_prompt(*asked)._replace(seconds=0.2)) as server:
        configure(monkeypatch, server, CONCURRENCY="1")
        sent, _ = on_terminal(command, workspace, stream="stderr", columns=columns)
    line, erased, findings = sent.rpartition("\r\x1b[K")
    _, first, *_, seen = drawings(line, columns)
    assert first.startswith("0 of 6 questions, 0 tokens"[: columns - 1])
    assert re.fullmatch(last, seen)
    assert erased
    assert re.match(r"(\x1b\[[0-9;]*m)*note", findings)


def test_an_error_of_a_judge_is_no_score_and_fails_the_run(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def answer(request: dict[str, Any], number: int) -> Response:
        return (
            Response("Well, yes")
            if "r1" in str(request["messages"])
            else by_prompt(request, number)
        )

    rows(workspace, "single", "single", "jury")
    with ModelServer(answer) as server:
        configure(monkeypatch, server)
        assert grade("--output-format", "json") == 1
    _, made, _ = results(capsys.readouterr().out)
    check = made["r1"]["checks"][0]
    assert (check["outcome"], check["score"]) == ("error", None)
    assert "Well, yes" in check["reason"]
    assert (made["r1"]["score"], check["bounds"]) == (None, [0, 1])
    assert made["r1"]["bounds"] == pytest.approx([2 / 3, 1]), "the other checks count"
    assert [made[row]["outcome"] for row in ("r1", "r2")] == ["passed", "failed"]


def test_people_are_told_each_reason_of_errors_once(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def answer(request: dict[str, Any], _: int) -> Response:
        return failure(400, "too long") if "r0" in str(request["messages"]) else Response("Hm")

    rows(workspace, *["single"] * 4)
    with ModelServer(answer) as server:
        configure(monkeypatch, server)
        monkeypatch.setenv("COLUMNS", "200")
        assert grade() == 1
    printed = capsys.readouterr().out
    told = "llm_judge checks ended in an error: `judge/polite@1.0.0` came to no verdict: "
    causes = [line for line in printed.splitlines() if told in line]
    assert [cause.partition(" llm")[0] for cause in causes] == ["3 of 4", "1 of 4"]
    assert causes[0].endswith(": Hm")
    assert causes[1].endswith("HTTP 400: too long")


def test_the_reason_of_an_undecided_row_is_told_once(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows(workspace, "jury")
    with ModelServer(lambda *_: failure(400, "too long")) as server:
        configure(monkeypatch, server)
        assert grade() == 1
    row, _, rest = capsys.readouterr().out.partition("not passed:")[2].partition("\n\n")
    assert row.startswith("\n  r0: undecided 0.00 to 1.00\n    jury: error: ")
    assert (row.count("too long"), rest.count("too long")) == (1, 1)


def test_without_a_model_judges_are_unavailable(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows(workspace, "single", "jury")
    assert grade("--output-format", "json") == 0
    used, made, summary = results(capsys.readouterr().out)
    assert made["r0"]["checks"][0]["reason"] == "no model is configured"
    assert made["r1"]["outcome"] == "undecided"
    assert summary["rows"]["bounds"] == pytest.approx([1 / 3, 1])
    assert [*summary["unmeasured"][0].values()][:3] == [
        "llm_judge",
        "unavailable",
        "no model is configured",
    ]
    assert used["endpoint"] == {"host": None}
    assert used["models"] == {"judge/polite@1.0.0": None, "judge/useful@1.0.0": None}
    assert "judges" not in summary
    assert grade() == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "judges: no model is configured" in told
    assert told.endswith(
        "see docs/judges.md in the repository of evalcontract (section `#ask-a-model`)"
    )


def test_without_the_library_judges_are_unavailable(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows(workspace, "single")
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    monkeypatch.setenv("EVALCONTRACT_API_KEY", KEY)
    monkeypatch.setenv("EVALCONTRACT_MODEL", "m-1")
    assert grade("--output-format", "json") == 0
    _, made, _ = results(capsys.readouterr().out)
    check = made["r0"]["checks"][0]
    assert check["outcome"] == "unavailable"
    assert "pip install 'evalcontract[judges]'" in check["reason"]


def test_no_file_of_the_workspace_names_an_endpoint(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows(workspace, "single")
    with ModelServer(by_prompt) as good, ModelServer(by_prompt) as evil:
        judge: dict[str, Any] = {"id": "polite", "version": "1.0.0", "template": "{{ output }}"}
        judge["model"] = {"name": "m-2", "base_url": evil.url, "api_key": "stolen"}
        _write(workspace / "judges/polite.json", judge)
        for name in (".env", "evalcontract.toml"):
            (workspace / name).write_text(f'# EVALCONTRACT_BASE_URL="{evil.url}"\n')
        (workspace / ".env").write_text(f"EVALCONTRACT_BASE_URL={evil.url}\n")
        configure(monkeypatch, good)
        assert grade() == 0
    printed = capsys.readouterr()
    assert (len(good.requests), len(evil.requests)) == (1, 0)
    assert good.requests[0]["model"] == "m-2"
    assert "note: judge/polite@1.0.0 names the model m-2" in printed.out


@every_case(
    ("name", "value"),
    [
        ("EVALCONTRACT_CONCURRENCY", "lots"),
        ("EVALCONTRACT_TIMEOUT_SECONDS", "-5"),
        ("EVALCONTRACT_BASE_URL", "localhost"),
        ("EVALCONTRACT_API_KEY", "two words"),
    ],
)
def test_a_malformed_variable_is_wrong_usage(
    name: str,
    value: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows(tmp_path, "plain")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVALCONTRACT_API_KEY", KEY)
    monkeypatch.setenv(name, value)
    assert grade() == 2
    told = capsys.readouterr().err
    assert name in told
    assert value not in told


def test_the_key_is_in_no_output_and_no_file(
    workspace: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    own_cache: Path,
) -> None:
    def answer(request: dict[str, Any], number: int) -> Response:
        is_first = "r0" in request["messages"][1]["content"]
        return by_prompt(request, number) if is_first else failure(400, f"bad {KEY}")

    rows(workspace, "single", "single")
    with ModelServer(answer) as server:
        configure(monkeypatch, server)
        assert grade("--results", "results.jsonl") == 1
    printed = capsys.readouterr()
    assert "bad ***" in (workspace / "results.jsonl").read_text(encoding="utf-8")
    written = [path for folder in (workspace, own_cache) for path in folder.rglob("*")]
    texts = [path.read_bytes() for path in written if path.is_file()]
    assert not [text for text in texts if KEY.encode() in text]
    assert KEY not in printed.out + printed.err


def test_a_key_in_the_file_of_a_judge_is_in_no_results(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    model = {"provider": "p", "name": "m-3", "api_key": KEY, "base_url": f"https://{KEY}@a.example"}
    path = workspace / "judges/polite.json"
    _write(path, {"id": "polite", "version": "1.0.0", **JUDGES["polite"], "model": model})
    rows(workspace, "single")
    with ModelServer(by_prompt) as server:
        configure(monkeypatch, server)
        assert grade("--results", "results.jsonl", "--output-format", "json") == 0
    printed = capsys.readouterr()
    used, *_ = results(printed.out)
    assert used["models"] == {"judge/polite@1.0.0": "m-3"}
    files = (workspace / name for name in ("results.jsonl", "results.run.json"))
    written = "".join(file.read_text(encoding="utf-8") for file in files)
    assert KEY not in printed.out + printed.err + written


def test_results_with_another_model_are_not_gone_on_with(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows(workspace, "single", "single")
    with ModelServer(by_prompt) as server:
        configure(monkeypatch, server)
        assert grade("--results", "results.jsonl") == 0
        partial_of(workspace / "results.jsonl", workspace / "results.jsonl")
        (workspace / "results.jsonl").unlink()
        monkeypatch.setenv("EVALCONTRACT_MODEL", "m-2")
        assert grade("--results", "results.jsonl", "--resume") == 2
    assert "judge/polite@1.0.0 is asked over m-2, before m-1" in capsys.readouterr().err


def test_another_endpoint_model_and_template_are_told_before_the_scores(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows(workspace, "single")
    with ModelServer(by_prompt) as server, ModelServer(by_prompt) as other:
        configure(monkeypatch, server)
        assert grade("--results", "old.jsonl") == 0
        judge = {"id": "polite", "version": "1.0.0", "template": "RUDE? {{ output }}"}
        _write(workspace / "judges/polite.json", judge)
        configure(monkeypatch, other, MODEL="m-2")
        capsys.readouterr()
        assert grade("--compare", "old.jsonl") == 0
    told = " ".join(capsys.readouterr().out.partition("compared with old.jsonl:")[2].split())
    before = told[: told.index("rows:")]
    hosts = [each.url.split("/")[2] for each in (other, server)]
    for part in (
        "judge/polite@1.0.0 has other content under the same version",
        f"judges are asked at {hosts[0]}, before {hosts[1]}",
        "judge/polite@1.0.0 is asked over m-2, before m-1",
    ):
        assert part in before


def test_errors_of_a_killed_run_are_asked_again(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The endpoint fails for some rows, and the run is killed; then it goes on."""
    count = 40
    is_broken = True

    def answer(request: dict[str, Any], number: int) -> Response:
        asked = int(request["messages"][1]["content"].rpartition("r")[2])
        if is_broken and asked % 3 == 0:
            return failure(500, "oh")
        return by_prompt(request, number)._replace(seconds=30 if is_broken and asked > 20 else 0)

    rows(workspace, *["single"] * count)
    with ModelServer(answer) as server:
        configure(monkeypatch, server, MAX_RETRIES="0", CONCURRENCY="2")
        call = [sys.executable, "-m", "evalcontract", "grade", "data.json"]
        call += ["--outputs", "outputs.jsonl", "--results", "r.jsonl", "--no-cache"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        running = subprocess.Popen(call, env=environment, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while len(server.requests) < 22:
            assert time.monotonic() < deadline
            assert running.poll() is None
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        running.wait()
        kept = (workspace / "r.jsonl.partial").read_text(encoding="utf-8").splitlines()
        written = [line for line in map(json.loads, kept) if "id" in line]
        good = [row["id"] for row in written if row["checks"][0]["outcome"] != "error"]
        assert 0 < len(good) < len(written) < count
        is_broken = False
        before = len(server.requests)
        more = ("--results", "r.jsonl", "--resume", "--no-cache", "--output-format", "json")
        assert grade(*more) == 0
        assert len(server.requests) - before == count - len(good)
    _, made, summary = results(capsys.readouterr().out)
    assert len(made) == count == summary["rows"]["total"]
    assert {row["checks"][0]["outcome"] for row in made.values()} == {"passed", "failed"}
    lines = (workspace / "r.jsonl").read_text(encoding="utf-8").splitlines()
    assert len([line for line in lines if "id" in json.loads(line)]) == count, "each row once"


def test_errors_of_a_complete_run_are_asked_again(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows(workspace, "single", "inside", "plain")
    is_broken = True
    with ModelServer(
        lambda *asked: failure(500, "oh") if is_broken else by_prompt(*asked)
    ) as server:
        configure(monkeypatch, server, MAX_RETRIES="0")
        assert grade("--results", "r.jsonl") == 1
        is_broken = False
        before = len(server.requests)
        assert grade("--results", "r.jsonl", "--resume") == 0
        assert len(server.requests) - before == 2, "that of a composite, too"
        capsys.readouterr()
        assert grade("--results", "r.jsonl", "--resume", "--output-format", "json") == 0
        assert len(server.requests) - before == 2
    _, made, _ = results(capsys.readouterr().out)
    assert sorted(made) == ["r0", "r1", "r2"]
    assert not (workspace / "r.jsonl.partial").exists()


PANEL: list[dict[str, Any]] = [
    {
        "id": "panel",
        "kind": "llm_judge",
        "jury": {
            "judges": [
                {"judge_prompt_ref": f"judge/{name}@1.0.0"} for name in ("polite", "warm", "mute")
            ],
            "aggregation": "majority_vote",
        },
    },
    {
        "id": "recall",
        "kind": "fact_match",
        "judge_prompt_ref": "judge/states@1.0.0",
        "min_recall": 0.5,
    },
]


def test_what_was_decided_without_a_judge_is_told_and_asked_again(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One judge is silent, and so is that of the second fact; the others decide."""
    mute = {"id": "mute", "version": "1.0.0", "template": "MUTE {{ output }}"}
    warm = {**mute, "id": "warm", "template": "WARM? {{ output }}"}
    panel = {"id": "panel", "version": "1.0.0", "checks": PANEL, "scoring": {"combine": "all_pass"}}
    outer = {"id": "outer", "kind": "composite", "rubric_ref": "rubric/panel@1.0.0"}
    around = {**panel, "id": "around", "checks": [outer]}
    files = {
        "judges/mute": mute,
        "judges/warm": warm,
        "rubrics/panel": panel,
        "rubrics/around": around,
    }
    for name, value in files.items():
        _write(workspace / f"{name}.json", value)
    rows(workspace, "panel", "panel", "around", expected_facts=["blue", "red"])
    is_silent = True

    def answer(request: dict[str, Any], _: int) -> Response:
        prompt = request["messages"][1]["content"]
        is_asked_in_vain = prompt.startswith(("MUTE", "STATES red"))
        return Response("I cannot say") if is_silent and is_asked_in_vain else verdict("pass")

    with ModelServer(answer) as server:
        configure(monkeypatch, server)
        assert grade("--results", "r.jsonl") == 0
        told = " ".join(capsys.readouterr().out.split())
        assert (
            "3 of 3 llm_judge checks passed without all verdicts: `judge/mute@1.0.0` came" in told
        )
        assert "3 of 3 fact_match checks passed without all verdicts: `judge/states@1.0.0`" in told
        is_silent = False
        before = len(server.requests)
        assert grade("--results", "r.jsonl", "--resume", "--output-format", "json") == 0
        assert len(server.requests) > before
    _, made, summary = results(capsys.readouterr().out)
    assert summary["unmeasured"] == []
    assert [row["checks"][0].get("details", {}).get("unanswered") for row in made.values()] == [
        None
    ] * 3


def test_python_asks_only_if_it_is_told_to(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = [{"id": f"r{n}", "input": "q", "rubric_ref": "rubric/single@1.0.0"} for n in range(8)]
    pairs = [(row, f"answer {row['id']}") for row in many]
    with ModelServer(lambda *asked: by_prompt(*asked)._replace(seconds=0.05)) as server:
        configure(monkeypatch, server, CONCURRENCY="4")
        with Grader(workspace) as grader:
            assert grader.grade(*pairs[0]).checks[0].outcome == "unavailable"
        assert server.requests == []
        with Grader(workspace, ask_judges=True) as grader:
            outcomes = [each.checks[0].outcome for each in grader.grade_all(pairs)]
            assert outcomes == ["passed", *["failed"] * 7]
            assert grader.grade(*pairs[1]).checks[0].reason == "it is rude"
        assert len(server.requests) == len(pairs), "no question is asked twice"
    assert 1 < server.most_at_once <= 4
