"""`coverage` as a person types it: the table, the JSON, the bound, and where it reads from."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from doors import command_line
from examples import a_few
from jsonschema import Draft202012Validator
from tables import every_case
from texts import plain
from writing import write

from evalcontract import __version__
from evalcontract.cli.coverage import coverage_command
from evalcontract.report.frame import display_width

if TYPE_CHECKING:
    from collections.abc import Callable

    from syrupy.assertion import SnapshotAssertion

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "fixtures"

SUPPORT = """\
id: support
version: "1.0.0"
checks:
  - {id: no_insults, kind: must_not_contain, values: [stupid]}
  - {id: facts, kind: fact_match}
  - {id: tools, kind: tool_usage}
  - {id: anything, kind: regex, pattern: "[a-z]*"}
  - {id: code, kind: php_lint}
scoring: {combine: all_pass}
"""
EITHER = """\
id: either
version: "1.0.0"
checks:
  - {id: one, kind: composite, rubric_ref: rubric/facts@1.0.0}
  - {id: judged, kind: llm_judge, judge_prompt_ref: judge/nobody@1.0.0}
scoring: {combine: all_pass}
"""
FACTS = """\
id: facts
version: "1.0.0"
checks:
  - {id: recall, kind: fact_match}
scoring: {combine: all_pass}
"""
DATA = """\
questions:
  - {id: whole, input: a, rubric_ref: rubric/facts@1.0.0, expected_facts: [b]}
  - {id: none, input: a, rubric_ref: rubric/facts@1.0.0}
  - {id: empty, input: a, rubric_ref: rubric/facts@1.0.0, expected_facts: []}
  - {id: bare, input: a}
  - {id: broken, input: 5}
  - {id: lost, input: a, rubric_ref: rubric/fact@1.0.0}
  - {id: own, input: a, expected_tools: [b]}
"""
ROW = "- {id: a, input: b, rubric_ref: rubric/support@1.0.0, expected_facts: [c]}\n"


@dataclass(frozen=True)
class Result:
    """What a call gave."""

    code: int
    out: str
    err: str

    @property
    def report(self) -> Any:
        """The document of `--output-format json`."""
        return json.loads(self.out)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a small workspace the current folder, on a machine without PHP."""
    write(
        tmp_path,
        {
            "rubrics/support.yaml": SUPPORT,
            "rubrics/either.yaml": EITHER,
            "rubrics/facts.yaml": FACTS,
            "datasets/data.yaml": DATA,
            "datasets/support.yaml": f"questions:\n  {ROW}",
        },
    )
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def call(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Result]:
    """Return a function that runs `evalcontract coverage` in this process."""
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")

    def typed(*arguments: str | Path) -> Result:
        capsys.readouterr()
        code = command_line("coverage", *arguments)
        printed = capsys.readouterr()
        return Result(code, printed.out, printed.err)

    return typed


