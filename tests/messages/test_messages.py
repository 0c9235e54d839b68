"""What people read, word by word: every message and its help, and what the commands print.

The texts stand in `__snapshots__`, and `make messages` writes them anew (`tests/texts.py`). Codes
and places are asserted by other tests.
"""

from __future__ import annotations

import json
import shutil
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest
from doors import ROOT, Options, check_workspaces, command_line
from page_examples import CODES, findings_of_bad_examples
from rule_fixtures import KINDS, findings_of_kind
from texts import plain

from evalcontract.cli.command import group

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from syrupy.assertion import SnapshotAssertion

    from evalcontract import Diagnostic

WORKSPACES = ROOT / "fixtures" / "workspaces"
pytestmark = pytest.mark.messages


def readable(printed: str, folder: Path) -> str:
    """Return a text without what differs from run to run, and with every character visible."""
    same = printed.replace(f"{folder}/", "").replace(str(folder), ".")
    shown = (
        each if each.isprintable() or each == "\n" else each.encode("unicode_escape").decode()
        for each in same
    )
    return "".join(shown).encode("utf-8", "backslashreplace").decode()


def lines_of(findings: Iterable[Diagnostic]) -> Iterator[str]:
    """Yield a line for each finding, and below it what it says more."""
    for found in findings:
        yield f"{found.code} {found.place.file} {found.pointer}: {found.message}"
        for message, place in found.related:
            yield f"  related: {place.file}: {message}"
        if found.help:
            yield f"  help: {found.help}"


def section(title: str, findings: Iterable[Diagnostic], folder: Path) -> str:
    body = readable("\n".join(lines_of(findings)), folder)
    return f"== {title}\n{body}\n"


# Findings


@pytest.mark.slow
@pytest.mark.parametrize("room", dict.fromkeys(code.partition("/")[0] for code in CODES))
def test_bad_examples(room: str, snapshot: SnapshotAssertion, tmp_path: Path) -> None:
    sections = [section(*found) for found in findings_of_bad_examples(tmp_path, room)]
    assert "\n".join(sections) == plain(snapshot)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_fixtures(
    kind: str, snapshot: SnapshotAssertion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sections = [section(*found) for found in findings_of_kind(kind, tmp_path, monkeypatch)]
    assert "\n".join(sections) == plain(snapshot)


@pytest.mark.slow
def test_workspaces(snapshot: SnapshotAssertion, monkeypatch: pytest.MonkeyPatch) -> None:
    sections = []
    for file in sorted(WORKSPACES.glob("*/expected.json")):
        monkeypatch.chdir(file.parent)
        today = date.fromisoformat(json.loads(file.read_text(encoding="utf-8"))["today"])
        outcome = check_workspaces(Path(), Options(strict=False, today=today))
        sections.append(section(file.parent.name, outcome.diagnostics, file.parent))
    assert "\n".join(sections) == plain(snapshot)


def test_severities(snapshot: SnapshotAssertion) -> None:
    lines = []
    for name, code in sorted(CODES.items()):
        soft, strict = code.severities
        lines.append(f"{name}: {soft}, strict: {strict}, {code.confidence}\n")
    assert "".join(lines) == plain(snapshot)


# Commands


def commands(command: click.Command, *names: str) -> Iterator[tuple[str, ...]]:
    """Yield the names of a command and of all below it."""
    yield names
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            below = command.get_command(click.Context(command), name)
            assert below is not None
            yield from commands(below, *names, name)


@pytest.fixture
def printed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., str]:
    """Return a function that runs `evalcontract` as in a terminal of 80 columns."""
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    # A usage line begins with how the process was started.
    monkeypatch.setattr(sys, "argv", ["evalcontract"])
    monkeypatch.setattr(sys.modules["__main__"], "__package__", None)

    def run(*arguments: str) -> str:
        capsys.readouterr()
        code = command_line(*arguments)
        out, err = capsys.readouterr()
        told = f"(standard error)\n{err}" if err else ""
        shown = " ".join(["evalcontract", *arguments])
        return readable(f"$ {shown}\n{out}{told}(exit code {code})\n", tmp_path)

    return run


def test_help(snapshot: SnapshotAssertion, printed: Callable[..., str]) -> None:
    assert "\n".join(printed(*names, "--help") for names in commands(group)) == plain(snapshot)


#: What a reader sees of each command, in a copy of the demo.
CALLS: dict[str, list[str]] = {
    "check": [
        "check",
        "check demo --strict --limit 1",
        "check demo --verbose",
        "check nowhere",
        "check empty",
        "check --no-such-option",
        "chekc",
    ],
    "validate": [
        "validate-dataset demo/datasets/support.yaml",
        "validate-dataset demo/datasets/smalltalk.jsonl --strict",
        "validate-dataset demo/datasets/suport.yaml",
        "validate-dataset demo/judges",
        "validate-dataset nothing/*.yaml",
        "validate-dataset",
        "validate-rubric demo/rubrics",
        "validate-judge demo/judges/accuracy.yaml",
        "validate-target demo/targets",
    ],
    "coverage": [
        "coverage demo/datasets/support.yaml",
        "coverage demo/datasets",
        "coverage demo/rubrics/answers.yaml",
        "coverage demo/datasets/support.yaml --min-coverage 99.9",
        "coverage demo/datasets/nowhere.yaml",
    ],
    "convert": [
        "convert demo/datasets/smalltalk.jsonl out/faulty.json --to evret",
        "fix demo",
        "convert demo/datasets/smalltalk.jsonl out/evret.json --to evret",
        "convert demo/datasets/smalltalk.jsonl out/evret.json --to evret",
        "convert demo/datasets/smalltalk.jsonl out/mlflow.json --to mlflow:oss",
        "convert demo/datasets/smalltalk.jsonl out/strict.json --to mlflow:oss --strict",
        "convert out/mlflow.json out/back.yaml",
        "convert demo/datasets/nowhere.jsonl out/a.json --to evret",
        "convert demo/datasets/smalltalk.jsonl out/a.json --to evert",
        "convert demo/datasets/smalltalk.jsonl out/a.txt --to evret",
    ],
    "fix": [
        "fix --diff demo",
        "fix demo",
        "fix demo",
        "fix demo/datasets/nowhere.yaml",
        "fix --select no/such-code demo",
    ],
    "explain": [
        "explain dataset/duplicate-id",
        "explain source/syntax",
        "explain duplicate-id",
        "explain no/such-code",
        "explain",
    ],
    "schema": ["schema list", "schema show nothing", "schema export out"],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_output(
    name: str,
    snapshot: SnapshotAssertion,
    printed: Callable[..., str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shutil.copytree(ROOT / "demo", tmp_path / "demo")
    (tmp_path / "empty").mkdir()
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path)
    assert "\n".join(printed(*call.split()) for call in CALLS[name]) == plain(snapshot)
