"""A file whose name promises another format than it holds: one fault, not one a line."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

import orjson

from evalcontract.model.span import Span
from evalcontract.source.fault import ParseError, SourceProblem
from evalcontract.source.json_scanner import scan

#: Lines that are looked at: where none is like JSONL, the file is none.
_LOOKED_AT = 5
_YAML = re.compile(r"---(\s|$)|%YAML|# |-( |$)|[\w-]+:(\s|$)")
_SEPARATORS = ",;\t"
_NOT_A_LINE = "JSONL has one row a line"
_CONVERT = 'write each row on a line of its own, such as {"id": "a", "input": "b"}'


def not_jsonl_fault(lines: list[bytes]) -> tuple[SourceProblem, str] | None:
    """Return why a file that begins so is no JSONL, and its first line; None where it may be."""
    numbered = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    head = list(islice(numbered, _LOOKED_AT))
    try:
        texts = [line.decode() for _, line in head]
    except UnicodeDecodeError:  # told byte by byte
        return None
    found = _why(texts) if texts else None
    if found is None:
        return None
    message, advice = found
    number, text = head[0][0], texts[0].rstrip("\r")
    start = len(text) - len(text.lstrip()) + 1
    span = Span(number, start, number, start + 1)
    return SourceProblem("source/syntax", message, span, advice), text


def wrong_extension_fault(kind: str, guessed: str, text: str) -> SourceProblem | None:
    """Say that a text which cannot be read as its name promises is another format.

    `kind` is what the name promises, `guessed` what the text looks like.
    """
    if guessed == "jsonl" and kind != "jsonl":
        found = ("JSONL, one row a line", ".jsonl")
    elif kind == "json" and _YAML.match(text):
        found = ("YAML", ".yaml")
    else:
        return None
    what, suffix = found
    message = f"the name says {kind.upper()}, and this is {what}, it seems"
    return SourceProblem("source/syntax", message, Span(1, 1, 1, 2), f"name it `{suffix}`")


def _why(texts: list[str]) -> tuple[str, str] | None:
    """Return what is wrong with a file that begins with these lines, and what to do."""
    first = texts[0].strip()
    second = texts[1].strip() if len(texts) > 1 else ""
    if first.startswith(("{", "[")):
        return _document(first, second)
    if any(_is_json(text) or text.lstrip().startswith("{") for text in texts):
        return None
    if _YAML.match(first):
        return f"this is YAML, it seems; {_NOT_A_LINE}, in JSON", _rename(".yaml")
    if not second:
        return None
    is_csv = any(0 < first.count(sign) == second.count(sign) for sign in _SEPARATORS)
    what = "this is CSV, it seems" if is_csv else "no line begins with `{`"
    return f"{what}; {_NOT_A_LINE}, in JSON", _CONVERT


def _document(first: str, second: str) -> tuple[str, str] | None:
    if _holds_all(first) and not second:
        lines = "on one line"
    elif second and _goes_on(first, second):
        lines = "over many lines"
    else:
        return None
    return f"this is one JSON document {lines}; {_NOT_A_LINE}", _rename(".json")


def _rename(suffix: str) -> str:
    return f"name it `{suffix}`, or write each row on a line of its own"


def _holds_all(line: str) -> bool:
    """Whether a line is a whole dataset: a list of rows, or a mapping with `questions`."""
    try:
        value: Any = orjson.loads(line)
    except orjson.JSONDecodeError:
        return False
    if isinstance(value, list):
        return any(_is_row(each) for each in value)
    return isinstance(value, dict) and "questions" in value and not _is_row(value)


def _is_row(value: Any) -> bool:
    return isinstance(value, dict) and ("id" in value or "input" in value)


def _goes_on(first: str, second: str) -> bool:
    """Whether a value that the first line begins goes on in the second."""
    try:
        scan(first, is_line=True)
    except ParseError as fault:
        span = fault.faults[0].span
        is_open = span is not None and span.column > len(first)
        # A row that was cut short is followed by a row.
        inside = ('"', "}", "]", "{") if first[0] == "[" else ('"', "}")
        return is_open and second.startswith(inside)
    return False


def _is_json(text: str) -> bool:
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return True
