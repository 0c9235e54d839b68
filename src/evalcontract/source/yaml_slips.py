"""Slips of the hand that break YAML, told by the lines where the parser stumbled over them.

The parser says what it expected, and often a line too late. What the author did is to be seen in
the text: a space that is missing behind a colon, a key that stands in no column of its siblings.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalcontract.model.span import Span
from evalcontract.source.yaml_text import quoted

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST = 60
_KEY = re.compile(
    r"""(?P<lead>\s*(?:-\s+)*)(?P<key>"[^"]*"|'[^']*'|[^\s#"'\[\]{}][^#]*?):(?=\s|$)"""
)
_DASH = re.compile(r"(?P<lead>\s*)-\s")
_CONFLICT = re.compile(r"(?:<{7}|>{7}|\|{7}) |={7}$")


@dataclass(frozen=True, slots=True)
class Slip:
    """What was done, where, and what to type instead."""

    message: str
    span: Span
    help: str


@dataclass(frozen=True, slots=True)
class Stumble:
    """Where the parser stopped: `line` and `column` from 0; `start` is where the part began."""

    said: str
    lines: list[str]
    line: int
    column: int
    start: tuple[int, int]

    def text(self, number: int) -> str:
        """Return a line; the empty text past the end."""
        return self.lines[number] if 0 <= number < len(self.lines) else ""


def find_slip(stumble: Stumble) -> Slip | None:
    """Return what the author did, where the lines show it."""
    conflict = _merge_conflict(stumble.lines)
    if conflict is not None:
        return conflict
    looks = [look for part, look in _LOOKS if part in stumble.said]
    return next((slip for look in looks if (slip := look(stumble))), None)


def _merge_conflict(lines: list[str]) -> Slip | None:
    for number, line in enumerate(lines):
        if line.startswith(("<<<<<<< ", ">>>>>>> ")) and _CONFLICT.match(line):
            advice = "decide between the two sides, and remove the three markers"
            return Slip("a conflict of a merge is not resolved", _span(number, 0, 7), advice)
    return None


def _span(line: int, column: int, length: int = 0) -> Span:
    return Span(line + 1, column + 1, line + 1, column + 1 + length)


def _shown(text: str) -> str:
    return text if len(text) <= _MOST else f"{text[: _MOST - 1]}…"


def _tab(stumble: Stumble) -> Slip | None:
    indent = re.match(r"\s*", stumble.text(stumble.line))
    if indent and "\t" in indent[0] and stumble.column <= indent.end():
        advice = "indent with spaces"
        return Slip("a tab cannot indent", _span(stumble.line, indent[0].index("\t"), 1), advice)
    return None


def _odd_space(stumble: Stumble) -> Slip | None:
    for number in (stumble.line, stumble.line - 1):
        indent = re.match(r"\s*", stumble.text(number))
        odd = next((c for c in indent[0] if c not in " \t"), None) if indent else None
        if indent and odd is not None:
            place = _span(number, indent[0].index(odd), 1)
            message = f"the character U+{ord(odd):04X} looks like a space, and cannot indent"
            return Slip(message, place, "write spaces instead")
    return None


def _no_token(stumble: Stumble) -> Slip | None:
    """A character such as `@` that no plain text may begin with."""
    rest = stumble.text(stumble.line)[stumble.column :]
    if not rest:
        return None
    first = "a backtick" if rest[0] == "`" else f"`{rest[0]}`"
    message = f"{first} cannot begin a text without quotes"
    place = _span(stumble.line, stumble.column, 1)
    return Slip(message, place, f"quote it: {_shown(_in_quotes(rest.rstrip()))}")


def _in_quotes(text: str) -> str:
    return f'"{text}"' if not {'"', "\\"} & set(text) else quoted(text, like="'")


