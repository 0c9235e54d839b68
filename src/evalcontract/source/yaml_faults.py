"""Faults that only YAML has, each with its place and what to type instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.source.fault import SourceProblem
from evalcontract.source.text import split_lines
from evalcontract.source.yaml_parts import Event, span_of

if TYPE_CHECKING:
    from evalcontract.model.span import Span


NO_VALUE = SourceProblem("source/empty", "the file holds no value, only comments")


def second_document(event: Event) -> SourceProblem:
    """Name a document behind the first."""
    message, advice = "a second document starts here", "keep one document in a file"
    return SourceProblem("source/multiple-documents", message, span_of(event), advice)


def no_number(event: Event, text: str) -> SourceProblem:
    """Name a text that its tag or its digits make a number, and that is none here."""
    message = f"`{text[:40]}` cannot be read as a number"
    return SourceProblem("source/syntax", message, span_of(event), "quote it, if it is text")


def no_merge(event: Event) -> SourceProblem:
    """Name a `<<` that merges no mapping."""
    message = "`<<` merges a mapping or a list of mappings"
    advice = 'quote it as "<<" to have a key'
    return SourceProblem("source/syntax", message, span_of(event), advice)


def no_anchor(event: Event) -> SourceProblem:
    """Name an alias that stands for nothing."""
    message = f"`*{event.anchor}` has no anchor `&{event.anchor}` before it"
    advice = f'quote it, if it is text: "*{event.anchor}"'
    return SourceProblem("source/syntax", message, span_of(event), advice)


def endless(event: Event) -> SourceProblem:
    """Name an alias inside of what it stands for."""
    message = f"`*{event.anchor}` stands inside of its own anchor, without end"
    return SourceProblem("source/syntax", message, span_of(event))


def unsupported_tag(event: Event) -> SourceProblem:
    """Name a tag outside of the core schema."""
    return unsupported(event, f"the tag `{event.tag}`", "remove the tag, quote the value if text")


def unsupported(event: Event, what: str, advice: str) -> SourceProblem:
    """Name what YAML allows, and is not read here."""
    return SourceProblem("source/unsupported", f"{what} is not read here", span_of(event), advice)


def complex_key(event: Event, text: str) -> SourceProblem:
    """Name a key that is no scalar; nearly always it is an unquoted `{{ variable }}`."""
    at = event.start_mark
    line = split_lines(text)[at.line]
    if "{{" in line[max(at.column - 1, 0) : at.column + 2]:
        return SourceProblem(
            "source/syntax",
            "an unquoted `{{ … }}` is a mapping in YAML, not text",
            span_of(event),
            'quote it: "{{ … }}", or use a block: |',
        )
    return SourceProblem(
        "source/syntax", "a key must be text", span_of(event), "a list or a mapping is no key"
    )


def rows_without_dash(twice: list[SourceProblem], start: Event, text: str) -> list[SourceProblem]:
    """Return one fault for each row of a list whose `- ` was forgotten, if that is likely.

    `twice` are the faults of the keys that stand a second time in the mapping that begins at
    `start`. Where several do, each in a line of its own, they are another row.
    """
    at = start.start_mark
    begun = split_lines(text)[at.line][: at.column].rstrip().endswith("-")
    spans = [each.span for each in twice if each.span]
    if not begun or any(each.column != at.column + 1 for each in spans):
        return []
    rows: list[list[SourceProblem]] = []
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


def _row_without_dash(row: list[SourceProblem]) -> SourceProblem:
    first = row[0]
    message = f"the `- ` of a new row is missing: here and below {len(row)} keys stand again"
    return first._replace(message=message, help="a new row starts with `- `")
