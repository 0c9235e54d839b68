"""Files of recorded outputs: lines and documents, tables of cells, and archives of samples."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any, cast

from evalcontract.datasets.opening import Input
from evalcontract.source import RowSource
from evalcontract.source.external import medium_of
from evalcontract.source.faults import MAX_DOCUMENT_BYTES, SourceProblem, UnreadableFile
from evalcontract.source.rows import IterableRows, RowIterable
from evalcontract.source.tables.columnar import INSTALL_PYARROW
from evalcontract.source.tables.delimited import CsvTable, Table


def read_outputs(input_: Input) -> RowSource:
    """Read a file of outputs: also a table, and the log of Inspect that is an archive."""
    name = input_.path.name
    if name.lower().endswith(".eval") and input_.stream is None:
        return _archive(input_)
    is_folder = input_.stream is None and input_.files.is_folder(input_.path)
    if is_folder or medium_of(name) in ("csv", "tsv", "parquet", "arrow"):
        read = input_.read_external()
        return cast("RowSource", read.source)
    return input_.read()


def is_table(source: RowSource) -> bool:
    """Whether the values of rows are those of cells."""
    return isinstance(source, Table)


def has_only_texts(source: RowSource) -> bool:
    """Whether cells are texts, so that an empty one is no value."""
    return isinstance(source, CsvTable)


def cells(row: Any, *, are_texts: bool) -> Any:
    """Return a row of a table as a record: without empty cells, and with the values of JSON.

    If not all cells `are_texts`, an empty text is another output than none.
    """
    if not isinstance(row, dict):
        return row
    kept = {key: _cell(key, value) for key, value in row.items() if value is not None}
    kept_empty = () if are_texts else ("output",)
    return {key: value for key, value in kept.items() if value != "" or key in kept_empty}


def _cell(key: str, value: Any) -> Any:
    if isinstance(value, str) and key in ("tool_calls", "metadata", "context"):
        try:
            return json.loads(value) if value.lstrip()[:1] in "[{" else value
        except (ValueError, RecursionError):
            return value
    if key == "tool_calls" and isinstance(value, list):  # a struct has all keys of all calls
        return [_without_nulls(each) for each in value]
    return value


def _without_nulls(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {key: part for key, part in value.items() if part is not None}


def _archive(input_: Input) -> RowSource:
    """Return the samples of a log of Inspect that is an archive."""
    name, file = input_.read_external().file, input_.files.read(input_.path)
    try:
        with zipfile.ZipFile(io.BytesIO(file)) as archive:
            infos = [each for each in archive.infolist() if each.filename.startswith("samples/")]
            if sum(each.file_size for each in infos) > MAX_DOCUMENT_BYTES:
                return _unreadable(name, "its samples are larger than what is read", None)
            rows = [json.loads(_member(archive, each, file)) for each in infos]
    except _ZstandardError:
        advice = f"{INSTALL_PYARROW}, or write the log as JSON"
        return _unreadable(name, "its samples are compressed: reading them needs pyarrow", advice)
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, RecursionError) as error:
        return _unreadable(name, f"it is no log of Inspect: {error}", None)
    if not rows:
        return _unreadable(name, "the log has no samples", "log them: `--log-samples`")
    stream = IterableRows(name, rows, has_digest=False)
    return cast("RowSource", RowIterable(stream))


def _unreadable(name: str, message: str, advice: str | None) -> UnreadableFile:
    problem = SourceProblem("source/unreadable", f"cannot be read: {message}", None, advice)
    return UnreadableFile(name, (problem,))


class _ZstandardError(Exception):
    """Nothing can read Zstandard."""


# The method of Zstandard, which `zipfile` knows from Python 3.14 on; the size of a local header.
_ZSTANDARD, _HEADER = 93, 30


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, file: bytes) -> bytes:
    if info.compress_type != _ZSTANDARD:
        with archive.open(info) as stream:
            return stream.read(info.file_size)
    try:
        import pyarrow as pa  # an extra, and slow to import
    except ImportError:
        raise _ZstandardError from None
    at = info.header_offset
    lengths = (int.from_bytes(file[at + n : at + n + 2], "little") for n in (26, 28))
    start = at + _HEADER + sum(lengths)
    packed = pa.BufferReader(file[start : start + info.compress_size])
    read: bytes = pa.CompressedInputStream(packed, "zstd").read(info.file_size)
    return read
