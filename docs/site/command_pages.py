"""The reference of the command line: a page for each command, with what `--help` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from evalcontract.cli.command import ALIASES, COMMANDS, command, group

if TYPE_CHECKING:
    from collections.abc import Iterator

_WIDTH = 80
_INTRODUCTION = """\
# Commands

Each page shows what `--help` prints, and is a manual page, too: `man evalcontract-check`.
Options can stand before or after the files.

"""


def command_pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each page, and of the index."""
    rows = []
    for name in COMMANDS:
        loaded = command(name)
        summary = loaded.get_short_help_str(limit=200).removesuffix(".")
        rows.append(f"| [`{name}`]({name}.md) | {summary} |")
        yield f"reference/commands/{name}.md", _page(name, loaded)
    table = "\n".join(["| command | what it does |", "|---|---|", *rows])
    tree = "\n".join(["```{toctree}", ":hidden:", "", *COMMANDS, "```"])
    text = f"{_INTRODUCTION}{table}\n\n{_block(group, 'evalcontract')}\n{tree}\n"
    yield "reference/commands/index.md", text


def _page(name: str, loaded: click.Command) -> str:
    parts = [f"# {name}\n"]
    aliases = [f"`evalcontract {alias}`" for alias, other in ALIASES.items() if other == name]
    if aliases:
        parts.append(f"Also {', '.join(aliases)}.\n")
    parts.append(_block(loaded, f"evalcontract {name}"))
    if isinstance(loaded, click.Group):
        for part, inner in loaded.commands.items():
            parts += [f"## {name} {part}\n", _block(inner, f"evalcontract {name} {part}")]
    return "\n".join(parts)


def _block(loaded: click.Command, path: str) -> str:
    context = click.Context(loaded, info_name=path, **loaded.context_settings)
    context.terminal_width = context.max_content_width = _WIDTH
    return f"```text\n$ {path} --help\n{loaded.get_help(context)}\n```\n"
