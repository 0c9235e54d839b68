"""The fixes of findings as edits of the text, for reports and editors."""

from __future__ import annotations

from bisect import bisect_right
from pathlib import Path
from typing import TYPE_CHECKING

from evalcontract.model.diagnostic import Span, TextEdit
from evalcontract.source import format_of
from evalcontract.source.editing import cuts_by_fix
from evalcontract.source.faults import ParseError
from evalcontract.source.files import guess_format
from evalcontract.source.overlays import read_bytes
from evalcontract.source.text import LINE_END, decode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evalcontract.model.diagnostic import Diagnostic, Fix, Place
    from evalcontract.source.entries import Cut

    #: The edits of a fix, in the order of their places.
    Edits = tuple[TextEdit, ...]


def text_edits(diagnostics: Sequence[Diagnostic]) -> Mapping[int, Edits]:
    """Return the edits that fix findings, by their numbers in the sequence.

    A finding without a fix, or with one that cannot be made in the text as it is now, has none.
    The files are read again.
    """
    by_file: dict[str, list[int]] = {}
    for number, diagnostic in enumerate(diagnostics):
        if diagnostic.fix:
            by_file.setdefault(diagnostic.place.file, []).append(number)
    edits: dict[int, Edits] = {}
    for file, numbers in by_file.items():
        try:
            data = read_bytes(Path(file))
            text = decode(data)
        except (OSError, ValueError, ParseError):  # standard input, or changed in the meantime
            continue
        form = format_of(file) or guess_format(data)
        edits |= _in_text(text, form, {number: diagnostics[number] for number in numbers})
    return edits


def _in_text(text: str, form: str, numbered: dict[int, Diagnostic]) -> Iterator[tuple[int, Edits]]:
    starts = _line_starts(text, form)
    by_number = {
        number: fix_in_text(found, form)
        for number, found in numbered.items()
        if _is_unchanged(found.place, text, starts)
    }
    cuts = cuts_by_fix(text, form, [*dict.fromkeys(filter(None, by_number.values()))])
    for number, fix in by_number.items():
        if fix in cuts:
            yield number, tuple(_edit(cut, starts) for cut in sorted(cuts[fix]))


def _is_unchanged(place: Place, text: str, starts: list[int]) -> bool:
    """Whether a finding is on this text, and not on other content that had the name of its file."""
    if place.span is None or place.text is None:
        return True
    line = place.span.line
    return line <= len(starts) and text.startswith(place.text, starts[line - 1])


def fix_in_text(diagnostic: Diagnostic, form: str) -> Fix | None:
    """Return the fix of a finding with its path in the text: in JSONL, a row is a line."""
    span = diagnostic.place.span
    if diagnostic.fix is None or form != "jsonl":
        return diagnostic.fix
    return diagnostic.fix.relocated(lambda path: (span.line - 1, *path[1:])) if span else None


def _line_starts(text: str, form: str) -> list[int]:
    """Return the offsets of all lines; in JSONL, a lone carriage return ends none."""
    if form == "jsonl":
        return [0, *(at + 1 for at, character in enumerate(text) if character == "\n")]
    return [0, *(match.end() for match in LINE_END.finditer(text))]


def _edit(cut: Cut, starts: list[int]) -> TextEdit:
    line, column = _position(cut.start, starts)
    return TextEdit(Span(line, column, *_position(cut.end, starts)), cut.text)


def _position(offset: int, starts: list[int]) -> tuple[int, int]:
    line = bisect_right(starts, offset)
    return line, offset - starts[line - 1] + 1
