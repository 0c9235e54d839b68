"""Read the rows of a CSV table as queries, like those of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import bom_rejected
from evalcontract.formats._format import RowLayout
from evalcontract.formats.evret.releases import ANSWERS, NO_QUERIES, RejectedCell
from evalcontract.formats.evret.warnings import Header, read_by_others
from evalcontract.model.diagnostic import Problem
from evalcontract.model.values import clipped, quoted
from evalcontract.source.faults import ParseError
from evalcontract.source.tables import CsvTable

if TYPE_CHECKING:
    from evalcontract.formats._format import SchemaChecker
    from evalcontract.formats.evret.releases import Release

_BOM = "\ufeff"
# The most words of a label, and the most characters of a suggestion.
_MAX_WORDS, _MAX_LENGTH = 5, 60
# The most characters of the parts of a cell in a message.
_MAX_SHOWN = 200
_TOO_LARGE = "the cell exceeds the limits of Python's JSON parser"


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
    for index, cells in enumerate(table.records):
        problems += _extra_cells(cells, index, len(table.header))
        rows.append(_query(table.header, cells, index, release))
        problems += _split_cells(dict(zip(table.header, cells, strict=False)), index, release)
    if any(name in table.header for name in release.columns):
        problems += _ids_of_others(table, header, release)
    problems += _split_answers(table)
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


def _split_answers(table: CsvTable) -> Iterator[Problem]:
    """Yield one note on the short answers that are split at commas, as lists of labels are."""
    if ANSWERS not in table.header:
        return
    at = table.header.index(ANSWERS)
    split = [
        (index, cells[at])
        for index, cells in enumerate(table.records)
        if len(cells) > at and _is_split(cells[at])
    ]
    if split:
        index, text = split[0]
        cells_are = "1 cell is" if len(split) == 1 else f"{len(split):,} cells are"
        parts = quoted(part.strip() for part in text.split(",") if part.strip())
        message = f"{cells_are} split at commas into answers: here {clipped(parts, _MAX_SHOWN)}"
        advice = 'if a cell is a single answer, write JSON; in the CSV file that is "[""…""]"'
        yield Problem("evret/split-answer", message, (index, ANSWERS), advice, row_index=index)


def _is_split(text: str) -> bool:
    """Whether a cell is split at its commas, and nothing else is said of it."""
    parts = [part for part in text.split(",") if part.strip()]
    return len(parts) > 1 and not _is_json(text.strip()) and _misread(ANSWERS, text.strip()) is None


def _query(names: list[str], cells: list[str], index: int, release: Release) -> dict[str, Any]:
    """Convert a row to a query; cells that are missing at its end are None, as for the loader."""
    read: dict[str, Any] = dict(zip(names, cells, strict=False))
    read |= dict.fromkeys(names[len(cells) :])
    row: dict[str, Any] = {}
    for key in ("query_id", "id"):
        if read.get(key):
            row[key] = read[key]
    if not row:
        row["query_id"] = f"q{index + 1}"
    texts: dict[str, Any] = {key: read[key] for key in ("query_text", "query") if key in read}
    given = {key: text for key, text in texts.items() if text}
    row.update(given or [*texts.items()][:1])
    row |= {key: _list(read[key], key) for key in release.list_columns if key in read}
    return row


def _list(cell: str | None, name: str) -> list[Any] | RejectedCell:
    """Parse a cell that holds a list: as JSON, or otherwise as texts between commas."""
    if cell is None:
        message = f"the row ends before its column `{name}`, where Evret crashes"
        return RejectedCell("short-row", message, "add commas for the columns that stay empty")
    text = cell.strip()
    if not text:
        return []
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return [part.strip() for part in text.split(",") if part.strip()]
    except (ValueError, RecursionError):
        return RejectedCell("malformed-cell", _TOO_LARGE, "write a list of texts")
    if isinstance(value, list):
        return value
    message = f"a cell of `{name}` that is JSON must be a list"
    advice = f"write a list: [{json.dumps(value if isinstance(value, str) else text)}]"
    return RejectedCell("malformed-cell", message, advice)


def _extra_cells(cells: list[str], index: int, width: int) -> Iterator[Problem]:
    """Report a row that has more cells than the header, unless they are blank."""
    if any(cell.strip() for cell in cells[width:]):
        message = f"the row has {len(cells)} cells, but the header {width}: the others are dropped"
        advice = "put a cell that contains commas in double quotes"
        yield Problem("evret/extra-cell", message, (index, width), advice, row_index=index)


def _split_cells(read: dict[str, str], index: int, release: Release) -> Iterator[Problem]:
    """Yield the cells that are split at their commas, probably by mistake."""
    for name in release.list_columns:
        text = read.get(name, "").strip()
        if text and not _is_json(text) and (split := _misread(name, text)):
            code, message, advice = split
            yield Problem(f"evret/{code}", message, (index, name), advice, row_index=index)


def _misread(name: str, text: str) -> tuple[str, str, str] | None:
    """Return the code, the message and the help for a cell that is not split as intended."""
    parts = [part for part in text.split(",") if part.strip()]
    if text.startswith("[") and (text.endswith("]") or text[1:2] in ("'", '"')):
        message = "the list is not JSON: it is split at commas, and keeps brackets and quotes"
        return "python-list", message, 'write JSON; in the CSV file that is "[""a"", ""b""]"'
    if name != ANSWERS and ";" in text:
        ids = ",".join(part.strip() for part in text.replace(";", ",").split(","))
        sample = ids if len(ids) <= _MAX_LENGTH else "a,b"
        message = "the cell is split at commas only: its semicolons become part of an id"
        return "cut-cell", message, f'write commas, and the cell in double quotes: "{sample}"'
    if name == ANSWERS and len(parts) > 1 and _is_sentence(text, parts):
        message = f"the cell is split at its commas, into {len(parts)} answers"
        advice = 'if it is a single answer, write JSON; in the CSV file that is "[""…""]"'
        return "cut-cell", message, advice
    return None


def _is_sentence(text: str, parts: list[str]) -> bool:
    """Whether a cell is a sentence rather than a list of short labels."""
    return text.endswith((".", "!", "?")) or max(len(p.split()) for p in parts) > _MAX_WORDS


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except json.JSONDecodeError:
        return False
    except (ValueError, RecursionError):
        return True  # `_list` rejects it
    return True
