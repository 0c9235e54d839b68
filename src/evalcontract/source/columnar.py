"""Tables with typed columns, which are read batch by batch: what they have in common, and Parquet.

Their rows are plain values. A null in a column, or in a field of a struct, stands for a key that
the row does not have, since tables force each column on every row.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from hashlib import sha256
from io import BytesIO
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar

from evalcontract.model.diagnostic import Path, Place, Within
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import clipped
from evalcontract.source.document import Batch
from evalcontract.source.faults import (
    MAX_DEPTH,
    MAX_EXPANSION,
    MAX_PARQUET_BYTES,
    MAX_PARQUET_ROWS,
    MIN_ROW_BYTES,
    ParseError,
    SourceProblem,
    limit_fault,
)
from evalcontract.source.filesystem import Stream
from evalcontract.source.rows import CONVERTERS
from evalcontract.source.tables import Table
from evalcontract.source.text import strip_bom

if TYPE_CHECKING:
    from pyarrow import Array, DataType, RecordBatch, Schema
    from pyarrow.parquet import ParquetFile

# Rows per batch; a row of an evaluation dataset is a few kilobytes at most. A batch of a table with
# many columns has fewer.
_BATCH, _BATCH_CELLS = 4096, 1 << 18
# A value may be repeated in every row and take no space. So a batch of a small or a very compact
# file has fewer rows: as many as fit if each had all its bytes, but not fewer than the minimum.
_MIN_BATCH, _BATCH_BYTES, _SMALL, _COMPACT = 64, 1 << 28, 1 << 24, 20
# What pyarrow reads at a time of a column.
_BUFFER = 1 << 20
_HEAD = 1 << 8
# Small batches are joined up to so many rows or bytes.
_JOINED_ROWS, _JOINED_BYTES = 1024, 1 << 22
#: What pyarrow raises besides its own exceptions: for names and texts that are not UTF-8, and for
#: dates and durations that Python cannot represent.
FAILURES = (OSError, ValueError, OverflowError)


def in_memory(data: bytes) -> Stream:
    """Return bytes as an opened file."""
    return Stream(lambda: BytesIO(data), len(data))


class Section(NamedTuple):
    """The rows from `first` up to the next section: a file, or a row group of one.

    `number` is that of its first row in its file.
    """

    first: int
    name: str
    number: int = 0


class TypedTable(Table):
    """The rows of a table with typed columns as plain values; places have no line.

    Types that JSON lacks are converted: dates and times to ISO 8601 strings, bytes to base64,
    durations to seconds, decimals to floats, maps to dicts. With `keeps_nulls`, a null is a value.
    """

    _title: ClassVar[str]
    #: The names of the columns.
    header: Sequence[str]
    _size: int  # of all bytes that are read
    _batch_size = _BATCH
    _done = 0

    def __init__(self, file: str, *, keeps_nulls: bool = False) -> None:
        super().__init__(file)
        self._keeps_nulls = keeps_nulls
        self._sections: list[Section] = []

    #: The columns that have mappings; the others have texts, numbers or lists.
    structs: frozenset[str] = frozenset()
    #: Whether a number may be NaN or infinite.
    may_be_infinite = True

    @property
    def progress(self) -> tuple[int, int] | None:
        return self._done, self._size

    @abstractmethod
    def _record_batches(self) -> Iterator[RecordBatch | Batch]:
        """Yield the rows as pyarrow reads them, or a batch with what could not be read.

        What no batch can be read after is raised: a `ParseError`, or what pyarrow raises.
        """

    def batches(self) -> Iterator[Batch]:
        """Yield the rows in batches; if reading fails, the last batch has the problem."""
        from pyarrow import ArrowException  # an extra, and slow to import

        index = 0
        left = MAX_PARQUET_BYTES + self._size * MAX_EXPANSION
        self._sections.clear()
        try:
            for batch in self._record_batches():
                if isinstance(batch, Batch):
                    yield batch
                    index = batch.first_index + len(batch.rows)
                    continue
                left -= _size_of(batch)
                if left < 0:
                    yield Batch(index, [], ((self._expansion_limit("repeated values"), ""),))
                    return
                yield Batch(index, rows_of(batch, keeps_nulls=self._keeps_nulls))
                index += batch.num_rows
        except ParseError as error:
            yield Batch(index, [], tuple((fault, "") for fault in error.faults))
        except (ArrowException, *FAILURES) as error:
            yield Batch(index, [], ((self._fault(error), ""),))
        self._done = self._size

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return the section and the row as the place: rows have no lines."""
        if not path or not isinstance(path[0], int):
            return Place(self.file)
        at = bisect_right(self._sections, path[0], key=lambda each: each.first) - 1
        if at < 0:
            return Place(self.file, at=f"row {path[0]}")
        section = self._sections[at]
        row = f"row {section.number + path[0] - section.first}"
        return Place(self.file, at=f"{section.name}, {row}" if section.name else row)

    def _check_types(self, columns: Schema) -> None:
        """Raise a `ParseError` if JSON cannot hold the values of a column."""
        from pyarrow import types

        for name, column in zip(self.header, columns, strict=True):
            if other := other_type(column.type):
                message = f"the column `{clipped(name)}` has values of the type `{other}`, which"
                advice = "cast it to texts or numbers, or leave it out"
                message = f"{message} JSON cannot hold"
                raise ParseError(SourceProblem("source/unsupported", message, None, advice))
        named = zip(self.header, columns.types, strict=True)
        maps = (types.is_struct, types.is_map)
        self.structs = frozenset(name for name, kind in named if any(is_(kind) for is_ in maps))
        self.may_be_infinite = any(map(_has_floats, columns.types))

    def _check_rows(self, rows: int) -> None:
        """Raise a `ParseError` if there are more rows than bytes of this number may have."""
        if rows > MAX_PARQUET_ROWS + self._size // MIN_ROW_BYTES:
            raise ParseError(self._expansion_limit(f"{rows:,} rows"))

    def _expansion_limit(self, content: str) -> SourceProblem:
        """Return the problem of a file that expands to too much."""
        message = f"the file has {content} in {self._size:,} bytes, which is more than is read"
        return limit_fault(message, None, "write the dataset as JSONL, which is read as a stream")

    def _fault(self, error: Exception) -> SourceProblem:
        """Return the problem of what pyarrow raised."""
        return SourceProblem("source/syntax", f"not {self._title}: {reason_of(error)}")


