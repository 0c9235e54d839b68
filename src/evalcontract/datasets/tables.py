"""A table as rows of evalcontract: its columns are keys of the rows, and its cells their values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from evalcontract.datasets.columns import (
    INPUT,
    METADATA,
    Column,
    ColumnKeys,
    columns_of,
    key_named,
    meant_by,
    names_of,
    path_of,
    value_of,
)
from evalcontract.model.diagnostic import Path, Place, Problem, Within
from evalcontract.model.errors import UsageError
from evalcontract.model.values import clipped, listed
from evalcontract.source import RowBatches, SourceProblem, UnreadableFile
from evalcontract.source.document import Batch
from evalcontract.source.rows import has_infinite, representable
from evalcontract.source.tables.columnar import TypedTable
from evalcontract.source.tables.delimited import CsvTable

if TYPE_CHECKING:
    from evalcontract.source.external import ExternalFile

_ID = "id"
#: A smaller table is checked by one process: others would take as long to begin.
MIN_TABLE_BYTES = 1 << 23
# Keys that hold a text.
_TEXTS = frozenset((_ID, INPUT, "criteria", "expected.reference", "rubric_ref", "bundle"))
# Delimiters of files that are called CSV, the usual one first.
_DELIMITERS = (",", ";", "\t")
# Findings are about the first columns of a table that has more.
_MOST_COLUMNS = 1000


def source_of(file: ExternalFile, mapping: ColumnKeys) -> TableSource | UnreadableFile:
    """Return a table as a source of rows of evalcontract, by its columns.

    A table without a column for `input` is none of ours: the file cannot be read.

    Raises:
        UsageError: there is no column that `mapping` names.

    """
    table = file.stream
    if file.unreadable is not None:
        return file.unreadable
    if isinstance(table, CsvTable):
        table = _with_its_delimiter(table) if file.medium == "csv" else table
        header: Sequence[str] = table.header
    elif isinstance(table, TypedTable):
        header = table.header
        if not mapping and has_own_rows(table):
            table.require((_ID, INPUT))
            return TableSource(table, None)
        mapping = (*mapping, *((name, name) for name in _own_structs(table, mapping)))
    else:
        raise UsageError(f"{file.file} has no columns: it is no CSV or Parquet file")
    columns = columns_of(header, mapping)
    if not any(column.key == INPUT for column in columns):
        return UnreadableFile(file.file, (no_input(header),))
    if isinstance(table, TypedTable):
        table.require(column.name for column in columns if column.key == INPUT)
    return TableSource(table, columns)


def has_own_rows(table: TypedTable) -> bool:
    """Whether the columns of a table are the keys of rows as they are, as in JSONL.

    It has `id` and `input`, and no column that is read as another key by its name.
    """
    own = _own_structs(table, ())
    known = columns_of(table.header, tuple((name, name) for name in own))
    return {_ID, INPUT} <= {*table.header} and not any(column.is_guessed for column in known)


def _own_structs(table: TypedTable, mapping: ColumnKeys) -> list[str]:
    """Return the columns with mappings that have the name of a key, which they then are."""
    taken = {name for pair in mapping for name in pair}
    return [name for name in table.header if name in table.structs - taken and path_of(name)]


class TableSource:
    """The rows of a table; see `RowSource`. `problems` are those of header and shape.

    Without `columns`, its columns are the keys of rows as they are.
    """

    document = None
    unreadable = None

    def __init__(self, table: CsvTable | TypedTable, columns: Sequence[Column] | None) -> None:
        self.file = table.file
        self.stream = TableRows(table, columns)
        self.problems = [*problems_of_header(columns or ())]
        self.problems += _of_names(table)
        if isinstance(table, TypedTable):
            self.problems += [*_of_types(table, columns), *_of_files(table)]
        elif columns is not None:
            self.problems += [*_of_shape(table, columns), *_of_halves(table, columns)]

    def peek(self) -> Any:
        return next((row for batch in self.stream.batches() for row in batch.rows), None)


class TableRows(RowBatches):
    """The rows of a table as rows of evalcontract; see `RowBatches`.

    Row n has the path (n,), and its values the places of their cells. Empty cells are no values. A
    row without an id is called `row_N`.
    """

    document = None

    def __init__(self, table: CsvTable | TypedTable, columns: Sequence[Column] | None) -> None:
        self.file = table.file
        self._table = table
        self._columns = columns
        self._names = {column.path: column.name for column in columns or ()}
        self._batch = Batch(0, [])

    def keep_nulls(self) -> None:
        """Read nulls in columns as values, and not as absent keys."""
        if isinstance(self._table, TypedTable):
            self._table.keeps_nulls = True

    def parts(self) -> Sequence[TableRows]:
        _, size = self._table.progress or (0, 0)
        if not isinstance(self._table, TypedTable) or size < MIN_TABLE_BYTES:
            return ()
        return [TableRows(table, self._columns) for table in self._table.cut()]

    @property
    def first(self) -> int:
        return self._table.first if isinstance(self._table, TypedTable) else 0

    def content(self) -> str | None:
        if not isinstance(self._table, TypedTable) or (content := self._table.content()) is None:
            return None
        # A row without an id is called by its number.
        named = None if self._columns is None else (self.first, *self._columns)
        return f"{content} {self._table.keeps_nulls} {named}"

    def close(self) -> None:
        if isinstance(self._table, TypedTable):
            self._table.close()

    @property
    def progress(self) -> tuple[int, int] | None:
        return self._table.progress

    @property
    def has_bare_texts(self) -> bool:
        return isinstance(self._table, CsvTable)

    @property
    def sha256(self) -> str:
        return self._table.sha256

    def batches(self, *, quick: bool = False) -> Iterator[Batch]:
        """Yield all rows; if reading fails, the last batch has the problem."""
        for batch in self._table.batches():
            rows = batch.rows
            if self._columns is not None:
                numbered = enumerate(rows, batch.first_index)
                keeps = isinstance(self._table, TypedTable) and self._table.keeps_nulls
                rows = [
                    row_of(row, self._columns, number, keeps_nulls=keeps)
                    for number, row in numbered
                ]
            for part in self._parts(batch._replace(rows=rows)):
                self._batch = part
                yield part

    def _parts(self, batch: Batch) -> Iterator[Batch]:
        """Yield a batch in parts, between which are rows that JSON cannot represent."""
        table = self._table
        if not isinstance(table, TypedTable) or not table.may_be_infinite:
            return iter((batch,))
        if any(map(has_infinite, batch.rows)):
            return representable(batch, name_of=table.name_of)
        return iter((batch,))

    def exact(self, index: int) -> Any:
        return self._batch.rows[index - self._batch.first_index]

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return the place of a path: of a cell, of the name of a column, or of a row."""
        if path and isinstance(path[0], str):
            return self._table.place(path, on_key=True)
        if self._columns is None:
            return self._table.place(path, within=within)
        steps = tuple(str(step) for step in path[1:])
        ends = (steps[:end] for end in range(len(steps), 0, -1))
        name = next((self._names[end] for end in ends if end in self._names), None)
        cell = path[:1] if name is None else (*path[:1], name)
        # The key of a value is the name of its column, but findings are about the cell.
        return self._table.place(cell, within=within)


