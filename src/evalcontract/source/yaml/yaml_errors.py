"""Translate libyaml's syntax errors into messages that tell an author what to type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.diagnostic import Span
from evalcontract.source.fault import SourceProblem
from evalcontract.source.text import clipped_span, split_lines
from evalcontract.source.yaml.parser_failure import ParserFailure
from evalcontract.source.yaml.yaml_hints import find_hint

if TYPE_CHECKING:
    from typing import Any

    import yaml

    from evalcontract.source.yaml.parser_failure import SyntaxHint

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