@pytest.fixture(scope="module")
def schema() -> Any:
    """Return a validator for the published schema, with every mapping closed."""
    read = json.loads((ROOT / "schema" / "coverage.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(read)
    for part in (read, *read["$defs"].values()):
        if "properties" in part:
            part["additionalProperties"] = False
            assert part["required"] == list(part["properties"])
    validator = Draft202012Validator(read)
    for example in read["examples"]:
        validator.validate(example)
    return validator


def install_php(place: Path) -> None:
    """Put an executable `php` onto the PATH."""
    path = place / "bin" / "php"
    path.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
    path.chmod(0o755)


# Text


@pytest.mark.messages
@pytest.mark.usefixtures("place")
def test_text(call: Callable[..., Result], snapshot: SnapshotAssertion) -> None:
    """A table, each row with a gap below its place, and one line that sums up."""
    result = call("datasets/data.yaml")
    assert result.err == ""
    assert result.code == 0
    assert result.out == plain(snapshot)


@pytest.mark.usefixtures("place")
def test_text_of_a_rubric_alone(call: Callable[..., Result]) -> None:
    """It tells what a row must have, through a composite too."""
    result = call("rubrics/support.yaml", "rubrics/either.yaml")
    assert (result.code, result.err) == (0, "")
    assert (
        result.out
        == """\
rubrics/support.yaml: rubric/support@1.0.0
    check       kind              needs
    no_insults  must_not_contain  -
    facts       fact_match        `expected_facts`
    tools       tool_usage        `expected_tools`
    anything    regex             vacuous: `[a-z]*` matches every text, so it
                                  always passes
    code        php_lint          unavailable: no `php` on this machine
  a row needs `expected_facts`, `expected_tools`

rubrics/either.yaml: rubric/either@1.0.0
    check       kind        needs
    one/recall  fact_match  `expected_facts`
    judged      llm_judge   unavailable: there is no `judge/nobody@1.0.0`
  a row needs `expected_facts`

"""
    )


@pytest.mark.parametrize(
    ("checks", "words"),
    [
        ("[{id: a, kind: regex, pattern: b}]", "  a row needs only `id` and `input`\n"),
        ("[]", "  no valid checks\n"),
        ("7", "  no valid checks\n"),
        ("[7]", "    ?[0]   ?     unavailable: the check is malformed\n"),
    ],
)
def test_text_of_odd_rubrics(
    checks: str, words: str, call: Callable[..., Result], place: Path
) -> None:
    write(place, {"rubrics/odd.yaml": f"checks: {checks}\n"})
    result = call("rubrics/odd.yaml")
    assert result.out.startswith("rubrics/odd.yaml\n")
    assert words in result.out


@pytest.mark.slow
def test_lines_fit_into_a_terminal(
    call: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ordinary names fit into 80 columns, and sentences are wrapped."""
    for folder in ("dataset/expectations", "dataset/bundles", "rubric/well_made"):
        monkeypatch.chdir(FIXTURES / "rules" / folder)
        files = ["rubrics/*.yaml", *(["datasets"] if Path("datasets").exists() else [])]
        out = call(*files, "--limit", "0").out
        assert [line for line in out.splitlines() if display_width(line) > 80] == []


def test_long_names_lose_nothing(
    call: Callable[..., Result], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    name = "a_check_with_quite_a_long_name"
    write(place, {"rubrics/facts.yaml": FACTS.replace("recall", name)})
    out = call("datasets/data.yaml", "rubrics/facts.yaml").out
    assert "`expected_facts`" in out
    assert out.count(name) == 4


def test_limit(call: Callable[..., Result], place: Path) -> None:
    rows = "".join(ROW.replace("id: a", f"id: a{n}") for n in range(5)).replace("- {", "  - {")
    write(place, {"many.yaml": f"questions:\n{rows}"})
    assert "… and 11 more: `--limit 0` shows all\n" in call("many.yaml", "--limit", "4").out
    whole = call("many.yaml", "--limit", "0").out
    assert "more" not in whole
    assert whole.count("tools: skip") == 5
    assert call("many.yaml").out == whole


def test_what_a_terminal_would_act_on_is_shown(call: Callable[..., Result], place: Path) -> None:
    write(place, {"evil.yaml": 'questions:\n  - {id: "\\e[2J", input: a}\n'})
    out = call("evil.yaml").out
    assert "\x1b" not in out
    assert "␛[2J" in out


@pytest.mark.slow
def test_a_share_is_rounded_down(call: Callable[..., Result], place: Path) -> None:
    """What is below the bound does not read as if it were not."""
    rows = "".join(
        f"  - {{id: a{n}, input: b, expected_facts: [{'c' if n else ''}]}}\n" for n in range(2500)
    )
    write(place, {"many.yaml": f"questions:\n{rows}"})
    result = call("many.yaml", "--min-coverage", "100")
    assert "2,499 of 2,500 checks will run: 99.9 %" in result.out
    assert (result.code, result.err) == (1, "coverage is below 100 %\n")


# JSON


@pytest.mark.usefixtures("place")
def test_json(call: Callable[..., Result], schema: Any) -> None:
    result = call("datasets/data.yaml", "--output-format", "json")
    report = result.report
    schema.validate(report)
    assert report["tool"] == {"name": "evalcontract", "version": __version__}
    (file,) = report["files"]
    assert file["summary"] == report["summary"]
    assert report["summary"] == {
        "run": 2,
        "skip": 1,
        "vacuous": 1,
        "unavailable": 0,
        "fail": 0,
        "rows": 7,
        "rows_without_checks": 3,
        "rows_on_which_nothing_runs": 5,
        "percent": 100 * 2 / 7,
    }
    assert [(row["row"], row["line"], row["nothing_runs"]) for row in file["rows"]] == [
        ("whole", 2, False),
        ("none", 3, True),
        ("empty", 4, True),
        ("bare", 5, True),
        ("broken", 6, True),
        ("lost", 7, True),
        ("own", 8, False),
    ]
    assert file["rows"][1]["checks"] == [
        {
            "check": "recall",
            "kind": "fact_match",
            "state": "skip",
            "reason": "the row has no `expected_facts`",
            "field": "expected_facts",
        }
    ]
    assert file["rows"][5]["fault"] == "there is no `rubric/fact@1.0.0`"
    assert file["rows"][5]["rubric"] == "rubric/fact@1.0.0"


@pytest.mark.usefixtures("place")
def test_json_of_a_rubric_alone(call: Callable[..., Result], schema: Any) -> None:
    report = call("rubrics/either.yaml", "--output-format", "json").report
    schema.validate(report)
    assert report["files"] == []
    (rubric,) = report["rubrics"]
    assert (rubric["rubric"], rubric["needs"]) == ("rubric/either@1.0.0", ["expected_facts"])
    one, judged = rubric["checks"]
    assert (one["check"], one["needs"]) == ("one/recall", ["expected_facts"])
    assert (judged["never"], judged["needs"]) == ("unavailable", [])


@pytest.mark.slow
def test_every_json_follows_the_schema(call: Callable[..., Result], schema: Any) -> None:
    """Whatever is wrong with the files, the document is whole."""
    folders = [
        *sorted((FIXTURES / "workspaces").iterdir()),
        *sorted((FIXTURES / "rules" / "dataset").iterdir()),
        *sorted((FIXTURES / "rules" / "rubric").iterdir()),
        *sorted((FIXTURES / "rules" / "judge").iterdir()),
    ]
    tried = a_few([path for path in folders if path.suffix != ".expect"], 20)
    seen = 0
    for path in tried:
        result = call(path, "--output-format", "json")
        assert result.code in (0, 1, 2), (path, result.err)
        assert "Traceback" not in result.err
        if result.code != 2:
            schema.validate(result.report)
            seen += len(result.report["files"]) + len(result.report["rubrics"])
    assert seen >= len(tried) / 2


# The bound


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bound", "code"),
    [("0", 0), ("28", 0), ("28.57142857142857", 0), ("28.6", 1), ("95", 1), ("100", 1)],
)
@pytest.mark.parametrize("output", ["text", "json"])
@pytest.mark.usefixtures("place")
def test_min_coverage(bound: str, code: int, output: str, call: Callable[..., Result]) -> None:
    """1 below the bound, 0 at it and above; the format changes nothing."""
    plain = call("datasets/data.yaml", "--output-format", output)
    result = call("datasets/data.yaml", "--min-coverage", bound, "--output-format", output)
    assert (result.code, result.out) == (code, plain.out)
    assert result.err == (f"coverage is below {float(bound):g} %\n" if code else "")
    assert plain.code == 0


@pytest.mark.usefixtures("place")
def test_min_coverage_is_of_all_files_together(call: Callable[..., Result]) -> None:
    files = ["datasets/data.yaml", "datasets/support.yaml"]
    report = call(*files, "--output-format", "json").report
    assert report["summary"]["percent"] == 100 * (2 + 2) / (7 + 5)
    assert call(*files, "--min-coverage", "33").code == 0
    assert call(*files, "--min-coverage", "34").code == 1


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["datasets/data.yaml", "--min-coverage", "101"],
        ["datasets/data.yaml", "--min-coverage", "-1"],
        ["datasets/data.yaml", "--min-coverage", "nan"],
        ["datasets/data.yaml", "--min-coverage", "most"],
        ["datasets/data.yaml", "--output-format", "xml"],
        ["datasets/data.yaml", "--root", "nowhere"],
        ["rubrics/facts.yaml", "--min-coverage", "95"],
        ["rubrics"],
        ["nothing/*.yaml"],
    ],
    ids=" ".join,
)
@pytest.mark.usefixtures("place")
def test_wrong_usage(arguments: list[str], call: Callable[..., Result]) -> None:
    """What cannot be counted is refused, and never taken for a success."""
    result = call(*arguments)
    assert (result.code, result.out) == (2, "")
    assert "Traceback" not in result.err


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("questions: [\n", "source/syntax"),
        ("questions: {}\n", "dataset/no-questions"),
        ("template: a\n", "dataset/wrong-kind"),
        ("- {id: a, input: b}\n", "dataset/no-questions"),
    ],
)
@pytest.mark.parametrize("bound", [[], ["--min-coverage", "0"]], ids=["", "bound"])
def test_bad_files(
    text: str, code: str, bound: list[str], call: Callable[..., Result], place: Path, schema: Any
) -> None:
    """They are said on standard error and make 1; the others are still told of."""
    write(place, {"bad.yaml": text})
    result = call("bad.yaml", "datasets/support.yaml", *bound, "--output-format", "json")
    assert result.code == 1
    assert f"error[{code}]" in result.err
    schema.validate(result.report)
    assert result.report["summary"]["rows"] == 1


@pytest.mark.usefixtures("place")
def test_a_file_that_is_not_there(call: Callable[..., Result]) -> None:
    result = call("nowhere.yaml", "--min-coverage", "0")
    assert result.code == 1
    assert "error[source/unreadable]" in result.err


def test_a_dataset_without_rows(call: Callable[..., Result], place: Path) -> None:
    write(place, {"none.yaml": "questions: []\n"})
    result = call("none.yaml", "--min-coverage", "1")
    assert result.code == 1
    assert "0 of 0 checks will run: 0.0 %" in result.out


def test_bad_lines(call: Callable[..., Result], place: Path) -> None:
    """A line that gives no row is an error; the lines around it are told of."""
    row = json.dumps({"id": "a", "input": "b", "must_contain_any": ["c"]})
    write(place, {"lines.jsonl": f"{row}\n{{bad\n{row}\n"})
    result = call("lines.jsonl")
    assert result.code == 1
    assert "lines.jsonl:2:2" in result.err
    assert "2 of 2 checks will run: 100.0 %" in result.out


# Where it reads from


@pytest.mark.usefixtures("place")
def test_folder(call: Callable[..., Result], schema: Any) -> None:
    report = call(".", "--output-format", "json").report
    schema.validate(report)
    assert [file["file"] for file in report["files"]] == [
        "datasets/data.yaml",
        "datasets/support.yaml",
    ]
    assert call("datasets/*.yaml", "--output-format", "json").report == report


@pytest.mark.usefixtures("place")
def test_stdin(call: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, schema: Any) -> None:
    """What is piped in stands where it is said to."""
    line = json.dumps({"id": "a", "input": "b", "rubric_ref": "rubric/facts@1.0.0"})
    for name, text in {"datasets/piped.yaml": DATA, "piped.jsonl": f"{line}\n"}.items():
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
        report = call("-", "--stdin-filename", name, "--output-format", "json").report
        schema.validate(report)
        assert [file["file"] for file in report["files"]] == [name]
        assert report["summary"]["skip"] == 1


@pytest.mark.usefixtures("place")
def test_root(call: Callable[..., Result], tmp_path: Path) -> None:
    """Rubrics are those of the workspace that is asked for."""
    (tmp_path / "empty").mkdir()
    report = call("datasets/support.yaml", "--root", "empty", "--output-format", "json").report
    assert report["files"][0]["rows"][0]["fault"] == "there is no `rubric/support@1.0.0`"


# The machine


def test_php(call: Callable[..., Result], place: Path) -> None:
    """No PHP is never a pass; with one on the PATH the check runs."""

    def state() -> str:
        report = call("datasets/support.yaml", "--output-format", "json").report
        (row,) = report["files"][0]["rows"]
        return str(next(each["state"] for each in row["checks"] if each["check"] == "code"))

    assert state() == "unavailable"
    install_php(place)
    assert state() == "run"


def test_help(call: Callable[..., Result]) -> None:
    result = call("--help")
    assert result.code == 0
    assert max(map(len, result.out.splitlines())) <= 80


def test_of_another_system_it_tells_what_fails_and_names_what_is_skipped(tmp_path: Path) -> None:
    case = {
        "id": "a",
        "messages": [{"role": "assistant", "content": "b"}],
        "expected": {"contains": "b", "max_latency_ms": 9},
    }
    path = tmp_path / "cases.json"
    path.write_text(json.dumps([case]), encoding="utf-8")
    arguments = [str(path), "--dialect", "northstar"]
    shown = CliRunner().invoke(coverage_command, arguments, standalone_mode=False).stdout
    assert "    check          kind           run  skip  vacuous  fail\n" in shown
    assert "    latency_under  deterministic    .     .        .     1\n" in shown
    assert "    no row has anything for: max_tool_calls, required_tools, " in shown
    assert "1 of 2 checks will run: 50.0 %" in shown
    assert "      latency_under: fail: there is no `metrics.latency_ms`" in shown
    told = CliRunner().invoke(
        coverage_command, [*arguments, "--output-format", "json"], standalone_mode=False
    )
    (row,) = json.loads(told.stdout)["files"][0]["rows"]
    states = {each["check"]: each["state"] for each in row["checks"]}
    assert (states["contains"], states["latency_under"]) == ("run", "fail")
    assert json.loads(told.stdout)["summary"]["fail"] == 1
    assert json.loads(told.stdout)["files"][0]["unasked"]["required_tools"] == 1


CASE = {
    "id": "a",
    "messages": [{"role": "assistant", "content": "b"}],
    "expected": {"contains": "b", "goal": "Names b."},
}


@every_case(
    ("options", "states"),
    [
        ([], {"contains": "run", "rubric_judge": "run"}),
        (["--only", "contains"], {"contains": "run"}),
        (["--only", "contains,max_tool_calls"], {"contains": "run", "max_tool_calls": "skip"}),
        (
            ["--only", "contains", "--only", "RegexGrader"],
            {"contains": "run", "RegexGrader": "run"},
        ),
        (["--plan", "trace", "--only", "contains"], {"contains": "run", "failure_origin": "skip"}),
        (["--plan", "quality"], {"rubric_judge": "run", "latency_under": "skip"}),
    ],
)
def test_graders_of_another_system_are_chosen(
    options: list[str], states: dict[str, str], tmp_path: Path
) -> None:
    path = tmp_path / "cases.json"
    path.write_text(json.dumps([CASE]), encoding="utf-8")
    arguments = [str(path), "--dialect", "northstar", "--output-format", "json", *options]
    told = CliRunner().invoke(coverage_command, arguments, standalone_mode=False)
    (row,) = json.loads(told.stdout)["files"][0]["rows"]
    found = {each["check"]: each["state"] for each in row["checks"]}
    assert found.items() >= states.items()
    if "--plan" not in options:
        assert found == states


@every_case(
    ("options", "message"),
    [
        (["--plan", "qualty"], "did you mean `quality`?"),
        (["--plan", "none"], "the plans of NorthStar are `deterministic`, `quality`"),
        (["--only", "contain"], "did you mean `contains`?"),
        (["--only", "Correctness"], "NorthStar has `max_tool_calls`"),
    ],
)
def test_graders_that_there_are_not_are_refused(
    options: list[str], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "cases.json"
    path.write_text(json.dumps([CASE]), encoding="utf-8")
    arguments = [str(path), "--dialect", "northstar", *options]
    done = CliRunner().invoke(coverage_command, arguments, standalone_mode=False)
    assert message in str(done.exception)


def test_graders_are_of_another_system(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    path.write_text(json.dumps([{"id": "a", "input": "b", "criteria": "c"}]), encoding="utf-8")
    arguments = [str(path), "--only", "contains"]
    done = CliRunner().invoke(coverage_command, arguments, standalone_mode=False)
    assert "choose graders of another system" in str(done.exception)