def row_of(
    cells: dict[str, Any], columns: Sequence[Column], number: int, *, keeps_nulls: bool = False
) -> dict[str, Any]:
    """Return a row by the columns of its cells; `number` counts from 0, for a row without an id.

    An empty cell is no value, and neither is a null, unless the row `keeps_nulls`.
    """
    row: dict[str, Any] = {_ID: f"row_{number + 1}"}
    for column in columns:
        cell = cells.get(column.name)
        is_null = cell is None and not (keeps_nulls and column.name in cells)
        if is_null or cell == "":
            continue
        value = value_of(column, cell) if isinstance(cell, str) else cell
        first, *rest = column.path
        if rest:
            row.setdefault(first, {})
            if isinstance(row[first], dict):
                row[first][rest[0]] = value
        else:
            row[first] = value
    metadata = row.pop(METADATA, None)
    return row if metadata is None else {**row, METADATA: metadata}


def problems_of_header(columns: Sequence[Column]) -> Iterator[Problem]:
    """Yield the columns that are probably misspelled, and what columns are read as."""
    others = [column for column in columns if column.is_other]
    by_path = {column.path: column.name for column in columns}
    for column in others[:_MOST_COLUMNS]:
        if (key := key_named(column.name)) and (earlier := by_path.get(path_of(key) or ())):
            message = (
                f"the column `{column.name}` is read as `{column.key}`: `{earlier}` is `{key}`"
            )
            advice = f"pass `--map {column.name}={key}` to read it instead"
            yield Problem("dataset/mapped-column", message, (column.name,), advice)
        elif meant := meant_by(column.name):
            message = f"the column `{column.name}` is read as `{column.key}`"
            advice = f"did you mean `{meant}`?"
            yield Problem("dataset/near-miss-key", message, (column.name,), advice)
    guessed = [column for column in columns if column.is_guessed]
    if guessed:
        read = listed([f"`{column.name}` as `{column.key}`" for column in guessed])
        message = f"columns are read by their names: {read}"
        advice = "pass `--map COLUMN=KEY` to read a column as another key"
        yield Problem("dataset/mapped-column", message, (guessed[0].name,), advice)