def _no_colon(stumble: Stumble) -> Slip | None:
    """A line that begins like a key, and has no `: `."""
    number, column = stumble.start
    line = stumble.text(number)
    text = line[column:].rstrip()
    place = _span(number, column, len(text))
    tight = re.match(r"(?P<key>[A-Za-z_$][\w$.-]*):(?P<rest>\S.*)", text)
    above = stumble.text(number - 1).rstrip()
    if tight and not tight["rest"].startswith("//"):
        advice = f"write `{_shown(tight['key'] + ': ' + tight['rest'])}`"
        return Slip(f"a space is missing behind `{tight['key']}:`", place, advice)
    if text.startswith("//"):
        return Slip("a comment does not begin with `//`", place, "begin it with `# `")
    if re.search(r":\s*[|>][-+\d]*$", above):
        advice = "indent its lines by two spaces more than its key"
        return Slip("the text of a block is not indented", place, advice)
    if equals := re.match(r"(?P<key>[\w$.-]+)\s*=\s*(?P<rest>.*)", text):
        advice = f"write `{_shown(equals['key'] + ': ' + equals['rest'])}`"
        return Slip("a key without its `:`", place, advice)
    advice = "write `key: value`; a text of several lines needs quotes, or a block: |"
    return Slip("a key without its `:`", place, advice)


def _colon(stumble: Stumble) -> Slip | None:
    """A `: ` where no key can be: in a value, or because a line is indented wrongly."""
    line = stumble.text(stumble.line)
    key = _KEY.match(line)
    first = key is not None and key.end() - 1 >= stumble.column
    if key and first and " " not in key["key"].strip("\"'"):
        return _bare_word_above(stumble) or _odd_column(stumble, len(key["lead"]))
    value = re.match(r"(?P<head>\s*(?:-\s+)*[^\s:][^:]*:\s+)(?P<value>.+)", line)
    place = _span(stumble.line, stumble.column, 1)
    advice = "quote the value; one of several lines may be a block: |"
    if value and not first:
        advice = f"quote the value: {_shown(_in_quotes(value['value'].rstrip()))}"
        quote = value["value"][0]
        if quote in "“”„\u2018\u2019«":
            advice = f'`{quote}` is no quote in YAML; write " on both sides'
    return Slip("a `: ` inside of an unquoted value", place, advice)


def _bare_word_above(stumble: Stumble) -> Slip | None:
    """A key without its colon, with its value in the lines below."""
    number = _line_above(stumble.lines, stumble.line)
    above = stumble.text(number)
    if re.fullmatch(r"\s*(?:-\s+)?[\w$.-]+\s*", above):
        word = above.strip().removeprefix("- ").strip()
        place = _span(number, above.index(word), len(word))
        return Slip(f"`{word}` has no `:`", place, f"write `{word}:`")
    return None


def _line_above(lines: list[str], number: int) -> int:
    number -= 1
    while number > 0 and (not lines[number].strip() or lines[number].lstrip().startswith("#")):
        number -= 1
    return number


def _columns_above(stumble: Stumble, number: int) -> list[tuple[int, str]]:
    """Return the columns and names of the keys above a line, the nearest first."""
    found = []
    for at in range(number - 1, max(number - 200, -1), -1):
        key = _KEY.match(stumble.lines[at])
        if key and not stumble.lines[at].lstrip().startswith("#"):
            found.append((len(key["lead"]), key["key"].strip("\"'")))
            if not key["lead"] and len(found) > 1:
                break
    return found


def _odd_column(stumble: Stumble, column: int) -> Slip | None:
    """A key in a column where none of its siblings stands."""
    number = stumble.line
    key = _KEY.match(stumble.text(number))
    above = _columns_above(stumble, number)
    if key is None or not above:
        return None
    before = above[0][0]
    if column > before and any(each == column for each, _ in above[1:]):
        # This one stands with its siblings; the one between them does not.
        number = _line_above(stumble.lines, number)
        key = _KEY.match(stumble.text(number)) or key
        return _aligned(number, key, (column, "the keys around it"))
    if column > before:
        return _aligned(stumble.line, key, (before, f"`{above[0][1]}` above it"))
    near = min(above, key=lambda each: abs(each[0] - column))
    return _aligned(number, key, (near[0], f"`{near[1]}`")) if near[0] != column else None


def _aligned(number: int, key: re.Match[str], sibling: tuple[int, str]) -> Slip:
    name, column = key["key"], len(key["lead"])
    message = f"`{_shown(name)}` stands in column {column + 1}, beside no other key"
    advice = f"move it to column {sibling[0] + 1}, where {sibling[1]} stand"
    if sibling[1].startswith("`"):
        advice += "s"
    return Slip(message, _span(number, column, len(name)), advice)


