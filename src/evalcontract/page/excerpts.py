"""The rows and lines that findings are about, as text of the files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.page.content import Excerpt, Line, Mark

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from evalcontract.datasets.passes import Dataset, DatasetPass
    from evalcontract.datasets.run import Run
    from evalcontract.model.diagnostic import Diagnostic, Place, Span

#: The lines of a file around a finding outside of rows.
_AROUND = 2
#: Of a row with more lines, those at its start and around findings are shown.
_MAX_LINES, _START = 60, 6
#: Of a longer line, its start and the parts around findings are shown.
_MAX_COLUMNS, _MARGIN = 2000, 200
# What may stand before a row on its first line, and behind it on its last one.
_BEFORE, _BEHIND = lazy_pattern(r"[\s\-\[,]*"), lazy_pattern(r"[\s\],}]*(#.*)?")
# What a parser takes as part of a row although it stands behind it.
_NOT_OF_ROW = lazy_pattern(r"\s*(#.*)?")


class _Found(NamedTuple):
    """A place of a finding: the number of the finding, and the row."""

    finding: int
    place: Place
    row_index: int | None
    row: str | None


class Excerpts:
    """The excerpts of all files that findings are about: each row once, with all its findings."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self._found: dict[str, dict[int | None, dict[_Found, None]]] = {}
        for number, diagnostic in enumerate(diagnostics):
            for found in _places(number, diagnostic):
                of_file = self._found.setdefault(found.place.file, {})
                of_file.setdefault(found.row_index, {})[found] = None
        self._lines: dict[str, Sequence[str]] = {}
        self._rows: dict[tuple[str, int], Place] = {}

    def rows_of(self, file: str) -> AbstractSet[int | None]:
        """Return the indexes of the rows of a file that have findings."""
        return self._found.get(file, {}).keys()

    def know(self, run: Run) -> None:
        """Take the texts of the rubrics, judges and bundles of a run."""
        bundles = (source.document for source in run.workspace.bundle_files.values())
        for document in (*run.documents.values(), *filter(None, bundles)):
            if document.file in self._found:
                self._lines[document.file] = document.lines

    def locate(self, dataset: Dataset, dataset_pass: DatasetPass) -> None:
        """Take the text of a dataset and the places of its rows with findings, after a pass."""
        if dataset.file not in self._found:
            return
        if dataset.document is None:
            return  # a row is a line, and its places have it
        self._lines[dataset.file] = dataset.document.lines
        for index in self._found[dataset.file]:
            if index is not None and index < dataset_pass.count:
                place = dataset_pass.place(dataset_pass.path_of(index))
                self._rows[dataset.file, index] = place

    def of_all(self) -> list[Excerpt]:
        """Return the excerpts by file, in the order of the findings; rows stand in order."""
        return [
            self._excerpt(file, index, list(found))
            for file, by_row in self._found.items()
            for index, found in sorted(by_row.items(), key=_file_first)
        ]

    def _excerpt(self, file: str, index: int | None, found: list[_Found]) -> Excerpt:
        marks = [Mark(each.finding, each.place.span) for each in found if each.place.span]
        findings = list(dict.fromkeys(each.finding for each in found))
        lines = list(_clipped(self._text(file, index, found), marks))
        return Excerpt(file, index, found[0].row, lines, findings, marks)

    def _text(self, file: str, index: int | None, found: list[_Found]) -> Iterator[Line]:
        known = self._lines.get(file)
        row = None if index is None else self._rows.get((file, index))
        spans = [each.place.span for each in found if each.place.span]
        if known is None:
            # Places have the line that they begin on.
            texts = {each.span.line: each.text for _, each, *_ in found if each.span}
            yield from (Line(at, texts[at] or "") for at in sorted(texts))
        elif row is not None and row.span:
            yield from _row_lines(known, row.span, spans)
        else:
            last = len(known) - (not known[-1])  # a final line end begins no line
            for at in _near(spans, _AROUND, last):
                yield Line(at, known[at - 1])


def _places(number: int, diagnostic: Diagnostic) -> Iterator[_Found]:
    yield _Found(number, diagnostic.place, diagnostic.row_index, diagnostic.row)
    for site in diagnostic.sites.first if diagnostic.sites else ():
        yield _Found(number, site.place, site.row_index, site.row)


def _file_first(item: tuple[int | None, object]) -> int:
    return -1 if item[0] is None else item[0]


def _near(spans: Iterable[Span], around: int, count: int) -> list[int]:
    """Return the numbers of the lines at and around the starts of spans."""
    near = {
        at
        for span in spans
        for at in range(max(span.line - around, 1), min(span.line + around, count) + 1)
    }
    return sorted(near)


def _row_lines(lines: Sequence[str], row: Span, marked: Sequence[Span]) -> Iterator[Line]:
    """Yield the lines of a row, whole ones where nothing else stands on them."""
    last = row.end_line
    end = lines[last - 1][: row.end_column - 1]
    while last > row.line and _NOT_OF_ROW.fullmatch(end):
        last -= 1
        end = lines[last - 1]
    if last == row.end_line and _BEHIND.fullmatch(lines[last - 1], row.end_column - 1):
        end = lines[last - 1]
    numbers: Iterable[int] = range(row.line, last + 1)
    if last - row.line >= _MAX_LINES:
        start = range(row.line, row.line + _START)
        near = (at for at in _near(marked, _AROUND, last) if at >= row.line)
        numbers = sorted({*start, *near})
    for at in numbers:
        text = end if at == last else lines[at - 1]
        column = row.column if at == row.line else 1
        if _BEFORE.fullmatch(text[: column - 1]):
            column = 1
        yield Line(at, text[column - 1 :], column, is_cut=len(text) < len(lines[at - 1]))


def _clipped(lines: Iterable[Line], marks: Sequence[Mark]) -> Iterator[Line]:
    """Yield lines, and of long ones the parts that matter."""
    for line in lines:
        if len(line.text) <= _MAX_COLUMNS:
            yield line
            continue
        parts = [(0, _MARGIN)]
        for span in (mark.span for mark in marks if mark.span.line == line.number):
            at = span.column - line.column
            end = span.end_column - line.column if span.end_line == span.line else at
            end = min(max(end, at), at + _MAX_COLUMNS)
            parts.append((max(at - _MARGIN, 0), end + _MARGIN))
        for start, end in _joined(parts):
            if part := line.text[start:end]:
                is_cut = end < len(line.text) or line.is_cut
                yield Line(line.number, part, line.column + start, is_cut=is_cut)


def _joined(parts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join ranges that touch."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(parts):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
