"""Tables with typed columns, which are read batch by batch: in files, and in memory.

Their rows are plain values. A null in a column, or in a field of a struct, stands for a key that
the row does not have, since tables force each column on every row.
"""

from __future__ import annotations

import json
import os
import sys
from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from io import BytesIO
from itertools import islice, repeat
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, Protocol, Self

from evalcontract.model.diagnostic import Path, Place, Within
from evalcontract.model.errors import UsageError
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
    collector_paused,
    limit_fault,
)
from evalcontract.source.filesystem import Stream
from evalcontract.source.rows import CONVERTERS, RowBlocks
from evalcontract.source.tables.delimited import Table
from evalcontract.source.text import strip_bom

if TYPE_CHECKING:
    from pyarrow import Array, DataType, RecordBatch, Schema


#: What installs pyarrow, an extra.
INSTALL_PYARROW = "pip install 'evalcontract[arrow]'"
#: Rows of a batch; a row of an evaluation dataset is a few kilobytes at most.
ROWS_OF_BATCH = 1024
_HEAD = 1 << 8
# Rows in memory that are converted at a time.
_BLOCK = 4096
#: What pyarrow raises besides its own exceptions: for names and texts that are not UTF-8, and for
#: dates and durations that Python cannot represent.
FAILURES = (OSError, ValueError, OverflowError)
#: The advice on a column whose type JSON cannot hold.
CAST = "cast it to texts or numbers, or leave it out"


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
    durations to seconds, decimals to floats, maps to dicts.
    """

    #: The names of the columns.
    header: Sequence[str] = ()
    #: The columns that have mappings; the others have texts, numbers or lists.
    structs: frozenset[str] = frozenset()
    #: Whether a null is a value, and not an absent key.
    keeps_nulls = False
    #: The columns of bytes, dates and times, which become texts, with their types.
    as_texts: Mapping[str, str] = MappingProxyType({})

    def require(self, names: Iterable[str]) -> None:
        """Refuse each file of a folder that lacks a column of these, which another file has."""

    def lacking(self) -> Iterator[tuple[str, list[str]]]:
        """Yield the columns that files of a folder lack, with the names of these files."""
        return iter(())

    def cut(self) -> Sequence[Self]:
        """Return parts that any process can read, each with the numbers that rows have in all."""
        return (self,)

    def _with(self, **changed: Any) -> Self:
        """Return the table with some attributes changed."""
        other = copy(self)
        vars(other).update(changed)
        return other

    @property
    @abstractmethod
    def may_be_infinite(self) -> bool:
        """Whether a number of the batch that was yielded last may be NaN or infinite."""

    def name_of(self, index: int) -> str:
        """Return how messages name a row, where its place is that of the whole table."""
        return f"row {index}"


class BatchedTable(TypedTable):
    """A table that pyarrow reads in record batches; see `TypedTable`."""

    _title: ClassVar[str]
    _size: int  # of all bytes that are read
    _batch_size = ROWS_OF_BATCH
    _done = 0
    _first = 0  # the number of the first row that is read

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self._sections: list[Section] = []
        self._may_be_infinite = True

    @property
    def may_be_infinite(self) -> bool:
        return self._may_be_infinite

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

        index = self._first
        left = MAX_PARQUET_BYTES + self._size * MAX_EXPANSION
        try:
            for batch in self._record_batches():
                if isinstance(batch, Batch):
                    yield batch
                    index = batch.first_index + len(batch.rows)
                    continue
                left -= size_of(batch)
                if left < 0:
                    yield Batch(index, [], ((self._expansion_limit("repeated values"), ""),))
                    return
                self._may_be_infinite = any(map(_may_be_infinite, batch.columns))
                yield Batch(index, rows_of(batch, keeps_nulls=self.keeps_nulls))
                index += batch.num_rows
            if index == self._first:  # as of other files, no rows are an empty batch
                yield Batch(index, [])
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
                advice = CAST
                message = f"{message} JSON cannot hold"
                raise ParseError(SourceProblem("source/unsupported", message, None, advice))
        named = zip(self.header, columns.types, strict=True)
        maps = (types.is_struct, types.is_map)
        self.structs = frozenset(name for name, kind in named if any(is_(kind) for is_ in maps))
        of_columns = zip(self.header, columns.types, strict=True)
        self.as_texts = {name: str(kind) for name, kind in of_columns if _becomes_text(kind)}

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


def missing_pyarrow(reading: str) -> SourceProblem | None:
    """Return the problem of what cannot be read without pyarrow; None if it is installed."""
    if has_pyarrow():
        return None
    message = f"reading {reading} needs pyarrow, which is not installed"
    return SourceProblem("source/unsupported", message, None, INSTALL_PYARROW)


def has_pyarrow() -> bool:
    """Whether pyarrow can be imported."""
    try:
        import pyarrow  # noqa: F401, ICN001 - an extra, and slow to import
    except ImportError:
        return False
    return True


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


# The kinds of values in JSON, as messages say them, by the names of functions of `pyarrow.types`.
_KINDS: Mapping[str, Sequence[str]] = {
    "": ("is_null",),
    "mappings": ("is_struct", "is_map"),
    "true and false": ("is_boolean",),
    "texts": (
        "is_string",
        "is_large_string",
        "is_string_view",
        "is_date",
        "is_time",
        "is_timestamp",
    ),
    "numbers": ("is_integer", "is_floating", "is_decimal", "is_duration"),
}


def kind_of(kind: DataType) -> str:
    """Return the kind of values that a type has in JSON, as a message says it; "" for any."""
    from pyarrow import BaseExtensionType, types

    if isinstance(kind, BaseExtensionType):
        return ""
    if types.is_dictionary(kind) or types.is_run_end_encoded(kind):
        return kind_of(kind.value_type)
    for name, questions in _KINDS.items():
        if any(getattr(types, question)(kind) for question in questions):
            return name
    return "lists" if kind.num_fields else "bytes"


def _becomes_text(kind: DataType) -> bool:
    """Whether values of a type are bytes, dates or times, which become texts."""
    from pyarrow import BaseExtensionType, types

    if isinstance(kind, BaseExtensionType):
        return False
    if types.is_dictionary(kind) or types.is_run_end_encoded(kind):
        return _becomes_text(kind.value_type)
    return kind_of(kind) in ("texts", "bytes") and not _is_plain(kind)


def _may_be_infinite(array: Array) -> bool:
    """Whether a number in an array may be NaN or infinite; a text of JSON may hold one."""
    from pyarrow import BaseExtensionType, compute, types

    kind = array.type
    if isinstance(kind, BaseExtensionType) or types.is_float16(kind):
        return True
    if types.is_floating(kind):
        return compute.all(compute.is_finite(array)).as_py() is False
    return any(map(_may_be_infinite, _parts_of(array)))


def _parts_of(array: Array) -> list[Array]:
    """Return the arrays in an array."""
    from pyarrow import types

    kind = array.type
    if types.is_struct(kind):
        return [array.field(at) for at in range(kind.num_fields)]
    if types.is_dictionary(kind):
        return [array.dictionary]
    if types.is_map(kind):
        return [array.items]
    return [array.values] if kind.num_fields else []


def rows_of(batch: RecordBatch, *, keeps_nulls: bool = False) -> list[dict[str, Any]]:
    """Return the rows of a record batch as plain values, column by column."""
    if not batch.num_columns:
        return [{} for _ in range(batch.num_rows)]
    with collector_paused():
        columns = [values_of(column, keeps_nulls) for column in batch.columns]
        return _mappings(batch.schema.names, batch.columns, columns, keeps_nulls=keeps_nulls)


def _mappings(
    names: Sequence[str],
    arrays: Sequence[Array],
    columns: Sequence[list[Any]],
    *,
    keeps_nulls: bool,
) -> list[dict[str, Any]]:
    """Return the columns as mappings by their names, without the nulls."""
    rows = [*map(dict, map(zip, repeat(names), zip(*columns, strict=True)))]
    if not keeps_nulls:
        for name, array, cells in zip(names, arrays, columns, strict=True):
            for row, cell in zip(rows, cells, strict=True) if array.null_count else ():
                if cell is None:
                    row.pop(name, None)
    return rows


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
    if types.is_float16(kind):  # older versions give numbers of NumPy
        array = array.cast("float32")
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
    return [*map(converted, values)]


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


def converted(value: Any) -> Any:
    """Return a value of Python as a plain one; null is plain."""
    convert = next((convert for kind, convert in CONVERTERS if isinstance(value, kind)), None)
    return convert(value) if convert else value


def _parsed(text: str | None) -> Any:
    """Return the value of a text of JSON; another text is a text."""
    try:
        return None if text is None else json.loads(text)
    except (ValueError, RecursionError):
        return text


def refuse_other(data: BinaryIO) -> None:
    """Refuse a pointer of Git LFS, and text in another encoding, and return to the beginning.

    Raises:
        ParseError: `source/lfs-pointer`, `source/encoding`.

    """
    strip_bom(data.read(_HEAD))
    data.seek(0)


def size_of(batch: RecordBatch) -> int:
    """Return the bytes of a batch: of whole buffers, if pyarrow cannot tell those of views."""
    from pyarrow import ArrowTypeError

    try:
        size: int = batch.nbytes
    except ArrowTypeError:  # of older versions
        return int(batch.get_total_buffer_size())
    return size


class ArrowStream(Protocol):
    """A table that gives its columns to others without a copy: the Arrow PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the stream of its record batches."""


#: Rows as a caller may give them.
Rows = Iterable[Mapping[str, Any]] | ArrowStream


def rows_in(given: Any, *, keeps_nulls: bool = False, advice: str = "") -> Iterable[Any]:
    """Return the rows of a table, or of an iterable of mappings, as they are needed.

    A null in a column of a table is an absent key, unless it `keeps_nulls`. Tables of Arrow are
    read batch by batch, without a copy of their columns.

    Raises:
        UsageError: it is nothing that has rows, or pyarrow is not installed; `advice` says more.

    """
    if _is_frame(given):
        return _of_frame(given, keeps_nulls=keeps_nulls)
    if hasattr(given, "with_format") and hasattr(given, "iter"):  # of Hugging Face `datasets`
        batches = (
            batch
            for table in given.with_format("arrow").iter(_BLOCK)
            for batch in table.to_batches()
        )
        return RowBlocks(_blocks(batches, keeps_nulls=keeps_nulls))
    if hasattr(given, "__arrow_c_stream__") or hasattr(given, "__arrow_c_array__"):
        return RowBlocks(_blocks(_batches(given), keeps_nulls=keeps_nulls))
    wrong = (str, bytes, os.PathLike, Mapping)
    if isinstance(given, wrong) or not isinstance(given, Iterable):
        kind = type(given).__name__
        said = f"rows must be an iterable of mappings, not `{kind}`"
        if hasattr(given, "collect"):
            advice = "call its `collect` first"
        raise UsageError(f"{said}; {advice}" if advice else said)
    return given


def _is_frame(given: Any) -> bool:
    """Whether something is a data frame of pandas, which is not imported for that."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(given, pandas.DataFrame)


