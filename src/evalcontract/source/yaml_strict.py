"""What libyaml lets pass and YAML 1.2 does not: told by the marks of its events.

Who reads such a text with another reader gets an error or another value: so it is a fault here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import yaml

from evalcontract.model.span import Span
from evalcontract.source.fault import ParseError, SourceProblem
from evalcontract.source.text import LINE_END, split_lines
from evalcontract.source.yaml_faults import unsupported

if TYPE_CHECKING:
    from evalcontract.source.yaml_parts import Event

# What may stand before a scalar: its anchor, its tag, and white space behind them.
_PROPERTIES = re.compile(r"(?:[&!][^ \t\r\n]*+(?:[ \t\r\n]|(?<=[ \t\r\n])#[^\r\n]*+)*+)*+")
_INSIDE_MARK = re.compile(r"(?:^|(?<=[\r\n]))\ufeff")
_ENDS_OF_NAME = frozenset(" \t\r\n,[]{}")
_SIGN_OF_TEXT = re.compile(r"[ \t\r\n]*:(?=[^ \t\r\n,\[\]{}])")
_ALONE = frozenset(("?,", "?]", "?}"))
_QUOTES = frozenset("\"'")
# So begins a block of text that has no line, or an empty one first.
_NO_LINE = frozenset(("", "\n"))
#: Messages, and what to do: the parser stops at the same mistakes elsewhere.
TIGHT_COMMENT = (
    "a comment needs a space before its `#`",
    "write ` #`; if it is part of the text, quote the whole value",
)
DEEP_EMPTY_LINE = (
    "an empty line above has more spaces than this first line of a block",
    "remove the spaces of the empty line",
)
_DIRECTIVE = re.compile(r"%YAML[ \t]+[0-9.]+[ \t]*(?:[ \t]#.*)?")


def check_marks(text: str) -> None:
    """Refuse a byte order mark at the beginning of a line: libyaml takes it for nothing.

    Raises:
        ParseError: there is one.

    """
    found = _INSIDE_MARK.search(text) if "\ufeff" in text else None
    if found:
        message = "a byte order mark (U+FEFF) stands inside of the text"
        raise _fault(text, found.start(), message, "remove this character, which is not seen")


def check_version(event: Event, text: str) -> None:
    """Refuse a version of YAML other than 1.2, and what follows it, if that is no comment.

    Raises:
        ParseError: as said.

    """
    if event.version != (1, 2):
        raise ParseError(unsupported(event, "a `%YAML 1.1` directive", "remove the directive"))
    start = text.index("%YAML")
    line = LINE_END.split(text[start:], maxsplit=1)[0]
    found = _DIRECTIVE.match(line)
    if found and found.end() < len(line):
        raise _fault(text, start + found.end(), *TIGHT_COMMENT)


def check_name(event: Event, text: str) -> None:
    """Refuse a name of an anchor that goes on where libyaml thinks that it ends.

    Raises:
        ParseError: it does.

    """
    kind = event.__class__
    if kind is yaml.AliasEvent:
        end = event.end_mark.index
    else:
        name = f"&{event.anchor}"
        end = text.index(name, event.start_mark.index) + len(name)
    if end >= len(text) or text[end] in _ENDS_OF_NAME:
        return
    if kind is yaml.AliasEvent and text[end] == ":":
        message = f"the name of the alias `*{event.anchor}` goes on with `:`"
        raise _fault(text, end, message, "write a space before the `:`, or quote the text")
    message = f"`{text[end]}` is not read in the name of an anchor"
    advice = "name it with letters, digits, `-` and `_`; quote the value, if it is text"
    raise _fault(text, end, message, advice, code="source/unsupported")


def check_comment(event: Event, text: str) -> None:
    """Refuse a text that begins with `#`: a comment behind a comma, or any bracket that opens.

    Raises:
        ParseError: it does.

    """
    at = event.start_mark.index
    if not event.style and text[at : at + 1] == "#":
        raise _fault(text, at, *TIGHT_COMMENT)


def check_dash(event: Event, text: str) -> None:
    """Refuse a `-` alone inside of brackets, but for a key.

    Raises:
        ParseError: it is no key.

    """
    end = event.end_mark.index
    if not event.style and text[end : end + 1] != ":":
        message = "a `-` alone is no text"
        advice = 'inside of brackets there are no dashes; quote it, if it is text: "-"'
        raise _fault(text, end - 1, message, advice)


def check_key(event: Event, text: str) -> None:
    """Refuse a key `-` or `?` that is none, and a value that begins with the `:` behind a key.

    Raises:
        ParseError: it is such a key.

    """
    kind = event.__class__
    if kind is yaml.ScalarEvent:
        if event.value == "-":
            check_dash(event, text)
            return
        if event.style:
            return
    end = event.end_mark.index
    if text[end - 1 : end + 1] in _ALONE:
        advice = 'quote it, if it is text: "?"'
        raise _fault(text, end - 1, "a `?` alone is no text", advice)
    found = _SIGN_OF_TEXT.match(text, end)
    if found:
        message = "a `:` that has no space behind it begins a text"
        advice = "write a space behind it, or quote the text"
        raise _fault(text, found.end() - 1, message, advice)


class Indentation:
    """Refuses lines of a text that are not indented enough for the block that they stand in."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._patterns: dict[tuple[int, str], re.Pattern[str]] = {}
        self._block: Event | None = None
        self._column, self._indented = -1, ""

    def check_text(self, event: Event, block: Event | None) -> None:
        """Look at a text of several lines, in quotes or behind `|` or `>`.

        `block` is the start of the block around it.

        Raises:
            ParseError: a line is not indented.

        """
        if block is not self._block:
            self._enter(block)
        start, end = event.start_mark, event.end_mark
        if event.style in _QUOTES:
            count = self._text.count(self._indented, start.index, end.index)
            if count != end.line - start.line and self._column >= 0:
                self._check_part(start, end, "")
        elif (
            start.column <= self._column
            or event.value[:1] in _NO_LINE
            or event.anchor is not None
            or event.tag is not None
        ):
            self._check_block(event, self._column)

    def check_brackets(self, start: Event, end: Event, block: Event | None) -> None:
        """Look at a collection in brackets of several lines.

        A comment may stand anywhere, and so may a closing bracket: it can mean nothing else.

        Raises:
            ParseError: a line is not indented.

        """
        if block is not self._block:
            self._enter(block)
        if self._column >= 0:
            self._check_part(start.end_mark, end.end_mark, "]}#")

    def _enter(self, block: Event | None) -> None:
        """Note the column, from 0, of the keys or dashes of a block; -1 where there is none."""
        self._block, self._column = block, -1
        if block is not None:
            mark = block.end_mark
            # Of a list that is indented like its key, the first dash is part of the event.
            is_list = isinstance(block, yaml.SequenceStartEvent)
            self._column = mark.column - (is_list and not self._text.startswith("-", mark.index))
        self._indented = "\n" + " " * (self._column + 1)

    def _check_part(self, start: Any, end: Any, exempt: str) -> None:
        """Look at the lines behind the first; they may begin with what is `exempt`."""
        column, key = self._column, (self._column, exempt)
        if key not in self._patterns:
            says_nothing = rf"[ \t]*[\r\n{re.escape(exempt)}]" if exempt else r" *[\r\n]"
            less = rf"[\r\n](?! {{{column + 1}}}|{says_nothing})"
            self._patterns[key] = re.compile(less)
        found = self._patterns[key].search(self._text, start.index, end.index)
        # A pair in a list ends where the list goes on, which may be in another line.
        if found is None or found.end() >= end.index:
            return
        at = found.end()
        while self._text[at] == " ":
            at += 1
        if self._text[at] == "\t":
            raise _fault(self._text, at, "a tab cannot indent", "indent with spaces")
        if exempt:
            advice = f"begin the line in column {column + 2} or later; is a bracket missing above?"
            what = "what stands in brackets goes on here, and is not indented"
            raise _fault(self._text, at, what, advice)
        mark = self._text[end.index - 1]
        line = len(split_lines(self._text[:at]))
        what = f"the quote that opens here ends in line {end.line + 1}; line {line} is not indented"
        advice = f"close it where the text ends: {mark}; a text that goes on is to be indented"
        raise _fault(self._text, self._text.index(mark, start.index), what, advice)

    def _check_block(self, event: Event, column: int) -> None:
        text, mark = self._text, event.start_mark
        head, place = mark.index, mark.column
        if event.anchor is not None or event.tag is not None:
            found = _PROPERTIES.match(text, head)
            head = found.end() if found else head
            place = len(split_lines(text[:head])[-1])
        if place <= column:
            message = "a block begins here, and is not indented"
            raise _fault(
                text, head, message, f"write the `{text[head]}` behind the key or the dash"
            )
        if event.value.strip("\n"):
            return
        comment = re.compile(rf" {{{column + 1},}}#").match(text, event.end_mark.index)
        if comment:
            raise _fault(text, comment.end() - 1, *DEEP_EMPTY_LINE)


def _fault(
    text: str, at: int, message: str, advice: str, *, code: str = "source/syntax"
) -> ParseError:
    lines = split_lines(text[:at])
    said = message if code != "source/syntax" else f"not YAML: {message}"
    span = Span(len(lines), len(lines[-1]) + 1, len(lines), len(lines[-1]) + 2)
    return ParseError(SourceProblem(code, said, span, advice))
