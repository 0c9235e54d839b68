"""Slips in the columns of YAML: a key or a dash that stands in no column of its siblings."""

from __future__ import annotations

import re

from evalcontract.source.parser_failure import (
    DASH,
    KEY,
    ParserFailure,
    SyntaxHint,
    line_above,
    shown,
    span_at,
)

# As far as siblings are looked for.
_LINES = 200
_TIGHT = re.compile(r"\s*-\s+(?P<key>[A-Za-z_$][\w$.-]*):(?!//)(?P<rest>[^\s#][^#]*?)\s*(?:#|$)")


def bare_word_above(stumble: ParserFailure) -> SyntaxHint | None:
    """A key without its colon, with its value in the lines below."""
    number = line_above(stumble.lines, stumble.line)
    above = stumble.text(number)
    if re.fullmatch(r"\s*(?:-\s+)?[\w$.-]+\s*", above):
        word = above.strip().removeprefix("- ").strip()
        place = span_at(number, above.index(word), len(word))
        return SyntaxHint(f"`{word}` has no `:`", place, f"write `{word}:`")
    return None


def tight_above(stumble: ParserFailure) -> SyntaxHint | None:
    """The first key of an item, without the space behind its colon."""
    number = line_above(stumble.lines, stumble.line)
    found = _TIGHT.match(stumble.text(number))
    if found is None:
        return None
    advice = f"write `{shown(found['key'] + ': ' + found['rest'])}`"
    place = span_at(number, found.start("key"), len(found["key"]) + 1)
    return SyntaxHint(f"a space is missing behind `{found['key']}:`", place, advice)


def value_above(stumble: ParserFailure) -> SyntaxHint | None:
    """A block below a key that has a value in its own line."""
    number = line_above(stumble.lines, stumble.line)
    above = KEY.match(stumble.text(number))
    here = stumble.text(stumble.line)
    column = len(here) - len(here.lstrip())
    if above is None or not stumble.text(number)[above.end() :].strip():
        return None
    below = stumble.text(stumble.line + 1)
    is_block = DASH.match(here) or KEY.match(below)
    depth = len(below) - len(below.lstrip())
    if column <= len(above["lead"]) or not is_block or (not DASH.match(here) and depth != column):
        return None
    name = above["key"]
    message = f"`{shown(name)}` has a value in its line, and a block below it"
    advice = "remove one of the two, or give the block a key of its own"
    place = span_at(number, len(above["lead"]), len(name))
    return SyntaxHint(message, place, advice)


def _columns_above(stumble: ParserFailure, number: int) -> list[tuple[int, str]]:
    """Return the columns and names of the keys above a line, the nearest first."""
    found = []
    for at in range(number - 1, max(number - _LINES, -1), -1):
        key = KEY.match(stumble.lines[at])
        # What has spaces in it is hardly a key, but a text of several lines.
        if key and " " not in key["key"]:
            found.append((len(key["lead"]), key["key"].strip("\"'")))
            if not key["lead"] and len(found) > 1:
                break
    return found


def odd_column(stumble: ParserFailure, column: int) -> SyntaxHint | None:
    """A key in a column where none of its siblings stands."""
    number = stumble.line
    key = KEY.match(stumble.text(number))
    above = _columns_above(stumble, number)
    if key is None or not above:
        return None
    before = above[0][0]
    if column > before and any(each == column for each, _ in above[1:]):
        # This one stands with its siblings; the one between them does not.
        number = line_above(stumble.lines, number)
        key = KEY.match(stumble.text(number)) or key
        return _aligned(number, key, (column, "the keys around it"))
    if column > before:
        return _aligned(stumble.line, key, (before, f"`{above[0][1]}` above it"))
    outer = [each for each in above if each[0] < column]
    if outer and _opens_block(stumble, key):
        above = outer  # what follows stands below this key, and so beside no key of this column
    near = min(above, key=lambda each: abs(each[0] - column))
    return _aligned(number, key, (near[0], f"`{near[1]}`")) if near[0] != column else None


def _opens_block(stumble: ParserFailure, key: re.Match[str]) -> bool:
    """Whether a key has no value in its line, and the next line is a key of the same column."""
    rest = stumble.text(stumble.line)[key.end() :].strip()
    below = KEY.match(stumble.text(stumble.line + 1))
    return (not rest or rest.startswith("#")) and below is not None and below["lead"] == key["lead"]


def _aligned(number: int, key: re.Match[str], sibling: tuple[int, str]) -> SyntaxHint:
    name, column = key["key"], len(key["lead"])
    message = f"inconsistent indentation: `{shown(name)}` at column {column + 1}"
    advice = f"move it to column {sibling[0] + 1}, where {sibling[1]} stand"
    if sibling[1].startswith("`"):
        advice += "s"
    return SyntaxHint(message, span_at(number, column, len(name)), advice)


def place_of_dash(stumble: ParserFailure) -> SyntaxHint | None:
    """A `- ` in a column where no item of its list stands."""
    here = DASH.match(stumble.text(stumble.line))
    if here is None:
        return None
    if slip := value_above(stumble):
        return slip
    column = len(here["lead"])
    # The list that the parser is in, then those above it.
    numbers = [stumble.start[0], *range(stumble.line - 1, max(stumble.line - _LINES, -1), -1)]
    dashes = [DASH.match(stumble.text(number)) for number in numbers]
    others = [len(each["lead"]) for each in dashes if each and len(each["lead"]) != column]
    if not others:
        return None
    there = min(others, key=lambda each: abs(each - column)) + 1
    message = f"this `- ` stands in column {column + 1}, and others of its list in {there}"
    return SyntaxHint(message, span_at(stumble.line, column, 1), f"move it to column {there}")


def dash_alone_or_twice(stumble: ParserFailure) -> SyntaxHint | None:
    """A dash without its space, or two of them."""
    line = stumble.text(stumble.line)
    if tight := re.match(r"(\s*)-(?=[A-Za-z_\"'{\[])", line):
        advice = f"write `- {shown(line.strip()[1:])}`"
        return SyntaxHint(
            "a space is missing behind `-`", span_at(stumble.line, len(tight[1]), 1), advice
        )
    number = line_above(stumble.lines, stumble.line)
    if slip := tight_above(stumble):
        return slip
    if twice := re.match(r"(\s*)-\s+-\s", stumble.text(number)):
        place = span_at(number, len(twice[1]), len(twice[0].strip()))
        return SyntaxHint("`- -` begins a list inside of a list", place, "write one `- `")
    return None


def no_sibling(stumble: ParserFailure) -> SyntaxHint | None:
    """A key where an item of a list, or another key, was expected."""
    key = KEY.match(stumble.text(stumble.line))
    return (value_above(stumble) or odd_column(stumble, len(key["lead"]))) if key else None
