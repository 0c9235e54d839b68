"""Quick fixes that ignore a finding: a comment at the end of its line, or above what it is in."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

from evalcontract.datasets.ignore import parse_code
from evalcontract.datasets.ignores import INVALID, UNUSED, Ignores
from evalcontract.lsp.edits import edits_between
from evalcontract.lsp.text import Text
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.policy import is_locked
from evalcontract.source import Document, read_stream

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lsprotocol import types

    from evalcontract.model.diagnostic import Diagnostic

_IGNORE = "evalcontract: ignore"
#: A comment at the end of a line that ignores other codes already.
_LISTED = lazy_pattern(rf"(?P<before>.*#\s*{_IGNORE}\[[^]]*)(?P<after>\].*)", re.DOTALL)
_INDENT = lazy_pattern(r"\s*")
#: The lines above a finding that are tried, where it is in a text of several lines.
_MOST_ABOVE = 20


class _Try(NamedTuple):
    """A text with a comment in it, and the line that the finding is in then, from 0."""

    text: str
    line: int


def is_ignorable(finding: Diagnostic, form: str) -> bool:
    """Whether a comment may ignore a finding: in YAML, unless the code always stays an error."""
    if form != "yaml" or finding.place.span is None or is_locked(finding.code):
        return False
    return finding.code not in (UNUSED, INVALID) and parse_code(finding.code)[1] is None


def title_of_ignore(finding: Diagnostic) -> str:
    """Return what such a fix does, for a menu."""
    return f"Ignore `{finding.code}` here"


def edits_to_ignore(finding: Diagnostic, text: str, encoding: str) -> list[types.TextEdit]:
    """Return the edits that add the comment; none if the text then meant something else."""
    span = finding.place.span
    before = _read(text)
    if span is None or before is None:
        return []
    for one in _tries(text, span.line - 1, finding.code):
        after = _read(one.text)
        moved = span._replace(line=one.line + 1, end_line=span.end_line + one.line + 1 - span.line)
        found = finding._replace(place=finding.place._replace(span=moved))
        if (
            after is not None
            and after.value == before.value
            and not [*Ignores("").read(after).apply([found])]
        ):
            return edits_between(text, one.text, encoding)
    return []


def _tries(text: str, line: int, code: str) -> Iterator[_Try]:
    lines = Text(text).lines
    if not 0 <= line < len(lines):
        return
    content = lines[line].rstrip("\r\n")
    end = lines[line][len(content) :]
    if listed := _LISTED.fullmatch(content):
        content = f"{listed['before']}, {code}{listed['after']}"
    else:
        content = f"{content.rstrip()}  # {_IGNORE}[{code}]"
    yield _Try("".join([*lines[:line], content + end, *lines[line + 1 :]]), line)
    for above in range(line, max(line - _MOST_ABOVE, -1), -1):
        indent = _INDENT.match(lines[above].rstrip("\r\n"))
        own = lines[above].rstrip("\r\n")
        comment = f"{indent[0] if indent else ''}# {_IGNORE}[{code}]"
        comment += lines[above][len(own) :] or "\n"
        yield _Try("".join([*lines[:above], comment, *lines[above:]]), line + 1)


def _read(text: str) -> Document | None:
    data = text.encode("utf-8", "surrogatepass")
    document = read_stream(io.BytesIO(data), "text.yaml")
    return document if isinstance(document, Document) else None
