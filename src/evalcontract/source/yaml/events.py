"""The events of libyaml: their spans and faults, what is hidden from it, what YAML 1.2 forbids.

libyaml reads YAML 1.1, so characters that it would misread are hidden from it. Other parsers refuse
what it accepts against YAML 1.2 or the indentation, or read another value, so it is a syntax error
here: each check raises a `ParseError` if a text has what it refuses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from evalcontract.model.diagnostic import Span
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.source.document import Node
from evalcontract.source.faults import MAX_DIRECTIVES, ParseError, SourceProblem, limit_fault
from evalcontract.source.text import LINE_END, split_lines

# The type stubs of PyYAML lack the attributes of events.
Event = Any

#: The nodes of a mapping or a list while it is built.
Children = dict[str, tuple[Span, Node]] | list[Node]
# libyaml reads YAML 1.1, where these are line breaks; in YAML 1.2 they are ordinary characters.
_LINE_BREAKS_OF_1_1 = "\x85\u2028\u2029"


class AnchoredValue(NamedTuple):
    """An anchored value: its node, its number of values, and, if a scalar, its text as a key."""

    value: Any
    node: Node
    size: int
    text: str | None = None
    height: int = 0


def span_of(event: Event, last: Event = None) -> Span:
    """Return the span of an event, or from the start of a collection to its last event."""
    start, end = event.start_mark, (last or event).end_mark
    return Span(start.line + 1, start.column + 1, end.line + 1, end.column + 1)


def fault_at(
    event: Event, message: str, advice: str | None = None, code: str = "source/syntax"
) -> SourceProblem:
    """Return a problem at an event."""
    return SourceProblem(code, message, span_of(event), advice)


def unsupported(event: Event, what: str, advice: str) -> SourceProblem:
    """Return the problem of a feature of YAML that is not supported."""
    return fault_at(event, f"{what} is not supported", advice, code="source/unsupported")


def extent_of(value: Any, known: dict[int, tuple[int, int]]) -> tuple[int, int]:
    """Return the number of values in a value, and its nesting depth.

    `known` caches the parts that aliases share.
    """
    if not isinstance(value, dict | list):
        return 1, 0
    if id(value) not in known:
        parts = value.values() if isinstance(value, dict) else value
        extents = [extent_of(part, known) for part in parts]
        size = 1 + sum(size for size, _ in extents)
        known[id(value)] = size, 1 + max((height for _, height in extents), default=0)
    return known[id(value)]


def placeholders(text: str) -> dict[str, str]:
    """Map an unused private character to each YAML 1.1 line break that occurs in a text."""
    breaks = [character for character in _LINE_BREAKS_OF_1_1 if character in text]
    return dict(zip(unused(text), breaks, strict=False)) if breaks else {}


def unused(text: str) -> Iterator[str]:
    """Yield private-use characters that a text contains neither literally nor as an escape."""
    for plane in ("E", "F0"):
        for digits in range(1000):
            name = f"{plane}{digits:03}"
            private = chr(int(name, 16))
            if not any(form in text for form in (private, name, name.lower())):
                yield private


def complex_key(event: Event, text: str) -> SourceProblem:
    """Return the problem of a key that is not a scalar, often an unquoted `{{ variable }}`."""
    at = event.start_mark
    line = split_lines(text)[at.line]
    if "{{" in line[max(at.column - 1, 0) : at.column + 2]:
        advice = 'quote it: "{{ … }}", or use a block scalar: |'
        return fault_at(event, "an unquoted `{{ … }}` is a mapping in YAML, not text", advice)
    return fault_at(event, "a key must be text", "a list or a mapping cannot be a key")


def rows_without_dash(
    duplicates: list[SourceProblem], start: Event, text: str
) -> list[SourceProblem]:
    """Return one problem for each row whose `- ` is missing, if that is the likely mistake.

    `duplicates` are the duplicate keys of the mapping that begins at `start`. Several duplicates
    in the column of the first key probably are another row. Otherwise the list is empty.
    """
    at = start.start_mark
    follows_dash = split_lines(text)[at.line][: at.column].rstrip().endswith("-")
    spans = [duplicate.span for duplicate in duplicates if duplicate.span]
    if not follows_dash or any(span.column != at.column + 1 for span in spans):
        return []
    rows: list[list[SourceProblem]] = []
    seen: set[Span] = set()
    for duplicate in duplicates:
        first_span = duplicate.related[0][1]
        if not rows or first_span in seen:
            rows.append([])
            seen = set()
        seen.add(first_span)
        rows[-1].append(duplicate)
    if any(len(row) == 1 for row in rows):
        return []
    return [_row_without_dash(row) for row in rows]


def _row_without_dash(row: list[SourceProblem]) -> SourceProblem:
    first = row[0]
    message = f"the `- ` of a new row is missing: {len(row)} keys are repeated from here on"
    return first._replace(message=message, help="a new row starts with `- `")


_BLANK = frozenset(" \t\r\n")
_BEFORE_QUESTION = _BLANK | frozenset(("", *"[{,:"))
_NOT_AFTER_QUESTION = _BLANK | frozenset(("", *",[]{}"))
# A `#` after one of these is part of a text, or not valid YAML.
_OF_HEADER, _HEADER = frozenset("+-0123456789"), lazy_pattern(r"[|>][-+0-9]{1,2}\Z")
_BEFORE_COMMENT = frozenset("\"'[]{},:|>") | _OF_HEADER
# Matches every escape sequence, so that an escaped backslash does not start another one.
_ESCAPE = lazy_pattern(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}(?P<pair>\\)u[dD][c-fC-F][0-9a-fA-F]{2}|.)", re.DOTALL
)


class MaskedText(NamedTuple):
    """A text for libyaml; `restore` maps each private character to the one that it replaces.

    `surrogates` matches hidden surrogate pairs, if there are any. `has_explicit_keys` is true if a
    `?` may be the indicator of a key: such a key can span several lines.
    """

    text: str
    restore: dict[str, str]
    surrogates: re.Pattern[str] | None
    has_explicit_keys: bool

    def show(self, text: str, *, escaped: bool) -> str:
        """Restore the hidden characters; in a text with escapes, also join surrogate pairs."""
        if escaped and self.surrogates:
            text = self.surrogates.sub(_join, text)
        for private, character in self.restore.items():
            text = text.replace(private, character)
        return text


def hide(text: str) -> MaskedText:
    """Hide everything but surrogate pairs."""
    questions = _after(text, "?", _BEFORE_QUESTION)
    starting_text = [at for at in questions if text[at + 1 : at + 2] not in _NOT_AFTER_QUESTION]
    places = {"?": starting_text, "#": _comments(text)}
    restore = placeholders(text)
    hidden = text.translate({ord(old): new for new, old in restore.items()}) if restore else text
    for character, offsets in places.items():
        if offsets:
            private = next(char for char in unused(text) if char not in restore)
            restore[private] = character
            hidden = _replace_at(hidden, offsets, private)
    return MaskedText(hidden, restore, None, len(starting_text) < len(questions))


def hide_surrogates(hidden: MaskedText) -> MaskedText | None:
    """Hide surrogate pairs, too; None if there are none, or they are already hidden.

    Only needed if libyaml refuses a text: the search is slow, and few texts have any.
    """
    pairs = [match for match in _ESCAPE.finditer(hidden.text) if match["pair"]]
    if not pairs:
        return None
    private = next(char for char in unused(hidden.text) if char not in hidden.restore)
    places = [at for match in pairs for at in (match.start(), match.start("pair"))]
    return hidden._replace(
        text=_replace_at(hidden.text, places, private),
        restore=hidden.restore | {private: "\\"},
        surrogates=re.compile(f"{private}u(....){private}u(....)"),
    )


def _comments(text: str) -> list[int]:
    """Return the offsets of each `#` that libyaml would wrongly read as a comment."""
    return [
        at
        for at in _after(text, "#", _BEFORE_COMMENT)
        if text[at - 1] not in _OF_HEADER or _HEADER.search(text, max(at - 3, 0), at)
    ]


def _after(text: str, character: str, before: frozenset[str]) -> list[int]:
    """Return the offsets of a character after one in `before`; "" is the start of the text."""
    offsets = []
    at = text.find(character)
    while at >= 0:
        if text[at - 1 : at] in before:
            offsets.append(at)
        at = text.find(character, at + 1)
    return offsets


def _replace_at(text: str, places: list[int], private: str) -> str:
    starts = [0, *(at + 1 for at in places)]
    ends = [*places, len(text)]
    return private.join(text[a:b] for a, b in zip(starts, ends, strict=True))


def _join(match: re.Match[str]) -> str:
    return bytes.fromhex(match[1] + match[2]).decode("utf-16-be")


# The properties of a scalar (anchor, tag), with the white space and comments after them.
_PROPERTIES = lazy_pattern(r"(?:[&!][^ \t\r\n]*+(?:[ \t\r\n]|(?<=[ \t\r\n])#[^\r\n]*+)*+)*+")
_INNER_BOM = lazy_pattern(r"(?:^|(?<=[\r\n]))\ufeff")
_NAME_ENDS = frozenset(" \t\r\n,[]{}")
_COLON_OF_TEXT = lazy_pattern(r"[ \t\r\n]*:(?=[^ \t\r\n,\[\]{}])")
_ALONE = frozenset(("?,", "?]", "?}"))
_QUOTES = frozenset("\"'")
# The value of a block scalar begins like this if it is empty, or if its first line is.
_NO_FIRST_LINE = frozenset(("", "\n"))
#: Message and help of problems that libyaml itself reports in other places.
TIGHT_COMMENT = (
    "a comment needs a space before its `#`",
    "write ` #`; if it is part of the text, quote the whole value",
)
DEEP_EMPTY_LINE = (
    "an empty line above has more spaces than the first line of this block scalar",
    "remove the spaces from the empty line",
)
_DIRECTIVE = lazy_pattern(r"%YAML[ \t]+[0-9.]+[ \t]*(?:[ \t]#.*)?")


def check_lines(text: str) -> None:
    """Refuse a byte order mark at the start of a line, which libyaml ignores; many directives."""
    if text.count("\n%") > MAX_DIRECTIVES:
        message = f"the document has more than {MAX_DIRECTIVES:,} directives"
        raise ParseError(limit_fault(message, Span.point()))
    match = _INNER_BOM.search(text) if "\ufeff" in text else None
    if match:
        message = "a byte order mark (U+FEFF) inside the text"
        raise _fault(text, match.start(), message, advice="remove this invisible character")


def check_version(event: Event, text: str) -> None:
    """Refuse a `%YAML` directive with another version than 1.2, or with text after the version."""
    if event.version != (1, 2):
        raise ParseError(unsupported(event, "a `%YAML 1.1` directive", "remove the directive"))
    start = text.index("%YAML")
    line = LINE_END.split(text[start:], maxsplit=1)[0]
    directive = _DIRECTIVE.match(line)
    if directive and directive.end() < len(line):
        raise _fault(text, start + directive.end(), *TIGHT_COMMENT)


def check_name(event: Event, text: str) -> None:
    """Refuse the name of an anchor or alias that does not end where libyaml ends it."""
    kind = event.__class__
    if kind is yaml.AliasEvent:
        end = event.end_mark.index
    else:
        name = f"&{event.anchor}"
        end = text.index(name, event.start_mark.index) + len(name)
    if end >= len(text) or text[end] in _NAME_ENDS:
        return
    if kind is yaml.AliasEvent and text[end] == ":":
        message = f"the name of the alias `*{event.anchor}` continues with `:`"
        raise _fault(text, end, message, advice="add a space before the `:`, or quote the text")
    message = f"`{text[end]}` is not supported in the name of an anchor"
    advice = "use letters, digits, `-` and `_`; quote the value if it is text"
    raise _fault(text, end, message, advice=advice, code="source/unsupported")


def check_comment(event: Event, text: str) -> None:
    """Refuse a value that begins with `#`: a comment without a space before it."""
    at = event.start_mark.index
    if not event.style and text[at : at + 1] == "#":
        raise _fault(text, at, *TIGHT_COMMENT)


def check_dash(event: Event, text: str) -> None:
    """Refuse a single `-` inside brackets, unless it is a key."""
    end = event.end_mark.index
    if not event.style and text[end : end + 1] != ":":
        message = "a `-` alone is not text"
        advice = 'items with `- ` cannot be inside brackets; quote it if it is text: "-"'
        raise _fault(text, end - 1, message, advice=advice)


def check_key(event: Event, text: str) -> None:
    """Refuse a single `-` or `?` as a key, and a value that begins with the `:` after a key."""
    kind = event.__class__
    if kind is yaml.ScalarEvent:
        if event.value == "-":
            check_dash(event, text)
            return
        if event.style:
            return
    end = event.end_mark.index
    if text[end - 1 : end + 1] in _ALONE:
        advice = 'quote it if it is text: "?"'
        raise _fault(text, end - 1, "a `?` alone is not text", advice=advice)
    colon = _COLON_OF_TEXT.match(text, end)
    if colon:
        message = "a `:` without a space after it begins a text"
        advice = "add a space after it, or quote the text"
        raise _fault(text, colon.end() - 1, message, advice=advice)


class Indentation:
    """Refuses lines that are not indented more than the block that contains them."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._patterns: dict[tuple[int, str], re.Pattern[str]] = {}
        self._block: Event | None = None
        self._column, self._indented = -1, ""

    def check_text(self, event: Event, block: Event | None) -> None:
        """Check a quoted scalar of several lines, or a block scalar.

        `block` is the start event of the enclosing block.
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
            or event.value[:1] in _NO_FIRST_LINE
            or event.anchor is not None
            or event.tag is not None
        ):
            self._check_block(event, self._column)

    def check_brackets(self, start: Event, end: Event, block: Event | None) -> None:
        """Check a flow collection of several lines.

        Comments and closing brackets need no indentation: they are unambiguous.
        """
        if block is not self._block:
            self._enter(block)
        if self._column >= 0:
            self._check_part(start.end_mark, end.end_mark, "]}#")

    def _enter(self, block: Event | None) -> None:
        """Store the column, from 0, of the keys or dashes of a block; -1 outside of any block."""
        self._block, self._column = block, -1
        if block is not None:
            mark = block.end_mark
            # If a list is not indented below its key, its first dash is part of the event.
            is_list = isinstance(block, yaml.SequenceStartEvent)
            self._column = mark.column - (is_list and not self._text.startswith("-", mark.index))
        self._indented = "\n" + " " * (self._column + 1)

    def _check_part(self, start: Any, end: Any, exempt: str) -> None:
        """Check that all lines after the first are indented or begin with an `exempt` character."""
        column, key = self._column, (self._column, exempt)
        if key not in self._patterns:
            no_content = rf"[ \t]*[\r\n{re.escape(exempt)}]" if exempt else r" *[\r\n]"
            less = rf"[\r\n](?! {{{column + 1}}}|{no_content})"
            self._patterns[key] = re.compile(less)
        match = self._patterns[key].search(self._text, start.index, end.index)
        # The end mark of a pair in a list may be on the line of the next item.
        if match is None or match.end() >= end.index:
            return
        at = match.end()
        while self._text[at] == " ":
            at += 1
        if self._text[at] == "\t":
            raise _fault(self._text, at, "a tab cannot indent", advice="indent with spaces")
        if exempt:
            advice = (
                f"indent it to column {column + 2} or more; is a closing bracket missing above?"
            )
            message = "the text in brackets continues here and is not indented"
            raise _fault(self._text, at, message, advice=advice)
        quote = self._text[end.index - 1]
        line = len(split_lines(self._text[:at]))
        message = (
            f"the quote that opens here ends on line {end.line + 1}; line {line} is not indented"
        )
        advice = f"close it where the text ends: {quote}; indent the lines after the first"
        raise _fault(self._text, self._text.index(quote, start.index), message, advice=advice)

    def _check_block(self, event: Event, column: int) -> None:
        text, mark = self._text, event.start_mark
        header, header_column = mark.index, mark.column
        if event.anchor is not None or event.tag is not None:
            properties = _PROPERTIES.match(text, header)
            header = properties.end() if properties else header
            header_column = len(split_lines(text[:header])[-1])
        if header_column <= column:
            message = "a block scalar begins here and is not indented"
            raise _fault(
                text,
                header,
                message,
                advice=f"write the `{text[header]}` after the key or the dash",
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
    message = f"not YAML: {message}" if code == "source/syntax" else message
    span = Span(len(lines), len(lines[-1]) + 1, len(lines), len(lines[-1]) + 2)
    return ParseError(SourceProblem(code, message, span, advice))
