"""Find the records of a file as Inspect does: `json_dataset` and `csv_dataset`, by default."""

from __future__ import annotations

from contextlib import suppress
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import bom_rejected, ragged_row
from evalcontract.formats._format import RowLayout
from evalcontract.formats.inspect.checker import split_choices
from evalcontract.formats.inspect.reading import JSON_KEYS, choices_of, parsed
from evalcontract.model.diagnostic import Problem
from evalcontract.source.json.lines import RowStream
from evalcontract.source.tables import CsvTable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.formats._format import SchemaChecker
    from evalcontract.model.diagnostic import Path
    from evalcontract.source.external import ExternalFile

_BOM = bom_rejected(
    "inspect", "the file begins with a byte order mark, which `json_dataset` rejects"
)
_NO_ROWS = Problem(
    "inspect/no-rows", "there are no records: Inspect loads an empty dataset", (), "add a record"
)
_NO_RECORDS = Problem(
    "inspect/rejected", "the file holds neither a list of records nor a record", (), "write a list"
)
# Texts that stand for nothing in tables, and are targets like any other here.
_NULLS = frozenset({"nan", "none", "null", "na", "n/a", "#n/a"})
# An empty file of lines, or of a table, is a dataset without samples.
_PASSED_OVER = frozenset({"source/empty"})


def find_rows(read: ExternalFile, _variant: str | None, _schema: SchemaChecker) -> RowLayout:
    """Return the records of a file."""
    if isinstance(read.source, CsvTable):
        return _of_table(read.source)
    if isinstance(read.source, RowStream):
        return _of_lines(read.source)
    if read.document is None:
        return RowLayout(passed_over=_PASSED_OVER)
    return RowLayout.without_rows(_BOM) if read.has_mark else _of_document(read.document.value)


def _of_document(value: Any) -> RowLayout:
    if isinstance(value, list):
        return RowLayout(value, problems=() if value else (_NO_ROWS,))
    if isinstance(value, dict):
        return RowLayout([value], is_row=True)
    return RowLayout.without_rows(_NO_RECORDS)


def _of_lines(stream: RowStream) -> RowLayout:
    problems = []
    if PurePath(stream.file).suffix.lower() != ".jsonl":
        message = "Inspect reads the lines of files alone whose names end in `.jsonl`"
        problems.append(Problem("inspect/rejected", message, (), "rename it"))
    if (line := stream.blank_line()) is not None:
        message = f"line {line:,} is blank: `json_dataset` stops there"
        problems.append(Problem("inspect/rejected", message, (), "remove the blank lines"))
    return RowLayout(problems=tuple(problems), passed_over=_PASSED_OVER)


def _of_table(table: CsvTable) -> RowLayout:
    if table.text[:1] in ("\r", "\n"):
        message = "the first line is blank, and is the header of the table for Inspect"
        return RowLayout.without_rows(
            Problem("inspect/rejected", message, (), "remove the blank line")
        )
    header = table.header
    table.keep_rows(lambda record: len(record) != len(header) or not _is_blank(header, record))
    problems = [*_of_header(table), *_ragged(table)]
    if not table.records:
        problems.append(_NO_ROWS)
    rows = []
    for index, record in enumerate(table.records):
        cells = dict(zip(table.header, record, strict=False))
        problems += _misread(cells, index)
        rows.append(_record(cells))
    return RowLayout(rows, problems=tuple(problems))


def _is_blank(header: list[str], record: list[str]) -> bool:
    """Whether Inspect drops a row: of columns with one name it sees the last alone."""
    return not any(map(str.strip, dict(zip(header, record, strict=True)).values()))


def _record(cells: dict[str, str]) -> dict[str, Any]:
    """Return a row of a table as a record of JSON, with its lists and mappings."""
    record: dict[str, Any] = {**cells}
    if "choices" in cells:
        record["choices"] = choices_of(cells)
        if not record["choices"]:
            del record["choices"]
    for key in JSON_KEYS:
        if cells.get(key, "").strip():
            with suppress(ValueError):  # the checker reports it, and what is no mapping
                read = parsed(cells[key])
                record[key] = read if isinstance(read, dict) else cells[key]
    return record


def _misread(cells: dict[str, str], index: int) -> Iterator[Problem]:
    """Yield the cells that are probably not read as their author means."""
    path: Path = (index,)
    target = cells.get("target", "").strip()
    if target.lower() in _NULLS:
        message = f"the target is the text `{target}`, not nothing"
        advice = "leave the cell empty, if nothing is meant"
        yield Problem("inspect/null-text", message, (*path, "target"), advice, row_index=index)
    choices = cells.get("choices", "")
    if "," not in choices:
        advice = "write commas between the choices"
        for problem in split_choices(choices, choices_of(cells), (*path, "choices"), advice):
            yield problem._replace(row_index=index)
    if cells.get("sandbox") == "":
        message = "an empty cell of `sandbox` is read as an empty text, which is no sandbox"
        advice = "remove the column `sandbox`, or fill all of its cells"
        yield Problem("inspect/empty-item", message, (*path, "sandbox"), advice, row_index=index)


def _of_header(table: CsvTable) -> Iterator[Problem]:
    """Yield the columns with a name that another has; the last of them is read."""
    seen: set[str] = set()
    for name in table.header:
        if name in seen:
            message = f"several columns are called `{name}`: Inspect reads the last of them"
            yield Problem("inspect/duplicate-key", message, (name,), "rename the others")
        seen.add(name)


def _ragged(table: CsvTable) -> Iterator[Problem]:
    width = len(table.header)
    for index, record in enumerate(table.records):
        if len(record) != width:
            yield ragged_row("inspect", "Inspect", index, len(record), width)