def reason_of(error: Exception) -> str:
    """Return the first line of what an exception says."""
    return next(iter(str(error).splitlines()), type(error).__name__)


def require_pyarrow(title: str) -> None:
    """Raise a `ParseError` with `source/unsupported` if pyarrow is not installed."""
    try:
        import pyarrow  # noqa: F401, ICN001 - an extra, and slow to import
    except ImportError:
        message = f"reading {title} needs pyarrow, which is not installed"
        advice = "pip install 'evalcontract[arrow]'"
        raise ParseError(SourceProblem("source/unsupported", message, None, advice)) from None


def other_type(kind: DataType, depth: int = 0) -> str | None:
    """Return the type of values, or of values in them, that is not converted; None without any."""
    from pyarrow import BaseExtensionType, types

    if depth > MAX_DEPTH:
        return "nested too deeply"
    if isinstance(kind, BaseExtensionType):
        return None if kind.extension_name == "arrow.json" else kind.extension_name
    if types.is_union(kind) or types.is_interval(kind):
        return str(kind)
    inner = (other_type(kind.field(at).type, depth + 1) for at in range(kind.num_fields))
    return next(filter(None, inner), None)


def _has_floats(kind: DataType) -> bool:
    from pyarrow import types

    inner = (kind.field(at).type for at in range(kind.num_fields))
    return types.is_floating(kind) or types.is_dictionary(kind) or any(map(_has_floats, inner))


def rows_of(batch: RecordBatch, *, keeps_nulls: bool = False) -> list[dict[str, Any]]:
    """Return the rows of a record batch as plain values, column by column."""
    columns = [values_of(column, keeps_nulls) for column in batch.columns]
    if not columns:
        return [{} for _ in range(batch.num_rows)]
    return _mappings(batch.schema.names, batch.columns, columns, keeps_nulls=keeps_nulls)


