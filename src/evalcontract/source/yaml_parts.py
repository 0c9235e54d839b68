"""Parts of reading YAML: spans of events, merges, and faults that only YAML has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.span import Span
from evalcontract.source.fault import SourceFault
from evalcontract.source.text import split_lines

if TYPE_CHECKING:
    from evalcontract.source.node import Node

# The events' own types leave out what they carry.
Event = Any

# libyaml is a YAML 1.1 reader: these end a line there, and are ordinary characters in 1.2.
_LINE_BREAKS_OF_1_1 = "\x85\u2028\u2029"


def span_of(event: Event) -> Span:
    """Return where an event stands."""
    start, end = event.start_mark, event.end_mark
    return Span(start.line + 1, start.column + 1, end.line + 1, end.column + 1)


def apply_merge(
    values: dict[str, Any], nodes: dict[str, tuple[Span, Node]], merged: Any, node: Node
) -> None:
    """Add what `<<` merges to a mapping and to its places; keys that are there win."""
    if isinstance(merged, list):
        children = node.children if isinstance(node.children, list) else [node] * len(merged)
        for part, child in zip(merged, children, strict=True):
            apply_merge(values, nodes, part, child)
        return
    for key, value in merged.items():
        if key not in values:
            values[key] = value
            if isinstance(node.children, dict):
                nodes[key] = node.children[key]


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


def unsupported_tag(event: Event) -> SourceFault:
    """Name a tag outside of the core schema."""
    return unsupported(event, f"the tag `{event.tag}`", "remove the tag, quote the value if text")


def unsupported(event: Event, what: str, advice: str) -> SourceFault:
    """Name what YAML allows, and is not read here."""
    return SourceFault("source/unsupported", f"{what} is not read here", span_of(event), advice)


def complex_key(event: Event, text: str) -> SourceFault:
    """Name a key that is no scalar; nearly always it is an unquoted `{{ variable }}`."""
    at = event.start_mark
    line = split_lines(text)[at.line]
    if "{{" in line[max(at.column - 1, 0) : at.column + 2]:
        return SourceFault(
            "source/syntax",
            "an unquoted `{{ … }}` is a mapping in YAML, not text",
            span_of(event),
            'quote it: "{{ … }}", or use a block: |',
        )
    return SourceFault("source/syntax", "a key must be text", span_of(event))


def rows_without_dash(twice: list[SourceFault], start: Event, text: str) -> list[SourceFault]:
    """Return one fault for each row of a list whose `- ` was forgotten, if that is likely.

    `twice` are the faults of the keys that stand a second time in the mapping that begins at
    `start`. Where several do, each in a line of its own, they are another row.
    """
    at = start.start_mark
    begun = split_lines(text)[at.line][: at.column].rstrip().endswith("-")
    spans = [each.span for each in twice if each.span]
    if not begun or any(each.column != at.column + 1 for each in spans):
        return []
    rows: list[list[SourceFault]] = []
    seen: set[Span] = set()
    for each in twice:
        place = each.related[0][1]
        if not rows or place in seen:
            rows.append([])
            seen = set()
        seen.add(place)
        rows[-1].append(each)
    if any(len(row) == 1 for row in rows):
        return []
    return [_row_without_dash(row) for row in rows]


def _row_without_dash(row: list[SourceFault]) -> SourceFault:
    first = row[0]
    message = f"the `- ` of a new row is missing: here and below {len(row)} keys stand again"
    return first._replace(message=message, help="a new row starts with `- `")


def placeholders(text: str) -> dict[str, str]:
    """Choose a private character that the text does not use for each break of YAML 1.1 in it."""
    found = [character for character in _LINE_BREAKS_OF_1_1 if character in text]
    if not found:
        return {}
    upper = text.upper()  # an escape can name a character that does not stand there itself
    free = (
        chr(code)
        for code in range(0xF0000, 0xFFFFE)
        if chr(code) not in text and f"\\U000{code:X}" not in upper
    )
    return {next(free): character for character in found}


def put_back(text: str, restore: dict[str, str]) -> str:
    """Undo `placeholders` in a text."""
    for placeholder, character in restore.items():
        text = text.replace(placeholder, character)
    return text
