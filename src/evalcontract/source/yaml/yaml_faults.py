"""Problems that only occur in YAML, each with its span and what to type instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.source.fault import SourceProblem
from evalcontract.source.text import split_lines
from evalcontract.source.yaml.yaml_parts import Event, span_of

if TYPE_CHECKING:
    from evalcontract.model.diagnostic import Span


NO_VALUE = SourceProblem("source/empty", "the file has no value, only comments")


def second_document(event: Event) -> SourceProblem:
    """Return the problem of a second document in one file."""
    message, advice = "a second document starts here", "keep one document per file"
    return SourceProblem("source/multiple-documents", message, span_of(event), advice)


def no_number(event: Event, text: str) -> SourceProblem:
    """Return the problem of a text that is tagged or written as a number, but is not valid."""
    message = f"`{text[:40]}` cannot be read as a number"
    return SourceProblem("source/syntax", message, span_of(event), "quote it if it is text")


def no_merge(event: Event) -> SourceProblem:
    """Return the problem of a merge key whose value is not a mapping."""
    message = "the value of `<<` must be a mapping or a list of mappings"
    advice = 'quote it if it is an ordinary key: "<<"'
    return SourceProblem("source/syntax", message, span_of(event), advice)


def no_anchor(event: Event) -> SourceProblem:
    """Return the problem of an alias without an anchor."""
    message = f"`*{event.anchor}` has no anchor `&{event.anchor}` before it"
    advice = f'quote it if it is text: "*{event.anchor}"'
    return SourceProblem("source/syntax", message, span_of(event), advice)


def endless(event: Event) -> SourceProblem:
    """Return the problem of an alias inside its own anchor."""
    message = f"endless recursion: the alias `*{event.anchor}` is inside its own anchor"
    return SourceProblem("source/syntax", message, span_of(event))


def unsupported_tag(event: Event) -> SourceProblem:
    """Return the problem of a tag outside the core schema."""
    return unsupported(
        event, f"the tag `{event.tag}`", "remove the tag, or quote the value if it is text"
    )


def unsupported(event: Event, what: str, advice: str) -> SourceProblem:
    """Return the problem of a feature of YAML that is not supported."""
    return SourceProblem("source/unsupported", f"{what} is not supported", span_of(event), advice)


def complex_key(event: Event, text: str) -> SourceProblem:
    """Return the problem of a key that is not a scalar, often an unquoted `{{ variable }}`."""
    at = event.start_mark
    line = split_lines(text)[at.line]
    if "{{" in line[max(at.column - 1, 0) : at.column + 2]:
        return SourceProblem(
            "source/syntax",
            "an unquoted `{{ … }}` is a mapping in YAML, not text",
            span_of(event),
            'quote it: "{{ … }}", or use a block scalar: |',
        )
    return SourceProblem(
        "source/syntax", "a key must be text", span_of(event), "a list or a mapping cannot be a key"
    )


def rows_without_dash(
    duplicates: list[SourceProblem], start: Event, text: str
) -> list[SourceProblem]:
    """Return one problem for each row whose `- ` is missing, if that is the likely mistake.

    `duplicates` are the duplicate keys of the mapping that begins at `start`. Several duplicates
    in the column of the first key probably are another row. Otherwise the list is empty.
    """
    at = start.start_mark
    follows_dash = split_lines(text)[at.line][: at.column].rstrip().endswith("-")
    spans = [duplicate.span for duplicate in duplicates if duplicate.span]
    if not follows_dash or any(span.column != at.column + 1 for span in spans):
        return []
    rows: list[list[SourceProblem]] = []
    seen: set[Span] = set()
    for duplicate in duplicates:
        first_span = duplicate.related[0][1]
        if not rows or first_span in seen:
            rows.append([])
            seen = set()
        seen.add(first_span)
        rows[-1].append(duplicate)
    if any(len(row) == 1 for row in rows):
        return []
    return [_row_without_dash(row) for row in rows]


def _row_without_dash(row: list[SourceProblem]) -> SourceProblem:
    first = row[0]
    message = f"the `- ` of a new row is missing: {len(row)} keys are repeated from here on"
    return first._replace(message=message, help="a new row starts with `- `")