def _behind(stumble: Stumble) -> Slip | None:
    """Text behind a quote or a bracket that is closed."""
    line = stumble.text(stumble.line)
    before = line[: stumble.column].rstrip()
    if not before or before[-1] not in "\"']}":
        return None
    mark = before[-1]
    place = _span(stumble.line, stumble.column, 1)
    if mark in "]}":
        advice = f"remove what follows, or quote the whole value if the `{mark}` is text"
        return Slip(f"there is more behind the closing `{mark}`", place, advice)
    if before.count(mark) % 2:
        for number in range(stumble.line - 1, -1, -1):
            if stumble.lines[number].count(mark) % 2:
                at = stumble.lines[number].rindex(mark)
                message = f"the quote that opens here ends in line {stumble.line + 1}"
                return Slip(message, _span(number, at, 1), f"close it where the text ends: {mark}")
    inside = '\\"' if mark == '"' else "''"
    advice = f"quote the whole value; inside of {mark} … {mark} write {inside} for {mark}"
    return Slip(f"there is more behind the closing {mark}", place, advice)


def _place_of_dash(stumble: Stumble) -> Slip | None:
    """A `- ` in a column where no item of its list stands."""
    here = _DASH.match(stumble.text(stumble.line))
    if here is None:
        return None
    column = len(here["lead"])
    # The list that the parser is in, then those above it.
    numbers = [stumble.start[0], *range(stumble.line - 1, max(stumble.line - 200, -1), -1)]
    dashes = [_DASH.match(stumble.text(number)) for number in numbers]
    others = [len(each["lead"]) for each in dashes if each and len(each["lead"]) != column]
    if not others:
        return None
    there = min(others, key=lambda each: abs(each - column)) + 1
    message = f"this `- ` stands in column {column + 1}, and others of its list in {there}"
    return Slip(message, _span(stumble.line, column, 1), f"move it to column {there}")


def _dashes(stumble: Stumble) -> Slip | None:
    """A dash without its space, or two of them."""
    line = stumble.text(stumble.line)
    if tight := re.match(r"(\s*)-(?=[A-Za-z_\"'{\[])", line):
        advice = f"write `- {_shown(line.strip()[1:])}`"
        return Slip("a space is missing behind `-`", _span(stumble.line, len(tight[1]), 1), advice)
    number = _line_above(stumble.lines, stumble.line)
    if twice := re.match(r"(\s*)-\s+-\s", stumble.text(number)):
        place = _span(number, len(twice[1]), len(twice[0].strip()))
        return Slip("`- -` begins a list inside of a list", place, "write one `- `")
    return None


def _no_sibling(stumble: Stumble) -> Slip | None:
    """A key where an item of a list, or another key, was expected."""
    key = _KEY.match(stumble.text(stumble.line))
    return _odd_column(stumble, len(key["lead"])) if key else None


def _not_closed(stumble: Stumble) -> Slip | None:
    number, column = stumble.start
    mark = stumble.text(number)[column : column + 1]
    close = {"[": "]", "{": "}"}.get(mark)
    if close is None:
        return None
    if number == stumble.line:
        what = f"a `,` or the closing `{close}` is missing here"
        advice = "separate the parts with `, `; quote a text that has `,`, `:`, `[` or `{` in it"
        return Slip(what, _span(stumble.line, stumble.column, 1), advice)
    advice = f"close it with `{close}`"
    return Slip(f"the `{mark}` that opens here is not closed", _span(number, column, 1), advice)


_LOOKS: tuple[tuple[str, Callable[[Stumble], Slip | None]], ...] = (
    ("tab character", _tab),
    ("cannot start any token", _tab),
    ("cannot start any token", _no_token),
    ("mapping values are not allowed", _odd_space),
    ("could not find expected ':'", _odd_space),
    ("could not find expected ':'", _no_colon),
    ("mapping values are not allowed", _colon),
    ("did not find expected key", _behind),
    ("did not find expected key", _place_of_dash),
    ("did not find expected key", _no_sibling),
    ("did not find expected '-' indicator", _dashes),
    ("did not find expected '-' indicator", _no_sibling),
    ("did not find expected ','", _not_closed),
)
