"""What a completion script is told: candidates, without what takes long to import."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from doors import command_line
from tables import every_case

from evalcontract.cli.command import (
    ALIASES,
    COMMANDS,
    SCRIPTS,
    SHELLS,
    SUMMARIES,
    VARIABLE,
    command,
    complete,
    group,
)
from evalcontract.formats import dialects
from evalcontract.report import FORMATS
from evalcontract.structure import schemas
from evalcontract.workspace.catalogue import KnownCodes

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).parents[2]
PROBE = """
import sys
from evalcontract.cli import start
try:
    getattr(start, sys.argv.pop(1))()
except SystemExit as ended:
    assert not ended.code, ended.code
print("modules", *sys.modules)
"""


def answer(
    words: Iterable[str], capsys: pytest.CaptureFixture[str], shell: str = "zsh"
) -> list[list[str]]:
    """Return the fields of each candidate."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, f"{shell}_complete")
        patch.setenv("COMP_WORDS", "".join(f"{word}\x1f" for word in words))
        assert complete(group, "evalcontract") == 0
    return [line.split("\t") for line in capsys.readouterr().out.splitlines()]


#: What is typed, and all the words that are offered.
WORDS: dict[str, Iterable[str]] = {
    "": COMMANDS,
    "aev": ALIASES,
    "validate-dataset --dialect ": ["evalcontract", *map(str, dialects())],
    "convert a.yaml b.json --to ": ["evalcontract", *map(str, dialects())],
    "coverage --dialect=evret:": [f"--dialect={each}" for each in map(str, dialects())
                                  if each.startswith("evret:")],
    "check --output-format ": FORMATS,
    "schema show ": schemas.every_name(),
    "check --select rubric/": [code for code in KnownCodes() if code.startswith("rubric/")],
    "fix --select a/b,judge/unv": ["a/b,judge/unvalidated"],
    "check --ignore ": dict.fromkeys(f"{code.partition('/')[0]}/" for code in KnownCodes()),
    "check --fail-on ": ["error", "warning", "note"],
    "completion ": SHELLS,
    "no-such-command ": [],
}  # fmt: skip


@every_case(("typed", "wanted"), WORDS.items())
def test_words(typed: str, wanted: Iterable[str], capsys: pytest.CaptureFixture[str]) -> None:
    if typed.startswith("no-such"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(VARIABLE, "bash_complete")
            patch.setenv("COMP_WORDS", "no-such-command\x1f\x1f")
            assert complete(group, "evalcontract") == 1
        assert capsys.readouterr() == ("", "")
        return
    assert [word for _, word, _ in answer(typed.split(" "), capsys)] == [*wanted]


@every_case(
    ("typed", "wanted"),
    [
        (["validate-rubric", ""], ".yaml .yml .json"),
        (["grade", "--outputs", ""], ".json .jsonl .ndjson .csv .parquet .pq"),
        (["check", "--output", "junit:b"], "*"),
        (["calibrate-judge", "a", "--labels", ""], ".jsonl .ndjson .csv"),
    ],
)
def test_files(typed: list[str], wanted: str, capsys: pytest.CaptureFixture[str]) -> None:
    ((kind, suffixes, before),) = answer(typed, capsys)
    assert (kind, suffixes, before) == ("file", wanted, "junit:" if "junit" in typed[-1] else "")


@every_case(
    ("words", "wanted"),
    [
        (["validate-dataset", "--dialect", "mlflow", ":", "o"], "oss"),
        (["validate-dataset", "--dialect", "=", "mlflow", ":"], "oss managed evaluate"),
        (["validate-dataset", "--dialect", "=", "nor"], "northstar"),
        (["validate-dataset", '"--dialect"', "nor"], "northstar"),
        (["check", "--ignore", "=", "a/b,reference/d"], "a/b,reference/dangling"),
    ],
)
def test_bash_ends_words_where_it_does(
    words: list[str], wanted: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert [each[1] for each in answer(words, capsys, "bash")] == wanted.split()


def test_a_name_that_needs_quotes_is_not_offered(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [*FORMATS, "$(touch x)", "a b", "\x1b[1m"]
    monkeypatch.setattr("evalcontract.report.format_names", lambda: names)
    told = answer(["check", "--output-format", ""], capsys)
    assert [each[1] for each in told] == [*FORMATS]


def test_every_command_has_a_summary() -> None:
    assert [*SUMMARIES] == [*COMMANDS]
    assert max(len(text) for text in SUMMARIES.values()) <= 60


def test_all_scripts_are_completed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [*project["scripts"]] == [*SCRIPTS]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_names_all_commands(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line("completion", shell) == 0
    printed = capsys.readouterr().out
    assert " ".join(SCRIPTS) in printed
    assert "@" not in printed.replace("[@]", "").replace("{@", "").replace("(@", "").replace(
        "$@", ""
    )


@pytest.mark.slow
@every_case(
    ("script", "words", "spared"),
    [
        ("evalcontract", "", "yaml orjson jsonschema_rs evalcontract.datasets evalcontract.source"),
        ("evalcontract", "val", "yaml orjson jsonschema_rs evalcontract.datasets"),
        ("validate_dataset", "--st", "jsonschema_rs evalcontract.checking.pipeline"),
        ("evalcontract", "check\x1f--sel", "jsonschema_rs evalcontract.checking.pipeline"),
        ("evalcontract", "completion\x1f", "yaml orjson jsonschema_rs evalcontract.datasets"),
    ],
)
def test_an_answer_imports_little(script: str, words: str, spared: str, tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "src"),
        VARIABLE: "zsh_complete",
        "COMP_WORDS": f"{words}\x1f",
    }
    done = subprocess.run(
        [sys.executable, "-c", PROBE, script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    *offered, modules = done.stdout.splitlines()
    assert offered
    assert set(spared.split()) & set(modules.split()) == set()


@pytest.mark.slow
def test_nothing_else_is_done_while_completing(tmp_path: Path) -> None:
    """The words are never run: a line that would write a file writes none."""
    words = f"init\x1f{tmp_path / 'evals'}\x1f--bare\x1f\x1f"
    done = subprocess.run(
        [sys.executable, "-m", "evalcontract"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), VARIABLE: "bash_complete",
             "COMP_WORDS": words},
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1)
    assert list(tmp_path.iterdir()) == []


@every_case("name", COMMANDS)
def test_every_command_has_a_version(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line(name, "--version") == 0
    assert capsys.readouterr().out.startswith("evalcontract, version ")
    assert command(name).name == name