def _of_frame(frame: Any, *, keeps_nulls: bool) -> Iterator[dict[str, Any]]:
    """Yield the rows of a data frame: a column may hold values of several types."""
    names = [*frame.columns]
    for start in range(0, len(frame), _BLOCK):
        part = frame.iloc[start : start + _BLOCK]
        columns = [part.iloc[:, at] for at in range(len(names))]
        cells = zip(*(_cells(column, keeps_nulls=keeps_nulls) for column in columns), strict=True)
        nulls = zip(*(column.isna().tolist() for column in columns), strict=True)
        for row, are_null in zip(cells, nulls, strict=True):
            each = zip(names, row, are_null, strict=True)
            if keeps_nulls:
                yield {name: None if is_null else _plain(cell) for name, cell, is_null in each}
            else:
                yield {name: _plain(cell) for name, cell, is_null in each if not is_null}


def _cells(column: Any, *, keeps_nulls: bool) -> list[Any]:
    if not hasattr(column.dtype, "pyarrow_dtype"):
        return column.tolist()  # type: ignore[no-any-return]
    array = column.array.__arrow_array__()  # its structs have nulls of the table
    parts = getattr(array, "chunks", [array])
    return [value for part in parts for value in values_of(part, keeps_nulls)]


def _plain(cell: Any) -> Any:
    """Return the cell of a frame; an array of NumPy is a list."""
    return cell.tolist() if type(cell).__module__ == "numpy" else cell


def _batches(given: Any) -> Iterator[RecordBatch]:
    if fault := missing_pyarrow(f"a `{type(given).__name__}`"):
        raise UsageError(f"{fault.message}: {fault.help}")
    import pyarrow as pa

    if not hasattr(given, "__arrow_c_stream__"):
        yield pa.record_batch(given)
        return
    yield from pa.RecordBatchReader.from_stream(given)


def _blocks(batches: Iterable[RecordBatch], *, keeps_nulls: bool) -> Iterator[list[dict[str, Any]]]:
    for batch in batches:
        for start in range(0, batch.num_rows, _BLOCK):
            yield rows_of(batch.slice(start, _BLOCK), keeps_nulls=keeps_nulls)
