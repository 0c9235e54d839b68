"""Explain why a text is not YAML: the likely mistake in the lines around a parser failure.

The parser reports what it expected, often a line too late. The text shows the mistake itself: a
missing space after a colon, for example, or a key that is not aligned with its siblings.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import yaml

from evalcontract.model.diagnostic import Span
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import clipped
from evalcontract.source.faults import SourceProblem
from evalcontract.source.json import FENCE, FENCE_MARK
from evalcontract.source.text import clipped_span, split_lines
from evalcontract.source.yaml.events import DEEP_EMPTY_LINE, TIGHT_COMMENT
from evalcontract.source.yaml.writing import quoted

#: Number of lines above that are searched for siblings.
MAX_LINES_ABOVE = 200
# A line that begins with a key, with or without dashes before it, and one with a list item.
_KEY = lazy_pattern(
    r"""(?P<lead>\s*(?:-\s+)*)(?P<key>"[^"]*"|'[^']*'|[^\s#"'\[\]{}][^#]*?):(?=\s|$)"""
)
_DASH = lazy_pattern(r"(?P<lead>\s*)-\s")
_TIGHT = lazy_pattern(r"\s*-\s+(?P<key>[A-Za-z_$][\w$.-]*):(?!//)(?P<rest>[^\s#][^#]*?)\s*(?:#|$)")
_BLOCK_HEADER = lazy_pattern(r":\s*[|>][-+\d]*$")
_CONFLICT = lazy_pattern(r"(?:<{7}|>{7}) ")


class _Failure(NamedTuple):
    """Where the parser failed: `line` and `column` from 0, and the `message` of libyaml."""

    # `lines` are those of the text; `start` is the line and column where the failed construct
    # starts.

    message: str
    lines: list[str]
    line: int
    column: int
    start: tuple[int, int]

    def text(self, number: int) -> str:
        """Return a line by its number, from 0; an empty one outside of the text."""
        return self.lines[number] if 0 <= number < len(self.lines) else ""

    def above(self, number: int) -> int:
        """Return the number of the nearest line above that is not blank and not a comment."""
        number -= 1
        while number > 0 and self.lines[number].lstrip()[:1] in ("", "#"):
            number -= 1
        return number

    def hint(
        self,
        message: str,
        advice: str,
        *,
        line: int | None = None,
        columns: tuple[int, int] | None = None,
    ) -> SourceProblem:
        """Return the mistake in a range of columns of a line, both from 0; by default, here."""
        line = (self.line if line is None else line) + 1
        start, end = columns or (self.column, self.column + 1)
        span = Span(line, start + 1, line, end + 1)
        return SourceProblem("source/syntax", f"not YAML: {message}", span, advice)


def _fence(failure: _Failure) -> SourceProblem | None:
    """Detect the fence of a Markdown code block that surrounds the file."""
    above = failure.text(failure.above(failure.line))
    if not failure.text(failure.line).startswith(FENCE_MARK) or _BLOCK_HEADER.search(above):
        return None
    return failure.hint(*FENCE, columns=(0, len(FENCE_MARK)))


def _tight_comment(failure: _Failure) -> SourceProblem | None:
    """Detect a `#` directly after a quote or a bracket."""
    around = failure.text(failure.line)[max(failure.column - 1, 0) : failure.column + 1]
    if not failure.column or not around.endswith("#") or around[0].isspace():
        return None
    return failure.hint(*TIGHT_COMMENT)


def _merge_conflict(failure: _Failure) -> SourceProblem | None:
    for number, line in enumerate(failure.lines):
        if _CONFLICT.match(line):
            advice = "decide between the two sides, and remove the three markers"
            return failure.hint("unresolved merge conflict", advice, line=number, columns=(0, 7))
    return None


def _odd_space(failure: _Failure) -> SourceProblem | None:
    """Detect indentation with a character such as a no-break space."""
    for number in (failure.line, failure.line - 1):
        line = failure.text(number)
        at = len(line) - len(line.lstrip(" \t"))
        if line[at : at + 1].isspace():
            message = f"the character U+{ord(line[at]):04X} looks like a space but cannot indent"
            return failure.hint(message, "write spaces instead", line=number, columns=(at, at + 1))
    return None


def _no_token(failure: _Failure) -> SourceProblem | None:
    """Detect a character that cannot begin an unquoted value, such as `@`."""
    rest = failure.text(failure.line)[failure.column :]
    if not rest:
        return None
    first = "a backtick" if rest[0] == "`" else f"`{rest[0]}`"
    advice = f"quote it: {clipped(_in_quotes(rest.rstrip()))}"
    return failure.hint(f"{first} cannot begin an unquoted value", advice)


