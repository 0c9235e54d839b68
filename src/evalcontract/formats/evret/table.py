"""Read the rows of a CSV table as queries, like those of JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from evalcontract.formats._findings import bom_rejected
from evalcontract.formats._format import RowLayout, SchemaChecker
from evalcontract.formats.evret.checker import read_by_others
from evalcontract.formats.evret.releases import (
    ANSWERS,
    ID_KEYS,
    NAMES,
    NO_QUERIES,
    RejectedCell,
    Release,
)
from evalcontract.model.diagnostic import Path, Problem
from evalcontract.model.nearest import nearest, normalise
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import clipped, quoted
from evalcontract.source.faults import ParseError
from evalcontract.source.tables.delimited import CsvTable

_BOM = "\ufeff"
# The most words of a label, and the most characters of a suggestion.
_MAX_WORDS, _MAX_LENGTH = 5, 60
# The most characters of the parts of a cell in a message.
_MAX_SHOWN = 200
_TOO_LARGE = "the cell exceeds the limits of Python's JSON parser"
_NAMES = tuple(name for pair in NAMES for name in pair)
_TEXTS = NAMES[1]
_NO_BOM = "save the file as UTF-8 without a byte order mark"
# Delimiters of other programs.
_DELIMITERS = {";": "semicolons", "\t": "tabs", "|": "bars"}


class Header(NamedTuple):
    """A header: its names as they are written, and as the loader reads them."""

    written: tuple[str, ...]
    read: tuple[str, ...]
    release: Release

    @property
    def has_text(self) -> bool:
        """Whether there is a column for the text of a query."""
        return not {*_TEXTS}.isdisjoint(self.read)

    @property
    def known(self) -> tuple[str, ...]:
        """The columns that the release reads."""
        return (*_NAMES, *self.release.list_columns)

    @property
    def of_others(self) -> tuple[str, ...]:
        """The columns of document ids that only other releases read."""
        return tuple(name for name in ID_KEYS if name not in self.known)

    def problems(self, schema: SchemaChecker, *, has_rows: bool) -> list[Problem]:
        """Return the problems of the header."""
        problems: list[Problem] = []
        ignored = {*self.known, *ID_KEYS, "metadata"}
        unknown = [name for name in dict.fromkeys(self.written) if name not in ignored]
        if not self.has_text and has_rows:
            meant = next(filter(None, (nearest(name, unknown) for name in _TEXTS)), None)
            problems.append(self._no_text(meant))
            unknown = [] if self._delimiter else [name for name in unknown if name != meant]
        elif self.written[:1] != self.read[:1] and self.written[0] in self.known:
            message = f"a byte order mark hides the column `{self.written[0]}`"
            problems.append(Problem("evret/hidden-column", message, self.written[:1], _NO_BOM))
        problems += self._unread(unknown, schema)
        problems += self._duplicates()
        if {*self.release.columns}.isdisjoint(self.read):
            others = [name for name in self.of_others if name in self.written]
            problems += [read_by_others(name, (name,), self.release) for name in others]
        has_list = not {*self.release.list_columns}.isdisjoint(self.read)
        is_reported = any(map(self._is_of_a_list, problems))
        if has_rows and self.has_text and not has_list and not is_reported:
            message = "no column has expectations: every metric is 0.0, whatever is retrieved"
            columns = quoted(self.release.list_columns[:2], " or ")
            advice = f"add a column {columns}"
            problems.append(Problem("evret/nothing-expected", message, (), advice))
        return problems

    def _is_of_a_list(self, problem: Problem) -> bool:
        """Whether a problem says why a column of expectations is not read."""
        texts = f"{problem.message} {problem.help}"
        return any(f"`{name}`" in texts for name in (*self.release.list_columns, *ID_KEYS))

    @property
    def _delimiter(self) -> str | None:
        """The delimiter of a header with a single name, if it is not the comma."""
        name = self.written[0] if len(self.written) == 1 else ""
        return next((word for char, word in _DELIMITERS.items() if char in name), None)

    def _no_text(self, meant: str | None) -> Problem:
        message = "the header has neither `query_text` nor `query`"
        place: Path = ()
        advice = "add a column `query_text`"
        if any(name in self.written for name in _TEXTS):
            message = f"a byte order mark hides the required column `{self.written[0]}`"
            place, advice = self.written[:1], _NO_BOM
        elif meant is not None:
            message = f"{message}; names must match exactly, and `{meant}` does not"
            place, advice = (meant,), "rename it to `query_text`"
        elif self._delimiter:
            advice = f"put commas between the cells, not {self._delimiter}"
        return Problem("evret/missing-key", message, place, advice)

    def _unread(self, unknown: list[str], schema: SchemaChecker) -> Iterator[Problem]:
        known_names = {normalise(name): name for name in self.known}
        present = dict.fromkeys((name for name in self.written if name in self.known), "")
        for name in unknown:
            near = known_names.get(normalise(name))
            if near and near not in self.read:
                message = f"the column `{name}` is not read: names must match exactly"
                advice = f"rename it to `{near}`"
                yield Problem("evret/near-miss-key", message, (name,), advice, on_key=True)
            else:
                problems = schema.unread({**present, name: ""}, ())
                yield from (problem for problem in problems if problem.path == (name,))

    def _duplicates(self) -> Iterator[Problem]:
        for name, count in Counter(self.read).items():
            if count > 1 and name in self.known:
                message = f"{count} columns are named `{name}`: only the last one is read"
                advice = "remove the others"
                yield Problem("evret/duplicate-column", message, (name,), advice, on_key=True)


def rows_of_table(
    table: CsvTable, release: Release, schema: SchemaChecker, *, has_mark: bool
) -> RowLayout:
    """Convert the rows of a table to queries.

    Lists are lists, a missing id is generated as the loader does, and columns that are not read
    are left out. A cell that the loader rejects is a `RejectedCell`.
    """
    names = tuple(table.header)
    if has_mark:  # for the loader it is a part of the first name, quotes included
        try:
            table = CsvTable(table.file, f"{_BOM}{table.text}", b"")
        except ParseError as fault:
            message = f"with its byte order mark the file is {fault.faults[0].message}"
            return RowLayout.without_rows(bom_rejected("evret", message))
    header = Header(names, tuple(table.header), release)
    problems = header.problems(schema, has_rows=bool(table.records))
    if not header.has_text and table.records:
        return RowLayout.without_rows(*problems)
    if not table.records:
        problems.append(NO_QUERIES)
    rows = []
    split: list[tuple[int, list[str]]] = []
    for index, cells in enumerate(table.records):
        problems += _extra_cells(cells, index, len(table.header))
        read: dict[str, Any] = dict(zip(table.header, cells, strict=False))
        # Cells that are missing at the end of a row are None, as for the loader.
        read |= dict.fromkeys(table.header[len(cells) :])
        row, split_cells = _query(read, index, release)
        rows.append(row)
        for name, parts in split_cells.items():
            if misread := _misread(name, read[name].strip(), parts):
                problems.append(misread._replace(path=(index, name), row_index=index))
            elif name == ANSWERS and len(parts) > 1:
                split.append((index, parts))
    if any(name in table.header for name in release.columns):
        problems += _ids_of_others(table, header, release)
    problems += _split_answers(split)
    return RowLayout(rows, (), tuple(problems))


def _ids_of_others(table: CsvTable, header: Header, release: Release) -> Iterator[Problem]:
    """Yield the columns of other releases that have ids where the column that is read has not."""
    own = [name for name in release.columns if name in table.header]
    for name in (name for name in header.of_others if name in table.header):
        for cells in table.records:
            read = dict(zip(table.header, cells, strict=False))
            if read.get(name, "").strip() and all(read.get(name) != read.get(key) for key in own):
                yield read_by_others(name, (name,), release)
                break


def _split_answers(split: list[tuple[int, list[str]]]) -> Iterator[Problem]:
    """Yield one note on the short answers that are split at commas, as lists of labels are."""
    for index, parts in split[:1]:
        cells_are = "1 cell is" if len(split) == 1 else f"{len(split):,} cells are"
        shown_parts = clipped(quoted(parts), _MAX_SHOWN)
        message = f"{cells_are} split at commas into answers: here {shown_parts}"
        advice = 'if a cell is a single answer, write JSON; in the CSV file that is "[""…""]"'
        yield Problem("evret/split-answer", message, (index, ANSWERS), advice, row_index=index)


def _query(
    read: dict[str, Any], index: int, release: Release
) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """Convert a row to a query; return also the parts of the cells that are split at commas."""
    names = {key: read[key] for key in NAMES[0] if read.get(key)}
    texts = {key: read[key] for key in NAMES[1] if key in read}
    given = {key: text for key, text in texts.items() if text}
    row = (names or {"query_id": f"q{index + 1}"}) | (given or dict([*texts.items()][:1]))
    lists = {key: _list(read[key], key) for key in release.list_columns if key in read}
    split = {key: _parts(read[key]) for key, value in lists.items() if value is None}
    return row | lists | split, split


def _list(cell: str | None, name: str) -> list[Any] | RejectedCell | None:
    """Parse a cell that holds a list as JSON; None if it is none, but is split at its commas."""
    if cell is None:
        message = f"the row ends before its column `{name}`, where Evret crashes"
        return RejectedCell("short-row", message, "add commas for the columns that stay empty")
    text = cell.strip()
    try:
        value = json.loads(text) if text else []
    except json.JSONDecodeError:
        return None
    except (ValueError, RecursionError):
        return RejectedCell("malformed-cell", _TOO_LARGE, "write a list of texts")
    if isinstance(value, list):
        return value
    message = f"a cell of `{name}` that is JSON must be a list"
    advice = f"write a list: [{json.dumps(value if isinstance(value, str) else text)}]"
    return RejectedCell("malformed-cell", message, advice)


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _extra_cells(cells: list[str], index: int, width: int) -> Iterator[Problem]:
    if any(cell.strip() for cell in cells[width:]):
        message = f"the row has {len(cells)} cells, but the header {width}: the others are dropped"
        advice = "put a cell that contains commas in double quotes"
        yield Problem("evret/extra-cell", message, (index, width), advice, row_index=index)


def _misread(name: str, text: str, parts: list[str]) -> Problem | None:
    """Return what is wrong with a cell that is not split as intended, without its place."""
    if text.startswith("[") and (text.endswith("]") or text[1:2] in ("'", '"')):
        message = "the list is not JSON: it is split at commas, and keeps brackets and quotes"
        advice = 'write JSON; in the CSV file that is "[""a"", ""b""]"'
        return Problem("evret/python-list", message, (), advice)
    if name != ANSWERS and ";" in text:
        ids = ",".join(part.strip() for part in text.replace(";", ",").split(","))
        sample = ids if len(ids) <= _MAX_LENGTH else "a,b"
        message = "the cell is split at commas only: its semicolons become part of an id"
        advice = f'write commas, and the cell in double quotes: "{sample}"'
        return Problem("evret/cut-cell", message, (), advice)
    # It is a sentence rather than a list of short labels.
    is_long = any(len(part.split()) > _MAX_WORDS for part in parts)
    if name == ANSWERS and len(parts) > 1 and (is_long or text.endswith((".", "!", "?"))):
        message = f"the cell is split at its commas, into {len(parts)} answers"
        advice = 'if it is a single answer, write JSON; in the CSV file that is "[""…""]"'
        return Problem("evret/cut-cell", message, (), advice)
    return None
