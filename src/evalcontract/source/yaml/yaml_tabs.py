"""Detect misplaced tabs in YAML, and wrong indentation at the start of block scalars."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evalcontract.model.startup import lazy_pattern
from evalcontract.source.yaml.parser_failure import SyntaxHint, span_at
from evalcontract.source.yaml.yaml_strict import DEEP_EMPTY_LINE

if TYPE_CHECKING:
    from evalcontract.source.yaml.parser_failure import ParserFailure

_HEADER = lazy_pattern(r"(?P<sign>[|>])(?P<end>[-+]?)(?=[ \t]|$)")
_ENDS_WITH_HEADER = lazy_pattern(r"(?:^|[ \t])[|>][-+0-9]*[ \t]*(?:[ \t]#.*)?$")
_LEAD = lazy_pattern(r"[ ]*(?:-[ \t]+)*")
#: The greatest indentation that the header of a block scalar can specify.
_MAX_INDICATOR = 9


def misplaced_tab(failure: ParserFailure) -> SyntaxHint | None:
    """Detect a tab that indents, or is used where only a space is allowed."""
    line = failure.text(failure.line)
    indent = re.match(r"[ \t]*", line)
    begins = indent is not None and "\t" in indent[0] and failure.column <= indent.end()
    at = line.index("\t") if begins else failure.column
    if line[at : at + 1] != "\t":
        return None
    place = span_at(failure.line, at, 1)
    if not line.strip(" \t"):
        return SyntaxHint("a tab in an empty line", place, "remove the tab")
    if line.lstrip(" \t").startswith("#"):
        return SyntaxHint("a tab before a comment", place, "write spaces instead")
    if "block scalar" in failure.message:
        return _tab_in_block(failure, at)
    if begins:
        return SyntaxHint("a tab cannot indent", place, "indent with spaces")
    before = line[:at].rstrip()[-1:]
    return SyntaxHint(f"a tab after `{before}`", place, "write a space instead")


def _tab_in_block(failure: ParserFailure, at: int) -> SyntaxHint:
    number, column = failure.start
    above = failure.text(number)
    place = span_at(failure.line, at, 1)
    parent = _column_of_parent(above[:column])
    is_first = not any(line.strip() for line in failure.lines[number + 1 : failure.line])
    header = _HEADER.match(above, column)
    spaces = _least_spaces(failure.lines[failure.line :], parent) - parent
    if at <= parent or not is_first or header is None or not 1 <= spaces <= _MAX_INDICATOR:
        advice = "indent the text of a block scalar with spaces; tabs may follow them"
        return SyntaxHint("a tab cannot indent", place, advice)
    replacement = f"{header['sign']}{spaces}{header['end']}"
    message = "the text of this block scalar begins with a tab: its indentation is ambiguous"
    advice = f"write `{replacement}` instead of `{header[0]}` on line {number + 1}; keep the tab"
    return SyntaxHint(message, place, advice)


def _column_of_parent(before: str) -> int:
    """Return the column, from 0, of the key or dash before a block scalar header."""
    lead = _LEAD.match(before)
    end = lead.end() if lead else 0
    return end if before[end:].strip() else before.rfind("-")


def _least_spaces(lines: list[str], parent: int) -> int:
    """Return the smallest indentation of the non-blank lines of a block scalar."""
    least = len(lines[0])
    for line in lines:
        spaces = len(line) - len(line.lstrip(" "))
        if line.strip():
            if spaces <= parent:
                break
            least = min(least, spaces)
    return least


def deep_empty_line(failure: ParserFailure) -> SyntaxHint | None:
    """Detect an empty line below a block scalar header with more spaces than the first line."""
    first = min(failure.line, failure.start[0]) if "':'" in failure.message else failure.line
    line = failure.text(first)
    spaces = len(line) - len(line.lstrip(" "))
    number = first - 1
    while number > 0 and not failure.text(number).strip(" "):
        number -= 1
    if not any(len(blank) > spaces for blank in failure.lines[number + 1 : first]):
        return None
    if not _ENDS_WITH_HEADER.search(failure.text(number)):
        return None
    message, advice = DEEP_EMPTY_LINE
    return SyntaxHint(message, span_at(first, spaces, 1), advice)