def _in_quotes(text: str) -> str:
    return f'"{text}"' if not {'"', "\\"} & set(text) else quoted(text, like="'")


def _no_colon(failure: _Failure) -> SourceProblem:
    """Detect a line that looks like a key but has no `: `."""
    number, column = failure.start
    text = failure.text(number)[column:].rstrip()
    tight = re.match(r"(?P<key>[A-Za-z_$][\w$.-]*):(?P<rest>\S.*)", text)
    message = "a key without its `:`"
    advice = "write `key: value`; text over several lines needs quotes or a block scalar: |"
    if tight and not tight["rest"].startswith("//"):
        message = f"a space is missing after `{tight['key']}:`"
        advice = f"write `{clipped(tight['key'] + ': ' + tight['rest'])}`"
    elif text.startswith("//"):
        message, advice = "a comment does not begin with `//`", "begin it with `# `"
    elif _BLOCK_HEADER.search(failure.text(number - 1).rstrip()):
        message = "the text of a block scalar is not indented"
        advice = "indent its lines by two spaces more than its key"
    elif equals := re.match(r"(?P<key>[\w$.-]+)\s*=\s*(?P<rest>.*)", text):
        advice = f"write `{clipped(equals['key'] + ': ' + equals['rest'])}`"
    return failure.hint(message, advice, line=number, columns=(column, column + len(text)))


def _colon(failure: _Failure) -> SourceProblem | None:
    """Detect a `: ` in an unquoted value, or a line with the wrong indentation."""
    line = failure.text(failure.line)
    key = _KEY.match(line)
    is_first = key is not None and key.end() - 1 >= failure.column
    if key and is_first and " " not in key["key"].strip("\"'"):
        hint = _bare_word_above(failure) or _tight_above(failure) or _value_above(failure)
        return hint or _odd_column(failure)
    value = re.match(r"(?P<head>\s*(?:-\s+)*[^\s:][^:]*:\s+)(?P<value>.+)", line)
    advice = "quote the value; use a block scalar for several lines: |"
    if value and not is_first:
        advice = f"quote the value: {clipped(_in_quotes(value['value'].rstrip()))}"
        quote = value["value"][0]
        if quote in "“”„\u2018\u2019«":
            advice = f'`{quote}` is not a quote in YAML; use " on both sides'
    return failure.hint("a `: ` inside an unquoted value", advice)


def _after_closing(failure: _Failure) -> SourceProblem | None:
    """Detect text after a closing quote or bracket."""
    before = failure.text(failure.line)[: failure.column].rstrip()
    if not before or before[-1] not in "\"']}":
        return None
    closing = before[-1]
    if closing in "]}":
        advice = f"remove what follows, or quote the whole value if the `{closing}` is text"
        return failure.hint(f"unexpected text after the closing `{closing}`", advice)
    if before.count(closing) % 2:
        for number in range(failure.line - 1, -1, -1):
            if failure.lines[number].count(closing) % 2:
                at = failure.lines[number].rindex(closing)
                message = f"the quote that opens here ends on line {failure.line + 1}"
                advice = f"close it where the text ends: {closing}"
                return failure.hint(message, advice, line=number, columns=(at, at + 1))
    escaped = '\\"' if closing == '"' else "''"
    advice = f"quote the whole value; inside {closing} … {closing} write {escaped} for {closing}"
    return failure.hint(f"unexpected text after the closing {closing}", advice)


def _not_closed(failure: _Failure) -> SourceProblem | None:
    """Detect a bracket that is not closed, or a missing comma in it."""
    number, column = failure.start
    opening = failure.text(number)[column : column + 1]
    close = {"[": "]", "{": "}"}.get(opening)
    if close is None:
        return None
    if number == failure.line:
        advice = "separate the items with `, `; quote text that contains `,`, `:`, `[` or `{`"
        return failure.hint(f"a `,` or the closing `{close}` is missing here", advice)
    message = f"the `{opening}` that opens here is not closed"
    advice = f"close it with `{close}`"
    return failure.hint(message, advice, line=number, columns=(column, column + 1))


