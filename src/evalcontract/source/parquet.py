"""Parquet reader: batches of rows, read by pyarrow if it is installed."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Place
from evalcontract.source.document import Batch
from evalcontract.source.fault import ParseError, SourceProblem
from evalcontract.source.limits import (
    MAX_EXPANSION,
    MAX_PARQUET_BYTES,
    MAX_PARQUET_ROWS,
    MIN_ROW_BYTES,
    parquet_fault,
)
from evalcontract.source.plain import CONVERTERS
from evalcontract.source.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.diagnostic import Path, Within

# Rows per batch; a row of an evaluation dataset is a few kilobytes at most.
_BATCH = 4096
# A value may be repeated in every row and take no space. So a batch of a small or a very compact
# file has fewer rows: as many as fit if each had all its bytes, but not fewer than the minimum.
_MIN_BATCH, _BATCH_BYTES, _SMALL, _COMPACT = 64, 1 << 28, 1 << 24, 20
# What pyarrow raises besides its own exceptions: for names and texts that are not UTF-8, and for
# dates and durations that Python cannot represent.
_FAILURES = (OSError, ValueError, OverflowError)


class ParquetTable(Table):
    """The rows of a Parquet file as plain values; places have no line, only the file.

    Types that JSON lacks are converted: dates and times to ISO 8601 strings, bytes to base64,
    durations to seconds, decimals to floats, maps to dicts.

    Raises:
        ParseError: `source/unsupported` (pyarrow is not installed), `source/syntax`,
            `source/limit-exceeded`.

    """

    def __init__(self, file: str, data: bytes) -> None:
        super().__init__(file, data)
        try:
            from pyarrow import ArrowException  # an extra, and slow to import
            from pyarrow.parquet import ParquetFile
        except ImportError:
            message = "reading Parquet needs pyarrow, which is not installed"
            advice = "pip install 'evalcontract[parquet]'"
            raise ParseError(SourceProblem("source/unsupported", message, None, advice)) from None
        try:
            self._file = ParquetFile(io.BytesIO(data))
            metadata = self._file.metadata
            groups = [metadata.row_group(n) for n in range(metadata.num_row_groups)]
        except (ArrowException, *_FAILURES) as error:
            raise ParseError(_fault(error)) from None

        rows = max(metadata.num_rows, sum(group.num_rows for group in groups))
        self._bytes = sum(group.total_byte_size for group in groups)
        if rows > MAX_PARQUET_ROWS + len(data) // MIN_ROW_BYTES:
            raise ParseError(parquet_fault(f"{rows:,} rows", len(data)))
        if self._bytes > MAX_PARQUET_BYTES + len(data) * MAX_EXPANSION:
            raise ParseError(parquet_fault(f"{self._bytes:,} bytes", len(data)))

        is_doubtful = self._bytes <= _SMALL or self._bytes > _COMPACT * len(data)
        fitting = max(_BATCH_BYTES // max(self._bytes, 1), _MIN_BATCH)
        self._batch_size = min(_BATCH, fitting) if is_doubtful else _BATCH

    def batches(self) -> Iterator[Batch]:
        """Yield the rows in batches; if reading fails, the last batch has the problem."""
        from pyarrow import ArrowException  # an extra, and slow to import

        index = 0
        try:
            left = MAX_PARQUET_BYTES + len(self._data) * MAX_EXPANSION
            for batch in self._file.iter_batches(self._batch_size):
                left -= batch.nbytes
                if left < 0:
                    fault = parquet_fault("repeated values", len(self._data))
                    yield Batch(index, [], ((fault, ""),))
                    return
                rows = [_plain(row) for row in batch.to_pylist(maps_as_pydicts="lossy")]
                yield Batch(index, rows)
                index += len(rows)
        except (ArrowException, *_FAILURES) as error:
            yield Batch(index, [], ((_fault(error), ""),))

    def place(
        self,
        path: Path,  # noqa: ARG002
        *,
        on_key: bool = False,  # noqa: ARG002
        within: Within | None = None,  # noqa: ARG002
    ) -> Place:
        """Return the file as the place: Parquet rows have no lines."""
        return Place(self.file)


def _fault(error: Exception) -> SourceProblem:
    reason = next(iter(str(error).splitlines()), type(error).__name__)
    return SourceProblem("source/syntax", f"not Parquet: {reason}")


def _plain(value: Any) -> Any:
    """Return a value with all its parts converted to JSON types."""
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    convert = next((convert for kind, convert in CONVERTERS if isinstance(value, kind)), None)
    return convert(value) if convert else value