def _mappings(
    names: Sequence[str],
    arrays: Sequence[Array],
    columns: Sequence[list[Any]],
    *,
    keeps_nulls: bool,
) -> list[dict[str, Any]]:
    """Return the columns as mappings by their names, without the nulls."""
    if keeps_nulls or not any(array.null_count for array in arrays):
        return [dict(zip(names, cells, strict=True)) for cells in zip(*columns, strict=True)]
    return [
        {name: cell for name, cell in zip(names, cells, strict=True) if cell is not None}
        for cells in zip(*columns, strict=True)
    ]


def values_of(array: Array, keeps_nulls: bool) -> list[Any]:  # noqa: FBT001 - of every part alike
    """Return the values of an array, by its type, as plain values."""
    from pyarrow import BaseExtensionType, types

    kind = array.type
    if isinstance(kind, BaseExtensionType):
        return [*map(_parsed, array.storage.to_pylist())]
    if kind.num_fields and not types.is_run_end_encoded(kind):
        found = _parts(array, keeps_nulls)
        if not array.null_count:
            return found
        valid = array.is_valid().to_pylist()
        return [each if is_there else None for each, is_there in zip(found, valid, strict=True)]
    if types.is_struct(kind):  # without any field
        return array.to_pylist()  # type: ignore[no-any-return]
    return _scalars(array, keeps_nulls)


def _parts(array: Array, keeps_nulls: bool) -> list[Any]:  # noqa: FBT001 - as above
    """Return the mappings or lists of an array, with any value where it has null."""
    from pyarrow import types

    kind = array.type
    if types.is_struct(kind):
        names = [kind.field(at).name for at in range(kind.num_fields)]
        parts = array.flatten()
        columns = [values_of(part, keeps_nulls) for part in parts]
        return _mappings(names, parts, columns, keeps_nulls=keeps_nulls)
    if types.is_map(kind):
        items = values_of(array.items, keeps_nulls)
        pairs = [*zip(map(str, array.keys.to_pylist()), items, strict=True)]
        return [dict(part) for part in _slices(array, pairs)]
    array = array if types.is_list(kind) or types.is_large_list(kind) else _as_list(array)
    first, last = array.offsets[0].as_py(), array.offsets[-1].as_py()
    items = values_of(array.values.slice(first, last - first), keeps_nulls)
    return [*_slices(array, items, first)]


def _scalars(array: Array, keeps_nulls: bool) -> list[Any]:  # noqa: FBT001 - as above
    from pyarrow import compute, types

    kind = array.type
    if types.is_dictionary(kind):
        known = values_of(array.dictionary, keeps_nulls)
        return [None if at is None else known[at] for at in array.indices.to_pylist()]
    if types.is_run_end_encoded(kind):
        return values_of(compute.run_end_decode(array), keeps_nulls)
    values: list[Any] = _microseconds(array) if _is_precise(kind) else array.to_pylist()
    if _is_plain(kind):
        return values
    return [None if value is None else _converted(value) for value in values]


def _as_list(array: Array) -> Array:
    """Return an array of lists of one size as one of any size."""
    import pyarrow as pa

    return array.cast(pa.large_list(array.type.value_field))


def _slices(array: Array, items: list[Any], before: int = 0) -> Iterator[list[Any]]:
    """Yield the items of each list; the first `before` of all are not there."""
    offsets = array.offsets.to_pylist()
    for begin, end in zip(offsets, islice(offsets, 1, None), strict=False):
        yield items[begin - before : end - before]


def _is_precise(kind: DataType) -> bool:
    from pyarrow import types

    kinds = (types.is_timestamp, types.is_time64, types.is_duration)
    return any(is_one(kind) for is_one in kinds) and str(kind.unit) == "ns"


def _microseconds(array: Array) -> list[Any]:
    """Return times as Python holds them, without what is less than a microsecond."""
    import pyarrow as pa

    kind = array.type
    if pa.types.is_timestamp(kind):
        to = pa.timestamp("us", kind.tz)
    else:
        to = pa.duration("us") if pa.types.is_duration(kind) else pa.time64("us")
    values: list[Any] = array.cast(to, safe=False).to_pylist()
    return values


def _is_plain(kind: DataType) -> bool:
    """Whether JSON has the values of a type."""
    from pyarrow import types

    texts = (types.is_string, types.is_large_string, types.is_string_view)
    numbers = (types.is_integer, types.is_floating)
    return any(is_one(kind) for is_one in (*texts, *numbers, types.is_boolean, types.is_null))