def _key_over_lines(failure: _Failure) -> SourceProblem | None:
    """Detect a missing comma on the line above a `:` in brackets."""
    line, at = failure.text(failure.line), failure.column
    if failure.start[0] == failure.line or line[at : at + 1] != ":":
        return None
    if not line[:at].strip():
        advice = "write the key and its `:` on one line"
        return failure.hint("the `:` is not on the line where its key begins", advice)
    first = failure.text(failure.start[0])
    if len(line) - len(line.lstrip()) <= len(first) - len(first.lstrip()):
        return None  # not indented, so not meant as a part of the brackets
    number = failure.above(failure.line)
    end = len(failure.text(number).rstrip())
    message = "a `,` is missing at the end of this line, or a key spans two lines"
    advice = "add `,` after the value; a key must be on one line"
    return failure.hint(message, advice, line=number, columns=(end, end))


def _in_brackets(failure: _Failure) -> SourceProblem | None:
    """Detect a `-` or a `:` in brackets where a value is expected."""
    sign = failure.text(failure.line)[failure.column : failure.column + 1]
    if sign == "-":
        advice = "separate the items with `, `; items with `- ` cannot be inside brackets"
        return failure.hint("a `-` inside brackets", advice)
    if sign == ":":
        advice = "add a space after it, or quote the text that begins with it"
        return failure.hint("a `:` inside brackets without a key before it", advice)
    return None


def _tight_colon(failure: _Failure) -> SourceProblem:
    """Report a `:` without a space after it."""
    advice = "add a space after it, or quote the text"
    return failure.hint("a space is missing after the `:`", advice)


def _escape(failure: _Failure) -> SourceProblem | None:
    """Detect an escape sequence that does not encode a character."""
    start = max(failure.column - len(r"\u"), 0)
    match = re.match(r"\\(?:u(.{4})|U(.{8}))", failure.text(failure.line)[start:])
    if match is None:
        return None
    is_surrogate = 0xD800 <= int(match[1] or match[2], 16) <= 0xDFFF  # noqa: PLR2004
    message = "a lone surrogate is not a character"
    message = message if is_surrogate else "there is no character with this code point"
    columns = (start, start + match.end())
    return failure.hint(message, "write the character itself", columns=columns)


def _after_document(failure: _Failure) -> SourceProblem | None:
    """Detect text after the end of the document without a `...` between them."""
    before = failure.lines[: failure.line]
    if re.match(r"---[ \t]+(?:[&!]\S*[ \t]+)*[|>]", failure.text(failure.line - 1)):
        advice = "indent its lines by two spaces"
        return failure.hint("the text of a block scalar is not indented", advice)
    if all(line.startswith("%") for line in before if line.strip()):
        advice = "add `---` and a document after it, or remove it"
        return failure.hint("a directive without a document", advice)
    if any(line.startswith("...") for line in before):
        return None
    advice = "keep one value; if all of it is text, quote it"
    return failure.hint("unexpected text after the end of the document", advice)


def _bare_word_above(failure: _Failure) -> SourceProblem | None:
    """Detect a key without a colon that has its value on the lines below."""
    number = failure.above(failure.line)
    bare = re.fullmatch(r"\s*(?:-\s+)?([\w$.-]+)\s*", failure.text(number))
    if bare is None:
        return None
    message, advice = f"`{bare[1]}` has no `:`", f"write `{bare[1]}:`"
    return failure.hint(message, advice, line=number, columns=bare.span(1))


def _tight_above(failure: _Failure) -> SourceProblem | None:
    """Detect a missing space after the colon of the first key of a list item."""
    number = failure.above(failure.line)
    item = _TIGHT.match(failure.text(number))
    if item is None:
        return None
    message = f"a space is missing after `{item['key']}:`"
    advice = f"write `{clipped(item['key'] + ': ' + item['rest'])}`"
    return failure.hint(
        message, advice, line=number, columns=(item.start("key"), item.start("rest"))
    )


def _value_above(failure: _Failure) -> SourceProblem | None:
    """Detect a block below a key that already has a value on its line."""
    number = failure.above(failure.line)
    above = _KEY.match(failure.text(number))
    here = failure.text(failure.line)
    column = len(here) - len(here.lstrip())
    if above is None or not failure.text(number)[above.end() :].strip():
        return None
    below = failure.text(failure.line + 1)
    is_block = _DASH.match(here) or _KEY.match(below)
    depth = len(below) - len(below.lstrip())
    if column <= len(above["lead"]) or not is_block or (not _DASH.match(here) and depth != column):
        return None
    message = f"`{clipped(above['key'])}` has a value on its line and a block below it"
    advice = "remove one of them, or give the block its own key"
    return failure.hint(message, advice, line=number, columns=above.span("key"))


