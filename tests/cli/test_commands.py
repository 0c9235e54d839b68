"""Every command as a person types it: arguments, exit codes, and what is printed where."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.metadata import entry_points
from itertools import product
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
from doors import Kind, command_line
from examples import some
from jsonschema import Draft202012Validator
from writing import write

from evalcontract import __version__
from evalcontract.cli import start
from evalcontract.rules import DATASET_RULES, JUDGE_RULES, RUBRIC_RULES, load_rules
from evalcontract.structure import schemas
from evalcontract.workspace.catalogue import KnownCodes, RulesInUse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]
WORKSPACES = ROOT / "fixtures" / "workspaces"
NAMES = sorted(path.name for path in WORKSPACES.iterdir() if path.is_dir())
ALIASES = {
    "aevd": "validate-dataset",
    "aevr": "validate-rubric",
    "aevj": "validate-judge",
    "aevt": "validate-target",
}

RUBRIC = """\
id: polite
version: "1.0.0"
checks:
  - {id: no_insults, kind: must_not_contain, values: [stupid]}
scoring: {combine: all_pass}
"""
JUDGE = 'id: accuracy\nversion: "1.0.0"\ntemplate: "Is it right? {{ output }}"\n'
ROW = "- {id: first, input: Where is the exit?, rubric_ref: rubric/polite@1.0.0}\n"
GOOD = f"questions:\n  {ROW}"
NEAR_MISS = GOOD + (
    "  - id: second\n    input: Where?\n    expecteed_facts: [left]\n"
    "    rubric_ref: rubric/polite@1.0.0\n"
)


@dataclass(frozen=True)
class Result:
    """What a call gave: its exit code, and what it printed."""

    code: int
    out: str
    err: str

    @property
    def report(self) -> Any:
        """The report of `--output-format json`."""
        return json.loads(self.out)

    @property
    def codes(self) -> list[str]:
        """The codes of the findings of that report."""
        return [found["code"] for found in self.report["findings"]]


@pytest.fixture
def call(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Result]:
    """Return a function that runs `evalcontract` in this process."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)

    def typed(*arguments: str | Path) -> Result:
        capsys.readouterr()
        code = command_line(*arguments)
        printed = capsys.readouterr()
        return Result(code, printed.out, printed.err)

    return typed


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a small workspace the current folder: a good dataset, a faulty one, their library."""
    files = {
        "rubrics/polite.yaml": RUBRIC,
        "judges/accuracy.yaml": JUDGE,
        "good.yaml": GOOD,
        "faulty.yaml": NEAR_MISS,
        "broken.yaml": "questions: [\n",
    }
    write(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@dataclass(frozen=True)
class Listener:
    """A server on this machine, and what it was asked for."""

    address: str
    asked: list[str]


@pytest.fixture
def listener() -> Iterator[Listener]:
    """Serve a schema that accepts everything, and note who comes for it."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"true")

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield Listener(f"http://127.0.0.1:{server.server_port}/any.json", asked)
        server.shutdown()
        thread.join()


def process(*arguments: str, cwd: Path = ROOT, **environment: str) -> Result:
    """Run `evalcontract` in a process of its own, its output piped."""
    clean = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS")}
    done = subprocess.run(
        [sys.executable, "-m", "evalcontract", *arguments],
        cwd=cwd,
        env={**clean, **environment},
        capture_output=True,
        check=False,
    )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


# Names of commands


def test_console_scripts_are_installed() -> None:
    """The four scripts lead to the functions that run the commands."""
    found = {
        point.name: point.load()
        for point in entry_points(group="console_scripts")
        if point.value.startswith("evalcontract")
    }
    assert found == {
        "evalcontract": start.evalcontract,
        "validate-dataset": start.validate_dataset,
        "validate-rubric": start.validate_rubric,
        "validate-judge": start.validate_judge,
        "validate-target": start.validate_target,
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["dataset", "rubric", "judge"])
def test_scripts_are_the_commands(kind: str, place: Path, call: Callable[..., Result]) -> None:
    """Each script is its command, under its own name, exit code included."""
    script = Path(sys.executable).with_name(f"validate-{kind}")
    file = {"dataset": "broken.yaml", "rubric": "rubrics", "judge": "judges"}[kind]
    done, usage = (
        subprocess.run([script, *given], cwd=place, capture_output=True, text=True, check=False)
        for given in ([file], ["--help"])
    )
    assert done.returncode == (1 if kind == "dataset" else 0)
    assert done.stdout == call(f"validate-{kind}", file).out
    assert usage.stdout.startswith(f"Usage: validate-{kind} [OPTIONS] FILE...")


