"""The report as Markdown, for the summary of a job or a comment: a table for each file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from evalcontract.model.diagnostic import Diagnostic
from evalcontract.model.startup import lazy_pattern
from evalcontract.model.values import escape_controls
from evalcontract.report import Report, Style
from evalcontract.report.text import beside, verdict, what_was_checked

#: GitHub refuses a summary of more than 1 MiB; the rest is for what else a step writes.
MAX_BYTES = 1_000_000
# What inline code cannot hold in a table without ambiguity.
_NOT_IN_CODE = lazy_pattern(r"[`|\\]|^\s|\s$|^$")
_PUNCTUATION = lazy_pattern(r"[^\w\s,;:.?!()'\"/%=+-]|_")
# What Markdown renderers link by themselves: addresses, mentions, and numbers of issues.
_LINKED = lazy_pattern(r"(?<=[@#])|(?<=:)(?=//)|(?<=\bwww)(?=\.)|(?<=\bGH)(?=-\d)", re.IGNORECASE)
_ZERO_WIDTH_SPACE = "\u200b"


def write(report: Report, style: Style) -> Iterator[str]:
    """Yield a summary and the findings, at most `limit` of them, in a bounded size."""
    yield f"### evalcontract: {verdict(report)}\n\n{what_was_checked(report)}{beside(report)}\n"
    shown = report.diagnostics[: style.limit] if style.limit else report.diagnostics
    room, count = MAX_BYTES, 0
    for name, group in groupby(shown, key=lambda diagnostic: diagnostic.place.file):
        head = f"\n#### {code(report.name_of(name))}\n\n"
        head += "| Line | Severity | Code | Finding |\n| ---: | --- | --- | --- |\n"
        for diagnostic in group:
            text = head + _line(diagnostic, report)
            room -= len(text.encode("utf-8", "replace"))
            if room < 0:
                break
            yield text
            head, count = "", count + 1
        if room < 0:
            break
    if more := len(report.diagnostics) - count:
        hidden = report._replace(diagnostics=report.diagnostics[count:])
        yield f"\n… and {more:,} more: {verdict(hidden)}\n"


def _line(diagnostic: Diagnostic, report: Report) -> str:
    span, url = diagnostic.place.span, report.url_of(diagnostic.code)
    name = code(diagnostic.code)
    cells = [
        f"{span.line}:{span.column}" if span else "",
        str(diagnostic.severity),
        f"[{name}]({url})" if url else name,
        _finding(diagnostic),
    ]
    return f"| {' | '.join(cells)} |\n"


def _finding(diagnostic: Diagnostic) -> str:
    parts = [text(diagnostic.message)]
    if diagnostic.row is not None:
        parts[0] += f" (row {code(diagnostic.row)})"
    if diagnostic.help:
        parts.append(text(diagnostic.help))
    if diagnostic.sites:
        parts.append(text(diagnostic.sites.message))
    return "<br>".join(parts)


def text(message: str) -> str:
    """Return a message: what it quotes in backticks becomes code, the rest has no markup."""
    parts = message.split("`")
    if len(parts) % 2 == 0:  # the last backtick is one of a name
        parts[-2:] = [f"{parts[-2]}`{parts[-1]}"]
    shown = (code(part) if number % 2 else plain(part) for number, part in enumerate(parts))
    return "".join(shown)


def code(name: str) -> str:
    """Return a name as inline code that holds in a table, whatever it contains."""
    shown = escape_controls(name)
    if _NOT_IN_CODE.search(shown):
        return f"<code>{plain(shown)}</code>"
    return f"`{shown}`"


def plain(shown: str) -> str:
    """Return a text in which nothing is markup: punctuation becomes character references."""
    unlinked = _LINKED.sub(_ZERO_WIDTH_SPACE, escape_controls(shown))
    return _PUNCTUATION.sub(lambda match: _reference(match[0]), unlinked)


def _reference(character: str) -> str:
    return f"&#{ord(character)};" if character.isascii() else character