def _columns_above(failure: _Failure) -> list[tuple[int, str]]:
    """Return the columns and names of the keys above, the nearest first."""
    columns: list[tuple[int, str]] = []
    for at in range(failure.line - 1, max(failure.line - MAX_LINES_ABOVE, -1), -1):
        key = _KEY.match(failure.lines[at])
        # A key with spaces is more likely a line of text.
        if key and " " not in key["key"]:
            columns.append((len(key["lead"]), key["key"].strip("\"'")))
            if not key["lead"] and len(columns) > 1:
                break
    return columns


def _odd_column(failure: _Failure) -> SourceProblem | None:
    """Detect a key that is not in the column of its siblings."""
    key = _KEY.match(failure.text(failure.line))
    above = _columns_above(failure)
    if key is None or not above:
        return None
    column, before = len(key["lead"]), above[0][0]
    if column > before and any(sibling == column for sibling, _ in above[1:]):
        # This key is aligned with its siblings; the one between them is not.
        number = failure.above(failure.line)
        between = _KEY.match(failure.text(number)) or key
        return _align(failure, between, column, like="the keys around it", line=number)
    if column > before:
        return _align(failure, key, before, like=f"`{above[0][1]}` above it")
    outer = [sibling for sibling in above if sibling[0] < column]
    if outer and _opens_block(failure, key):
        above = outer  # the next keys are below this one, so its own column is wrong
    nearest, name = min(above, key=lambda sibling: abs(sibling[0] - column))
    if nearest == column:
        return None
    left = column - abs(nearest - column)  # as near, to the left
    tied = [sibling for sibling in above if sibling[0] == left != nearest]
    others = f", or to column {left + 1}, like `{tied[0][1]}`" if tied else ""
    return _align(failure, key, nearest, like=f"`{name}`{others}")


def _opens_block(failure: _Failure, key: re.Match[str]) -> bool:
    """Whether a key has no value on its line, and the next line has a key in the same column."""
    rest = failure.text(failure.line)[key.end() :].strip()
    below = _KEY.match(failure.text(failure.line + 1))
    return rest[:1] in ("", "#") and below is not None and below["lead"] == key["lead"]


def _align(
    failure: _Failure, key: re.Match[str], column: int, like: str, *, line: int | None = None
) -> SourceProblem:
    own = key.start("key") + 1
    message = f"inconsistent indentation: `{clipped(key['key'])}` at column {own}"
    advice = f"move it to column {column + 1}, like {like}"
    return failure.hint(message, advice, line=line, columns=key.span("key"))


def _misplaced_dash(failure: _Failure) -> SourceProblem | None:
    """Detect a `- ` that is not in the column of the other items of its list."""
    here = _DASH.match(failure.text(failure.line))
    if here is None:
        return None
    if hint := _value_above(failure):
        return hint
    column = len(here["lead"])
    # The line where the list of the parser starts, then the lines above.
    above = range(failure.line - 1, max(failure.line - MAX_LINES_ABOVE, -1), -1)
    dashes = [_DASH.match(failure.text(number)) for number in (failure.start[0], *above)]
    others = [len(dash["lead"]) for dash in dashes if dash and len(dash["lead"]) != column]
    if not others:
        return None
    expected = min(others, key=lambda other: abs(other - column)) + 1
    message = (
        f"inconsistent indentation: `- ` at column {column + 1}, "
        f"other items of the list at column {expected}"
    )
    return failure.hint(message, f"move it to column {expected}", columns=(column, column + 1))


def _dash_alone_or_twice(failure: _Failure) -> SourceProblem | None:
    """Detect a dash without a space after it, or two dashes."""
    line = failure.text(failure.line)
    if tight := re.match(r"\s*(-)(?=[A-Za-z_\"'{\[])", line):
        advice = f"write `- {clipped(line.strip()[1:])}`"
        return failure.hint("a space is missing after `-`", advice, columns=tight.span(1))
    if hint := _tight_above(failure):
        return hint
    number = failure.above(failure.line)
    dashes = re.match(r"\s*(-\s+-)\s", failure.text(number))
    if dashes is None:
        return None
    message = "`- -` starts a list inside a list"
    return failure.hint(message, "write one `- `", line=number, columns=dashes.span(1))


def _no_sibling(failure: _Failure) -> SourceProblem | None:
    """Detect a key where a list item, or a key in another column, was expected."""
    if not _KEY.match(failure.text(failure.line)):
        return None
    return _value_above(failure) or _odd_column(failure)


