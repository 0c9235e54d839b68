"""Rows that a caller holds in memory: mappings, and tables of pandas, Polars, Arrow and others."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from evalcontract.model.errors import UsageError
from evalcontract.source.rows import RowBlocks
from evalcontract.source.tables.columnar import missing_pyarrow, rows_of, values_of

if TYPE_CHECKING:
    from pyarrow import RecordBatch

# Rows that are converted at a time.
_BATCH = 4096


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
            for table in given.with_format("arrow").iter(_BATCH)
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
    for start in range(0, len(frame), _BATCH):
        part = frame.iloc[start : start + _BATCH]
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
        for start in range(0, batch.num_rows, _BATCH):
            yield rows_of(batch.slice(start, _BATCH), keeps_nulls=keeps_nulls)
