"""The position where the YAML parser failed, and hints about the likely mistake."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evalcontract.model.diagnostic import Span
from evalcontract.model.startup import lazy_pattern
from evalcontract.source.yaml.events import DEEP_EMPTY_LINE

_MAX_SHOWN = 60
#: A line that begins with a key, with or without dashes before it.
KEY = lazy_pattern(
    r"""(?P<lead>\s*(?:-\s+)*)(?P<key>"[^"]*"|'[^']*'|[^\s#"'\[\]{}][^#]*?):(?=\s|$)"""
)
#: A line that begins with a list item.
DASH = lazy_pattern(r"(?P<lead>\s*)-\s")


@dataclass(frozen=True, slots=True)
class SyntaxHint:
    """A likely mistake of the author: what is wrong, its span, and what to type instead."""

    message: str
    span: Span
    help: str


@dataclass(frozen=True, slots=True)
class ParserFailure:
    """Where the parser failed: `line` and `column` from 0, and the `message` of libyaml.

    `lines` are those of the text; `start` is the line and column where the failed construct starts.
    """

    message: str
    lines: list[str]
    line: int
    column: int
    start: tuple[int, int]

    def text(self, number: int) -> str:
        """Return a line by its number, from 0; an empty one outside of the text."""
        return self.lines[number] if 0 <= number < len(self.lines) else ""


def span_at(line: int, column: int, length: int = 0) -> Span:
    """Return the span of a part of a line; `line` and `column` are from 0."""
    return Span(line + 1, column + 1, line + 1, column + 1 + length)


def shown(text: str) -> str:
    """Return a text, truncated if it is long."""
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 1]}…"


def line_above(lines: list[str], number: int) -> int:
    """Return the number of the nearest line above that is not blank and not a comment."""
    number -= 1
    while number > 0 and (not lines[number].strip() or lines[number].lstrip().startswith("#")):
        number -= 1
    return number


#: Number of lines above that are searched for siblings.
MAX_LINES_ABOVE = 200
_TIGHT = lazy_pattern(r"\s*-\s+(?P<key>[A-Za-z_$][\w$.-]*):(?!//)(?P<rest>[^\s#][^#]*?)\s*(?:#|$)")


def bare_word_above(failure: ParserFailure) -> SyntaxHint | None:
    """Detect a key without a colon that has its value on the lines below."""
    number = line_above(failure.lines, failure.line)
    above = failure.text(number)
    if re.fullmatch(r"\s*(?:-\s+)?[\w$.-]+\s*", above):
        word = above.strip().removeprefix("- ").strip()
        place = span_at(number, above.index(word), len(word))
        return SyntaxHint(f"`{word}` has no `:`", place, f"write `{word}:`")
    return None


def tight_above(failure: ParserFailure) -> SyntaxHint | None:
    """Detect a missing space after the colon of the first key of a list item."""
    number = line_above(failure.lines, failure.line)
    item = _TIGHT.match(failure.text(number))
    if item is None:
        return None
    advice = f"write `{shown(item['key'] + ': ' + item['rest'])}`"
    place = span_at(number, item.start("key"), len(item["key"]) + 1)
    return SyntaxHint(f"a space is missing after `{item['key']}:`", place, advice)


def value_above(failure: ParserFailure) -> SyntaxHint | None:
    """Detect a block below a key that already has a value on its line."""
    number = line_above(failure.lines, failure.line)
    above = KEY.match(failure.text(number))
    here = failure.text(failure.line)
    column = len(here) - len(here.lstrip())
    if above is None or not failure.text(number)[above.end() :].strip():
        return None
    below = failure.text(failure.line + 1)
    is_block = DASH.match(here) or KEY.match(below)
    depth = len(below) - len(below.lstrip())
    if column <= len(above["lead"]) or not is_block or (not DASH.match(here) and depth != column):
        return None
    name = above["key"]
    message = f"`{shown(name)}` has a value on its line and a block below it"
    advice = "remove one of them, or give the block its own key"
    place = span_at(number, len(above["lead"]), len(name))
    return SyntaxHint(message, place, advice)


def _columns_above(failure: ParserFailure, number: int) -> list[tuple[int, str]]:
    """Return the columns and names of the keys above a line, the nearest first."""
    columns: list[tuple[int, str]] = []
    for at in range(number - 1, max(number - MAX_LINES_ABOVE, -1), -1):
        key = KEY.match(failure.lines[at])
        # A key with spaces is more likely a line of text.
        if key and " " not in key["key"]:
            columns.append((len(key["lead"]), key["key"].strip("\"'")))
            if not key["lead"] and len(columns) > 1:
                break
    return columns