_HEADER = lazy_pattern(r"(?P<sign>[|>])(?P<end>[-+]?)(?=[ \t]|$)")
_ENDS_WITH_HEADER = lazy_pattern(r"(?:^|[ \t])[|>][-+0-9]*[ \t]*(?:[ \t]#.*)?$")
_LEAD = lazy_pattern(r"[ ]*(?:-[ \t]+)*")
#: The greatest indentation that the header of a block scalar can specify.
_MAX_INDICATOR = 9


def _misplaced_tab(failure: _Failure) -> SourceProblem | None:
    """Detect a tab that indents, or is used where only a space is allowed."""
    line = failure.text(failure.line)
    lead = line[: len(line) - len(line.lstrip(" \t"))]
    begins = "\t" in lead and failure.column <= len(lead)
    at = line.index("\t") if begins else failure.column
    if line[at : at + 1] != "\t":
        return None
    tab = (at, at + 1)
    if not line.strip(" \t"):
        return failure.hint("a tab in an empty line", "remove the tab", columns=tab)
    if line.lstrip(" \t").startswith("#"):
        return failure.hint("a tab before a comment", "write spaces instead", columns=tab)
    if "block scalar" in failure.message:
        return _tab_in_block(failure, tab)
    if begins:
        return failure.hint("a tab cannot indent", "indent with spaces", columns=tab)
    before = line[:at].rstrip()[-1:]
    return failure.hint(f"a tab after `{before}`", "write a space instead", columns=tab)


def _tab_in_block(failure: _Failure, tab: tuple[int, int]) -> SourceProblem:
    number, column = failure.start
    above = failure.text(number)
    parent = _column_of_parent(above[:column])
    is_first = not any(line.strip() for line in failure.lines[number + 1 : failure.line])
    header = _HEADER.match(above, column)
    spaces = _least_spaces(failure.lines[failure.line :], parent) - parent
    if tab[0] <= parent or not is_first or header is None or not 1 <= spaces <= _MAX_INDICATOR:
        advice = "indent the text of a block scalar with spaces; tabs may follow them"
        return failure.hint("a tab cannot indent", advice, columns=tab)
    replacement = f"{header['sign']}{spaces}{header['end']}"
    message = "the text of this block scalar begins with a tab: its indentation is ambiguous"
    advice = f"write `{replacement}` instead of `{header[0]}` on line {number + 1}; keep the tab"
    return failure.hint(message, advice, columns=tab)


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


def _deep_empty_line(failure: _Failure) -> SourceProblem | None:
    """Detect an empty line below a block scalar header with more spaces than the first line."""
    first = min(failure.line, failure.start[0]) if "':'" in failure.message else failure.line
    line = failure.text(first)
    spaces = len(line) - len(line.lstrip(" "))
    number = first - 1
    while number > 0 and not failure.text(number).strip(" "):
        number -= 1
    is_deep = any(len(blank) > spaces for blank in failure.lines[number + 1 : first])
    if not is_deep or not _ENDS_WITH_HEADER.search(failure.text(number)):
        return None
    return failure.hint(*DEEP_EMPTY_LINE, line=first, columns=(spaces, spaces + 1))


#: Part of the message of libyaml, and what detects mistakes behind it; the first hint wins.
_DETECTORS: tuple[tuple[str, tuple[Callable[[_Failure], SourceProblem | None], ...]], ...] = (
    ("", (_merge_conflict, _fence, _tight_comment)),
    ("did not find expected ','", (_key_over_lines, _not_closed)),
    ("did not find expected node content", (_in_brackets,)),
    ("found unexpected ':'", (_tight_colon,)),
    ("invalid Unicode character escape", (_escape,)),
    ("<document start>", (_after_document,)),
    ("tab character", (_misplaced_tab,)),
    ("cannot start any token", (_misplaced_tab, _no_token)),
    ("could not find expected ':'", (_deep_empty_line, _odd_space, _no_colon)),
    ("mapping values are not allowed", (_odd_space, _colon)),
    ("did not find expected key", (_deep_empty_line, _after_closing, _misplaced_dash, _no_sibling)),
    ("did not find expected '-' indicator", (_deep_empty_line, _dash_alone_or_twice, _no_sibling)),
)


