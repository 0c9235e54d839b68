"""`calibrate-judge` asks a judge over an endpoint on this machine, if nothing has its verdicts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from doors import command_line
from model_server import KEY, ModelServer, Response, failure, needs_client, verdict
from tables import every_case
from writing import write

from evalcontract import Calibration, UsageError, calibrate_judge
from evalcontract.cli.output import Bar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from evalcontract.datasets.opening import Advance

pytestmark = [pytest.mark.slow, needs_client]

JUDGE = 'id: tone\nversion: "1.0.0"\ntemplate: "{{ input }} KIND? {{ output }}"\n'
NAMED = JUDGE + "model: {provider: acme, name: large-1}\n"
LEVELS = JUDGE + "score_type: levels\nlevel_names: [poor, fair, good]\nlevel_values: [0, 2, 5]\n"
STARS = JUDGE + "score_type: continuous\nmin_score: 1\nmax_score: 5\npass_threshold: 4\n"
READING = JUDGE.replace("KIND?", "LIKE {{ expected.reference }} ({{ criteria }})?")
#: So many that people passed and failed, and the judge agrees on all of them but the last.
MANY = 6


def label(number: int, **more: object) -> dict[str, object]:
    human = "pass" if number % 2 else "fail"
    return {"id": f"r{number}", "human": human, **more}


def lines(*rows: Mapping[str, object]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


LABELS = lines(*(label(n, input=f"q{n}", output=f"answer {n}") for n in range(MANY)))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(tmp_path, {"judges/tone.yaml": JUDGE, "labels.jsonl": LABELS})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def number_of(request: dict[str, Any]) -> int:
    """Return the number of the output that a request is about."""
    return int(request["messages"][1]["content"].rpartition("answer ")[2])


def agreeing(request: dict[str, Any], _: int) -> Response:
    """Agree with people on all outputs but r5, which it fails."""
    number = number_of(request)
    return verdict("pass" if number % 2 and number != 5 else "fail")


def calibrate(
    patch: pytest.MonkeyPatch,
    answer: Callable[[dict[str, Any], int], Response],
    *more: str,
    exits: int = 0,
    **settings: str,
) -> ModelServer:
    """Run the command with an endpoint; return the server, which knows what it was asked."""
    with ModelServer(answer) as server:
        values = {"BASE_URL": server.url, "API_KEY": KEY, "MODEL": "m-1", "MAX_RETRIES": "0"}
        for name, value in {**values, **settings}.items():
            patch.setenv(f"EVALCONTRACT_{name}", value)
        arguments = ["calibrate-judge", "judges/tone.yaml", "--labels", "labels.jsonl", *more]
        assert command_line(*arguments) == exits
    return server


def test_python_asks_the_same(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer(agreeing) as server:
        values = {"BASE_URL": server.url, "API_KEY": KEY, "MODEL": "m-1", "MAX_RETRIES": "0"}
        for name, value in values.items():
            monkeypatch.setenv(f"EVALCONTRACT_{name}", value)
        found = calibrate_judge("judges/tone.yaml", "labels.jsonl", ask_judge=True)
        with pytest.raises(UsageError, match="has no verdicts"):
            calibrate_judge("judges/tone.yaml", "labels.jsonl")
    assert sorted(server.prompts()) == [f"q{n} KIND? answer {n}" for n in range(MANY)]
    assert found.agreement == (2, 1, 3, 0)
    assert found.to_dict()["asked"]["calls"] == MANY
    assert (place / "judges/tone.yaml").read_text() == JUDGE


def figures(printed: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(printed)
    return read


def test_the_judge_is_asked_about_each_output(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    server = calibrate(
        monkeypatch,
        agreeing,
        "--output-format",
        "json",
        "--write",
        INPUT_PRICE="10",
        OUTPUT_PRICE="0",
    )
    assert sorted(server.prompts()) == [f"q{n} KIND? answer {n}" for n in range(MANY)]
    read = figures(capsys.readouterr().out)
    assert read["confusion_matrix"] == {"tp": 2, "fn": 1, "tn": 3, "fp": 0}
    assert read["labels"]["compared"] == MANY
    assert read["asked"] == {
        "cost": 0.006,
        "calls": MANY,
        "cached": 0,
        "input_tokens": 100 * MANY,
        "output_tokens": 10 * MANY,
        "unmetered": 0,
        "repeated": 0,
        "lenient": 0,
        "readings": {},
        "unasked": 0,
    }
    assert read["written"]
    assert read["validation"]["model"] == {"name": "m-1"}
    assert "tpr: 0.6667" in (place / "judges/tone.yaml").read_text(encoding="utf-8")


@pytest.mark.usefixtures("place")
def test_progress_counts_questions_and_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Advance] = []
    monkeypatch.setattr(Bar, "advance", lambda _, at: told.append(at))
    calibrate(monkeypatch, agreeing)
    assert [at.questions for at in told] == [(n + 1, MANY) for n in range(MANY)]
    assert told[-1].tokens == 110 * MANY
    assert told[-1].file == "labels.jsonl"


def test_the_model_of_the_judge_is_asked_and_named(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place, {"judges/tone.yaml": NAMED})
    server = calibrate(monkeypatch, agreeing, "--output-format", "json")
    assert {request["model"] for request in server.requests} == {"large-1"}
    read = figures(capsys.readouterr().out)
    assert read["validation"]["model"] == {"provider": "acme", "name": "large-1"}


@pytest.mark.usefixtures("place")
def test_people_are_told_what_was_asked_and_answers_are_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with ModelServer(lambda *asked: agreeing(*asked)._replace(seconds=0.3)) as server:
        for name, value in (("BASE_URL", server.url), ("MODEL", "m-1"), ("CONCURRENCY", "3")):
            monkeypatch.setenv(f"EVALCONTRACT_{name}", value)
        arguments = ["calibrate-judge", "judges/tone.yaml", "--labels", "labels.jsonl"]
        for more, told in (
            ((), "6 calls, 0 from the cache, 660 tokens"),
            ((), "0 calls, 6 from the cache, 0 tokens"),
            (("--no-cache",), "6 calls, 0 from the cache, 660 tokens"),
        ):
            assert command_line(*arguments, *more) == 0
            assert f"judges: {told}\n" in capsys.readouterr().out
    assert 1 < server.most_at_once <= 3


@every_case(
    ("judge", "says", "counts"),
    [
        (LEVELS, lambda n: "Good" if n % 2 else "poor", {"tp": 3, "fn": 0, "tn": 3, "fp": 0}),
        # The middle, 2.5, is what passes without a `pass_threshold`, as in `grade`.
        (LEVELS, lambda n: "fair" if n % 2 else "poor", {"tp": 0, "fn": 3, "tn": 3, "fp": 0}),
        (STARS, lambda n: 4 if n % 2 else 3.5, {"tp": 3, "fn": 0, "tn": 3, "fp": 0}),
    ],
)
def test_scores(
    judge: str,
    says: Callable[[int], Any],
    counts: dict[str, int],
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(place, {"judges/tone.yaml": judge})

    def answer(request: dict[str, Any], _: int) -> Response:
        return verdict(says(number_of(request)))

    calibrate(monkeypatch, answer, "--output-format", "json", "--no-cache")
    assert figures(capsys.readouterr().out)["confusion_matrix"] == counts


@every_case("text", ["Well, yes", '{"verdict": "perhaps"}', '{"verdict": ', ""])
@pytest.mark.usefixtures("place")
def test_an_answer_that_is_no_verdict_is_counted_and_is_none(
    text: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def answer(request: dict[str, Any], number: int) -> Response:
        return Response(text) if number_of(request) in (0, 5) else agreeing(request, number)

    calibrate(monkeypatch, answer, "--output-format", "json", "--no-cache")
    out, err = capsys.readouterr()
    read = figures(out)
    assert read["confusion_matrix"] == {"tp": 2, "fn": 0, "tn": 2, "fp": 0}
    assert (read["labels"]["compared"], read["labels"]["unreadable"]) == (4, 2)
    assert err.count("warning[labels/unreadable-answer]") == 1
    assert "`r0`, `r5`" in err
    assert text.strip() in err
    calibrate(monkeypatch, answer, "--no-cache")
    assert "left out: 2 on which the judge's answer is no verdict\n" in capsys.readouterr().out


def test_what_is_not_answered_is_an_error_and_asked_again(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    is_broken = True

    def answer(request: dict[str, Any], number: int) -> Response:
        is_hit = is_broken and number_of(request) == 2
        return failure(500, "oh") if is_hit else agreeing(request, number)

    before = (place / "judges/tone.yaml").read_text(encoding="utf-8")
    with ModelServer(answer) as server:
        for name, value in (("BASE_URL", server.url), ("MODEL", "m-1"), ("MAX_RETRIES", "0")):
            monkeypatch.setenv(f"EVALCONTRACT_{name}", value)
        arguments = ["calibrate-judge", "judges/tone.yaml", "--labels", "labels.jsonl", "--write"]
        assert command_line(*arguments) == 1
        err = capsys.readouterr().err
        assert "error[labels/unanswered]" in err
        assert "HTTP 500" in err
        assert (place / "judges/tone.yaml").read_text(encoding="utf-8") == before
        is_broken = False
        assert command_line(*arguments) == 0
        assert "judges: 1 call, 5 from the cache" in capsys.readouterr().out
    assert (place / "judges/tone.yaml").read_text(encoding="utf-8") != before


def test_a_budget_that_is_used_up_writes_nothing(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The figures are those of the outputs that were asked about."""
    budget = ("--max-questions", f"{MANY - 2}", "--write", "--cache", "--output-format", "json")
    server = calibrate(monkeypatch, agreeing, *budget, exits=1)
    out, err = capsys.readouterr()
    assert len(server.requests) == MANY - 2
    read = figures(out)
    assert (read["asked"]["unasked"], sum(read["confusion_matrix"].values())) == (2, MANY - 2)
    assert (read["written"], read["refusal"] is None) == (False, False)
    assert "labels/unanswered" in err
    assert "--max-questions" in err
    assert (place / "judges/tone.yaml").read_text() == JUDGE


