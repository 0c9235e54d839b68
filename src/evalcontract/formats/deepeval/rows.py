"""Find the goldens of a file as DeepEval does, with Python's `json` or with pandas."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import bom_rejected, ragged_row
from evalcontract.formats._format import RowLayout
from evalcontract.formats.deepeval.reading import (
    LISTS,
    OF_INPUT,
    OF_SCENARIO,
    TOOLS,
    has_scenario,
    misread_list,
    parsed,
    parsed_turns,
    texts_of,
)
from evalcontract.model.diagnostic import Path, Problem
from evalcontract.model.startup import lazy_pattern
from evalcontract.source.jsonl import RowStream
from evalcontract.source.tables.delimited import CsvTable

if TYPE_CHECKING:
    from evalcontract.source.external import ExternalFile

_BOM = bom_rejected("deepeval", "the file begins with a byte order mark, which DeepEval rejects")
_NO_ROWS = Problem(
    "deepeval/no-rows", "there are no goldens: DeepEval loads an empty dataset", (), "add a golden"
)
_NO_LIST = Problem("deepeval/rejected", "the file holds no list of goldens", (), "write a list")
_RETRIEVED = "retrieval_context"
_OF_JSON = "persona"
#: The columns that are read, in the order in which they are written.
COLUMNS = tuple(key for key in dict.fromkeys((*OF_INPUT, *OF_SCENARIO)) if key != _OF_JSON)
_NO_COLUMN = Problem(
    "deepeval/near-miss-key",
    f"`{_OF_JSON}` is read from JSON and JSON Lines, and never from a table",
    (_OF_JSON,),
    "write its `characteristics` as `user_description`, or write JSON",
    on_key=True,
)
_EMPTY = frozenset({"source/empty"})
_STOPS = "DeepEval stops here"
#: The cells that pandas reads as nothing.
_NOTHING = frozenset(
    [
        *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND"),
        *("1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
    ]
)
_NUMBER = lazy_pattern(
    r"[ \t]*[-+]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?|inf(?:inity)?)[ \t]*",
    re.IGNORECASE,
)
_TRUTHS = frozenset({"true", "false"})
_COUNTS = ("token_cost", "input_token_count", "output_token_count")
#: Cells that hold JSON.
_JSON = (*TOOLS, "turns", "expectations")
_MAPPINGS = ("additional_metadata", "custom_column_key_values")


def find_rows(read: ExternalFile) -> RowLayout:
    """Return the goldens of a file."""
    if isinstance(read.source, CsvTable):
        return _of_table(read.source)
    if read.has_mark:
        return RowLayout.without_rows(_BOM)
    if isinstance(read.source, RowStream) or read.document is None:
        return RowLayout(passed_over=_EMPTY)
    return _of_document(read.document.value)


def _of_document(value: Any) -> RowLayout:
    if not isinstance(value, list):
        return RowLayout.without_rows(_NO_LIST)
    problems = [] if value else [_NO_ROWS]
    rows = []
    for index, row in enumerate(value):
        read = row
        if isinstance(row, dict):
            problems += _of_texts(row, index)
            if isinstance(row.get(_RETRIEVED), str) and not has_scenario(row):
                read = {**row, _RETRIEVED: [*row[_RETRIEVED]]}
        rows.append(read)
    return RowLayout(rows, problems=tuple(problems))


def _of_texts(row: dict[str, Any], index: int) -> Iterator[Problem]:
    """Yield the texts in place of lists, which only JSONL and tables may have."""
    for key in ("context",) if has_scenario(row) else (*LISTS, *TOOLS):
        if not isinstance(row.get(key), str):
            continue
        code, message = "wrong-type", f"`{key}` must be a list, not text: {_STOPS}"
        if key == _RETRIEVED:
            code, message = "list-as-text", f"`{key}` is a text, and is read letter by letter"
        advice = "write a list; JSONL and tables may have a text"
        yield Problem(f"deepeval/{code}", message, (index, key), advice, row_index=index)


def _of_table(table: CsvTable) -> RowLayout:
    header = table.header
    if not header:
        if not table.records:
            problem = Problem("deepeval/rejected", f"the table is empty: {_STOPS}", ())
        else:
            problem = Problem("deepeval/rejected", "the first line is blank", (), "remove it")
        return RowLayout.without_rows(problem)
    table.keep_rows(lambda record: len(record) != 1 or record[0] == "" or bool(record[0].strip()))
    problems = [*_of_shape(table)]
    if not table.records:
        problems.append(_NO_ROWS)
    # With one cell more in the first row, pandas takes the first column for labels.
    extra = max(len(table.records[0]) - len(header), 0) if table.records else 0
    columns = [*_columns(table, extra)]
    scenarios = next((cells for name, cells in columns if name == "scenario"), [])
    rows: list[Any] = [{} for _ in table.records]
    for name, cells in columns:
        is_read = name in COLUMNS
        found, values = _read(name, cells) if is_read else ([], [cell or None for cell in cells])
        if name == _OF_JSON and not all(cell in _NOTHING for cell in scenarios):
            problems.append(_NO_COLUMN)
        problems += (problem for problem in found if _is_read(name, problem, scenarios))
        for row, value in zip(rows, values, strict=True):
            if value is not None:
                row[name] = value
    return RowLayout(rows, problems=tuple(problems))


def _is_read(name: str, problem: Problem, scenarios: list[str]) -> bool:
    """Whether a cell counts; those of the other kind are parsed, and then left alone."""
    if name not in OF_INPUT or name in OF_SCENARIO or name in LISTS or not scenarios:
        return True
    if problem.code == "deepeval/number-column":
        return any(cell in _NOTHING for cell in scenarios)
    return problem.row_index is None or scenarios[problem.row_index] in _NOTHING


def _of_shape(table: CsvTable) -> Iterator[Problem]:
    width = max(len(table.header), len(table.records[0]) if table.records else 0)
    if table.is_open:
        message = f"the last cell begins with a quote that has no end: {_STOPS}"
        yield Problem("deepeval/ragged-row", message, (len(table.records) - 1,), "add the quote")
    if width > len(table.header):
        message = (
            f"the header has {len(table.header)} cells, and the first row {width}: "
            "all columns are shifted to the right"
        )
        yield Problem("deepeval/shifted-columns", message, (0,), "name all columns", row_index=0)
    seen: set[str] = set()
    for name in table.header:
        if name in seen:
            message = f"several columns are called `{name}`: DeepEval reads the first of them"
            yield Problem("deepeval/duplicate-key", message, (name,), "rename the others")
        seen.add(name)
    for index, record in enumerate(table.records):
        if len(record) > width:
            yield ragged_row("deepeval", "DeepEval", index, len(record), width)


def _columns(table: CsvTable, extra: int) -> Iterator[tuple[str, list[str]]]:
    """Yield each column by its name: of those with one name the first."""
    seen: set[str] = set()
    for number, name in enumerate(table.header):
        if name not in seen:
            at = number + extra
            yield name, [record[at] if at < len(record) else "" for record in table.records]
        seen.add(name)


def _read(name: str, cells: list[str]) -> tuple[list[Problem], list[Any]]:
    """Return the values of a column for DeepEval, and what is wrong with its cells."""
    problems: list[Problem] = []
    given = [cell for cell in cells if cell not in _NOTHING]
    kind = kind_of(given)
    if kind is not None:
        if name in _COUNTS and kind == "numbers":
            return [], [float(cell) if cell not in _NOTHING else None for cell in cells]
        index = next(n for n, cell in enumerate(cells) if cell not in _NOTHING)
        message = f"all cells of `{name}` are {kind}, which pandas does not keep as texts: {_STOPS}"
        advice = "write JSON or JSONL, where texts are in quotes"
        where = (index, name)
        problem = Problem("deepeval/number-column", message, where, advice, row_index=index)
        return [problem], [cell if cell not in _NOTHING else None for cell in cells]
    values: list[Any] = []
    for index, cell in enumerate(cells):
        place: Path = (index, name)
        if cell in _NOTHING:
            # The list of an empty cell is empty, and not missing.
            values.append([] if name in (*LISTS, *TOOLS) else None)
            if cell:
                message = f"the cell `{cell}` is read as nothing"
                advice = "leave the cell empty, or write JSON if the text is meant"
                problems.append(
                    Problem("deepeval/null-text", message, place, advice, row_index=index)
                )
            continue
        value, wrong = _value_of(name, cell)
        if wrong:
            problems.append(
                Problem("deepeval/malformed-value", wrong, place, None, row_index=index)
            )
        if name in LISTS:
            found = misread_list(name, cell, place, read_as="texts")
            problems += (problem._replace(row_index=index) for problem in found)
        values.append(value)
    return problems, values


def is_nothing(cell: str) -> bool:
    """Whether pandas reads a cell as nothing."""
    return cell in _NOTHING


def kind_of(cells: list[str]) -> str | None:
    """Return what pandas takes all cells of a column for; None if for texts."""
    if cells and all(_NUMBER.fullmatch(cell) for cell in cells):
        return "numbers"
    if cells and all(cell.lower() in _TRUTHS for cell in cells):
        return "true or false"
    return None


def _value_of(name: str, cell: str) -> tuple[Any, str | None]:
    """Return the value of a cell, or why DeepEval stops at it."""
    if name in LISTS:
        return texts_of(cell), None
    if name not in (*_JSON, *_MAPPINGS, *_COUNTS):
        return cell, None
    if name in _COUNTS:
        return None, f"`{name}` is no number: {_STOPS}"
    try:
        value = parsed_turns(cell) if name == "turns" else parsed(cell)
    except ValueError:
        value = _literal(cell) if name in _MAPPINGS else None
    if name in TOOLS and value == {}:
        return [], None
    wanted = dict if name in (*_MAPPINGS, "expectations") else list
    if isinstance(value, wanted):
        return value, None
    return (
        None,
        f"`{name}` is not the JSON of a {'mapping' if wanted is dict else 'list'}: {_STOPS}",
    )


def _literal(cell: str) -> Any:
    """Return the value of a mapping as Python writes it; None if it is none."""
    if not cell.lstrip(" \t").startswith("{"):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = ast.literal_eval(cell.lstrip(" \t"))
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return None
    # What JSON has no value for is its text.
    return json.loads(json.dumps(value, default=str)) if _is_named(value) else None


def _is_named(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(key, str) for key in value)