def _of_names(table: CsvTable | TypedTable) -> Iterator[Problem]:
    """Yield the columns with the same name."""
    repeated = [name for name, count in Counter(table.header).items() if count > 1]
    for name in repeated[:_MOST_COLUMNS]:
        message = f"several columns are called `{name}`, and only the last of them is read"
        yield Problem("dataset/repeated-column", message, (name,), "rename the others")


def _of_types(table: TypedTable, columns: Sequence[Column] | None) -> Iterator[Problem]:
    """Yield the columns whose values become texts, but hardly those that their keys are for."""
    named = {column.name: column.key for column in columns or ()}
    for name, kind in table.as_texts.items():
        key = named.get(name, name)
        if key in _TEXTS:
            message = f"the column `{clipped(name)}` has the type `{kind}`, and `{key}` is a text"
            advice = "cast the column to texts: what is checked is what its values become in JSON"
            yield Problem("dataset/wrong-type", message, (name,), advice)


def _of_files(table: TypedTable) -> Iterator[Problem]:
    """Yield the columns that files of a folder lack, which others have."""
    for name, files in table.lacking():
        where = listed([f"`{clipped(each)}`" for each in files])
        message = f"the column `{clipped(name)}` is missing in {where}"
        advice = "their rows lack the key: add the column, if it is meant to be there"
        yield Problem("dataset/ragged-row", message, (name,), advice)


def _of_shape(table: CsvTable, columns: Sequence[Column]) -> Iterator[Problem]:
    """Yield the rows with fewer or more cells than columns."""
    width = len(table.header)
    sizes = [*enumerate(map(len, table.records))]
    more = [(index, size) for index, size in sizes if size > width]
    fewer = [(index, size) for index, size in sizes if size < width]
    if more:
        advice = "put a cell that contains the delimiter in double quotes"
        yield _ragged(more, width, "the others are dropped", advice=advice)
    if table.is_open:
        index = len(table.records) - 1
        yield _without_end(table, index, columns)
        fewer = [each for each in fewer if each[0] != index]
    if fewer:
        advice = "add the delimiters of the columns that stay empty"
        yield _ragged(fewer, width, "the rest is empty", advice=advice)


def _without_end(table: CsvTable, index: int, columns: Sequence[Column]) -> Problem:
    """Return the problem of the last cell, whose quote has no end."""
    names = table.header[: len(table.places[-1])]
    path = next((column.path for column in columns if names and column.name == names[-1]), ())
    message = "the quote at the beginning of this cell has no end: the rest of the file is in it"
    where: Path = (index, *path) if index >= 0 else ()
    advice = 'write `"` at the end of the text'
    return Problem("dataset/unclosed-quote", message, where, advice, row_index=max(index, 0))


def _of_halves(table: CsvTable, columns: Sequence[Column]) -> Iterator[Problem]:
    """Yield the first row that has both a key and a key below it, such as `context.region`."""
    index_of = {name: index for index, name in enumerate(table.header)}
    wholes = {column.path[0]: index_of[column.name] for column in columns if not column.path[1:]}
    halves = [
        (column.path, index_of[column.name], wholes[column.path[0]])
        for column in columns
        if column.path[1:] and column.path[0] in wholes
    ]
    for path, half, whole in halves[:_MOST_COLUMNS]:
        for index, record in enumerate(table.records):
            if max(half, whole) < len(record) and record[half] and record[whole]:
                name, other = table.header[half], table.header[whole]
                message = f"the row has both `{other}` and `{name}`, and only one of them is read"
                where: Path = (index, *path)
                advice = "leave one of the cells empty"
                yield Problem("dataset/repeated-column", message, where, advice, row_index=index)
                break


def _ragged(rows: list[tuple[int, int]], width: int, what: str, advice: str) -> Problem:
    index, size = rows[0]
    cells = "1 cell" if size == 1 else f"{size:,} cells"
    message = f"the row has {cells}, but the header {width:,}: {what}"
    if len(rows) > 1:
        message += f"; so it is in {len(rows):,} rows"
    return Problem("dataset/ragged-row", message, (index,), advice, row_index=index)


def no_input(header: Sequence[str]) -> SourceProblem:
    """Return the problem of a table none of whose columns is read as `input`."""
    near = next(
        (name for name in header[:_MOST_COLUMNS] if meant_by(name) in names_of(INPUT)), None
    )
    message = "no column is read as `input`" if header else "the table has no header"
    advice = f"pass `--map {near or 'COLUMN'}=input` to name the column with the question"
    if header:
        message += f"; the columns are {listed([f'`{name}`' for name in header])}"
    return SourceProblem("source/unsupported", message, None, advice)


def _with_its_delimiter(table: CsvTable) -> CsvTable:
    """Return the table by the delimiter that its header has most."""
    line = table.text.lstrip("\ufeff").partition("\n")[0]
    best = max(_DELIMITERS, key=line.count)
    if best == _DELIMITERS[0]:
        return table
    return table.with_delimiter(best)
