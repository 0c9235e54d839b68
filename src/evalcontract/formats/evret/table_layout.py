"""A table of CSV as queries: in the form that those of JSON have."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from evalcontract.formats._format import RowLayout
from evalcontract.formats.evret.faults import RefusedCell
from evalcontract.formats.evret.releases import ANSWERS
from evalcontract.formats.evret.table_header import Header
from evalcontract.model.diagnostic import Problem
from evalcontract.source.csv_table import CsvTable
from evalcontract.source.fault import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.formats._format import SchemaChecker
    from evalcontract.formats.evret.releases import Release

_MARK = "\ufeff"
# So much of a number Python refuses to read, and so deep a list.
# So many words a label has at the most, and so many characters a help shows.
_LABEL, _MOST = 5, 60
_TOO_MUCH = "this cell is more than Python's JSON parser reads"


def rows_of_table(
    table: CsvTable, release: Release, schema: SchemaChecker, *, has_mark: bool
) -> RowLayout:
    """Read the queries of a table.

    Lists stand as lists, an id that is missing is made up as the loader makes it up, and columns
    that are not read are left out. A cell at which the loader stops is a `RefusedCell`.
    """
    names = tuple(table.header)
    if has_mark:  # the loader takes it for a part of the first name, and its quotes for themselves
        try:
            table = CsvTable(table.file, f"{_MARK}{table.text}", b"")
        except Fault as fault:
            message = f"with its byte order mark the file is {fault.faults[0].message}"
            problem = Problem("evret/rejected", message, (), "save it as UTF-8 without a mark")
            return RowLayout(problems=(problem,), is_lost=True)
    header = Header(names, tuple(table.header), release)
    problems = header.problems(schema, has_rows=bool(table.records))
    if not header.has_text and table.records:
        return RowLayout(problems=tuple(problems), is_lost=True)
    if not table.records:
        message = "there are no queries: Evret loads the file, and refuses to evaluate it"
        problems.append(Problem("evret/no-queries", message, (), "add a query"))
    rows = []
    for number, cells in enumerate(table.records):
        problems += _extra(cells, number, len(table.header))
        rows.append(_query(table.header, cells, number, release))
        problems += _cuts(dict(zip(table.header, cells, strict=False)), number, release)
    return RowLayout(rows, (), tuple(problems))


def _query(names: list[str], cells: list[str], number: int, release: Release) -> dict[str, Any]:
    """Return a record as a query; what is missing at its end is None, as for the loader."""
    read: dict[str, Any] = dict(zip(names, cells, strict=False))
    read |= dict.fromkeys(names[len(cells) :])
    row: dict[str, Any] = {}
    for key in ("query_id", "id"):
        if read.get(key):
            row[key] = read[key]
    if not row:
        row["query_id"] = f"q{number + 1}"
    texts: dict[str, Any] = {key: read[key] for key in ("query_text", "query") if key in read}
    given = {key: text for key, text in texts.items() if text}
    row.update(given or [*texts.items()][:1])
    row |= {key: _list(read[key], key) for key in release.list_columns if key in read}
    return row


def _list(cell: str | None, name: str) -> list[Any] | RefusedCell:
    """Read a cell that holds a list: as JSON, or else as texts between commas."""
    if cell is None:
        message = f"the row ends before its column `{name}`, and Evret breaks off there"
        return RefusedCell("short-row", message, "add commas for the columns that stay empty")
    text = cell.strip()
    if not text:
        return []
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return [part.strip() for part in text.split(",") if part.strip()]
    except (ValueError, RecursionError):
        return RefusedCell("malformed-cell", _TOO_MUCH, "write a list of texts")
    if isinstance(value, list):
        return value
    message = f"a cell of `{name}` that is JSON must be a list, and this is none"
    advice = f"write a list: [{json.dumps(value if isinstance(value, str) else text)}]"
    return RefusedCell("malformed-cell", message, advice)


def _extra(cells: list[str], number: int, width: int) -> Iterator[Problem]:
    """Yield that a row goes on behind the header, unless nothing stands there."""
    if any(each.strip() for each in cells[width:]):
        message = f"the row has {len(cells)} cells and the header {width}: the others are dropped"
        advice = "put a cell that holds commas in double quotes"
        yield Problem("evret/extra-cell", message, (number, width), advice, row_index=number)


def _cuts(read: dict[str, str], number: int, release: Release) -> Iterator[Problem]:
    """Yield the cells that are taken apart at their commas, and hardly where that was meant."""
    for name in release.list_columns:
        text = read.get(name, "").strip()
        if not text or _is_json(text):
            continue
        place = (number, name)
        parts = [part for part in text.split(",") if part.strip()]
        if text.startswith("[") and (text.endswith("]") or text[1:2] in ("'", '"')):
            message = "this list is no JSON: it is cut at its commas, and keeps brackets and quotes"
            advice = 'write JSON; in the text of the file that is "[""a"", ""b""]"'
            yield Problem("evret/python-list", message, place, advice, row_index=number)
        elif name != ANSWERS and ";" in text:
            message = "this cell is cut at commas alone: its semicolons become part of an id"
            ids = ",".join(part.strip() for part in text.replace(";", ",").split(","))
            shown = ids if len(ids) <= _MOST else "a,b"
            advice = f'write commas, and the cell in double quotes: "{shown}"'
            yield Problem("evret/cut-cell", message, place, advice, row_index=number)
        elif name == ANSWERS and len(parts) > 1 and _is_sentence(text, parts):
            message = f"this cell is cut at its commas, into {len(parts)} answers"
            advice = 'if it is one, write JSON; in the text of the file that is "[""…""]"'
            yield Problem("evret/cut-cell", message, place, advice, row_index=number)


def _is_sentence(text: str, parts: list[str]) -> bool:
    """Whether a cell reads as one sentence rather than as a list of short labels."""
    return text.endswith((".", "!", "?")) or max(len(part.split()) for part in parts) > _LABEL


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except json.JSONDecodeError:
        return False
    except (ValueError, RecursionError):
        return True  # refused for another reason
    return True
