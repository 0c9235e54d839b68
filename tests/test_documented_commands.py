"""Each command that a page shows exists: its name, its options, and values that are a choice."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest
from tables import every_case

from evalcontract.cli.command import ALIASES, COMMANDS, command

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_SHELLS = ("", "console", "sh", "bash")
_LINE = re.compile(
    r"^(?:.* \| )?(?:\$ )?(?:uvx \S+ \S+ )?evalcontract ([a-z][a-z-]*(?: .*)?)$", re.MULTILINE
)
_END = re.compile(r" (?:\||>|2>|&&|#).*")


def commands(text: str) -> Iterator[str]:
    """Yield the commands in the blocks of a page, without what the shell does with them."""
    for language, block in _BLOCK.findall(text):
        for line in _LINE.findall(block.replace("\\\n", " ")) if language in _SHELLS else ():
            yield _END.sub("", line)


def checked(line: str) -> None:
    """Read a command line as click does, and run nothing.

    Raises:
        click.UsageError: there is no such command, option or value.

    """
    name, *arguments = shlex.split(line)
    if name not in {**COMMANDS, **ALIASES}:
        raise click.UsageError(f"no such command: {name}")
    loaded = command(ALIASES.get(name, name))
    while isinstance(loaded, click.Group) and arguments and arguments[0] in loaded.commands:
        loaded = loaded.commands[arguments.pop(0)]
    context = click.Context(loaded, info_name=name, **loaded.context_settings)
    values, _, _ = loaded.make_parser(context).parse_args(arguments)
    for parameter in loaded.params:
        if isinstance(parameter.type, click.Choice) and parameter.name in values:
            parameter.type_cast_value(context, values[parameter.name])


@every_case("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_of_a_page_are_known(page: Path) -> None:
    wrong = []
    for line in commands(page.read_text(encoding="utf-8")):
        try:
            checked(line)
        except click.UsageError as error:
            wrong.append(f"{line}: {error.format_message()}")
    assert wrong == []


def test_most_pages_show_some() -> None:
    found = sum(bool([*commands(page.read_text(encoding="utf-8"))]) for page in PAGES)
    assert found > len(PAGES) / 2


@pytest.mark.parametrize(
    "line", ["chekc evals", "check --stricd", "grade a.yaml --reduce median", "schema show --no"]
)
def test_what_is_not_one_is_found(line: str) -> None:
    (found,) = commands(f"```console\n$ evalcontract {line} | head -3\n```\n")
    assert found == line
    with pytest.raises(click.UsageError):
        checked(found)
