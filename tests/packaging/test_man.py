"""The manual pages: what `--help` shows, as `man` reads it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from needs import GROFF, missing
from tables import every_case

from evalcontract.cli.command import ALIASES, COMMANDS, command

sys.path.append(str(Path(__file__).parents[2] / "release"))

import build_man

PAGES = sorted(build_man.FOLDER.glob("*.1"))


@pytest.mark.messages
def test_they_are_up_to_date(tmp_path: Path) -> None:
    """`make man` writes them."""
    build_man.build(tmp_path)
    made = {page.name: page.read_text(encoding="utf-8") for page in tmp_path.iterdir()}
    assert made == {page.name: page.read_text(encoding="utf-8") for page in PAGES}


def test_every_command_has_one() -> None:
    names = {"evalcontract", *(f"evalcontract-{name}" for name in COMMANDS), *ALIASES.values()}
    assert {page.stem for page in PAGES} == names


@pytest.mark.slow
def test_groff_reads_them_without_a_warning() -> None:
    wrong = _read_by_groff(".TP\n\\fBx\n.SH\n.no_such_macro\n")
    assert "no_such_macro" in wrong.stderr
    for page in PAGES:
        done = _read_by_groff(page.read_text(encoding="utf-8"))
        assert (done.returncode, done.stderr) == (0, ""), page.name
        assert "SYNOPSIS" in done.stdout, page.name


@pytest.mark.slow
@every_case("name", [*COMMANDS])
def test_they_say_what_help_says(name: str) -> None:
    """In the same order, word by word, whatever the lines are."""
    text = (build_man.FOLDER / f"evalcontract-{name}.1").read_text(encoding="utf-8")
    shown = _words(_read_by_groff(text).stdout)
    loaded = command(name)
    context = click.Context(loaded, info_name=f"evalcontract {name}", **loaded.context_settings)
    context.terminal_width = context.max_content_width = 1000
    helped = _words(loaded.get_help(context).removeprefix("Usage: "))
    left = iter(shown)
    assert [word for word in helped if word not in left] == []


def test_the_page_of_the_program_names_all_commands() -> None:
    text = (build_man.FOLDER / "evalcontract.1").read_text(encoding="utf-8")
    for name in COMMANDS:
        assert name.replace("-", r"\-") in text


def _words(text: str) -> list[str]:
    """List the words in lower case, as titles are in capitals, without the quotes of code."""
    return re.findall(r"[^\s:]+", text.replace("`", "").lower())


def _read_by_groff(text: str) -> subprocess.CompletedProcess[str]:
    """Render a page, or the page that it stands for, as plain text."""
    if shutil.which("groff") is None:
        missing(GROFF)
    call = ["groff", "-man", "-ww", "-Tutf8", "-P-cbou", "-rLL=300n", "-Kutf8"]
    folder = build_man.FOLDER.parent
    text = text.replace(".so man1/", ".so man/")
    return subprocess.run(call, cwd=folder, input=text, capture_output=True, text=True, check=False)
