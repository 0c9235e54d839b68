"""Parts of reading YAML: spans of events, and characters that stand for others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.model.span import Span
from evalcontract.source.node import Node

if TYPE_CHECKING:
    from collections.abc import Iterator

# The events' own types leave out what they carry.
Event = Any

#: The places below a mapping or a list, while it is read.
Children = dict[str, tuple[Span, Node]] | list[Node]
# libyaml is a YAML 1.1 reader: these end a line there, and are ordinary characters in 1.2.
_LINE_BREAKS_OF_1_1 = "\x85\u2028\u2029"


class Anchored(NamedTuple):
    """What an alias stands for; `text` is that of a scalar, which is what it is as a key."""

    value: Any
    node: Node
    size: int
    text: str | None = None


def span_of(event: Event) -> Span:
    """Return where an event stands."""
    start, end = event.start_mark, event.end_mark
    return Span(start.line + 1, start.column + 1, end.line + 1, end.column + 1)


def span_between(start: Event, end: Event) -> Span:
    """Return where a collection stands, from its first event to its last."""
    return Span(
        start.start_mark.line + 1,
        start.start_mark.column + 1,
        end.end_mark.line + 1,
        end.end_mark.column + 1,
    )


def height_of(value: Any, known: dict[int, int]) -> int:
    """Return how deep a value is; `known` spares what aliases share."""
    if not isinstance(value, dict | list):
        return 0
    if id(value) not in known:
        parts = value.values() if isinstance(value, dict) else value
        known[id(value)] = 1 + max((height_of(part, known) for part in parts), default=0)
    return known[id(value)]


def size_of(value: Any, known: dict[int, int]) -> int:
    """Return how many values a value is made of; `known` spares what aliases share."""
    if not isinstance(value, dict | list):
        return 1
    if id(value) not in known:
        parts = value.values() if isinstance(value, dict) else value
        known[id(value)] = 1 + sum(size_of(part, known) for part in parts)
    return known[id(value)]


def placeholders(text: str) -> dict[str, str]:
    """Choose a private character that the text does not use for each break of YAML 1.1 in it."""
    found = [character for character in _LINE_BREAKS_OF_1_1 if character in text]
    return dict(zip(unused(text), found, strict=False)) if found else {}


def unused(text: str) -> Iterator[str]:
    """Yield private characters that a text does not use.

    An escape can name a character that does not stand there itself.
    """
    for plane in ("E", "F0"):
        for digits in range(1000):
            name = f"{plane}{digits:03}"
            private = chr(int(name, 16))
            if not any(each in text for each in (private, name, name.lower())):
                yield private


def put_back(text: str, restore: dict[str, str]) -> str:
    """Undo `placeholders` in a text."""
    for placeholder, character in restore.items():
        text = text.replace(placeholder, character)
    return text
