"""Delta tables: which files are theirs by the log, as the package `deltalake` reads it."""

from __future__ import annotations

from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import unquote

from evalcontract.model.values import clipped
from evalcontract.source.faults import (
    MAX_DOCUMENT_BYTES,
    ParseError,
    SourceProblem,
    large_fault,
)
from evalcontract.source.filesystem import DELTA_LOG, EVERY_FILE, FILE, Files
from evalcontract.source.tables.columnar import converted, missing_pyarrow
from evalcontract.source.tables.parquet import PartFile

if TYPE_CHECKING:
    from deltalake import DeltaTable

_VALUE, _VECTORS = "partition.", "deletionVectors"
# What a reader has to know of a table beyond its files, and what that changes nothing about.
_HARMLESS = frozenset({"timestampNtz", "vacuumProtocolCheck", "v2Checkpoint", _VECTORS})
_MAPPING = "delta.columnMapping.mode"
_WRITE_AGAIN = "write the rows as Parquet, with a reader of Delta that knows it"


def delta_parts(folder: Path, files: Files) -> list[PartFile]:
    """Return the files of the latest version of a Delta table, with the values of partitions.

    Raises:
        ParseError: `deltalake` is not installed, the log cannot be read, or the table has rows that
            are not those of its files.

    """
    try:
        from deltalake import DeltaTable
        from deltalake.exceptions import DeltaError
    except ImportError:
        message = "reading Delta needs deltalake, which is not installed"
        _refuse(message, "pip install 'evalcontract[delta]'")
    if fault := missing_pyarrow("Delta"):
        raise ParseError(fault)
    _refuse_large(folder / DELTA_LOG, files)
    try:
        table = DeltaTable(files.real(folder).as_uri())
        actions = _actions(table)
        shortened = _with_deleted_rows(table)
    except (DeltaError, OSError, ValueError, AttributeError) as error:
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        _refuse(f"the log `{DELTA_LOG}` cannot be read: {reason}", None, "source/syntax")
    _refuse_features(table)
    parts = (_part(folder, action, files) for action in actions)
    return sorted((_without_deleted(part, shortened) for part in parts), key=itemgetter(0))


def _refuse_large(log: Path, files: Files) -> None:
    """Refuse a log that is too large; its files are looked at, so that the cache knows them."""
    names = [entry.name for entry in files.entries(log, EVERY_FILE) if entry.kind == FILE]
    size = sum(files.stream(log / name).size for name in names)
    if size > MAX_DOCUMENT_BYTES:
        raise ParseError(large_fault(size))


def _actions(table: DeltaTable) -> list[dict[str, Any]]:
    import pyarrow as pa

    actions: list[dict[str, Any]] = pa.table(table.get_add_actions(flatten=True)).to_pylist()
    return actions


def _with_deleted_rows(table: DeltaTable) -> frozenset[str]:
    """Return the names of the files without some of their rows, which a vector deletes."""
    if _VECTORS not in (table.protocol().reader_features or ()):
        return frozenset()
    import pyarrow as pa

    vectors = pa.RecordBatchReader.from_stream(table.deletion_vectors())
    uris = (uri for batch in vectors for uri in batch.column("filepath").to_pylist())
    return frozenset(uri.rpartition("/")[2] for uri in uris)


def _without_deleted(part: PartFile, shortened: frozenset[str]) -> PartFile:
    if part.fault or part.name.rpartition("/")[2] not in shortened:
        return part
    return part._replace(fault="a deletion vector deletes some of its rows: it is not checked")


def _refuse_features(table: DeltaTable) -> None:
    """Refuse a table whose rows or columns are other ones than its files say."""
    mapping = "columnMapping"
    features = {*(table.protocol().reader_features or ())} - _HARMLESS - {mapping}
    if table.metadata().configuration.get(_MAPPING, "none") != "none":
        features.add(mapping)
    if features:
        named = ", ".join(f"`{clipped(each)}`" for each in sorted(features))
        _refuse(f"this Delta table needs {named}, which is not read", _WRITE_AGAIN)


def _part(folder: Path, action: dict[str, Any], files: Files) -> PartFile:
    """Return a file of the log: only one that is in the folder is read."""
    name = unquote(str(action["path"]))
    values = {
        key.removeprefix(_VALUE): converted(value)
        for key, value in action.items()
        if key.startswith(_VALUE)
    }
    inner = Path(name)
    fault = None
    if inner.is_absolute() or ".." in inner.parts or not name.isprintable() or ":" in name:
        fault = "the log names it, and it leads out of the folder: it is not read"
    elif files.real(folder) not in files.real(folder / name).parents:
        fault = "it is a link that leads out of the folder, and is not read"
    return PartFile(name, values, fault)


def _refuse(message: str, advice: str | None, code: str = "source/unsupported") -> NoReturn:
    raise ParseError(SourceProblem(code, message, None, advice))