@pytest.mark.parametrize(
    "command",
    [
        *([name] for name in ("check", "explain", "schema", *ALIASES, *ALIASES.values())),
        ["schema", "list"],
        ["schema", "show"],
        ["schema", "export"],
        [],
    ],
    ids=" ".join,
)
def test_help(
    command: list[str], call: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every command has a help, no wider than the terminal."""
    monkeypatch.setenv("COLUMNS", "80")
    for option in ("--help", "-h"):
        result = call(*command, option)
        assert (result.code, result.err) == (0, "")
        assert result.out.startswith("Usage: ")
        assert max(map(len, result.out.splitlines())) <= 80


def test_help_names_aliases_and_exit_codes(call: Callable[..., Result]) -> None:
    """The first help tells what is not to be guessed."""
    out = call("--help").out
    for alias, name in ALIASES.items():
        assert re.search(rf"^ +{alias} +{name}$", out, re.MULTILINE)
    assert [int(code) for code in re.findall(r"^ +([0-3])  ", out, re.MULTILINE)] == [0, 1, 2, 3]


def test_version(call: Callable[..., Result]) -> None:
    assert call("--version").out == f"evalcontract, version {__version__}\n"


@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
@pytest.mark.usefixtures("place")
def test_aliases_are_the_commands(alias: str, name: str, call: Callable[..., Result]) -> None:
    """An alias does what its command does."""
    files = {"dataset": "faulty.yaml", "rubric": "rubrics", "judge": "judges", "target": "targets"}
    file = files[name.split("-")[1]]
    assert call(alias, file) == call(name, file)
    assert call(alias, file, "--strict", "--output-format", "json") == call(
        name, file, "--strict", "--output-format", "json"
    )


def test_unknown_command_gets_a_suggestion(call: Callable[..., Result]) -> None:
    result = call("validate-datset", "x.yaml")
    assert result.code == 2
    assert "validate-dataset" in result.err


# Exit codes


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["validate-dataset", "good.yaml"], 0),
        (["validate-dataset", "faulty.yaml"], 0),
        (["validate-dataset", "faulty.yaml", "--strict"], 1),
        (["validate-dataset", "faulty.yaml", "--soft"], 0),
        (["validate-dataset", "broken.yaml"], 1),
        (["validate-dataset", "broken.yaml", "--soft"], 1),
        (["validate-dataset", "nowhere.yaml"], 1),
        (["validate-rubric", "rubrics/polite.yaml"], 0),
        (["validate-judge", "judges/accuracy.yaml"], 0),
        (["check"], 1),
        (["check", "nowhere"], 2),
        (["check", "good.yaml"], 2),
        (["validate-dataset"], 2),
        (["validate-dataset", "good.yaml", "--stirct"], 2),
        (["validate-dataset", "good.yaml", "--limit", "-1"], 2),
        (["validate-dataset", "good.yaml", "--limit", "some"], 2),
        (["validate-dataset", "good.yaml", "--root", "nowhere"], 2),
        (["validate-dataset", "good.yaml", "--output-format", "xml"], 2),
        (["validate-dataset", "nothing/*.yaml"], 2),
        (["validate-dataset", "good.yaml", "nothing/*.yaml"], 2),
        (["validate-dataset", "judges"], 2),
        (["validate-rubric", "rubrics/[x]*.yaml"], 2),
        (["explain", "no/such-code"], 2),
        (["schema", "show", "nothing"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
@pytest.mark.usefixtures("place")
def test_exit_code(arguments: list[str], code: int, call: Callable[..., Result]) -> None:
    """0 no errors, 1 errors, 2 wrong usage or nothing to check; no output format changes it."""
    result = call(*arguments)
    assert result.code == code, result.err
    assert bool(result.err) is (code == 2)
    assert "Traceback" not in result.err
    if arguments[0].startswith(("validate", "check")) and "--output-format" not in arguments:
        assert call(*arguments, "--output-format", "json").code == code


def test_nothing_to_check(call: Callable[..., Result], tmp_path: Path) -> None:
    """An empty folder, or one without any of our files, is told apart from a good one."""
    (tmp_path / "empty").mkdir()
    write(tmp_path, {"other/notes.txt": "x", "other/package.json": '{"name": "x"}'})
    for folder in ("empty", "other"):
        for command in ("check", "validate-dataset", "validate-rubric", "validate-judge"):
            if (folder, command) in {("other", "validate-rubric"), ("other", "validate-judge")}:
                continue
            result = call(command, tmp_path / folder)
            assert (result.code, result.out) == (2, ""), (folder, command)
            assert folder in result.err


def boom(*_: Any) -> Iterator[Any]:
    message = "a plain bug"
    raise ZeroDivisionError(message)


def test_crashing_artifact_rule(
    call: Callable[..., Result], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rule that crashes is named and makes 3; the others still run."""
    rules = load_rules(RUBRIC_RULES, Kind.RUBRIC)
    write(place, {"rubrics/polite.yaml": RUBRIC.replace("id: no_insults, ", "")})
    broken = (*(rule._replace(check=boom) for rule in rules[1:2]), rules[0], *rules[2:])
    used = RulesInUse()
    judge = load_rules(JUDGE_RULES, Kind.JUDGE)
    monkeypatch.setattr(used, "on", lambda kind: broken if kind is Kind.RUBRIC else judge)
    monkeypatch.setattr("evalcontract.checking.artifact_check.rules_in_use", lambda: used)
    result = call("check", "--output-format", "json")
    assert result.code == 3
    assert "rubric/unnamed-check" in result.codes
    assert "dataset/near-miss-key" in result.codes
    crash = next(f for f in result.report["findings"] if f["code"] == "internal/rule-crashed")
    assert rules[1].code in crash["message"]
    assert "ZeroDivisionError: a plain bug" in crash["message"]
    assert crash["file"] == "rubrics/polite.yaml"


@pytest.mark.parametrize("part", ["see", "finish"])
def test_crashing_dataset_rule(
    part: str, call: Callable[..., Result], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same for a rule that watches the rows of a dataset."""
    rules = load_rules(DATASET_RULES)

    class SchemaViolation:
        """Watches like another rule, but for one part."""

        def __init__(self, context: Any) -> None:
            watching = rules[1].watch(context)
            self.see, self.finish = watching.see, watching.finish
            setattr(self, part, boom)

    broken = (rules[1]._replace(watch=SchemaViolation), rules[0], *rules[2:])
    used = RulesInUse()
    used.dataset = broken
    monkeypatch.setattr("evalcontract.datasets.row_check.rules_in_use", lambda: used)
    write(place, {"faulty.yaml": NEAR_MISS + f"  {ROW}"})
    result = call("validate-dataset", "faulty.yaml", "--output-format", "json")
    assert result.code == 3
    assert {"dataset/duplicate-id", "dataset/near-miss-key"} < set(result.codes)
    crash = next(f for f in result.report["findings"] if f["code"] == "internal/rule-crashed")
    assert rules[1].code in crash["message"]


@pytest.mark.usefixtures("place")
def test_unexpected_exception(call: Callable[..., Result], monkeypatch: pytest.MonkeyPatch) -> None:
    """Anything else that goes wrong is our bug too, and says so."""
    monkeypatch.setattr("evalcontract.checking.pipeline.check_workspaces", boom)
    result = call("check")
    assert result.code == 3
    assert "ZeroDivisionError" in result.err
    assert "bug in evalcontract" in result.err


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(24, "Too many open files", "a.yaml"), "a.yaml: too many open files"),
        (OSError(12, "Cannot allocate memory"), "error: cannot allocate memory"),
        (PermissionError(13, "Permission denied", "/x"), "/x: permission denied"),
        (OSError(28, "No space left on device"), "the output cannot be written: no space"),
    ],
)
def test_a_failure_of_the_system(
    error: OSError, said: str, call: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no bug of ours, and names what failed."""

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("evalcontract.checking.pipeline.check_workspaces", fail)
    result = call("check")
    assert result.code == 2
    assert said in result.err
    assert "Traceback" not in result.err


# What the arguments mean


def stdin(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


@pytest.mark.parametrize(
    ("text", "name", "file", "line"),
    [
        (NEAR_MISS, None, "<stdin>", 5),
        (NEAR_MISS, "unsaved.yaml", "unsaved.yaml", 5),
        (
            '{"id": "a", "input": "b", "expected_facts": ["c"]}\n{"id": "c", "inptu": "d"}\n',
            None,
            "<stdin>",
            2,
        ),
        ('\n{"id": "a", "input": "b", "tag": []}\n', "unsaved.jsonl", "unsaved.jsonl", 2),
        ('[{"id": "a", "input": "b", "tag": []}]', "unsaved.json", "unsaved.json", 1),
    ],
)
@pytest.mark.usefixtures("place")
def test_standard_input(
    text: str,
    name: str | None,
    file: str,
    line: int,
    call: Callable[..., Result],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`-` is checked like a file of that name, in that place."""
    stdin(monkeypatch, text)
    given = ["--stdin-filename", name] if name else []
    result = call("validate-dataset", "-", *given, "--output-format", "json")
    assert [(f["code"], f["file"], f["line"]) for f in result.report["findings"]] == [
        ("dataset/near-miss-key", file, line)
    ]
    assert result.report["summary"]["files"]["dataset"] == 1


@pytest.mark.usefixtures("place")
def test_standard_input_stands_where_its_name_says(
    call: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """References are looked up in the workspace of the name that it stands for."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    write(elsewhere, {"project/rubrics/other.yaml": RUBRIC.replace("polite", "other")})
    monkeypatch.chdir(elsewhere)
    text = GOOD.replace("polite", "other")
    for name, codes in {"project/new.yaml": [], "new.yaml": ["reference/dangling"]}.items():
        stdin(monkeypatch, text)
        result = call("validate-dataset", "-", "--stdin-filename", name, "--output-format", "json")
        assert result.codes == codes, name


@pytest.mark.parametrize("kind", ["rubric", "judge"])
@pytest.mark.usefixtures("place")
def test_standard_input_of_artifacts(
    kind: str, call: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A buffer that stands for a file of the library takes its place: no duplicate version."""
    text, file = {
        "rubric": (RUBRIC, "rubrics/polite.yaml"),
        "judge": (JUDGE, "judges/accuracy.yaml"),
    }[kind]
    stdin(monkeypatch, text + "lable: x\n")
    result = call(f"validate-{kind}", "-", "--stdin-filename", file, "--output-format", "json")
    assert result.codes == [f"{kind}/near-miss-key"]
    assert result.report["findings"][0]["file"] == file


@pytest.mark.parametrize(
    ("arguments", "count"),
    [
        (["good.yaml"], 1),
        (["good.yaml", "./good.yaml"], 1),
        (["good.yaml", "{place}/good.yaml"], 1),
        (["good.yaml", "*.yaml"], 3),
        (["[fg]*.yaml"], 2),
        (["**/*.yaml"], 3),
        (["."], 3),
        ([".", "good.yaml"], 3),
        (["good.yaml", "nowhere.yaml"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_files_folders_and_patterns(
    arguments: list[str], count: int, call: Callable[..., Result], place: Path
) -> None:
    """Every file is looked at once, however often it is named."""
    if arguments == ["**/*.yaml"]:
        arguments, count = ["data/**/*.yaml"], 2
        write(place, {"data/a.yaml": GOOD, "data/deep/down/b.yaml": GOOD})
    result = call(
        "validate-dataset",
        *(each.format(place=place) for each in arguments),
        "--output-format",
        "json",
    )
    assert result.report["summary"]["files"]["dataset"] == count


def test_linked_file_is_the_same_file(call: Callable[..., Result], place: Path) -> None:
    (place / "link.yaml").symlink_to("good.yaml")
    result = call("validate-dataset", "good.yaml", "link.yaml", "--output-format", "json")
    assert result.report["summary"]["files"]["dataset"] == 1


@pytest.mark.usefixtures("place")
def test_missing_file_among_good_ones(call: Callable[..., Result]) -> None:
    """It is a finding, and the others are still checked."""
    result = call("validate-dataset", "nowhere.yaml", "faulty.yaml", "--output-format", "json")
    assert result.code == 1
    assert sorted(result.codes) == ["dataset/near-miss-key", "source/unreadable"]
    assert result.report["summary"]["rows"] == 2


def test_a_file_may_be_called_like_a_pattern(call: Callable[..., Result], place: Path) -> None:
    write(place, {"set[1].yaml": GOOD})
    assert call("validate-dataset", "set[1].yaml").code == 0


def test_a_folder_of_artifacts(call: Callable[..., Result], place: Path) -> None:
    """A folder is all of its files that are of the kind."""
    write(place, {"rubrics/deep/brief.yaml": RUBRIC.replace("polite", "brief")})
    write(place, {"rubrics/answer.schema.json": "{}"})
    result = call("validate-rubric", "rubrics", "--output-format", "json")
    assert result.report["summary"]["files"] == {"rubric": 2}


def test_root(call: Callable[..., Result], place: Path) -> None:
    """`--root` says where the library is."""
    write(place, {"library/rubrics/other.yaml": RUBRIC.replace("polite", "other")})
    moved = ("--root", place / "library", "--output-format", "json")
    assert call("validate-dataset", "good.yaml", "--output-format", "json").codes == []
    assert call("validate-dataset", "good.yaml", *moved).codes == ["reference/dangling"]
    write(place, {"library/rubrics/polite.yaml": RUBRIC})
    assert call("validate-dataset", "good.yaml", *moved).codes == []


def test_validate_dataset_checks_what_it_reaches(call: Callable[..., Result], place: Path) -> None:
    """The rubrics that rows refer to are checked; those that nobody refers to are not."""
    write(place, {"rubrics/polite.yaml": RUBRIC + "lable: x\n"})
    write(place, {"rubrics/other.yaml": RUBRIC.replace("polite", "other") + "lable: x\n"})
    result = call("validate-dataset", "good.yaml", "--output-format", "json")
    assert [(f["file"], f["code"]) for f in result.report["findings"]] == [
        ("rubrics/polite.yaml", "rubric/near-miss-key")
    ]


# Configuration


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("stirct = true\n", "did you mean `strict`?"),
        ("modus = 1\n", "`modus`"),
        ("strict = \n", "not TOML"),
        ("strict = 'yes'\n", "true or false"),
        ("max_validation_age_days = 0\n", "1 or more"),
        ("max_validation_age_days = true\n", "1 or more"),
        ("datasets = 'x'\n", "list of patterns"),
        ("exclude = [1]\n", "list of patterns"),
        ("severity = 1\n", "table of codes"),
        ("[severity]\n'rubric/cycle' = 'fatal'\n", "ignore, note, warning, error"),
        ("[severity]\n'rubric/cycle' = {sotf = 'error'}\n", "`soft` and `strict`"),
        ("[severity]\n'rubric/cycle' = ['error']\n", "rubric/cycle"),
        ("[severity]\n'rubric/cycel' = 'error'\n", "rubric/cycle"),
    ],
)
def test_bad_configuration(text: str, part: str, call: Callable[..., Result], place: Path) -> None:
    """A configuration that says what makes no sense is exit 2, and names itself."""
    write(place, {"evalcontract.toml": text})
    for command in (["check"], ["validate-dataset", "good.yaml"]):
        result = call(*command)
        assert (result.code, result.out) == (2, "")
        assert "evalcontract.toml" in result.err
        assert part in result.err


@pytest.mark.parametrize(
    ("text", "arguments", "severities"),
    [
        ("", [], ["warning"]),
        ("strict = true", [], ["error"]),
        ("strict = true", ["--soft"], ["warning"]),
        ("strict = false", ["--strict"], ["error"]),
        ("[severity]\n'dataset/near-miss-key' = 'ignore'", [], []),
        ("[severity]\n'dataset/near-miss-key' = 'ignore'", ["--strict"], []),
        ("[severity]\n'dataset/near-miss-key' = 'error'", [], ["error"]),
        ("[severity]\n'dataset/near-miss-key' = {soft = 'note'}", [], ["note"]),
        ("[severity]\n'dataset/near-miss-key' = {soft = 'note'}", ["--strict"], ["error"]),
        ("[severity]\n'dataset/near-miss-key' = {strict = 'ignore'}", ["--strict"], []),
        ("[severity]\n'dataset/near-miss-key' = {strict = 'ignore'}", [], ["warning"]),
    ],
)
def test_modes_and_severities(
    text: str, arguments: list[str], severities: list[str], call: Callable[..., Result], place: Path
) -> None:
    """The command line stands above the configuration, which stands above the table."""
    write(place, {"evalcontract.toml": text + "\n"})
    result = call("validate-dataset", "faulty.yaml", *arguments, "--output-format", "json")
    assert [found["severity"] for found in result.report["findings"]] == severities
    assert result.code == (1 if "error" in severities else 0)


@pytest.mark.parametrize(
    ("text", "datasets"),
    [
        ("", ["broken.yaml", "data/a.yaml", "faulty.yaml", "good.yaml"]),
        ("datasets = ['data/*.yaml']", ["data/a.yaml"]),
        ("exclude = ['broken.yaml', 'data/*']", ["faulty.yaml", "good.yaml"]),
        ("datasets = ['*.yaml']\nexclude = ['broken.yaml']", None),
    ],
)
def test_which_files_are_datasets(
    text: str, datasets: list[str] | None, call: Callable[..., Result], place: Path
) -> None:
    """`datasets` and `exclude` are patterns below the root."""
    write(place, {"evalcontract.toml": text + "\n", "data/a.yaml": NEAR_MISS})
    result = call("check", "--output-format", "json")
    if datasets is not None:
        assert result.report["summary"]["files"]["dataset"] == len(datasets)
    reported = {found["file"] for found in result.report["findings"]}
    assert ("broken.yaml" in reported) is (datasets is not None and "broken.yaml" in datasets)


def test_excluded_rubrics(call: Callable[..., Result], place: Path) -> None:
    """A pattern is relative to the root in the library too."""
    write(place, {"evalcontract.toml": "exclude = ['rubrics/drafts/*', 'broken.yaml']\n"})
    write(place, {"rubrics/drafts/broken.yaml": "id: [\n"})
    assert "unreadable" not in call("check", "--output-format", "json").report["summary"]["files"]


def test_strict_dataset_of_a_target(call: Callable[..., Result], place: Path) -> None:
    """A target decides the mode of its dataset, for `validate-dataset` too."""
    write(place, {"targets/t.yaml": "dataset: faulty.yaml\nstrict_validation: true\n"})
    assert call("validate-dataset", "faulty.yaml").code == 1
    assert call("validate-dataset", "faulty.yaml", "--soft").code == 0


# Schemas of others


@pytest.mark.slow
@pytest.mark.parametrize(
    ("schema", "codes"),
    [
        ({"properties": {"tour": {"enum": ["dutch"]}}}, ["dataset/unknown-value"]),
        (
            {
                "properties": {"tour": {"$ref": "#/$defs/tour"}},
                "$defs": {"tour": {"enum": ["dutch"]}},
            },
            ["dataset/unknown-value"],
        ),
        ({"$defs": {"row": {"const": 1}}, "properties": {"tour": {"type": "string"}}}, []),
        (
            {
                "$id": "https://bundles.example/tours.json",
                "properties": {"tour": {"$ref": "tours.json#/$defs/tour"}},
                "$defs": {"tour": {"enum": ["dutch"]}},
            },
            ["dataset/unknown-value"],
        ),
        ({"properties": {"sub": {"$ref": "#"}, "tour": {"type": "string"}}}, []),
        ({"properties": {"tour": {"$ref": "#/$defs/nowhere"}}}, ["bundle/invalid-schema"]),
        ({"properties": {"tour": {"$ref": "{server}"}}}, ["bundle/invalid-schema"]),
        ({"$ref": "{server}"}, ["bundle/invalid-schema"]),
        ({"properties": {"tour": {"$ref": "file:///dev/null"}}}, ["bundle/invalid-schema"]),
        ({"properties": {"tour": {"pattern": "("}}}, ["bundle/invalid-schema"]),
        ([], ["bundle/invalid-schema"]),
        (True, []),
    ],
    ids=json.dumps,
)
def test_schema_of_a_bundle(
    schema: Any, codes: list[str], call: Callable[..., Result], place: Path, listener: Listener
) -> None:
    """A bundle is applied, or reported; it never breaks the run and nothing is ever fetched."""
    text = json.dumps(schema).replace("{server}", listener.address)
    write(place, {"bundles/tours.schema.json": text})
    row = "{id: a, input: b, expected_facts: [c], bundle: tours, tour: latin}"
    write(place, {"tour.yaml": f"questions:\n  - {row}\n"})
    result = call("validate-dataset", "tour.yaml", "--output-format", "json")
    assert listener.asked == []
    assert result.code == 0, result.err
    assert result.codes == codes


@pytest.mark.parametrize("address", ["{server}", "file:///dev/null", "https://schemas.invalid/x"])
def test_schema_of_a_check(
    address: str, call: Callable[..., Result], place: Path, listener: Listener
) -> None:
    """The same for the schema that stands in a `json_schema` check."""
    schema = json.dumps({"$ref": address.replace("{server}", listener.address)})
    check = f"  - {{id: shape, kind: json_schema, schema: {schema}}}\nscoring"
    write(place, {"rubrics/polite.yaml": RUBRIC.replace("scoring", check)})
    result = call("validate-rubric", "rubrics", "--output-format", "json")
    assert listener.asked == []
    assert result.codes == ["rubric/invalid-json-schema"]


# What is shown


def test_limit(call: Callable[..., Result], place: Path) -> None:
    """The text stops at the limit and says so; the counts and the exit code do not change."""
    rows = "".join(f"  - {{id: r{n}, input: x, tagz: y}}\n" for n in range(5))
    write(place, {"many.yaml": f"questions:\n{rows}"})
    everything = call("validate-dataset", "many.yaml", "--strict")
    limited = call("validate-dataset", "many.yaml", "--strict", "--limit", "2")
    assert everything.out.count("error[") == 5
    assert limited.out.count("error[") == 2
    assert "3 more findings" in limited.out
    assert limited.out.splitlines()[-1] == everything.out.splitlines()[-1]
    assert limited.code == everything.code == 1
    assert call("validate-dataset", "many.yaml", "--strict", "--limit", "0") == everything
    as_json = call("validate-dataset", "many.yaml", "--limit", "2", "--output-format", "json")
    assert len(as_json.codes) == 5


def test_left_out_files(call: Callable[..., Result], place: Path) -> None:
    """They are counted, and `--verbose` names them."""
    write(place, {"package.json": '{"name": "x"}', "tools/settings.yaml": "a: 1\n"})
    quiet, verbose = call("check").out, call("check", "--verbose").out
    assert "2 data files" in quiet
    assert "package.json" not in quiet
    assert "package.json\n" in verbose
    assert "tools/settings.yaml\n" in verbose
    assert call("check", "-v").out == verbose


def test_summary(call: Callable[..., Result], place: Path) -> None:
    """The last lines say what was looked at, what was found, and what can be fixed at once."""
    (place / "broken.yaml").unlink()
    assert call("check").out.splitlines()[-2:] == [
        "2 datasets (3 rows), 1 rubric, 1 judge: 1 warning",
        "1 fixable with `evalcontract fix`",
    ]
    assert call("validate-dataset", "good.yaml").out == "1 dataset (1 row): no findings\n"


def emitted() -> list[str]:
    """List the codes that the mini projects show."""
    return sorted(
        {
            found[-1]
            for name in NAMES
            for found in json.loads((WORKSPACES / name / "expected.json").read_text("utf-8"))[
                "soft"
            ]
        }
    )


@pytest.mark.slow
def test_every_code_is_explained(call: Callable[..., Result]) -> None:
    """Whatever a report shows, `explain` knows."""
    codes = KnownCodes()
    for code in sorted({*emitted(), *codes}):
        result = call("explain", code)
        assert result.code == 0, result.err
        assert result.out.startswith(f"{code}\n")
        soft, strict = codes[code].severities
        assert f"Severity: {soft} (soft), {strict} (strict)\n" in result.out, code
        assert f"Confidence: {codes[code].confidence}\n" in result.out, code


@pytest.mark.costly
def test_explain_lists_all(call: Callable[..., Result], monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a code it lists them, one a line, whole on a narrow terminal."""
    monkeypatch.setenv("COLUMNS", "80")
    lines = call("explain").out.splitlines()
    assert {line.split()[0] for line in lines if line} >= set(KnownCodes())
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("dataset/duplicat-id", "dataset/duplicate-id"),
        ("datset/duplicate-id", "dataset/duplicate-id"),
        ("duplicate-id", "dataset/duplicate-id"),
        ("duplicate-idd", "dataset/duplicate-id"),
        ("nonsense", "evalcontract explain"),
    ],
)
def test_unknown_code(given: str, meant: str, call: Callable[..., Result]) -> None:
    result = call("explain", given)
    assert result.code == 2
    assert meant in result.err


# Schemas


@pytest.mark.costly
def test_schema_list_and_show(call: Callable[..., Result]) -> None:
    """The schemas of the repository, byte by byte."""
    folder = ROOT / "schema"
    files = [
        file
        for below in ("", "bundles", "formats", "editor", "editor/formats")
        for file in sorted((folder / below).glob("*.schema.json"))
    ]
    listed = [line.split() for line in call("schema", "list").out.splitlines()]
    assert [name for name, _ in listed] == [
        file.relative_to(folder).as_posix().removesuffix(".schema.json") for file in files
    ]
    for (name, address), file in zip(listed, files, strict=True):
        text = file.read_text(encoding="utf-8")
        assert call("schema", "show", name).out == text
        assert json.loads(text)["$id"] == address


@pytest.mark.slow
@pytest.mark.parametrize(
    "base", [None, "https://schemas.example/v1", "https://schemas.example/v1/", "file:///srv"]
)
def test_schema_export(base: str | None, call: Callable[..., Result], tmp_path: Path) -> None:
    """Nothing but the id changes, and without an address not even that."""
    folder = tmp_path / "deep" / "down"
    given = ["--base-url", base] if base else []
    result = call("schema", "export", folder, *given)
    assert result.code == 0
    written_files = [path for path in folder.rglob("*") if path.is_file()]
    assert sorted(result.out.split()) == sorted(path.as_posix() for path in written_files)
    for name in (*schemas.names(), *schemas.names("formats/"), *schemas.names_of_editions()):
        text = schemas.text_of(name)
        written = (folder / f"{name}.schema.json").read_bytes().decode()
        if base:
            old = f'"$id": "{schemas.load(name)["$id"]}"'
            new = f'"$id": "{base.rstrip("/")}/{name}.schema.json"'
            assert written == text.replace(old, new)
            assert new in written
        else:
            assert written == text


def test_schema_export_failures(call: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    for arguments in (
        [tmp_path / "file"],
        [tmp_path / "file" / "below"],
        [tmp_path, "--base-url", "schemas.example"],
        [tmp_path, "--base-url", "ftp://schemas.example"],
    ):
        result = call("schema", "export", *arguments)
        assert (result.code, result.out) == (2, ""), arguments
        assert result.err
        assert "Traceback" not in result.err


@pytest.mark.costly
def test_schema_export_replaces_only_schemas(call: Callable[..., Result], tmp_path: Path) -> None:
    assert call("schema", "export", tmp_path).code == 0
    assert call("schema", "export", tmp_path, "--base-url", "https://schemas.example").code == 0
    assert call("schema", "export", tmp_path).code == 0
    (tmp_path / "judge.schema.json").write_text("{}", encoding="utf-8")
    result = call("schema", "export", tmp_path)
    assert result.code == 2
    assert "judge.schema.json: file exists" in result.err
    assert (tmp_path / "judge.schema.json").read_text(encoding="utf-8") == "{}"


# The report for programs


#: Members of a finding, and of its fix, that need not be there.
OPTIONAL = {
    "ignored",
    "baseline",
    "url",
    "repository_file",
    "fingerprint",
    "fix",
    "to",
    "value",
    "place_count",
    "places",
    "severity_source",
}
#: Files that others depend on come first.
ORDER = ("bundles", "judges", "rubrics", "", "targets")


@pytest.fixture(scope="module")
def report_schema() -> Any:
    """Return a validator for the published schema of the report, with every mapping closed."""
    schema = json.loads((ROOT / "schema" / "report.schema.json").read_text(encoding="utf-8"))
    for part in (schema, *schema["$defs"].values()):
        if "properties" in part:
            part["additionalProperties"] = False
            assert part["required"] == [key for key in part["properties"] if key not in OPTIONAL]
    return Draft202012Validator(schema)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "mode"), some(product(NAMES, ["--soft", "--strict"]), times=4))
def test_json_report(
    name: str,
    mode: str,
    call: Callable[..., Result],
    monkeypatch: pytest.MonkeyPatch,
    report_schema: Any,
) -> None:
    """It follows its schema, agrees with the text, and is sorted."""
    monkeypatch.chdir(WORKSPACES / name)
    result = call("check", mode, "--output-format", "json")
    report = result.report
    report_schema.validate(report)
    findings = report["findings"]
    counts = {
        severity: sum(found["severity"] == severity for found in findings)
        for severity in ("error", "warning", "note")
    }
    assert counts == {each: report["summary"][f"{each}s"] for each in counts}
    assert result.code == (1 if counts["error"] else 0)
    keys = [
        (rank(f["file"]), f["file"], f["line"] or 0, f["column"] or 0, f["code"]) for f in findings
    ]
    assert keys == sorted(keys)
    text = call("check", mode, "--limit", "0").out
    assert [f"{f['severity']}[{f['code']}]" for f in findings] == re.findall(
        r"^(?:error|warning|note)\[[^\]]+\]", text, re.MULTILINE
    )


def rank(file: str) -> int:
    folder = file.partition("/")[0]
    return ORDER.index(folder if folder in ORDER else "")


@pytest.mark.usefixtures("place")
def test_json_report_of_single_files(call: Callable[..., Result], report_schema: Any) -> None:
    for arguments in (
        ["validate-dataset", "faulty.yaml", "nowhere.yaml"],
        ["validate-rubric", "rubrics", "good.yaml"],
        ["validate-judge", "judges"],
    ):
        report_schema.validate(call(*arguments, "--output-format", "json").report)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "output"),
    [
        ("demo", "text"),
        pytest.param("fixtures/workspaces", "text", marks=pytest.mark.thorough),
        pytest.param("fixtures/workspaces", "json", marks=pytest.mark.thorough),
    ],
)
def test_output_is_the_same_each_time(path: str, output: str) -> None:
    """Neither the hash seed nor the run changes a byte."""
    results = [
        process(
            "check",
            path,
            "--strict",
            "--limit",
            "0",
            "--output-format",
            output,
            PYTHONHASHSEED=seed,
        )
        for seed in ("0", "1", "4711")
    ]
    assert results[0].code == 1
    assert all(result == results[0] for result in results)
