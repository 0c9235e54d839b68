"""Detect typical YAML mistakes in the lines around a parser failure.

The parser reports what it expected, often a line too late. The text shows the mistake itself: a
missing space after a colon, for example, or a key that is not aligned with its siblings.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Span
from evalcontract.model.startup import lazy_pattern
from evalcontract.source.faults import SourceProblem
from evalcontract.source.json.reading import FENCE, FENCE_MARK
from evalcontract.source.text import clipped_span, split_lines
from evalcontract.source.yaml.events import TIGHT_COMMENT
from evalcontract.source.yaml.failures import (
    KEY,
    ParserFailure,
    SyntaxHint,
    bare_word_above,
    dash_alone_or_twice,
    deep_empty_line,
    line_above,
    misplaced_tab,
    no_sibling,
    odd_column,
    place_of_dash,
    shown,
    span_at,
    tight_above,
    value_above,
)
from evalcontract.source.yaml.writing import quoted

if TYPE_CHECKING:
    import yaml

_BLOCK_HEADER = lazy_pattern(r":\s*[|>][-+\d]*$")
_CONFLICT = lazy_pattern(r"(?:<{7}|>{7}|\|{7}) |={7}$")


def find_hint(failure: ParserFailure) -> SyntaxHint | None:
    """Return a hint about the mistake behind a parser failure; None if no detector matches."""
    conflict = _merge_conflict(failure.lines)
    if conflict is not None:
        return conflict
    if hint := _fence(failure) or _tight_comment(failure):
        return hint
    detectors = [detector for part, detector in _DETECTORS if part in failure.message]
    return next((hint for detector in detectors if (hint := detector(failure))), None)


def _fence(failure: ParserFailure) -> SyntaxHint | None:
    """Detect the fence of a Markdown code block that surrounds the file."""
    is_fence = failure.text(failure.line).startswith(FENCE_MARK)
    above = failure.text(line_above(failure.lines, failure.line))
    if not is_fence or _BLOCK_HEADER.search(above):
        return None
    message, advice = FENCE
    return SyntaxHint(message, span_at(failure.line, 0, len(FENCE_MARK)), advice)


def _tight_comment(failure: ParserFailure) -> SyntaxHint | None:
    """Detect a `#` directly after a quote or a bracket."""
    around = failure.text(failure.line)[max(failure.column - 1, 0) : failure.column + 1]
    if not failure.column or not around.endswith("#") or around[0].isspace():
        return None
    message, advice = TIGHT_COMMENT
    return SyntaxHint(message, span_at(failure.line, failure.column, 1), advice)


def _merge_conflict(lines: list[str]) -> SyntaxHint | None:
    for number, line in enumerate(lines):
        if line.startswith(("<<<<<<< ", ">>>>>>> ")) and _CONFLICT.match(line):
            advice = "decide between the two sides, and remove the three markers"
            return SyntaxHint("unresolved merge conflict", span_at(number, 0, 7), advice)
    return None


def _odd_space(failure: ParserFailure) -> SyntaxHint | None:
    """Detect indentation with a character such as a no-break space."""
    for number in (failure.line, failure.line - 1):
        indent = re.match(r"\s*", failure.text(number))
        space = next((char for char in indent[0] if char not in " \t"), None) if indent else None
        if indent and space is not None:
            place = span_at(number, indent[0].index(space), 1)
            message = f"the character U+{ord(space):04X} looks like a space but cannot indent"
            return SyntaxHint(message, place, "write spaces instead")
    return None


def _no_token(failure: ParserFailure) -> SyntaxHint | None:
    """Detect a character that cannot begin an unquoted value, such as `@`."""
    rest = failure.text(failure.line)[failure.column :]
    if not rest:
        return None
    first = "a backtick" if rest[0] == "`" else f"`{rest[0]}`"
    message = f"{first} cannot begin an unquoted value"
    place = span_at(failure.line, failure.column, 1)
    return SyntaxHint(message, place, f"quote it: {shown(_in_quotes(rest.rstrip()))}")


def _in_quotes(text: str) -> str:
    return f'"{text}"' if not {'"', "\\"} & set(text) else quoted(text, like="'")


def _no_colon(failure: ParserFailure) -> SyntaxHint | None:
    """Detect a line that looks like a key but has no `: `."""
    number, column = failure.start
    line = failure.text(number)
    text = line[column:].rstrip()
    place = span_at(number, column, len(text))
    tight = re.match(r"(?P<key>[A-Za-z_$][\w$.-]*):(?P<rest>\S.*)", text)
    above = failure.text(number - 1).rstrip()
    if tight and not tight["rest"].startswith("//"):
        advice = f"write `{shown(tight['key'] + ': ' + tight['rest'])}`"
        return SyntaxHint(f"a space is missing after `{tight['key']}:`", place, advice)
    if text.startswith("//"):
        return SyntaxHint("a comment does not begin with `//`", place, "begin it with `# `")
    if _BLOCK_HEADER.search(above):
        advice = "indent its lines by two spaces more than its key"
        return SyntaxHint("the text of a block scalar is not indented", place, advice)
    if equals := re.match(r"(?P<key>[\w$.-]+)\s*=\s*(?P<rest>.*)", text):
        advice = f"write `{shown(equals['key'] + ': ' + equals['rest'])}`"
        return SyntaxHint("a key without its `:`", place, advice)
    advice = "write `key: value`; text over several lines needs quotes or a block scalar: |"
    return SyntaxHint("a key without its `:`", place, advice)


def _colon(failure: ParserFailure) -> SyntaxHint | None:
    """Detect a `: ` in an unquoted value, or a line with the wrong indentation."""
    line = failure.text(failure.line)
    key = KEY.match(line)
    is_first = key is not None and key.end() - 1 >= failure.column
    if key and is_first and " " not in key["key"].strip("\"'"):
        hint = bare_word_above(failure) or tight_above(failure) or value_above(failure)
        return hint or odd_column(failure, len(key["lead"]))
    value = re.match(r"(?P<head>\s*(?:-\s+)*[^\s:][^:]*:\s+)(?P<value>.+)", line)
    place = span_at(failure.line, failure.column, 1)
    advice = "quote the value; use a block scalar for several lines: |"
    if value and not is_first:
        advice = f"quote the value: {shown(_in_quotes(value['value'].rstrip()))}"
        quote = value["value"][0]
        if quote in "“”„\u2018\u2019«":
            advice = f'`{quote}` is not a quote in YAML; use " on both sides'
    return SyntaxHint("a `: ` inside an unquoted value", place, advice)


def _after_closing(failure: ParserFailure) -> SyntaxHint | None:
    """Detect text after a closing quote or bracket."""
    line = failure.text(failure.line)
    before = line[: failure.column].rstrip()
    if not before or before[-1] not in "\"']}":
        return None
    closing = before[-1]
    place = span_at(failure.line, failure.column, 1)
    if closing in "]}":
        advice = f"remove what follows, or quote the whole value if the `{closing}` is text"
        return SyntaxHint(f"unexpected text after the closing `{closing}`", place, advice)
    if before.count(closing) % 2:
        for number in range(failure.line - 1, -1, -1):
            if failure.lines[number].count(closing) % 2:
                at = failure.lines[number].rindex(closing)
                message = f"the quote that opens here ends on line {failure.line + 1}"
                return SyntaxHint(
                    message, span_at(number, at, 1), f"close it where the text ends: {closing}"
                )
    escaped = '\\"' if closing == '"' else "''"
    advice = f"quote the whole value; inside {closing} … {closing} write {escaped} for {closing}"
    return SyntaxHint(f"unexpected text after the closing {closing}", place, advice)


def _not_closed(failure: ParserFailure) -> SyntaxHint | None:
    """Detect a bracket that is not closed, or a missing comma in it."""
    number, column = failure.start
    opening = failure.text(number)[column : column + 1]
    close = {"[": "]", "{": "}"}.get(opening)
    if close is None:
        return None
    if number == failure.line:
        message = f"a `,` or the closing `{close}` is missing here"
        advice = "separate the items with `, `; quote text that contains `,`, `:`, `[` or `{`"
        return SyntaxHint(message, span_at(failure.line, failure.column, 1), advice)
    advice = f"close it with `{close}`"
    return SyntaxHint(
        f"the `{opening}` that opens here is not closed", span_at(number, column, 1), advice
    )


def _key_over_lines(failure: ParserFailure) -> SyntaxHint | None:
    """Detect a missing comma on the line above a `:` in brackets."""
    line, at = failure.text(failure.line), failure.column
    if failure.start[0] == failure.line or line[at : at + 1] != ":":
        return None
    if not line[:at].strip():
        advice = "write the key and its `:` on one line"
        message = "the `:` is not on the line where its key begins"
        return SyntaxHint(message, span_at(failure.line, at, 1), advice)
    first = failure.text(failure.start[0])
    if len(line) - len(line.lstrip()) <= len(first) - len(first.lstrip()):
        return None  # not indented, so not meant as a part of the brackets
    number = line_above(failure.lines, failure.line)
    place = span_at(number, len(failure.text(number).rstrip()))
    message = "a `,` is missing at the end of this line, or a key spans two lines"
    return SyntaxHint(message, place, "add `,` after the value; a key must be on one line")


def _in_brackets(failure: ParserFailure) -> SyntaxHint | None:
    """Detect a `-` or a `:` in brackets where a value is expected."""
    line, at = failure.text(failure.line), failure.column
    place = span_at(failure.line, at, 1)
    if line[at : at + 1] == "-":
        advice = "separate the items with `, `; items with `- ` cannot be inside brackets"
        return SyntaxHint("a `-` inside brackets", place, advice)
    if line[at : at + 1] == ":":
        advice = "add a space after it, or quote the text that begins with it"
        return SyntaxHint("a `:` inside brackets without a key before it", place, advice)
    return None


def _tight_colon(failure: ParserFailure) -> SyntaxHint | None:
    """Report a `:` without a space after it."""
    advice = "add a space after it, or quote the text"
    place = span_at(failure.line, failure.column, 1)
    return SyntaxHint("a space is missing after the `:`", place, advice)


def _escape(failure: ParserFailure) -> SyntaxHint | None:
    """Detect an escape sequence that does not encode a character."""
    start = max(failure.column - len(r"\u"), 0)
    match = re.match(r"\\(?:u(.{4})|U(.{8}))", failure.text(failure.line)[start:])
    if match is None:
        return None
    place = span_at(failure.line, start, match.end())
    if 0xD800 <= int(match[1] or match[2], 16) <= 0xDFFF:  # noqa: PLR2004 - the surrogates
        message = "a lone surrogate is not a character"
        return SyntaxHint(message, place, "write the character itself")
    return SyntaxHint(
        "there is no character with this code point", place, "write the character itself"
    )


def _after_document(failure: ParserFailure) -> SyntaxHint | None:
    """Detect text after the end of the document without a `...` between them."""
    place = span_at(failure.line, failure.column, 1)
    if re.match(r"---[ \t]+(?:[&!]\S*[ \t]+)*[|>]", failure.text(failure.line - 1)):
        return SyntaxHint(
            "the text of a block scalar is not indented", place, "indent its lines by two spaces"
        )
    if all(line.startswith("%") for line in failure.lines[: failure.line] if line.strip()):
        advice = "add `---` and a document after it, or remove it"
        return SyntaxHint("a directive without a document", place, advice)
    if any(line.startswith("...") for line in failure.lines[: failure.line]):
        return None
    advice = "keep one value; if all of it is text, quote it"
    return SyntaxHint("unexpected text after the end of the document", place, advice)


# (a part of the message of libyaml, the detector); the first hint wins
_DETECTORS: tuple[tuple[str, Callable[[ParserFailure], SyntaxHint | None]], ...] = (
    ("did not find expected key", deep_empty_line),
    ("could not find expected ':'", deep_empty_line),
    ("did not find expected '-' indicator", deep_empty_line),
    ("did not find expected ','", _key_over_lines),
    ("did not find expected node content", _in_brackets),
    ("found unexpected ':'", _tight_colon),
    ("invalid Unicode character escape", _escape),
    ("<document start>", _after_document),
    ("tab character", misplaced_tab),
    ("cannot start any token", misplaced_tab),
    ("cannot start any token", _no_token),
    ("mapping values are not allowed", _odd_space),
    ("could not find expected ':'", _odd_space),
    ("could not find expected ':'", _no_colon),
    ("mapping values are not allowed", _colon),
    ("did not find expected key", _after_closing),
    ("did not find expected key", place_of_dash),
    ("did not find expected key", no_sibling),
    ("did not find expected '-' indicator", dash_alone_or_twice),
    ("did not find expected '-' indicator", no_sibling),
    ("did not find expected ','", _not_closed),
)


# (a part of the message of libyaml, our message, what to type instead)
_TRANSLATIONS = (
    (
        "scanning a directive",
        "a line that begins with `%` is a directive",
        "indent it, or quote the text",
    ),
    ("duplicate %YAML directive", "a second `%YAML` directive", "remove it"),
    ("indentation indicator", "the number after `|` or `>` must be from 1 to 9", "remove it"),
    (
        "expected whitespace or line break",
        "a space is missing after the tag",
        "add a space, or quote the value if it is text",
    ),
    (
        "mapping values are not allowed",
        "a `: ` inside an unquoted value, or wrong indentation",
        "quote the value, or indent the key like its siblings",
    ),
    (
        "cannot start any token",
        "this character cannot start an unquoted value",
        "quote the value; indent with spaces, not tabs",
    ),
    (
        "did not find expected key",
        "a key is expected here",
        "check the indentation and the quotes above this line",
    ),
    (
        "could not find expected ':'",
        "a key without its `:`",
        "write `key: value`; text over several lines needs quotes or a block scalar: |",
    ),
    (
        "while scanning a quoted scalar",
        "the quote that opens here is never closed",
        "close it with the same quote",
    ),
    (
        "did not find expected '-' indicator",
        "a list item is expected here",
        "start it with `- `",
    ),
    ("did not find expected ',' or ']'", "a `[` list is not closed", "close it with `]`"),
    ("did not find expected ',' or '}'", "a `{` mapping is not closed", "close it with `}`"),
    (
        "did not find expected node content",
        "a value is expected here",
        "add one, or remove the text before it",
    ),
    (
        "unknown escape character",
        "unknown escape sequence in double quotes",
        "write \\\\ for a backslash, or use single quotes",
    ),
    (
        "did not find expected hexdecimal number",
        "incomplete escape sequence in double quotes",
        "write \\\\ for a backslash, or use single quotes",
    ),
    (
        "did not find expected alphabetic or numeric character",
        "`*` and `&` have a special meaning at the start of an unquoted value",
        "quote the value",
    ),
    (
        "did not find expected comment or line break",
        "`|` and `>` at the start of a value begin a block scalar",
        "start the text on the next line, indented, or quote the value",
    ),
    (
        "block sequence entries are not allowed",
        "a list cannot begin on the line of its key",
        "start it on the next line, or write it as [a, b]",
    ),
    (
        "mapping keys are not allowed",
        "`? ` at the start of a value begins a key",
        "quote the value",
    ),
    (
        "<document start>",
        "text after the end of the document, `...`",
        "remove the `...`",
    ),
    (
        "incompatible YAML document",
        "unsupported version in the `%YAML` directive",
        "remove the directive",
    ),
    ("tab character", "a tab cannot indent", "indent with spaces"),
    (
        "control characters are not allowed",
        "a control character",
        "remove it, or escape it in double quotes",
    ),
)


def explain(error: yaml.YAMLError, text: str, read: str) -> SourceProblem:
    """Return a parser error as a problem with its span.

    `read` is what the parser got: the text with other characters in place of some.
    """
    problem = _explained(error, text, read)
    return problem._replace(span=problem.span and clipped_span(problem.span, split_lines(text)))


def _explained(error: yaml.YAMLError, text: str, read: str) -> SourceProblem:
    mark: Any = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    context = getattr(error, "context", None) or ""
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    message = f"{context} {problem}"
    span = _place_of(mark, text) if mark else _reader_place(error, read)
    if "while scanning a quoted scalar" in context and "escape" not in problem:
        start: Any = getattr(error, "context_mark", None) or mark
        span = Span.point(start.line + 1, start.column + 1)
        message = context
    hint = _hint(error, message, text) if mark else None
    if hint is not None:
        return SourceProblem("source/syntax", f"not YAML: {hint.message}", hint.span, hint.help)
    for part, translation, advice in _TRANSLATIONS:
        if part in message:
            return SourceProblem("source/syntax", f"not YAML: {translation}", span, advice)
    return SourceProblem("source/syntax", f"not YAML: {problem.strip()}", span)


def _place_of(mark: Any, text: str) -> Span:
    """Return the position of a mark; libyaml counts one line too many at the end of some texts."""
    lines = split_lines(text)
    line = min(mark.line, len(lines) - 1)
    column = mark.column if line == mark.line else len(lines[line])
    return Span.point(line + 1, column + 1)


def _hint(error: yaml.YAMLError, message: str, text: str) -> SyntaxHint | None:
    mark: Any = getattr(error, "problem_mark", None)
    start: Any = getattr(error, "context_mark", None) or mark
    if mark is None:
        return None
    lines = split_lines(text)
    failure = ParserFailure(message, lines, mark.line, mark.column, (start.line, start.column))
    return find_hint(failure)


def _reader_place(error: yaml.YAMLError, text: str) -> Span:
    """Return the position of a control character; the reader of libyaml counts bytes."""
    position = getattr(error, "position", None)
    if position is None:
        return Span.point()
    before = text.encode()[:position].decode("utf-8", "ignore")
    lines = split_lines(before)
    return Span.point(len(lines), len(lines[-1]) + 1)