# (a part of the message of libyaml, our message, what to type instead)
_TRANSLATIONS = (
    ("scanning a directive", "a line that begins with `%` is a directive",
     "indent it, or quote the text"),
    ("duplicate %YAML directive", "a second `%YAML` directive", "remove it"),
    ("indentation indicator", "the number after `|` or `>` must be from 1 to 9", "remove it"),
    ("expected whitespace or line break", "a space is missing after the tag",
     "add a space, or quote the value if it is text"),
    ("mapping values are not allowed", "a `: ` inside an unquoted value, or wrong indentation",
     "quote the value, or indent the key like its siblings"),
    ("cannot start any token", "this character cannot start an unquoted value",
     "quote the value; indent with spaces, not tabs"),
    ("did not find expected key", "a key is expected here",
     "check the indentation and the quotes above this line"),
    ("while scanning a quoted scalar", "the quote that opens here is never closed",
     "close it with the same quote"),
    ("did not find expected '-' indicator", "a list item is expected here", "start it with `- `"),
    ("did not find expected ',' or ']'", "a `[` list is not closed", "close it with `]`"),
    ("did not find expected ',' or '}'", "a `{` mapping is not closed", "close it with `}`"),
    ("did not find expected node content", "a value is expected here",
     "add one, or remove the text before it"),
    ("unknown escape character", "unknown escape sequence in double quotes",
     "write \\\\ for a backslash, or use single quotes"),
    ("did not find expected hexdecimal number", "incomplete escape sequence in double quotes",
     "write \\\\ for a backslash, or use single quotes"),
    ("did not find expected alphabetic or numeric character",
     "`*` and `&` have a special meaning at the start of an unquoted value", "quote the value"),
    ("did not find expected comment or line break",
     "`|` and `>` at the start of a value begin a block scalar",
     "start the text on the next line, indented, or quote the value"),
    ("block sequence entries are not allowed", "a list cannot begin on the line of its key",
     "start it on the next line, or write it as [a, b]"),
    ("mapping keys are not allowed", "`? ` at the start of a value begins a key",
     "quote the value"),
    ("<document start>", "text after the end of the document, `...`", "remove the `...`"),
    ("incompatible YAML document", "unsupported version in the `%YAML` directive",
     "remove the directive"),
    ("tab character", "a tab cannot indent", "indent with spaces"),
    ("control characters are not allowed", "a control character",
     "remove it, or escape it in double quotes"),
)  # fmt: skip


def explain(error: yaml.YAMLError, text: str, read: str) -> SourceProblem:
    """Return a parser error as a problem with its span.

    `read` is what the parser got: the text with other characters in place of some.
    """
    lines = split_lines(text)
    problem = _explain(error, lines, read)
    return problem._replace(span=problem.span and clipped_span(problem.span, lines))


def _explain(error: Any, lines: list[str], read: str) -> SourceProblem:
    context = getattr(error, "context", None) or ""
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    message = f"{context} {problem}"
    start: Any = getattr(error, "context_mark", None)
    mark = getattr(error, "problem_mark", None) or start
    span = _place_of(mark, lines) if mark else _reader_place(error, read)
    if "while scanning a quoted scalar" in context and "escape" not in problem:
        span = Span.point((start or mark).line + 1, (start or mark).column + 1)
        message = context
    if getattr(error, "problem_mark", None) and (hint := _hint(mark, start, message, lines=lines)):
        return hint
    for part, translation, advice in _TRANSLATIONS:
        if part in message:
            return SourceProblem("source/syntax", f"not YAML: {translation}", span, advice)
    return SourceProblem("source/syntax", f"not YAML: {problem.strip()}", span)


def _hint(mark: Any, start: Any, message: str, lines: list[str]) -> SourceProblem | None:
    """Return the likely mistake behind a parser error; None if no detector finds one."""
    start = start or mark
    failure = _Failure(message, lines, mark.line, mark.column, (start.line, start.column))
    hints = (
        detect(failure) for part, detectors in _DETECTORS if part in message for detect in detectors
    )
    return next(filter(None, hints), None)


def _place_of(mark: Any, lines: list[str]) -> Span:
    """Return the position of a mark; libyaml counts one line too many at the end of some texts."""
    line = min(mark.line, len(lines) - 1)
    column = mark.column if line == mark.line else len(lines[line])
    return Span.point(line + 1, column + 1)


def _reader_place(error: Any, text: str) -> Span:
    """Return the position of a control character; the reader of libyaml counts bytes."""
    position = getattr(error, "position", None)
    if position is None:
        return Span.point()
    lines = split_lines(text.encode()[:position].decode("utf-8", "ignore"))
    return Span.point(len(lines), len(lines[-1]) + 1)
