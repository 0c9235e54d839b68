"""Parquet files: read row group by row group, and written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from io import BytesIO
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from evalcontract.model.startup import NamedTuple
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
    from pyarrow import RecordBatch
    from pyarrow.parquet import ParquetFile, RowGroupMetaData

# Rows per batch; a row of an evaluation dataset is a few kilobytes at most. A batch of a table with
# many columns has fewer.
_BATCH_CELLS = 1 << 18
# A value may be repeated in every row and take no space. So a batch of a small or a very compact
# file has fewer rows: as many as fit if each had all its bytes, but not fewer than the minimum.
_MIN_BATCH, _BATCH_BYTES, _SMALL, _COMPACT = 64, 1 << 28, 1 << 24, 20
#: So many bytes are checked at a time, by one process.
PART_BYTES = 1 << 21
# What pyarrow reads at a time of a column.
_BUFFER = 1 << 20
# Small batches are joined up to so many rows or bytes.
_JOINED_ROWS, _JOINED_BYTES = 1024, 1 << 22


class PartFile(NamedTuple):
    """A file of a table: its name in the folder, and the values that its folders say of its rows.

    `fault` is why it is not read; None if it can be.
    """

    name: str
    values: Mapping[str, Any]
    fault: str | None = None


class ParquetTable(BatchedTable):
    """The rows of a Parquet file, which is read in pieces; see `TypedTable`.

    A row group that cannot be read costs its own rows; the other groups are read.

    Raises:
        ParseError: `source/unsupported` (pyarrow is not installed, or JSON has no such type),
            `source/syntax`, `source/limit-exceeded`.

    """

    _title = "Parquet"

    def __init__(self, file: str, stream: Stream) -> None:
        super().__init__(file)
        self._open, self._size = stream
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
                self.header = columns.names
        except (ArrowException, *FAILURES) as error:
            raise ParseError(self._fault(error)) from None

        self._check_types(columns)
        self.schema = columns
        self._metadata = metadata
        self._digests: dict[object, str] = {}
        self._readings: list[_Reading] = []  # at most one, of this table and of its parts
        self._groups = [group.num_rows for group in groups]
        every = [*enumerate(self._rows_of_groups())]
        self._sections = [Section(rows.start, f"row group {n}", rows.start) for n, rows in every]
        self._chosen = [(n, rows, rows) for n, rows in every]
        self._check_rows(max(metadata.num_rows, sum(self._groups)))
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
        return sum(self._groups)

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
        digest.update(repr((self._batch_size, self._metadata.created_by)).encode())
        for group, rows, chosen in self._chosen:
            here = chosen.start - rows.start, chosen.stop - rows.start
            digest.update(f"{self._digest_of(group)} {here}\n".encode())
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
                    parts.append(self._with(_first=waiting[0][-1].start, _chosen=waiting))
                    waiting = []
        if waiting:
            parts.append(self._with(_first=waiting[0][-1].start, _chosen=waiting))
        return parts

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
                self._done = self._size * chosen.stop // max(self.count, 1)
            is_left = bool(self._chosen) and self._chosen[-1][-1].stop < self.count
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
            yield from reading.batches(chosen)
        except (ArrowException, *FAILURES) as error:
            read = reading.read if reading else rows.start
            self.close()
            # It is said once, of the piece in which the reading ends.
            if read >= chosen.start:
                lost = (
                    f"the rows {read:,} to {rows.stop - 1:,} of row group {group} are not checked"
                )
                message = f"{lost}, since they cannot be read: {reason_of(error)}"
                fault = SourceProblem("source/syntax", message, None, "write the file again")
                yield Batch(read, [], ((fault, ""),))
            # The next group goes on with its own numbers.
            yield Batch(chosen.stop, [])

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

    def batches(self, chosen: range) -> Iterator[RecordBatch]:
        """Yield the chosen rows, and keep the rest of the last batch."""
        while self.read < chosen.stop:
            batch = next(self._batches, None) if self._rest is None else self._rest
            if batch is None:
                return
            end = self.read + batch.num_rows
            yield from _within(batch, self.read, chosen)
            self._rest = batch.slice(chosen.stop - self.read) if end > chosen.stop else None
            self.read = min(end, chosen.stop)


def _within(batch: RecordBatch, first: int, chosen: range) -> Iterator[RecordBatch]:
    """Yield the rows of a batch that are among the chosen ones; `first` is that of its first."""
    start = max(chosen.start - first, 0)
    stop = min(chosen.stop - first, batch.num_rows)
    if start < stop:
        yield batch if stop - start == batch.num_rows else batch.slice(start, stop - start)


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


def parquet_bytes(rows: Sequence[dict[str, Any]]) -> bytes:
    """Return rows as Parquet, written by pyarrow.

    Raises:
        NotWritableError: pyarrow is not installed, or a column holds values of several types.

    """
    require_writer()
    import pyarrow as pa
    from pyarrow import parquet

    out = BytesIO()
    try:
        parquet.write_table(pa.Table.from_pylist(list(rows)), out)
        parquet.ParquetFile(out)  # pyarrow writes nesting that it cannot read back
    except (pa.ArrowException, OSError, OverflowError, UnicodeError) as error:
        raise NotWritableError(f"the rows do not fit one Parquet schema: {error}") from None
    return out.getvalue()


def require_writer() -> None:
    """Refuse to write Parquet without pyarrow.

    Raises:
        NotWritableError: it is not installed.

    """
    if not has_pyarrow():
        raise NotWritableError(f"writing Parquet needs pyarrow: {INSTALL_PYARROW}")