@pytest.mark.usefixtures("place")
def test_an_endpoint_that_is_not_there(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calibrate(monkeypatch, agreeing, exits=1, BASE_URL="http://127.0.0.1:1/v1")
    out, err = capsys.readouterr()
    assert not out
    assert err.count("labels/unanswered") == 1
    assert "cannot be reached" in err


# What the judge is shown

ROWS = {
    "questions": [
        {"id": f"r{n}", "input": f"q{n}", "criteria": "c", "expected": {"reference": f"e{n}"}}
        for n in range(MANY)
    ]
}
OUTPUTS = lines(*({"id": f"r{n}", "output": f"answer {n}"} for n in range(MANY)))
BARE = lines(*(label(n) for n in range(MANY)))
PROMPTS = [f"q{n} LIKE e{n} (c)? answer {n}" for n in range(MANY)]
CELLS = "id,human,input,output,criteria,expected\n" + "".join(
    f'{row["id"]},{row["human"]},q{n},answer {n},c,"{{""reference"": ""e{n}""}}"\n'
    for n, row in enumerate(map(label, range(MANY)))
)


@every_case(
    ("files", "more"),
    [
        (
            {"labels.jsonl": BARE, "data.json": json.dumps(ROWS), "outputs.jsonl": OUTPUTS},
            ["--dataset", "data.json", "--outputs", "outputs.jsonl"],
        ),
        (
            {
                "labels.jsonl": lines(*(label(n, output=f"answer {n}") for n in range(MANY))),
                "data.json": json.dumps(ROWS),
            },
            ["--dataset", "data.json"],
        ),
        (
            {
                "labels.jsonl": lines(*({**label(n), **ROWS["questions"][n]} for n in range(MANY))),
                "outputs.jsonl": OUTPUTS,
            },
            ["--outputs", "outputs.jsonl"],
        ),
        ({"labels.csv": CELLS}, ["--labels", "labels.csv"]),
    ],
)
def test_what_is_shown_may_be_in_several_files(
    files: dict[str, str],
    more: list[str],
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(place, {"judges/tone.yaml": READING, **files})
    server = calibrate(monkeypatch, agreeing, "--output-format", "json", *more)
    assert sorted(server.prompts()) == PROMPTS
    validated = figures(capsys.readouterr().out)["validation"]["validated_against"]
    for name in ("labels", *(part for part in more if part != "labels.csv" and part[0] != "-")):
        assert name in validated
    assert validated.count("sha256") == validated.count(",") + 1


def test_what_lacks_something_is_not_asked_about(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = json.loads(json.dumps(ROWS))["questions"]
    del rows[0]["expected"]
    rows[1]["expected"] = 7
    data = json.dumps({"questions": rows[:-1]})
    outputs = "".join(OUTPUTS.splitlines(keepends=True)[:4])
    files = {"labels.jsonl": BARE, "data.json": data, "outputs.jsonl": outputs}
    write(place, {"judges/tone.yaml": READING, **files})
    more = ["--dataset", "data.json", "--outputs", "outputs.jsonl"]
    server = calibrate(monkeypatch, agreeing, "--output-format", "json", *more, exits=0)
    assert sorted(server.prompts()) == PROMPTS[2:4]
    err = capsys.readouterr().err
    assert err.count("warning[labels/not-asked]") == 4
    for reason in (
        "`r0`: the row has no `expected`",
        "`r1`: its row is not valid",
        "`r4`: it has no recorded output",
        "`r5`: the dataset has no such row",
    ):
        assert reason in err


@every_case(
    ("files", "more", "says"),
    [
        ({"labels.jsonl": BARE}, [], "name recorded outputs with `--outputs`"),
        ({"outputs.jsonl": OUTPUTS}, ["--outputs", "outputs.jsonl"], "leave out `--outputs`"),
        ({"data.json": json.dumps(ROWS)}, ["--dataset", "data.json"], "leave out `--dataset`"),
        (
            {"labels.jsonl": lines(label(0, judge="pass")), "outputs.jsonl": OUTPUTS},
            ["--outputs", "outputs.jsonl"],
            "so the judge is not asked",
        ),
    ],
)
def test_usage(
    files: dict[str, str],
    more: list[str],
    says: str,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(place, {"labels.jsonl": LABELS, **files})
    server = calibrate(monkeypatch, agreeing, *more, exits=2)
    assert says in capsys.readouterr().err
    assert server.requests == []


@pytest.mark.usefixtures("place")
def test_without_an_endpoint_or_a_model_a_message_says_what_to_set(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["calibrate-judge", "judges/tone.yaml", "--labels", "labels.jsonl"]
    assert command_line(*arguments) == 2
    err = capsys.readouterr().err
    assert "EVALCONTRACT_BASE_URL or EVALCONTRACT_API_KEY" in err
    assert "--verdicts FILE" in err
    calibrate(monkeypatch, agreeing, exits=2, MODEL="")
    assert "EVALCONTRACT_MODEL is not set" in capsys.readouterr().err


def test_several_people_label_the_same_output(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    both = [
        label(n, annotator=name, input=f"q{n}", output=f"answer {n}")
        for n in range(MANY)
        for name in ("ann", "bob")
    ]
    write(place, {"labels.jsonl": lines(*both)})
    server = calibrate(monkeypatch, agreeing, "--output-format", "json")
    assert len(server.requests) == MANY
    assert figures(capsys.readouterr().out)["labels"]["compared"] == MANY
    both[1]["output"] = "another text"
    write(place, {"labels.jsonl": lines(*both)})
    calibrate(monkeypatch, agreeing, exits=1)
    err = capsys.readouterr().err
    assert "labels.jsonl:2:" in err
    assert "error[labels/conflicting-output]" in err


def test_an_empty_output_is_one(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(place, {"labels.jsonl": lines(*(label(n, input="q", output="") for n in range(2)))})
    server = calibrate(monkeypatch, lambda *_: verdict("pass"))
    assert server.prompts() == ["q KIND? "]


@pytest.mark.usefixtures("place")
def test_a_dry_run_asks_nobody(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the cache has is counted apart; in Python, it is the same."""
    server = calibrate(monkeypatch, agreeing, "--dry-run", "--cache")
    assert server.requests == []
    text = " ".join(capsys.readouterr().out.split())
    assert text.startswith(f"dry run: {MANY} questions, 0 in the cache, about ")
    assert "judge/tone@1.0.0 over m-1: 6 questions" in text
    call = ("calibrate-judge", "judges/tone.yaml", "--labels", "labels.jsonl", "--cache")
    with ModelServer(agreeing) as server:
        monkeypatch.setenv("EVALCONTRACT_BASE_URL", server.url)
        told = Calibration.dry_run("judges/tone.yaml", "labels.jsonl")
        assert (told["questions"], told["judges"][0]["judge"]) == (MANY, "judge/tone@1.0.0")
        assert server.requests == []
        assert command_line(*call) == 0
        capsys.readouterr()
        assert command_line(*call, "--dry-run", "--output-format", "json") == 0
        assert len(server.requests) == MANY
    told = json.loads(capsys.readouterr().out)["dry_run"]
    assert (told["questions"], told["cached"]) == (0, MANY)


def test_a_dry_run_of_labels_with_verdicts_asks_nothing(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place, {"labels.jsonl": lines(*(label(n, judge="pass") for n in range(2)))})
    calibrate(monkeypatch, agreeing, "--dry-run")
    assert capsys.readouterr().out.startswith("dry run: 0 questions, 0 in the cache")


@pytest.mark.usefixtures("place")
def test_a_budget_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer(agreeing) as server:
        for name, value in {"BASE_URL": server.url, "API_KEY": KEY, "MODEL": "m-1"}.items():
            monkeypatch.setenv(f"EVALCONTRACT_{name}", value)
        done = calibrate_judge("judges/tone.yaml", "labels.jsonl", ask_judge=True, max_questions=4)
        assert len(server.requests) == 4
        assert done.agreement.total == 4
        assert done.to_dict()["asked"]["unasked"] == 2
