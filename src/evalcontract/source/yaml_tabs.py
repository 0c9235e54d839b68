"""Tabs in YAML where none can stand, and the first lines of blocks: what to type instead."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evalcontract.source.parser_failure import SyntaxHint, span_at
from evalcontract.source.yaml_strict import DEEP_EMPTY_LINE

if TYPE_CHECKING:
    from evalcontract.source.parser_failure import ParserFailure

_HEAD = re.compile(r"(?P<sign>[|>])(?P<end>[-+]?)(?=[ \t]|$)")
_ENDS_WITH_HEAD = re.compile(r"(?:^|[ \t])[|>][-+0-9]*[ \t]*(?:[ \t]#.*)?$")
_LEAD = re.compile(r"[ ]*(?:-[ \t]+)*")
#: The greatest indentation that the head of a block can tell.
_MOST = 9


def misplaced_tab(stumble: ParserFailure) -> SyntaxHint | None:
    """A tab that indents, or stands where only a space may."""
    line = stumble.text(stumble.line)
    indent = re.match(r"[ \t]*", line)
    begins = indent is not None and "\t" in indent[0] and stumble.column <= indent.end()
    at = line.index("\t") if begins else stumble.column
    if line[at : at + 1] != "\t":
        return None
    place = span_at(stumble.line, at, 1)
    if not line.strip(" \t"):
        return SyntaxHint("a tab in an empty line", place, "remove the tab")
    if line.lstrip(" \t").startswith("#"):
        return SyntaxHint("a tab before a comment", place, "write spaces instead")
    if "block scalar" in stumble.said:
        return _tab_in_block(stumble, at)
    if begins:
        return SyntaxHint("a tab cannot indent", place, "indent with spaces")
    before = line[:at].rstrip()[-1:]
    return SyntaxHint(f"a tab behind `{before}`", place, "write a space instead")


def _tab_in_block(stumble: ParserFailure, at: int) -> SyntaxHint:
    number, column = stumble.start
    above = stumble.text(number)
    place = span_at(stumble.line, at, 1)
    parent = _column_of_parent(above[:column])
    is_first = not any(each.strip() for each in stumble.lines[number + 1 : stumble.line])
    head = _HEAD.match(above, column)
    spaces = _least_spaces(stumble.lines[stumble.line :], parent) - parent
    if at <= parent or not is_first or head is None or not 1 <= spaces <= _MOST:
        advice = "indent the text of a block with spaces; a tab may stand behind them"
        return SyntaxHint("a tab cannot indent", place, advice)
    wanted = f"{head['sign']}{spaces}{head['end']}"
    message = "the text of this block begins with a tab, so its indentation cannot be told"
    advice = f"write `{wanted}` instead of `{head[0]}` in line {number + 1}; the tab stays"
    return SyntaxHint(message, place, advice)


def _column_of_parent(before: str) -> int:
    """Return the column of the key or the dash that a block stands behind."""
    lead = _LEAD.match(before)
    end = lead.end() if lead else 0
    return end if before[end:].strip() else before.rfind("-")


def _least_spaces(lines: list[str], parent: int) -> int:
    """Return the least indentation of the lines of a block, of those that say something."""
    least = len(lines[0])
    for line in lines:
        spaces = len(line) - len(line.lstrip(" "))
        if line.strip():
            if spaces <= parent:
                break
            least = min(least, spaces)
    return least


def deep_empty_line(stumble: ParserFailure) -> SyntaxHint | None:
    """An empty line below the head of a block, with more spaces than the first line of text."""
    first = min(stumble.line, stumble.start[0]) if "':'" in stumble.said else stumble.line
    line = stumble.text(first)
    spaces = len(line) - len(line.lstrip(" "))
    number = first - 1
    while number > 0 and not stumble.text(number).strip(" "):
        number -= 1
    empty = stumble.lines[number + 1 : first]
    if not any(len(each) > spaces for each in empty):
        return None
    if not _ENDS_WITH_HEAD.search(stumble.text(number)):
        return None
    message, advice = DEEP_EMPTY_LINE
    return SyntaxHint(message, span_at(first, spaces, 1), advice)
