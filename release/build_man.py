"""Write the manual pages into `release/man`, from the help texts, for `share/man` of the wheel.

python release/build_man.py [FOLDER]
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from evalcontract import __version__
from evalcontract.cli.command import ALIASES, COMMANDS, SUMMARIES, command, group

FOLDER = Path(__file__).with_name("man")
_WIDTH = 1000  # no summary is cut
_OPTION = re.compile(r"(?<![\w-])((?:\\-){1,2}[A-Za-z](?:\w|\\-)*)")
_PLACEHOLDER = re.compile(r"(?<![\w\\-])([A-Z][A-Z_]+)(?![\w-])")
_CODE = re.compile(r"`([^`]+)`")
#: What roff would read, and what a reader may want to copy.
_SPECIAL = str.maketrans({"\\": r"\e", "-": r"\-", "^": r"\(ha", "~": r"\(ti", "'": r"\(aq"})


class ManFormatter(click.HelpFormatter):
    """Writes the help of a command as roff instead of text."""

    #: The macro of a heading: `SH` for a page, `SS` for a command within it.
    heading = "SH"

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write the synopsis; that of another command in the same page stands below its name."""
        del prefix
        if self.heading == "SH":
            self._lines(".SH SYNOPSIS")
        self._lines(f"\\fB{_escaped(prog)}\\fR {_usage(args)}".rstrip())
        if self.heading == "SH":
            self._lines(".SH DESCRIPTION")

    def write_heading(self, heading: str) -> None:
        """Write the title of a section."""
        self._lines(f".{self.heading} {heading.upper() if self.heading == 'SH' else heading}")

    def write_paragraph(self) -> None:
        """Write nothing: each part begins a paragraph of its own."""

    def write_text(self, text: str) -> None:
        """Write paragraphs; one that begins with a backspace keeps its lines."""
        for part in re.split(r"\n\s*\n", text):
            kept = part.startswith("\b")
            lines = [_text(line) for line in part.removeprefix("\b").strip("\n").splitlines()]
            self._lines(".PP", *([".nf", *lines, ".fi"] if kept else lines))

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 0, col_spacing: int = 0
    ) -> None:
        """Write terms and what they mean."""
        del col_max, col_spacing
        for term, meaning in rows:
            self._lines(".TP", _term(term), *map(_text, meaning.splitlines()))

    def write(self, string: str) -> None:
        """Write the lines of examples as they are; what they do stands above them."""
        purpose, _, lines = string.partition("\n")
        shown = [_escaped(line.removeprefix("    ")) for line in lines.splitlines()]
        self._lines(".PP", _text(purpose.strip()), ".PP", ".RS 4", ".nf", *shown, ".fi", ".RE")

    def _lines(self, *lines: str) -> None:
        for line in filter(None, lines):
            # A heading begins a paragraph by itself.
            if line != ".PP" or not "".join(self.buffer[-1:]).startswith((".SH", ".SS")):
                self.buffer.append(f"{line}\n")


class _Nested(ManFormatter):
    heading = "SS"


def pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each page."""
    yield "evalcontract.1", _page("evalcontract", group, "check evaluation datasets", COMMANDS)
    for name in COMMANDS:
        summary = SUMMARIES[name].removesuffix(".")
        text = _page(f"evalcontract {name}", command(name), summary[:1].lower() + summary[1:], ())
        yield f"evalcontract-{name}.1", text
    # These are programs of their own.
    for name in ALIASES.values():
        yield f"{name}.1", f".so man1/evalcontract-{name}.1\n"


def _page(path: str, loaded: click.Command, summary: str, others: Iterable[str]) -> str:
    name = path.replace(" ", "-")
    see = [f"evalcontract-{other}" for other in others] or ["evalcontract"]
    parts = [
        '.\\" Written by release/build_man.py.\n',
        f'.TH {_escaped(name.upper())} 1 "" "evalcontract {__version__}" "evalcontract manual"\n',
        ".ad l\n.nh\n",
        f".SH NAME\n{_escaped(name)} \\- {_text(summary)}\n",
        _help(path, loaded, ManFormatter),
    ]
    if isinstance(loaded, click.Group) and not others:
        for part, inner in loaded.commands.items():
            parts += [f".SH {part.upper()}\n", _help(f"{path} {part}", inner, _Nested)]
    references = ", ".join(f"\\fB{_escaped(page)}\\fR(1)" for page in see)
    return "".join([*parts, f".SH SEE ALSO\n{references}\n"])


def _help(path: str, loaded: click.Command, formatter: type[ManFormatter]) -> str:
    context = click.Context(loaded, info_name=path, **loaded.context_settings)
    written = formatter(width=_WIDTH)
    loaded.format_help(context, written)
    return written.getvalue()


def _term(text: str) -> str:
    """Return what is typed in bold, and what stands for something else in italics."""
    if not text.startswith("-"):
        return f"\\fB{_escaped(text)}\\fR"
    return _usage(text)


def _usage(text: str) -> str:
    return _PLACEHOLDER.sub(r"\\fI\1\\fR", _OPTION.sub(r"\\fB\1\\fR", _escaped(text)))


def _text(text: str) -> str:
    """Return a line of text, with code in bold."""
    return _CODE.sub(r"\\fB\1\\fR", _escaped(text))


def _escaped(text: str) -> str:
    escaped = text.translate(_SPECIAL)
    return f"\\&{escaped}" if escaped.startswith((".", "\\(aq")) else escaped


def build(folder: Path) -> None:
    """Write all pages into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    build(Path(sys.argv[1]) if sys.argv[1:] else FOLDER)
