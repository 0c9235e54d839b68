"""Slips of the hand that break YAML, told by the lines where the parser stumbled over them.

The parser says what it expected, and often a line too late. What the author did is to be seen in
the text: a space that is missing behind a colon, a key that stands in no column of its siblings.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evalcontract.source.parser_failure import (
    KEY,
    ParserFailure,
    SyntaxHint,
    line_above,
    shown,
    span_at,
)
from evalcontract.source.yaml_columns import (
    bare_word_above,
    dash_alone_or_twice,
    no_sibling,
    odd_column,
    place_of_dash,
    tight_above,
    value_above,
)
from evalcontract.source.yaml_strict import TIGHT_COMMENT
from evalcontract.source.yaml_tabs import deep_empty_line, misplaced_tab
from evalcontract.source.yaml_text import quoted

if TYPE_CHECKING:
    from collections.abc import Callable

_CONFLICT = re.compile(r"(?:<{7}|>{7}|\|{7}) |={7}$")


def find_hint(stumble: ParserFailure) -> SyntaxHint | None:
    """Return what the author did, where the lines show it."""
    conflict = _merge_conflict(stumble.lines)
    if conflict is not None:
        return conflict
    if tight := _tight_comment(stumble):
        return tight
    looks = [look for part, look in _LOOKS if part in stumble.said]
    return next((slip for look in looks if (slip := look(stumble))), None)


def _tight_comment(stumble: ParserFailure) -> SyntaxHint | None:
    """A `#` right behind a quote or a bracket."""
    around = stumble.text(stumble.line)[max(stumble.column - 1, 0) : stumble.column + 1]
    if not stumble.column or not around.endswith("#") or around[0].isspace():
        return None
    message, advice = TIGHT_COMMENT
    return SyntaxHint(message, span_at(stumble.line, stumble.column, 1), advice)


def _merge_conflict(lines: list[str]) -> SyntaxHint | None:
    for number, line in enumerate(lines):
        if line.startswith(("<<<<<<< ", ">>>>>>> ")) and _CONFLICT.match(line):
            advice = "decide between the two sides, and remove the three markers"
            return SyntaxHint(
                "a conflict of a merge is not resolved", span_at(number, 0, 7), advice
            )
    return None


def _odd_space(stumble: ParserFailure) -> SyntaxHint | None:
    for number in (stumble.line, stumble.line - 1):
        indent = re.match(r"\s*", stumble.text(number))
        odd = next((c for c in indent[0] if c not in " \t"), None) if indent else None
        if indent and odd is not None:
            place = span_at(number, indent[0].index(odd), 1)
            message = f"the character U+{ord(odd):04X} looks like a space, and cannot indent"
            return SyntaxHint(message, place, "write spaces instead")
    return None


def _no_token(stumble: ParserFailure) -> SyntaxHint | None:
    """A character such as `@` that no plain text may begin with."""
    rest = stumble.text(stumble.line)[stumble.column :]
    if not rest:
        return None
    first = "a backtick" if rest[0] == "`" else f"`{rest[0]}`"
    message = f"{first} cannot begin a text without quotes"
    place = span_at(stumble.line, stumble.column, 1)
    return SyntaxHint(message, place, f"quote it: {shown(_in_quotes(rest.rstrip()))}")


def _in_quotes(text: str) -> str:
    return f'"{text}"' if not {'"', "\\"} & set(text) else quoted(text, like="'")


def _no_colon(stumble: ParserFailure) -> SyntaxHint | None:
    """A line that begins like a key, and has no `: `."""
    number, column = stumble.start
    line = stumble.text(number)
    text = line[column:].rstrip()
    place = span_at(number, column, len(text))
    tight = re.match(r"(?P<key>[A-Za-z_$][\w$.-]*):(?P<rest>\S.*)", text)
    above = stumble.text(number - 1).rstrip()
    if tight and not tight["rest"].startswith("//"):
        advice = f"write `{shown(tight['key'] + ': ' + tight['rest'])}`"
        return SyntaxHint(f"a space is missing behind `{tight['key']}:`", place, advice)
    if text.startswith("//"):
        return SyntaxHint("a comment does not begin with `//`", place, "begin it with `# `")
    if re.search(r":\s*[|>][-+\d]*$", above):
        advice = "indent its lines by two spaces more than its key"
        return SyntaxHint("the text of a block is not indented", place, advice)
    if equals := re.match(r"(?P<key>[\w$.-]+)\s*=\s*(?P<rest>.*)", text):
        advice = f"write `{shown(equals['key'] + ': ' + equals['rest'])}`"
        return SyntaxHint("a key without its `:`", place, advice)
    advice = "write `key: value`; a text of several lines needs quotes, or a block: |"
    return SyntaxHint("a key without its `:`", place, advice)


def _colon(stumble: ParserFailure) -> SyntaxHint | None:
    """A `: ` where no key can be: in a value, or because a line is indented wrongly."""
    line = stumble.text(stumble.line)
    key = KEY.match(line)
    first = key is not None and key.end() - 1 >= stumble.column
    if key and first and " " not in key["key"].strip("\"'"):
        looks = bare_word_above(stumble) or tight_above(stumble) or value_above(stumble)
        return looks or odd_column(stumble, len(key["lead"]))
    value = re.match(r"(?P<head>\s*(?:-\s+)*[^\s:][^:]*:\s+)(?P<value>.+)", line)
    place = span_at(stumble.line, stumble.column, 1)
    advice = "quote the value; one of several lines may be a block: |"
    if value and not first:
        advice = f"quote the value: {shown(_in_quotes(value['value'].rstrip()))}"
        quote = value["value"][0]
        if quote in "“”„\u2018\u2019«":
            advice = f'`{quote}` is no quote in YAML; write " on both sides'
    return SyntaxHint("a `: ` inside of an unquoted value", place, advice)


def _behind(stumble: ParserFailure) -> SyntaxHint | None:
    """Text behind a quote or a bracket that is closed."""
    line = stumble.text(stumble.line)
    before = line[: stumble.column].rstrip()
    if not before or before[-1] not in "\"']}":
        return None
    mark = before[-1]
    place = span_at(stumble.line, stumble.column, 1)
    if mark in "]}":
        advice = f"remove what follows, or quote the whole value if the `{mark}` is text"
        return SyntaxHint(f"there is more behind the closing `{mark}`", place, advice)
    if before.count(mark) % 2:
        for number in range(stumble.line - 1, -1, -1):
            if stumble.lines[number].count(mark) % 2:
                at = stumble.lines[number].rindex(mark)
                message = f"the quote that opens here ends in line {stumble.line + 1}"
                return SyntaxHint(
                    message, span_at(number, at, 1), f"close it where the text ends: {mark}"
                )
    inside = '\\"' if mark == '"' else "''"
    advice = f"quote the whole value; inside of {mark} … {mark} write {inside} for {mark}"
    return SyntaxHint(f"there is more behind the closing {mark}", place, advice)


def _not_closed(stumble: ParserFailure) -> SyntaxHint | None:
    number, column = stumble.start
    mark = stumble.text(number)[column : column + 1]
    close = {"[": "]", "{": "}"}.get(mark)
    if close is None:
        return None
    if number == stumble.line:
        what = f"a `,` or the closing `{close}` is missing here"
        advice = "separate the parts with `, `; quote a text that has `,`, `:`, `[` or `{` in it"
        return SyntaxHint(what, span_at(stumble.line, stumble.column, 1), advice)
    advice = f"close it with `{close}`"
    return SyntaxHint(
        f"the `{mark}` that opens here is not closed", span_at(number, column, 1), advice
    )


def _key_over_lines(stumble: ParserFailure) -> SyntaxHint | None:
    """A `:` inside of brackets whose key is read together with the line above."""
    line, at = stumble.text(stumble.line), stumble.column
    if stumble.start[0] == stumble.line or line[at : at + 1] != ":":
        return None
    if not line[:at].strip():
        advice = "write the key and its `:` in one line"
        message = "the `:` does not stand in the line where its key begins"
        return SyntaxHint(message, span_at(stumble.line, at, 1), advice)
    begun = stumble.text(stumble.start[0])
    if len(line) - len(line.lstrip()) <= len(begun) - len(begun.lstrip()):
        return None  # nothing was meant to go on here
    number = line_above(stumble.lines, stumble.line)
    place = span_at(number, len(stumble.text(number).rstrip()))
    message = "a `,` is missing at the end of this line, or a key goes over two lines"
    return SyntaxHint(message, place, "write `,` behind the value; a key stands in one line")


def _in_brackets(stumble: ParserFailure) -> SyntaxHint | None:
    """A `-` or a `:` inside of brackets that begins a text, or an item."""
    line, at = stumble.text(stumble.line), stumble.column
    place = span_at(stumble.line, at, 1)
    if line[at : at + 1] == "-":
        advice = "separate the items with `, `; a list in lines stands outside of brackets"
        return SyntaxHint("a `-` inside of brackets", place, advice)
    if line[at : at + 1] == ":":
        advice = "write a space behind it, or quote the text that begins with it"
        return SyntaxHint("a `:` inside of brackets with no key before it", place, advice)
    return None


def _tight_colon(stumble: ParserFailure) -> SyntaxHint | None:
    advice = "write a space behind it, or quote the text"
    place = span_at(stumble.line, stumble.column, 1)
    return SyntaxHint("a space is missing behind the `:`", place, advice)


def _escape(stumble: ParserFailure) -> SyntaxHint | None:
    """An escape in double quotes that names no character."""
    start = max(stumble.column - len(r"\u"), 0)
    found = re.match(r"\\(?:u(.{4})|U(.{8}))", stumble.text(stumble.line)[start:])
    if found is None:
        return None
    place = span_at(stumble.line, start, found.end())
    if 0xD800 <= int(found[1] or found[2], 16) <= 0xDFFF:  # noqa: PLR2004 - the surrogates
        message = "a lone surrogate is not a character"
        return SyntaxHint(message, place, "write the character itself")
    return SyntaxHint("there is no character of this number", place, "write the character itself")


def _more_behind(stumble: ParserFailure) -> SyntaxHint | None:
    """Text behind the end of the document, which no `...` ends."""
    place = span_at(stumble.line, stumble.column, 1)
    if re.match(r"---[ \t]+(?:[&!]\S*[ \t]+)*[|>]", stumble.text(stumble.line - 1)):
        return SyntaxHint(
            "the text of a block is not indented", place, "indent its lines by two spaces"
        )
    if all(line.startswith("%") for line in stumble.lines[: stumble.line] if line.strip()):
        advice = "write `---` and a document behind it, or remove it"
        return SyntaxHint("a directive stands alone", place, advice)
    if any(line.startswith("...") for line in stumble.lines[: stumble.line]):
        return None
    advice = "keep one value; if all of it is text, quote it"
    return SyntaxHint("the document ends before this, and there is more", place, advice)


_LOOKS: tuple[tuple[str, Callable[[ParserFailure], SyntaxHint | None]], ...] = (
    ("did not find expected key", deep_empty_line),
    ("could not find expected ':'", deep_empty_line),
    ("did not find expected '-' indicator", deep_empty_line),
    ("did not find expected ','", _key_over_lines),
    ("did not find expected node content", _in_brackets),
    ("found unexpected ':'", _tight_colon),
    ("invalid Unicode character escape", _escape),
    ("<document start>", _more_behind),
    ("tab character", misplaced_tab),
    ("cannot start any token", misplaced_tab),
    ("cannot start any token", _no_token),
    ("mapping values are not allowed", _odd_space),
    ("could not find expected ':'", _odd_space),
    ("could not find expected ':'", _no_colon),
    ("mapping values are not allowed", _colon),
    ("did not find expected key", _behind),
    ("did not find expected key", place_of_dash),
    ("did not find expected key", no_sibling),
    ("did not find expected '-' indicator", dash_alone_or_twice),
    ("did not find expected '-' indicator", no_sibling),
    ("did not find expected ','", _not_closed),
)
