"""Parquet files: read row group by row group, and written."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from io import BytesIO
from itertools import accumulate
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from evalcontract.model.diagnostic import Path, Place, Within
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import clipped
from evalcontract.source.document import Batch
from evalcontract.source.faults import (
    MAX_EXPANSION,
    MAX_PARQUET_BYTES,
    ParseError,
    SourceProblem,
)
from evalcontract.source.filesystem import Stream, state_of
from evalcontract.source.tables.columnar import (
    FAILURES,
    INSTALL_PYARROW,
    ROWS_OF_BATCH,
    BatchedTable,
    Section,
    has_pyarrow,
    missing_pyarrow,
    reason_of,
    refuse_other,
    size_of,
)
from evalcontract.source.yaml.writing import NotWritableError

if TYPE_CHECKING:
    from pyarrow import Array, BooleanArray, RecordBatch, Schema
    from pyarrow.parquet import ParquetFile, RowGroupMetaData

# Rows per batch; a row of an evaluation dataset is a few kilobytes at most. A batch of a table with
# many columns has fewer.
_BATCH_CELLS = 1 << 18
# A value may be repeated in every row and take no space. So a batch of a small or a very compact
# file has fewer rows: as many as fit if each had all its bytes, but not fewer than the minimum.
_MIN_BATCH, _BATCH_BYTES, _SMALL, _COMPACT = 64, 1 << 28, 1 << 24, 20
#: The media that have typed columns, with their names.
PARQUET, ARROW = "parquet", "arrow"
TITLES = {PARQUET: "Parquet", ARROW: "Arrow"}
#: So many bytes are checked at a time, by one process.
PART_BYTES = 1 << 21
# What pyarrow reads at a time of a column.
_BUFFER = 1 << 20
# A table is written if it has so few cells, or if not many of them are empty for each value.
_MOST_CELLS, _SPARSE = 1 << 24, 64
# Small batches are joined up to so many rows or bytes.
_JOINED_ROWS, _JOINED_BYTES = 1024, 1 << 22


class PartFile(NamedTuple):
    """A file of a table: its name in the folder, and the values that its folders say of its rows.

    `fault` is why it is not read; None if it can be. A log may say that some of its rows are
    deleted: then `left` has true for each of the others. `fields` are the columns of the table, as
    Delta has them in JSON, if the file has other names for them.
    """

    name: str
    values: Mapping[str, Any]
    fault: str | None = None
    left: BooleanArray | None = None
    fields: Sequence[dict[str, Any]] | None = None


class RowsLeft:
    """The rows of a file that are not deleted, and their numbers: in the file, and among them."""

    _BLOCK = 1 << 16

    def __init__(self, mask: BooleanArray) -> None:
        self._mask = mask

    def of(self, batch: RecordBatch, first: int) -> RecordBatch:
        """Return the rows of a batch that are left; `first` is the number of its first."""
        return batch.filter(self._mask.slice(first, batch.num_rows))

    def deleted(self, rows: range) -> list[int]:
        """Return which of some rows are deleted, counted from the first of them."""
        from pyarrow import compute

        mask = self._mask.slice(rows.start, len(rows))
        numbers: list[int] = compute.indices_nonzero(compute.invert(mask)).to_pylist()
        return numbers

    @cached_property
    def _before(self) -> list[int]:
        """How many rows are left before each block."""
        blocks = range(0, len(self._mask), self._BLOCK)
        counts = (self._mask.slice(at, self._BLOCK).true_count for at in blocks)
        return [*accumulate(counts, initial=0)]

    @property
    def count(self) -> int:
        """The number of rows that are left."""
        return self._before[-1]

    def before(self, row: int) -> int:
        """Return how many rows are left before a row of the file."""
        block, beyond = divmod(row, self._BLOCK)
        inner: int = self._mask.slice(row - beyond, beyond).true_count
        return self._before[block] + inner

    def row(self, number: int) -> int:
        """Return the number in the file of a row, by its number among those that are left."""
        from pyarrow import compute

        block = bisect_right(self._before, number) - 1
        first = block * self._BLOCK
        rows = compute.indices_nonzero(self._mask.slice(first, self._BLOCK))
        at: int = rows[number - self._before[block]].as_py()
        return first + at


class ParquetTable(BatchedTable):
    """The rows of a Parquet file, which is read in pieces; see `TypedTable`.

    A row group that cannot be read costs its own rows; the other groups are read.

    Raises:
        ParseError: `source/unsupported` (pyarrow is not installed, or JSON has no such type),
            `source/syntax`, `source/limit-exceeded`.

    """

    _title = "Parquet"

    def __init__(self, file: str, stream: Stream, part: PartFile | None = None) -> None:
        super().__init__(file)
        self._open, self._size = stream
        self._fields = part.fields if part else None
        self._left: RowsLeft | None = None
        if fault := missing_pyarrow(self._title):
            raise ParseError(fault)
        from pyarrow import ArrowException

        try:
            with self._open() as data:
                refuse_other(data)
                parquet = self._parquet(data)
                metadata = parquet.metadata
                groups = [metadata.row_group(n) for n in range(metadata.num_row_groups)]
                columns = parquet.schema_arrow
                if self._fields is not None:
                    columns = renamed(_no_rows(columns), self._fields).schema
                self.header = columns.names
        except (ArrowException, *FAILURES) as error:
            raise ParseError(self._fault(error)) from None

        self._check_types(columns)
        self.schema = columns
        self._metadata = metadata
        self._digests: dict[object, str] = {}
        self._readings: list[_Reading] = []  # at most one, of this table and of its parts
        self._groups = [group.num_rows for group in groups]
        self._in_file = sum(self._groups)
        if part and part.left is not None:
            self._left = _left_in(part.left, self._in_file)
        every = [*enumerate(self._rows_of_groups())]
        self._sections = [Section(rows.start, f"row group {n}", rows.start) for n, rows in every]
        self._chosen = [(n, rows, rows) for n, rows in every]
        self._check_rows(max(metadata.num_rows, self._in_file))
        bytes_ = sum(group.total_byte_size for group in groups)
        if bytes_ > MAX_PARQUET_BYTES + self._size * MAX_EXPANSION:
            raise ParseError(self._expansion_limit(f"{bytes_:,} bytes"))

        is_doubtful = bytes_ <= _SMALL or bytes_ > _COMPACT * self._size
        fitting = max(_BATCH_BYTES // max(bytes_, 1), _MIN_BATCH)
        wide = max(_BATCH_CELLS // max(len(metadata.schema), 1), _MIN_BATCH)
        self._batch_size = (
            min(ROWS_OF_BATCH, wide, fitting) if is_doubtful else min(ROWS_OF_BATCH, wide)
        )

    @property
    def size(self) -> int:
        """The number of bytes of the file."""
        return self._size

    @property
    def count(self) -> int:
        """The number of rows, of which some may not be readable."""
        return self._in_file if self._left is None else self._left.count

    def _number(self, row: int) -> int:
        """Return the number that a row of the file has."""
        return row if self._left is None else self._left.before(row)

    def row_in_file(self, number: int) -> int:
        """Return the number in the file of a row with a number."""
        return number if self._left is None else self._left.row(number)

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        if self._left is not None and path and isinstance(path[0], int):
            path = (self._left.row(path[0]), *path[1:])
        return super().place(path, on_key=on_key, within=within)

    def _parquet(self, data: BinaryIO) -> ParquetFile:
        from pyarrow.parquet import ParquetFile

        return ParquetFile(data, buffer_size=_BUFFER, page_checksum_verification=True)

    @cached_property
    def sha256(self) -> str:
        with self._open() as data:
            digest = sha256()
            while part := data.read(_BUFFER):
                digest.update(part)
        return digest.hexdigest()

    def content(self) -> str | None:
        """Return a digest of the row groups that are read, and of which of their rows."""
        digest = sha256(self.schema.serialize().to_pybytes())
        how = self._batch_size, self._metadata.created_by, self._fields
        digest.update(repr(how).encode("utf-8", "surrogatepass"))
        for group, rows, chosen in self._chosen:
            here = chosen.start - rows.start, chosen.stop - rows.start
            gone = self._left.deleted(chosen) if self._left else []
            digest.update(f"{self._digest_of(group)} {here} {gone}\n".encode())
        return digest.hexdigest()

    def _digest_of(self, group: int) -> str:
        """Return the digest of a row group, which is read again only if the file has changed."""
        with self._open() as data:
            state = state_of(data)
            if self._readings and self._readings[0].state != state:
                self.close()
            if state is None or (state, group) not in self._digests:
                digest = sha256()
                for start, size, how in _chunks(self._metadata.row_group(group)):
                    digest.update(how)
                    data.seek(start)
                    for at in range(0, size, _BUFFER):
                        digest.update(data.read(min(size - at, _BUFFER)))
                self._digests[state, group] = digest.hexdigest()
        return self._digests[state, group]

    def cut(self) -> Sequence[Self]:
        """Return parts of some megabytes: small row groups together, and pieces of large ones."""
        parts: list[Self] = []
        few = max(self.count * PART_BYTES // max(self._size, 1), 1)
        waiting: list[tuple[int, range, range]] = []
        for group, rows in enumerate(self._rows_of_groups()):
            step = -(-len(rows) // max(len(rows) // few, 1)) or 1
            for first in range(rows.start, rows.stop, step):
                waiting.append((group, rows, range(first, min(first + step, rows.stop))))
                if waiting[-1][-1].stop - waiting[0][-1].start >= few:
                    parts.append(self._part(waiting))
                    waiting = []
        if waiting:
            parts.append(self._part(waiting))
        return parts

    def _part(self, chosen: list[tuple[int, range, range]]) -> Self:
        """Return the part that has the chosen rows of some row groups."""
        return self._with(_first=self._number(chosen[0][-1].start), _chosen=chosen)

    def _rows_of_groups(self) -> Iterator[range]:
        """Yield the numbers of the rows of each row group."""
        first = 0
        for count in self._groups:
            yield range(first, first + count)
            first += count

    def _record_batches(self) -> Iterator[RecordBatch | Batch]:
        is_left = False
        try:
            for group, rows, chosen in self._chosen:
                yield from self._group(group, rows, chosen=chosen)
                self._done = self._size * chosen.stop // max(self._in_file, 1)
            is_left = bool(self._chosen) and self._chosen[-1][-1].stop < self._in_file
        finally:
            if not is_left:  # the part that follows goes on
                self.close()

    def _group(self, group: int, rows: range, *, chosen: range) -> Iterator[RecordBatch | Batch]:
        """Yield the chosen rows of a row group; what of it cannot be read is one fault."""
        from pyarrow import ArrowException

        reading: _Reading | None = None
        try:
            if not self._readings:
                self._readings.append(_Reading(self._open(), self._parquet))
            reading = self._readings[0]
            reading.begin(group, rows, chosen, size=self._batch_size)
            for batch, first in reading.batches(chosen):
                yield from self._within(batch, first, chosen)
        except (ArrowException, *FAILURES) as error:
            read = reading.read if reading else rows.start
            self.close()
            # It is said once, of the piece in which the reading ends.
            if read >= chosen.start:
                lost = (
                    f"the rows {read:,} to {rows.stop - 1:,} of row group {group} are not checked"
                )
                where = self._damaged_column(group)
                message = f"{lost}, since they cannot be read: {where}{reason_of(error)}"
                fault = SourceProblem("source/syntax", message, None, "write the file again")
                yield Batch(self._number(read), [], ((fault, ""),))
            # The next group goes on with its own numbers.
            yield Batch(self._number(chosen.stop), [])

    def _damaged_column(self, group: int) -> str:
        """Return which column of a row group cannot be read; empty if each can be by itself."""
        from pyarrow import ArrowException

        name = None
        try:
            with self._open() as data:
                parquet = self._parquet(data)
                for name in dict.fromkeys(parquet.schema_arrow.names):
                    deque(parquet.iter_batches(row_groups=[group], columns=[name]), maxlen=0)
        except (ArrowException, *FAILURES):
            return f"the column `{clipped(name)}`: " if name else ""
        return ""

    def _within(self, batch: RecordBatch, first: int, chosen: range) -> Iterator[RecordBatch]:
        """Yield the chosen rows of a batch that are left; `first` is the number of its first."""
        start = max(chosen.start - first, 0)
        stop = min(chosen.stop - first, batch.num_rows)
        if start >= stop:
            return
        batch = batch if self._fields is None else renamed(batch, self._fields)
        batch = batch if stop - start == batch.num_rows else batch.slice(start, stop - start)
        yield batch if self._left is None else self._left.of(batch, first + start)

    def close(self) -> None:
        while self._readings:
            self._readings.pop().data.close()


class _Reading:
    """A file that is being read: the next row is `read`, of the row group `group`.

    Parts of a group that follow each other are decoded once.
    """

    def __init__(self, data: BinaryIO, parquet: Callable[[BinaryIO], ParquetFile]) -> None:
        self.data = data
        self.state = state_of(data)
        self.read = 0
        self._parquet = parquet(data)
        self._group: int | None = None
        self._batches: Iterator[RecordBatch] = iter(())
        self._rest: RecordBatch | None = None

    def begin(self, group: int, rows: range, chosen: range, size: int) -> None:
        """Read a row group from its start, unless the chosen rows are still to come."""
        if group == self._group and self.read <= chosen.start:
            return
        self._group, self.read, self._rest = group, rows.start, None
        parts = self._parquet.iter_batches(size, row_groups=[group], use_threads=False)
        self._batches = _joined(parts)

    def batches(self, chosen: range) -> Iterator[tuple[RecordBatch, int]]:
        """Yield batches to the last chosen row, with the numbers of their first, and keep the rest.

        Some of the rows may be before the chosen ones.
        """
        while self.read < chosen.stop:
            batch = next(self._batches, None) if self._rest is None else self._rest
            if batch is None:
                return
            end = self.read + batch.num_rows
            yield batch, self.read
            self._rest = batch.slice(chosen.stop - self.read) if end > chosen.stop else None
            self.read = min(end, chosen.stop)


def _no_rows(columns: Schema) -> RecordBatch:
    import pyarrow as pa

    return pa.record_batch([pa.array([], kind) for kind in columns.types], schema=columns)


def _left_in(mask: BooleanArray, rows: int) -> RowsLeft:
    """Return the rows of a file that are left; those beyond the end of a mask are.

    Raises:
        ParseError: the mask is of another file.

    """
    import pyarrow as pa

    if len(mask) > rows:
        message = f"its deletion vector is of {len(mask):,} rows, and it has {rows:,}"
        raise ParseError(SourceProblem("source/syntax", message, None, "write the file again"))
    return RowsLeft(pa.concat_arrays([mask, pa.repeat(True, rows - len(mask))]))


_PHYSICAL = "delta.columnMapping.physicalName"


def renamed(batch: RecordBatch, fields: Sequence[dict[str, Any]]) -> RecordBatch:
    """Return a batch with the columns of a Delta table, and the names that they have there."""
    import pyarrow as pa

    columns = {name: batch.column(at) for at, name in enumerate(batch.schema.names)}
    pairs = ((field, columns.get(field["metadata"].get(_PHYSICAL))) for field in fields)
    found = {
        field["name"]: _renamed(column, field["type"])
        for field, column in pairs
        if column is not None
    }
    if not found:  # of a table with nothing but new columns and partitions
        return pa.RecordBatch.from_struct_array(pa.array([{}] * batch.num_rows, pa.struct([])))
    return pa.record_batch(found)


def _renamed(array: Array, kind: Any) -> Array:
    """Return an array whose mappings have the names of a type of Delta."""
    import pyarrow as pa
    from pyarrow import compute

    if isinstance(kind, str):
        return array
    if kind["type"] == "struct":
        inner = pa.RecordBatch.from_arrays(
            [array.field(at) for at in range(array.type.num_fields)],
            [array.type.field(at).name for at in range(array.type.num_fields)],
        )
        named = renamed(inner, kind["fields"])
        return pa.StructArray.from_arrays(
            named.columns, fields=[*named.schema], mask=array.is_null()
        )
    absent = pa.concat_arrays([array.is_null(), pa.array([False])])
    offsets = compute.if_else(absent, pa.scalar(None, pa.int32()), array.offsets.cast(pa.int32()))
    if kind["type"] == "array":
        return pa.ListArray.from_arrays(offsets, _renamed(array.values, kind["elementType"]))
    items = _renamed(array.items, kind["valueType"])
    return pa.MapArray.from_arrays(offsets, array.keys, items)


def _chunks(group: RowGroupMetaData) -> Iterator[tuple[int, int, bytes]]:
    """Yield the columns of a row group: where the bytes are, how many, and how they are read."""
    for number in range(group.num_columns):
        column = group.column(number)
        first = column.data_page_offset
        if column.has_dictionary_page and column.dictionary_page_offset:
            first = min(first, column.dictionary_page_offset)
        how = (
            column.path_in_schema,
            column.physical_type,
            column.compression,
            column.encodings,
            column.num_values,
            column.total_compressed_size,
        )
        yield first, column.total_compressed_size, repr((*how, group.num_rows)).encode()


def _joined(batches: Iterable[RecordBatch]) -> Iterator[RecordBatch]:
    """Yield record batches, small ones as one."""
    from pyarrow import concat_batches

    rows = size = 0
    parts: list[RecordBatch] = []
    for batch in batches:
        parts.append(batch)
        rows, size = rows + batch.num_rows, size + size_of(batch)
        if rows >= _JOINED_ROWS or size >= _JOINED_BYTES:
            yield concat_batches(parts)
            rows = size = 0
            parts = []
    if parts:
        yield concat_batches(parts)


def typed_bytes(
    rows: Sequence[Mapping[str, Any]], medium: str = PARQUET, header: Iterable[str] = ()
) -> bytes:
    """Return rows as Parquet, or as an Arrow file, which Feather is, written by pyarrow.

    The columns are those of the `header`, and then every key that any row has.

    Raises:
        NotWritableError: pyarrow is not installed, or a column holds values of several types.

    """
    require_writer(medium)
    import pyarrow as pa
    from pyarrow import ipc, parquet

    title = TITLES[medium]
    _refuse_sparse(rows, title)
    names = dict.fromkeys((*header, *(name for row in rows for name in row)))
    out, name = BytesIO(), None
    try:
        columns = {}
        for name in names:
            columns[name] = pa.array([row.get(name) for row in rows])
        name = None
        table = pa.table(columns)
        if medium == PARQUET:
            parquet.write_table(table, out)
            parquet.ParquetFile(out)  # pyarrow writes nesting that it cannot read back
        else:
            with ipc.new_file(out, table.schema) as file:
                file.write_table(table, ROWS_OF_BATCH)
    except (pa.ArrowException, OSError, OverflowError, UnicodeError) as error:
        where = "" if name is None else f"the column `{clipped(name)}`: "
        message = f"the rows do not fit one {title} schema: {where}{error}"
        raise NotWritableError(message) from None
    return out.getvalue()


def _refuse_sparse(rows: Sequence[Mapping[str, Any]], title: str) -> None:
    """Refuse rows whose keys are so many that a table has next to nothing but empty cells."""
    paths = Counter(path for row in rows for path in _paths(row, ()))
    if len(paths) * len(rows) > max(_MOST_CELLS, _SPARSE * paths.total()):
        message = f"the rows have {len(paths):,} different keys: {title} has a column for each"
        raise NotWritableError(f"{message}, in every row; write JSONL")


def _paths(value: Any, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the path of each value in mappings; those in a list have one path."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield (*above, key)
            yield from _paths(part, (*above, key))
    elif isinstance(value, list):
        for part in value:
            yield from _paths(part, above)


def require_writer(medium: str = PARQUET) -> None:
    """Refuse to write a file with typed columns without pyarrow.

    Raises:
        NotWritableError: it is not installed.

    """
    if not has_pyarrow():
        raise NotWritableError(f"writing {TITLES[medium]} needs pyarrow: {INSTALL_PYARROW}")
