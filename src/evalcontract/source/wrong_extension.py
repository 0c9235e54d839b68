"""Detect content that does not match the extension: one problem instead of one per line."""

from __future__ import annotations

from itertools import islice
from typing import Any

import orjson

from evalcontract.model.diagnostic import Span
from evalcontract.model.startup import lazy_pattern
from evalcontract.source.faults import ParseError, SourceProblem
from evalcontract.source.json.reading import is_json, scan

#: Number of lines to examine: if none of them looks like JSONL, the file is not JSONL.
_EXAMINED_LINES = 5
_YAML = lazy_pattern(r"---(\s|$)|%YAML|# |-( |$)|[\w-]+:(\s|$)")
_SEPARATORS = ",;\t"
_JSONL = "JSONL has one JSON row per line"
_CONVERT = 'write each row on its own line, for example {"id": "a", "input": "b"}'


def not_jsonl_fault(lines: list[bytes]) -> tuple[SourceProblem, str] | None:
    """Return why the lines are not JSONL, and the first line; None if they may be JSONL."""
    numbered = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    head = list(islice(numbered, _EXAMINED_LINES))
    try:
        texts = [line.decode() for _, line in head]
    except UnicodeDecodeError:  # reported for each line
        return None
    reason = _why(texts) if texts else None
    if reason is None:
        return None
    message, advice = reason
    number, text = head[0][0], texts[0].rstrip("\r")
    start = len(text) - len(text.lstrip()) + 1
    span = Span(number, start, number, start + 1)
    return SourceProblem("source/syntax", message, span, advice), text


def wrong_extension_fault(kind: str, guessed: str, text: str) -> SourceProblem | None:
    """Return the problem of a text in another format; None if the extension seems right.

    `kind` is the format of the extension, `guessed` the format that the text looks like.
    """
    if guessed == "jsonl" and kind != "jsonl":
        what, suffix = "JSONL, one row per line", ".jsonl"
    elif kind == "json" and _YAML.match(text):
        what, suffix = "YAML", ".yaml"
    else:
        return None
    message = f"the extension says {kind.upper()}, but the content looks like {what}"
    return SourceProblem("source/syntax", message, Span(1, 1, 1, 2), f"rename it to `{suffix}`")


def _why(texts: list[str]) -> tuple[str, str] | None:
    """Return message and advice for a file with these first lines; None if it may be JSONL."""
    first = texts[0].strip()
    second = texts[1].strip() if len(texts) > 1 else ""
    if first.startswith(("{", "[")):
        return _document(first, second)
    if any(is_json(text) or text.lstrip().startswith("{") for text in texts):
        return None
    if _YAML.match(first):
        return f"this looks like YAML; {_JSONL}", _rename(".yaml")
    if not second:
        return None
    is_csv = any(0 < first.count(sign) == second.count(sign) for sign in _SEPARATORS)
    what = "this looks like CSV" if is_csv else "no line begins with `{`"
    return f"{what}; {_JSONL}", _CONVERT


def _document(first: str, second: str) -> tuple[str, str] | None:
    if _holds_all(first) and not second:
        lines = "on one line"
    elif second and _continues(first, second):
        lines = "over many lines"
    else:
        return None
    return f"this is one JSON document {lines}; {_JSONL}", _rename(".json")


def _rename(suffix: str) -> str:
    return f"rename it to `{suffix}`, or write each row on its own line"


def _holds_all(line: str) -> bool:
    """Whether a line is a whole dataset: a list of rows, or a mapping with `questions`."""
    try:
        value: Any = orjson.loads(line)
    except orjson.JSONDecodeError:
        return False
    if isinstance(value, list):
        return any(_is_row(item) for item in value)
    return isinstance(value, dict) and "questions" in value and not _is_row(value)


def _is_row(value: Any) -> bool:
    return isinstance(value, dict) and ("id" in value or "input" in value)


def _continues(first: str, second: str) -> bool:
    """Whether the second line continues the JSON value of the first."""
    try:
        scan(first, is_line=True)
    except ParseError as error:
        span = error.faults[0].span
        is_open = span is not None and span.column > len(first)
        # A new `{` starts the next row if the first line is a truncated row.
        inside = ('"', "}", "]", "{") if first[0] == "[" else ('"', "}")
        return is_open and second.startswith(inside)
    return False
