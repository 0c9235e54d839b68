"""The places along one path of a line of JSON that was read already: the rest is stepped over."""

from __future__ import annotations

import json
import re
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import TYPE_CHECKING

from evalcontract.model.span import Span
from evalcontract.source.json_scanner import scan
from evalcontract.source.node import Node

if TYPE_CHECKING:
    from evalcontract.model.path import Path

_BLANKS = frozenset(" \t\r\n")
_SPACE = re.compile(r"[ \t\r\n]*")
# A key without an escape, and all that stands before its value; what stands before another key.
_KEY = re.compile(r'"([^"\\\x00-\x1f]*+)"[ \t\r\n]*+:[ \t\r\n]*+')
_NEXT = re.compile(r"[ \t\r\n]*+,?[ \t\r\n]*+")
_step_over = json.JSONDecoder().scan_once  # type: ignore[attr-defined]


def scan_along(text: str, path: Path) -> Node:
    """Return the places of what a path leads to in a line that holds one JSON value.

    As `json_scanner.scan`, but of the keys and values that stand beside the way only the first key
    is there, which stands for a mapping whose key is missing.

    Raises:
        Fault: as `scan`.

    """
    try:
        return _value(text, _space(text, 0), path)
    except (ValueError, StopIteration, IndexError, RecursionError):
        return scan(text, is_line=True)  # says what is wrong


def _space(text: str, at: int) -> int:
    if text[at : at + 1] not in _BLANKS:
        return at
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _span(start: int, end: int) -> Span:
    return Span(1, start + 1, 1, end + 1)


def _value(text: str, at: int, path: Path) -> Node:
    if path and text[at] == "{":
        return _object(text, at, path)
    if path and text[at] == "[" and isinstance(path[0], int):
        return _array(text, at, path)
    _, end = _step_over(text, at)
    if text[at] in "{[":
        return Node(_span(at, end), _first_key(text, at))
    return Node(_span(at, end), None, text[at:end])


def _first_key(text: str, start: int) -> dict[str, tuple[Span, Node]]:
    at = _space(text, start + 1)
    if text[start] != "{" or text[at] != '"':
        return {}
    key, end = scanstring(text, at + 1)
    span = _span(at, end)
    return {key: (span, Node(span))}


def _object(text: str, start: int, path: Path) -> Node:
    """Return a mapping on the way; its span is whole only where the way ends in it."""
    children: dict[str, tuple[Span, Node]] = {}
    at = _space(text, start + 1)
    while text[at] != "}":
        key_start = at
        if plain := _KEY.match(text, at):
            key, at = plain[1], plain.end()
            key_end = plain.end(1) + 1
        else:
            key, key_end = scanstring(text, at + 1)
            at = _space(text, _space(text, key_end) + 1)
        if key == path[0]:
            span = _span(key_start, key_end)
            return Node(_span(start, at), {key: (span, _value(text, at, path[1:]))})
        if not children:
            span = _span(key_start, key_end)
            children[key] = (span, Node(span))
        _, at = _step_over(text, at)
        at = _after(text, at)
    return Node(_span(start, at + 1), children)


def _array(text: str, start: int, path: Path) -> Node:
    children: list[Node] = []
    at = _space(text, start + 1)
    while text[at] != "]":
        if len(children) == path[0]:
            return Node(_span(start, at), [*children, _value(text, at, path[1:])])
        _, end = _step_over(text, at)
        children.append(Node(_span(at, end)))
        at = _after(text, end)
    return Node(_span(start, at + 1), children)


def _after(text: str, at: int) -> int:
    """Return where the next member begins, or the closer stands."""
    found = _NEXT.match(text, at)
    return found.end() if found else at
