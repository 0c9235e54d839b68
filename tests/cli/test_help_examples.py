"""The help teaches with examples, and they do what they say in a workspace that `init` makes."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import click
import pytest
from doors import ROOT, command_line
from repositories import commit, repository
from tables import every_case
from writing import write

from evalcontract.cli.command import Command, group

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COLUMNS = 80
#: Beside what `init` makes: files that people bring.
FILES = {
    "support.yaml": "questions:\n  - {id: a, input: Where is it?, expected_facts: [Names a day]}\n",
    "mlflow.jsonl": '{"inputs": {"question": "Why?"}, "expectations": {"expected_facts": ["x"]}}\n',
    "labels.csv": "id,human,judge,split\na,pass,5,test\nb,fail,1,test\n"
    "c,pass,5,dev\nd,fail,4,dev\n",
    "cases.json": [{"id": "a", "messages": [{"role": "assistant", "content": "At noon."}],
                    "expected": {"contains": "noon", "goal": "Names the hour"}}],
    "evals.json": {"skill_name": "hooks", "evals": [
        {"id": 1, "prompt": "Write a hook.", "expected_output": "A hook",
         "assertions": ["It names the hook"]},
    ]},
}  # fmt: skip
RUBRIC = """\
id: tone
version: "1.0.0"
checks: [{id: polite, kind: must_not_contain, values: [stupid]}]
scoring: {combine: all_pass}
"""
#: A run whose results examples compare: half of the answers are right.
RUN = {
    "run.jsonl": "".join(
        f'{{"id": "r{n}", "input": "Why?", "language": "{"de" if n % 3 else "en"}", '
        f'"must_contain_any": ["{n % 2}"]}}\n'
        for n in range(40)
    ),
    **{
        f"answers_{least}.jsonl": "".join(
            f'{{"id": "r{n}", "output": "{int(n > least)}"}}\n' for n in range(40)
        )
        for least in (10, 20)
    },
}
RESULTS = {"old": 10, "new": 20, "base": 10, "one": 20, "other": 10, "pilot": 10}
#: What only a shell does with a line.
SHELL = ("$(", ">", "|")


def commands(command: click.Command) -> Iterator[Command]:
    """Yield a command and all below it."""
    assert isinstance(command, Command), command.name
    yield command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from commands(below)


EVERY = [*commands(group)]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    assert command_line("init", folder, "--bare") == 0
    write(folder, FILES)
    write(folder / "runs", RUN)
    for name, least in RESULTS.items():
        rows, answers = (folder / "runs" / each for each in ("run.jsonl", f"answers_{least}.jsonl"))
        run = ("grade", rows, "--outputs", answers, "--by", "language")
        assert command_line(*run, "--results", folder / f"{name}.jsonl") == 0
    if shutil.which("git"):
        commit(repository(folder))
    return folder


@pytest.mark.slow
@every_case("command", EVERY, ids=lambda command: command.name)
def test_examples(
    command: Command, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They run one after the other, as they stand; each ends well."""
    folder = tmp_path / "work"
    shutil.copytree(made, folder)
    if command.name == "convert":
        (folder / "mlflow.jsonl").unlink()
    if command.name == "sync":
        write(tmp_path, {"shared/rubrics/tone.yaml": RUBRIC})
        with (folder / "evalcontract.toml").open("a", encoding="utf-8") as settings:
            settings.write('\n[libraries]\nshared = {path = "../shared"}\n')
    if command.name == "doctor":
        write(folder, {"datasets/support.yml": FILES["support.yaml"]})
    monkeypatch.chdir(folder)
    if command.name == "report":
        example = ("datasets/example.yaml", "--outputs", "outputs/example.jsonl")
        command_line("grade", *example, "--results", "results.jsonl", "--allow-undecided")
    for wanted, line in command.examples.items():
        if any(sign in line for sign in SHELL):
            continue  # `test_examples_for_a_shell`
        asks_git = line.startswith("evalcontract bump ") or " --against " in line or "..." in line
        if asks_git and not shutil.which("git"):
            continue
        if line.startswith("pip install "):
            continue  # the tests of packaging install every extra
        name, *arguments = shlex.split(line.replace("\\\n", " "))
        assert (name, command_line(*arguments)) == ("evalcontract", 0), wanted
        if command.name in ("init", "migrate"):
            shutil.rmtree(folder / "evals", ignore_errors=True)  # `init --snippets` writes none


@pytest.mark.slow
def test_examples_for_a_shell(made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    shutil.copytree(made, folder)
    (tmp_path / ".config/fish/completions").mkdir(parents=True)
    binary = tmp_path / "evalcontract"
    binary.write_text(
        f"#!{sys.executable}\nfrom evalcontract.cli.start import evalcontract\nevalcontract()\n",
        encoding="utf-8",
    )
    binary.chmod(0o755)
    environment = {"PATH": f"{tmp_path}:{os.defpath}", "HOME": str(tmp_path),
                   "PYTHONPATH": str(ROOT / "src")}  # fmt: skip
    lines = [
        line for command in EVERY for line in command.examples.values()
        if any(sign in line for sign in SHELL)
    ]  # fmt: skip
    assert len(lines) == 5
    for line in lines:
        done = subprocess.run(
            ["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert (done.returncode, done.stdout) == (0, ""), line
        assert not done.stderr or line.startswith("evalcontract convert "), line  # what is lost
    assert (tmp_path / ".config/fish/completions/evalcontract.fish").stat().st_size > 500


@every_case("command", EVERY, ids=lambda command: command.name)
def test_every_help_has_examples_that_fit(command: Command) -> None:
    text = command.get_help(
        click.Context(command, terminal_width=COLUMNS, **command.context_settings)
    )
    assert 1 <= len(command.examples) <= 4
    assert next(iter(command.examples.values())) in text
    assert [line for line in text.splitlines() if len(line) > COLUMNS] == []
    assert "--version" in text
