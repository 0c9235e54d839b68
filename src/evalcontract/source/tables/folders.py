"""Folders of Parquet files that are one table: partitioned, written by an engine, or of Delta."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from hashlib import sha256
from itertools import accumulate
from operator import itemgetter
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, NoReturn, Self
from urllib.parse import unquote

from evalcontract.model.diagnostic import Path, Place, Within
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import clipped
from evalcontract.source.document import Batch
from evalcontract.source.faults import (
    MAX_DEPTH,
    MAX_DOCUMENT_BYTES,
    ParseError,
    SourceProblem,
    large_fault,
)
from evalcontract.source.filesystem import (
    DELTA_LOG,
    EVERY_FILE,
    FILE,
    FOLDER,
    TABLES,
    Files,
    Stream,
)
from evalcontract.source.tables.columnar import TypedTable, converted, kind_of, missing_pyarrow
from evalcontract.source.tables.parquet import PART_BYTES, ParquetTable, PartFile

if TYPE_CHECKING:
    from deltalake import DeltaTable
    from pyarrow import BooleanArray


# What engines write beside the files of a table.
_MARKS = ("_SUCCESS", "_metadata", "_common_metadata")
_PARQUET = tuple(ending for ending, medium in TABLES.items() if medium == "parquet")
_PART = "part-"
# The null of a partition, and whole numbers as pyarrow takes them for some: of 32 bits.
_NULL = "__HIVE_DEFAULT_PARTITION__"
_WHOLE = lazy_pattern(r"-?[0-9]{1,10}")
_BITS = 1 << 31
_SHOWN = 8
# The log of Delta: the columns with the values of partitions, the features of deleted rows and of
# other names for columns, and the kind of a vector that has a path of its own.
_VALUE, _VECTORS, _COLUMNS, _FAR = "partition.", "deletionVectors", "columnMapping", "p"
# What a reader has to know of a table beyond its files, and what that changes nothing about.
_HARMLESS = frozenset({"timestampNtz", "vacuumProtocolCheck", "v2Checkpoint", _VECTORS})
_MAPPING = "delta.columnMapping.mode"
_WRITE_AGAIN = "write the rows as Parquet, with a reader of Delta that knows it"
#: The most problems of a folder whose files cannot be read.
_MOST_FAULTS = 20


def is_folder_table(folder: FilePath, files: Files, *, is_named: bool = False) -> bool:
    """Whether a folder is one table, by the names in it.

    It is one of Delta, has folders `KEY=VALUE` with Parquet files, or has files that an engine
    wrote. One that a caller `is_named` is one, too, if all its data is Parquet.
    """
    if files.is_folder(folder / DELTA_LOG):
        return True
    names, folders = _listing(folder, files)
    if folders:
        are_partitions = all(map(_is_partition, folders))
        return are_partitions and any(part.fault is None for part in parts_of(folder, files))
    data = [name for name in names if FilePath(name).suffix.lower() in _OF_DATA]
    if not data or not all(map(_is_parquet, data)):
        return False
    by_engine = all(name.startswith(_PART) for name in data)
    return is_named or by_engine or any(files.is_file(folder / mark) for mark in _MARKS)


def table_above(folder: FilePath, top: FilePath, files: Files) -> FilePath | None:
    """Return the outermost folder below `top` that is a table and has a folder, or is it."""
    steps = folder.relative_to(top).parts
    above = (top.joinpath(*steps[:end]) for end in range(1, len(steps) + 1))
    return next((each for each in above if is_folder_table(each, files)), None)


_OF_DATA = frozenset((*TABLES, ".yaml", ".yml", ".json", ".jsonl", ".ndjson"))


def _listing(folder: FilePath, files: Files) -> tuple[list[str], list[str]]:
    """Return the files and the folders in a folder that are no marks of an engine."""
    try:
        entries = files.entries(folder, EVERY_FILE)
    except (OSError, ValueError):
        return [], []
    shown = [entry for entry in entries if entry.name[:1] not in (".", "_")]
    folders = [entry.name for entry in shown if entry.kind == FOLDER]
    return [entry.name for entry in shown if entry.kind != FOLDER], folders


def _is_parquet(name: str) -> bool:
    return FilePath(name).suffix.lower() in _PARQUET


def _is_partition(name: str) -> bool:
    key, equals, _ = name.partition("=")
    return bool(key.strip() and equals)


def parts_of(folder: FilePath, files: Files) -> list[PartFile]:
    """Return the Parquet files in a folder and in its partitions, in the order of their names."""
    parts = sorted(_parts_below(folder, files, files.real(folder), "", {}), key=itemgetter(0))
    texts: dict[str, set[str]] = {}
    for part in parts:
        for key, value in part.values.items():
            texts.setdefault(key, set()).update(() if value is None else (value,))
    numbers = {key for key, found in texts.items() if found and all(map(_is_whole, found))}
    return [
        part._replace(
            values={
                key: int(value) if key in numbers and value is not None else value
                for key, value in part.values.items()
            }
        )
        for part in parts
    ]


def _is_whole(text: str) -> bool:
    return bool(_WHOLE.fullmatch(text)) and -_BITS <= int(text) < _BITS


def _parts_below(
    folder: FilePath, files: Files, top: FilePath, name: str, values: Mapping[str, str | None]
) -> Iterator[PartFile]:
    if name.count("/") > MAX_DEPTH:
        yield PartFile(name, values, f"it is below more than {MAX_DEPTH} folders, and is not read")
        return
    try:
        entries = files.entries(folder, *_PARQUET)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        yield PartFile(name, values, f"the folder cannot be listed: {reason}")
        return
    for entry in entries:
        if entry.name[:1] in (".", "_"):
            continue
        path, inner = folder / entry.name, f"{name}{entry.name}"
        if entry.kind == FOLDER and not entry.is_link:
            found = {**values, **_value_of(entry.name)}
            yield from _parts_below(path, files, top, f"{inner}/", found)
        elif entry.is_link and (entry.kind != FILE or top not in files.real(path).parents):
            yield PartFile(
                inner, values, "it is a link that leads out of the folder, and is not read"
            )
        elif entry.kind == FILE:
            yield PartFile(inner, values)


def _value_of(name: str) -> dict[str, str | None]:
    """Return what the name of a folder says: nothing if it is no partition."""
    key, _, value = name.partition("=")
    if not _is_partition(name):
        return {}
    return {unquote(key): None if value == _NULL else unquote(value)}


def read_folder(folder: FilePath, name: str, files: Files) -> FolderTable:
    """Read a folder that is one table; diagnostics call it `name`.

    Raises:
        ParseError: none of its files can be read, or it is a Delta table that is not read.

    """
    if files.is_folder(folder / DELTA_LOG):
        parts = delta_parts(folder, files)
    elif fault := missing_pyarrow("Parquet"):  # once, and not of each file
        raise ParseError(fault)
    else:
        parts = parts_of(folder, files)

    def open_(part: PartFile) -> ParquetTable:
        path = folder / part.name
        size = files.stream(path).size
        # The file is opened anew each time: a recording file system reads it into memory.
        stream = Stream(lambda: files.stream(path).open_(), size)
        return ParquetTable(f"{name}/{part.name}", stream, part)

    return FolderTable(name, parts, open_)


def delta_parts(folder: FilePath, files: Files) -> list[PartFile]:
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
        left = _rows_left(table, folder / DELTA_LOG, files)
    except (DeltaError, OSError, ValueError, AttributeError) as error:
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        _refuse(f"the log `{DELTA_LOG}` cannot be read: {reason}", None, "source/syntax")
    fields = _renamed_fields(table)
    parts = [_part(folder, action, files) for action in actions]
    if unknown := left.keys() - {part.name for part in parts}:
        message = f"a deletion vector is of `{clipped(min(unknown))}`, which is no file of it"
        _refuse(message, _WRITE_AGAIN, "source/syntax")
    every = (part._replace(left=left.get(part.name), fields=fields) for part in parts)
    return sorted(every, key=itemgetter(0))


def _refuse_large(log: FilePath, files: Files) -> None:
    """Refuse a log that is too large; its files are looked at, so that the cache knows them."""
    names = [entry.name for entry in files.entries(log, EVERY_FILE) if entry.kind == FILE]
    size = sum(files.stream(log / name).size for name in names)
    if size > MAX_DOCUMENT_BYTES:
        raise ParseError(large_fault(size))


def _actions(table: DeltaTable) -> list[dict[str, Any]]:
    import pyarrow as pa

    actions: list[dict[str, Any]] = pa.table(table.get_add_actions(flatten=True)).to_pylist()
    return actions


def _rows_left(table: DeltaTable, log: FilePath, files: Files) -> dict[str, BooleanArray]:
    """Return which rows of a file are left, for each file of which a vector deletes some."""
    if _VECTORS not in (table.protocol().reader_features or ()):
        return {}
    import pyarrow as pa

    _refuse_far_vectors(log, files)
    left: dict[str, BooleanArray] = {}
    for batch in pa.RecordBatchReader.from_stream(table.deletion_vectors()):
        uris, masks = (batch.column(name) for name in ("filepath", "selection_vector"))
        for uri, mask in zip(uris.to_pylist(), masks, strict=True):
            # A copy, so that it begins with its buffer.
            whole = pa.concat_arrays([mask.values, pa.array([], pa.bool_())])
            left[unquote(uri.removeprefix(table.table_uri))] = whole
    return left


def _refuse_far_vectors(log: FilePath, files: Files) -> None:
    """Refuse a log with a deletion vector that has a path of its own, which may lead anywhere."""
    from pyarrow.parquet import ParquetFile

    waiting = [log]
    kinds: set[str] = set()
    while waiting:
        folder = waiting.pop()
        for entry in files.entries(folder, EVERY_FILE):
            path = folder / entry.name
            if entry.kind == FOLDER and not entry.is_link:
                waiting.append(path)
            elif entry.name.endswith(".json"):
                with files.stream(path).open_() as lines:
                    kinds.update(_kinds_of_vectors(map(json.loads, lines)))
            elif entry.name.endswith(".parquet"):
                with files.stream(path).open_() as data:
                    parts = ParquetFile(data).iter_batches(columns=["add"])
                    kinds.update(
                        _kinds_of_vectors(row for part in parts for row in part.to_pylist())
                    )
    if _FAR in kinds:
        _refuse("a deletion vector is outside of the folder, and is not read", _WRITE_AGAIN)


def _kinds_of_vectors(actions: Iterable[Any]) -> Iterator[str]:
    for action in actions:
        added = action.get("add") if isinstance(action, dict) else None
        vector = added.get("deletionVector") if isinstance(added, dict) else None
        if isinstance(vector, dict):
            yield str(vector.get("storageType"))


def _renamed_fields(table: DeltaTable) -> Sequence[dict[str, Any]] | None:
    """Return the columns of a table whose files have other names for them; else None.

    Raises:
        ParseError: a reader has to know more of the table.

    """
    mode = table.metadata().configuration.get(_MAPPING, "none")
    features = {*(table.protocol().reader_features or ())} - _HARMLESS - {_COLUMNS}
    if mode not in ("none", "name"):
        features.add(_COLUMNS)
    if features:
        named = ", ".join(f"`{clipped(each)}`" for each in sorted(features))
        _refuse(f"this Delta table needs {named}, which is not read", _WRITE_AGAIN)
    if mode == "none":
        return None
    fields: Sequence[dict[str, Any]] = json.loads(table.schema().to_json())["fields"]
    return fields


def _part(folder: FilePath, action: dict[str, Any], files: Files) -> PartFile:
    """Return a file of the log: only one that is in the folder is read."""
    name = unquote(str(action["path"]))
    values = {
        key.removeprefix(_VALUE): converted(value)
        for key, value in action.items()
        if key.startswith(_VALUE)
    }
    inner = FilePath(name)
    fault = None
    if inner.is_absolute() or ".." in inner.parts or not name.isprintable() or ":" in name:
        fault = "the log names it, and it leads out of the folder: it is not read"
    elif files.real(folder) not in files.real(folder / name).parents:
        fault = "it is a link that leads out of the folder, and is not read"
    return PartFile(name, values, fault)


def _refuse(message: str, advice: str | None, code: str = "source/unsupported") -> NoReturn:
    raise ParseError(SourceProblem(code, message, None, advice))


class _OpenedPart(NamedTuple):
    """A part that was opened; `table` is None if it cannot be read, and then there are `faults`."""

    part: PartFile
    table: ParquetTable | None
    faults: tuple[SourceProblem, ...] = ()


class FolderTable(TypedTable):
    """The rows of the files of a table, one after the other; places name the file of a row.

    A column has the same kind of values in all files. A file with another kind, or that cannot be
    read, is a fault that names it, and its rows are not read; those of the others are. What the
    names of folders say are columns, too.

    Raises:
        ParseError: no file can be read.

    """

    def __init__(
        self,
        file: str,
        parts: Sequence[PartFile],
        open_: Callable[[PartFile], ParquetTable],
    ) -> None:
        super().__init__(file)
        self._parts = [_opened(part, open_) for part in parts]
        self._refuse_odd_kinds()
        tables = [each.table for each in self._parts if each.table]
        if not tables:
            faults = [fault for each in self._parts for fault in each.faults]
            none = SourceProblem("source/empty", "the folder has no Parquet file with rows")
            raise ParseError(*(faults[:_MOST_FAULTS] or [none]))
        of_files = (name for table in tables for name in table.header)
        of_folders = (key for each in self._parts if each.table for key in each.part.values)
        self.header = [*dict.fromkeys((*of_files, *of_folders))]
        self.structs = frozenset(name for table in tables for name in table.structs)
        self.as_texts = {name: kind for table in tables for name, kind in table.as_texts.items()}
        self._current = tables[0]
        self._done = 0
        self._size = sum(table.size for table in tables)

    @property
    def may_be_infinite(self) -> bool:
        """Whether a number of the batch that was yielded last may be NaN or infinite."""
        return self._current.may_be_infinite

    @property
    def progress(self) -> tuple[int, int] | None:
        return self._done + (self._current.progress or (0, 0))[0], self._size

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 digest of the names and digests of all files, in hexadecimal."""
        digest = sha256()
        for part, table, _ in self._parts:
            digest.update(f"{part.name}\0{table.sha256 if table else ''}\n".encode())
            if part.left is not None:
                digest.update(sha256(part.left.buffers()[1]).digest())
            if part.fields is not None:
                digest.update(json.dumps(part.fields).encode())
        return digest.hexdigest()

    def batches(self) -> Iterator[Batch]:
        """Yield the rows file by file; what is wrong with one is a fault between its neighbours."""
        self._done = 0
        for first, (part, table, faults) in zip(self._starts, self._parts, strict=True):
            if faults:
                yield Batch(first, [], tuple((fault, "") for fault in faults))
            if table is None:
                continue
            self._current = table
            table.keeps_nulls = self.keeps_nulls
            for batch in table.batches():
                yield self._placed(batch, first, part)
            self._done += table.size

    @cached_property
    def _starts(self) -> list[int]:
        """The number of the first row of each file; a file that is not read has none."""
        counts = (each.table.count if each.table else 0 for each in self._parts)
        return [*accumulate(counts, initial=0)][:-1]

    def cut(self) -> Sequence[Self]:
        """Return parts of some megabytes: several small files, or pieces of large ones."""
        parts: list[Self] = []
        waiting: list[tuple[int, _OpenedPart]] = []
        for first, each in zip(self._starts, self._parts, strict=True):
            is_large = each.table is not None and each.table.size > PART_BYTES
            tables = each.table.cut() if each.table and is_large else [each.table]
            for number, table in enumerate(tables):
                faults = () if number else each.faults
                waiting.append((first, each._replace(table=table, faults=faults)))
                sizes = (one.table.size for _, one in waiting if one.table)
                if is_large or sum(sizes) >= PART_BYTES:
                    parts.append(self._of(waiting))
                    waiting = []
        return [*parts, self._of(waiting)] if waiting else parts

    def _of(self, chosen: Sequence[tuple[int, _OpenedPart]]) -> Self:
        return self._with(_starts=[first for first, _ in chosen], _parts=[one for _, one in chosen])

    def _placed(self, batch: Batch, first: int, part: PartFile) -> Batch:
        """Return a batch of a file as one of the table."""
        values = part.values
        if not self.keeps_nulls:
            values = {key: value for key, value in values.items() if value is not None}
        for row in batch.rows if values else ():
            row.update(values)
        faults = tuple((_named(fault, part), text) for fault, text in batch.faults)
        return Batch(first + batch.first_index, batch.rows, faults)

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return the file, its section and the row in it; without a row, the folder."""
        if not path or not isinstance(path[0], int):
            return Place(self.file)
        at = bisect_right(self._starts, path[0]) - 1
        table = self._parts[at].table
        if table is None:
            return Place(self.file)
        inner = (path[0] - self._starts[at], *path[1:])
        return table.place(inner, on_key=on_key, within=within)

    def name_of(self, index: int) -> str:
        at = bisect_right(self._starts, index) - 1
        part, table, _ = self._parts[at]
        number = index - self._starts[at]
        return f"`{clipped(part.name)}`: row {table.row_in_file(number) if table else number}"

    def require(self, names: Iterable[str]) -> None:
        """Refuse each file that lacks one of some columns, if others have it."""
        for name in names:
            if any(each.table and name in _names_of(each) for each in self._parts):
                self._refuse(partial(_reason_without, name))

    def lacking(self) -> Iterator[tuple[str, list[str]]]:
        """Yield the columns that some files lack, with the names of these files."""
        read = [each for each in self._parts if each.table]
        for name in self.header:
            without = [each.part.name for each in read if name not in _names_of(each)]
            if without:
                yield name, without

    def _refuse_odd_kinds(self) -> None:
        """Refuse the files in which a column has values of another kind than in most."""
        kinds: dict[str, Counter[str]] = {}
        for each in self._parts:
            for name, kind in _kinds(each):
                kinds.setdefault(name, Counter())[kind] += 1
        usual = {name: count.most_common(1)[0][0] for name, count in kinds.items()}

        def reason(each: _OpenedPart) -> str | None:
            odd = next(((name, kind) for name, kind in _kinds(each) if kind != usual[name]), None)
            if odd is None:
                return None
            name, kind = odd
            return f"its column `{clipped(name)}` has {kind}, and that of the others {usual[name]}"

        self._refuse(reason)

    def _refuse(self, reason: Callable[[_OpenedPart], str | None]) -> None:
        for at, each in enumerate(self._parts):
            if each.table and (message := reason(each)):
                fault = _fault(each.part, f"{message}: it is not checked")
                self._parts[at] = each._replace(table=None, faults=(*each.faults, fault))


def _names_of(each: _OpenedPart) -> set[str]:
    """Return the columns of a file and of its folders."""
    return {*(each.table.header if each.table else ()), *each.part.values}


def _reason_without(name: str, each: _OpenedPart) -> str | None:
    return None if name in _names_of(each) else f"it has no column `{name}`"


def _kinds(each: _OpenedPart) -> Iterator[tuple[str, str]]:
    """Yield the columns of a file with the kind of their values; one with only nulls has none."""
    if each.table is None:
        return
    for name, type_ in zip(each.table.header, each.table.schema.types, strict=True):
        if kind := kind_of(type_):
            yield name, kind


def _opened(part: PartFile, open_: Callable[[PartFile], ParquetTable]) -> _OpenedPart:
    if part.fault:
        return _OpenedPart(part, None, (_fault(part, part.fault),))
    try:
        table = open_(part)
    except ParseError as error:
        return _OpenedPart(part, None, tuple(_named(fault, part) for fault in error.faults))
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        fault = _fault(part, f"it cannot be read: {reason}", "source/unreadable")
        return _OpenedPart(part, None, (fault,))
    both = next((key for key in part.values if key in table.header), None)
    if both is None:
        return _OpenedPart(part, table)
    message = f"it has a column `{clipped(both)}`, as its folder has: it is not checked"
    return _OpenedPart(part, None, (_fault(part, message),))


def _fault(part: PartFile, message: str, code: str = "source/unsupported") -> SourceProblem:
    return _named(SourceProblem(code, message), part)


def _named(fault: SourceProblem, part: PartFile) -> SourceProblem:
    """Return a fault of a file as one of its folder."""
    return fault._replace(message=f"`{clipped(part.name)}`: {fault.message}")