def odd_column(failure: ParserFailure, column: int) -> SyntaxHint | None:
    """Detect a key that is not in the column of its siblings."""
    number = failure.line
    key = KEY.match(failure.text(number))
    above = _columns_above(failure, number)
    if key is None or not above:
        return None
    before = above[0][0]
    if column > before and any(sibling == column for sibling, _ in above[1:]):
        # This key is aligned with its siblings; the one between them is not.
        number = line_above(failure.lines, number)
        key = KEY.match(failure.text(number)) or key
        return _aligned(number, key, (column, "the keys around it"))
    if column > before:
        return _aligned(failure.line, key, (before, f"`{above[0][1]}` above it"))
    outer = [sibling for sibling in above if sibling[0] < column]
    if outer and _opens_block(failure, key):
        above = outer  # the next keys are below this one, so its own column is wrong
    nearest = min(above, key=lambda sibling: abs(sibling[0] - column))
    if nearest[0] == column:
        return None
    distance = abs(nearest[0] - column)
    tied = [sibling for sibling in above if column - sibling[0] == distance]
    others = f", or to column {tied[0][0] + 1}, like `{tied[0][1]}`" if tied else ""
    if tied and tied[0][0] == nearest[0]:
        others = ""
    return _aligned(number, key, (nearest[0], f"`{nearest[1]}`{others}"))


def _opens_block(failure: ParserFailure, key: re.Match[str]) -> bool:
    """Whether a key has no value on its line, and the next line has a key in the same column."""
    rest = failure.text(failure.line)[key.end() :].strip()
    below = KEY.match(failure.text(failure.line + 1))
    return (not rest or rest.startswith("#")) and below is not None and below["lead"] == key["lead"]


def _aligned(number: int, key: re.Match[str], sibling: tuple[int, str]) -> SyntaxHint:
    name, column = key["key"], len(key["lead"])
    message = f"inconsistent indentation: `{shown(name)}` at column {column + 1}"
    advice = f"move it to column {sibling[0] + 1}, like {sibling[1]}"
    return SyntaxHint(message, span_at(number, column, len(name)), advice)


def place_of_dash(failure: ParserFailure) -> SyntaxHint | None:
    """Detect a `- ` that is not in the column of the other items of its list."""
    here = DASH.match(failure.text(failure.line))
    if here is None:
        return None
    if hint := value_above(failure):
        return hint
    column = len(here["lead"])
    # The line where the list of the parser starts, then the lines above.
    numbers = [
        failure.start[0],
        *range(failure.line - 1, max(failure.line - MAX_LINES_ABOVE, -1), -1),
    ]
    dashes = [DASH.match(failure.text(number)) for number in numbers]
    others = [len(dash["lead"]) for dash in dashes if dash and len(dash["lead"]) != column]
    if not others:
        return None
    expected = min(others, key=lambda other: abs(other - column)) + 1
    message = (
        f"inconsistent indentation: `- ` at column {column + 1}, "
        f"other items of the list at column {expected}"
    )
    return SyntaxHint(message, span_at(failure.line, column, 1), f"move it to column {expected}")


def dash_alone_or_twice(failure: ParserFailure) -> SyntaxHint | None:
    """Detect a dash without a space after it, or two dashes."""
    line = failure.text(failure.line)
    if tight := re.match(r"(\s*)-(?=[A-Za-z_\"'{\[])", line):
        advice = f"write `- {shown(line.strip()[1:])}`"
        return SyntaxHint(
            "a space is missing after `-`", span_at(failure.line, len(tight[1]), 1), advice
        )
    number = line_above(failure.lines, failure.line)
    if hint := tight_above(failure):
        return hint
    if dashes := re.match(r"(\s*)-\s+-\s", failure.text(number)):
        place = span_at(number, len(dashes[1]), len(dashes[0].strip()))
        return SyntaxHint("`- -` starts a list inside a list", place, "write one `- `")
    return None


def no_sibling(failure: ParserFailure) -> SyntaxHint | None:
    """Detect a key where a list item, or a key in another column, was expected."""
    key = KEY.match(failure.text(failure.line))
    return (value_above(failure) or odd_column(failure, len(key["lead"]))) if key else None


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