def _converted(value: Any) -> Any:
    convert = next((convert for kind, convert in CONVERTERS if isinstance(value, kind)), None)
    return convert(value) if convert else value


def _parsed(text: str | None) -> Any:
    """Return the value of a text of JSON; another text is a text."""
    try:
        return None if text is None else json.loads(text)
    except (ValueError, RecursionError):
        return text


class ParquetTable(TypedTable):
    """The rows of a Parquet file, which is read in pieces; see `TypedTable`.

    A row group that cannot be read costs its own rows; the other groups are read.

    Raises:
        ParseError: `source/unsupported` (pyarrow is not installed, or JSON has no such type),
            `source/syntax`, `source/limit-exceeded`.

    """

    _title = "Parquet"

    def __init__(self, file: str, stream: Stream, *, keeps_nulls: bool = False) -> None:
        super().__init__(file, keeps_nulls=keeps_nulls)
        self._open, self._size = stream
        require_pyarrow(self._title)
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
        self._groups = [group.num_rows for group in groups]
        self._check_rows(max(metadata.num_rows, sum(self._groups)))
        bytes_ = sum(group.total_byte_size for group in groups)
        if bytes_ > MAX_PARQUET_BYTES + self._size * MAX_EXPANSION:
            raise ParseError(self._expansion_limit(f"{bytes_:,} bytes"))

        is_doubtful = bytes_ <= _SMALL or bytes_ > _COMPACT * self._size
        fitting = max(_BATCH_BYTES // max(bytes_, 1), _MIN_BATCH)
        wide = max(_BATCH_CELLS // max(len(metadata.schema), 1), _MIN_BATCH)
        self._batch_size = min(_BATCH, wide, fitting) if is_doubtful else min(_BATCH, wide)

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

    def _record_batches(self) -> Iterator[RecordBatch | Batch]:
        first = 0
        with self._open() as data:
            parquet = self._parquet(data)
            for group, count in enumerate(self._groups):
                self._sections.append(Section(first, f"row group {group}", first))
                yield from self._group(parquet, group, range(first, first + count))
                first += count
                self._done = self._size * first // max(sum(self._groups), 1)

    def _group(
        self, parquet: ParquetFile, group: int, rows: range
    ) -> Iterator[RecordBatch | Batch]:
        """Yield the rows of a row group; what of it cannot be read is one fault."""
        from pyarrow import ArrowException

        read = rows.start
        try:
            parts = parquet.iter_batches(self._batch_size, row_groups=[group], use_threads=False)
            for batch in _joined(parts):
                yield batch
                read += batch.num_rows
        except (ArrowException, *FAILURES) as error:
            lost = f"the rows {read:,} to {rows.stop - 1:,} of row group {group} are not checked"
            message = f"{lost}, since they cannot be read: {reason_of(error)}"
            fault = SourceProblem("source/syntax", message, None, "write the file again")
            yield Batch(read, [], ((fault, ""),))
            # The next group goes on with its own numbers.
            yield Batch(rows.stop, [])


def _joined(batches: Iterable[RecordBatch]) -> Iterator[RecordBatch]:
    """Yield record batches, small ones as one."""
    from pyarrow import concat_batches

    rows = size = 0
    parts: list[RecordBatch] = []
    for batch in batches:
        parts.append(batch)
        rows, size = rows + batch.num_rows, size + _size_of(batch)
        if rows >= _JOINED_ROWS or size >= _JOINED_BYTES:
            yield concat_batches(parts)
            rows = size = 0
            parts = []
    if parts:
        yield concat_batches(parts)


def refuse_other(data: BinaryIO) -> None:
    """Refuse a pointer of Git LFS, and text in another encoding, and return to the beginning.

    Raises:
        ParseError: `source/lfs-pointer`, `source/encoding`.

    """
    strip_bom(data.read(_HEAD))
    data.seek(0)


def _size_of(batch: RecordBatch) -> int:
    """Return the bytes of a batch: of whole buffers, if pyarrow cannot tell those of views."""
    from pyarrow import ArrowTypeError

    try:
        size: int = batch.nbytes
    except ArrowTypeError:  # of older versions
        return int(batch.get_total_buffer_size())
    return size
