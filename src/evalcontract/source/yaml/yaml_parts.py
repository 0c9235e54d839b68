"""Parts of the YAML reader: spans of events, size limits, and placeholder characters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Span
from evalcontract.model.startup import NamedTuple
from evalcontract.source.node import Node

if TYPE_CHECKING:
    from collections.abc import Iterator

# The type stubs of PyYAML lack the attributes of events.
Event = Any

#: The nodes of a mapping or a list while it is built.
Children = dict[str, tuple[Span, Node]] | list[Node]
# libyaml reads YAML 1.1, where these are line breaks; in YAML 1.2 they are ordinary characters.
_LINE_BREAKS_OF_1_1 = "\x85\u2028\u2029"


class Anchored(NamedTuple):
    """An anchored value: its node, its number of values, and, if a scalar, its text as a key."""

    value: Any
    node: Node
    size: int
    text: str | None = None
    height: int = 0


def span_of(event: Event) -> Span:
    """Return the span of an event."""
    start, end = event.start_mark, event.end_mark
    return Span(start.line + 1, start.column + 1, end.line + 1, end.column + 1)


def span_between(start: Event, end: Event) -> Span:
    """Return the span from the start event of a collection to its end event."""
    return Span(
        start.start_mark.line + 1,
        start.start_mark.column + 1,
        end.end_mark.line + 1,
        end.end_mark.column + 1,
    )


def height_of(value: Any, known: dict[int, int]) -> int:
    """Return the nesting depth of a value; `known` caches the parts that aliases share."""
    if not isinstance(value, dict | list):
        return 0
    if id(value) not in known:
        parts = value.values() if isinstance(value, dict) else value
        known[id(value)] = 1 + max((height_of(part, known) for part in parts), default=0)
    return known[id(value)]


def size_of(value: Any, known: dict[int, int]) -> int:
    """Return the number of values in a value; `known` caches the parts that aliases share."""
    if not isinstance(value, dict | list):
        return 1
    if id(value) not in known:
        parts = value.values() if isinstance(value, dict) else value
        known[id(value)] = 1 + sum(size_of(part, known) for part in parts)
    return known[id(value)]


def placeholders(text: str) -> dict[str, str]:
    """Map an unused private character to each YAML 1.1 line break that occurs in a text."""
    breaks = [character for character in _LINE_BREAKS_OF_1_1 if character in text]
    return dict(zip(unused(text), breaks, strict=False)) if breaks else {}


def unused(text: str) -> Iterator[str]:
    """Yield private-use characters that a text contains neither literally nor as an escape."""
    for plane in ("E", "F0"):
        for digits in range(1000):
            name = f"{plane}{digits:03}"
            private = chr(int(name, 16))
            if not any(form in text for form in (private, name, name.lower())):
                yield private


def put_back(text: str, restore: dict[str, str]) -> str:
    """Replace placeholders in a text by the original characters."""
    for placeholder, character in restore.items():
        text = text.replace(placeholder, character)
    return text
