"""Arrow files, and the folders of them that `save_to_disk` of Hugging Face `datasets` writes."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

from evalcontract.model.values import clipped, listed
from evalcontract.source.faults import (
    MAX_DOCUMENT_BYTES,
    MAX_EXPANSION,
    MAX_PARQUET_BYTES,
    ParseError,
    SourceProblem,
    large_fault,
)
from evalcontract.source.filesystem import FILE, INFO, SPLITS, STATE, Files, Stream
from evalcontract.source.tables.columnar import (
    FAILURES,
    BatchedTable,
    Section,
    missing_pyarrow,
    refuse_other,
)

if TYPE_CHECKING:
    from pyarrow import Array, DataType, RecordBatch, Schema
    from pyarrow.ipc import Message

_TITLE = "Arrow"
# What a file of the kind "file" has in front of the stream in it.
_MAGIC = b"ARROW1\0\0"
_END = 6  # so many bytes of it are at the end, too
# So many cells may take one byte, and a small file has these: a cell may be null and take no space.
_CELLS_PER_BYTE, _MIN_CELLS = 8, 1 << 20
_CHUNK = 1 << 20
_SAVE_AGAIN = "save the dataset again"
_SHOWN_SPLITS = 8


def is_saved(folder: Path, files: Files) -> bool:
    """Whether a folder is a dataset that `save_to_disk` wrote, by the names of its files."""
    return all(files.kind(folder / name) == FILE for name in (STATE, INFO))


def saved_in(folder: Path, files: Files) -> list[Path]:
    """Return the datasets that `save_to_disk` wrote to a folder: itself, or a folder a split.

    The folder itself stands for splits that cannot be told: it cannot be read.
    """
    if is_saved(folder, files):
        return [folder]
    try:
        return [folder / name for name in _splits(folder, files)]
    except ParseError:
        return [folder]


def read_saved(folder: Path, name: str, files: Files) -> ArrowTable:
    """Read the dataset that `save_to_disk` wrote to a folder; diagnostics call it `name`.

    Raises:
        ParseError: a file is not as it writes it, or is missing; as for `ArrowTable`.

    """
    if not is_saved(folder, files):
        splits = _splits(folder, files)
        if not splits:
            raise ParseError(SourceProblem("source/unreadable", "cannot be read: it is a folder"))
        names = listed([f"`{clipped(split)}`" for split in splits[:_SHOWN_SPLITS]])
        _refuse(f"this folder has one dataset for each split: {names}", "name one of them")
    shards = [(shard, _opened(folder, shard, files)) for shard in _shards(folder, files)]
    return ArrowTable(name, shards)


def _splits(folder: Path, files: Files) -> list[str]:
    """Return the names in `dataset_dict.json`; none if there is no such file."""
    if files.kind(folder / SPLITS) != FILE:
        return []
    value = _json(folder, SPLITS, files)
    splits = value.get("splits") if isinstance(value, dict) else None
    return _names(splits, SPLITS, "list of splits", folder, files)


def _shards(folder: Path, files: Files) -> list[str]:
    """Return the names of the files with the rows, by `state.json`."""
    value = _json(folder, STATE, files)
    entries = value.get("_data_files") if isinstance(value, dict) else None
    entries = entries if isinstance(entries, list) else [None]
    names = [entry.get("filename") if isinstance(entry, dict) else None for entry in entries]
    return _names(names, STATE, "list of `_data_files`", folder, files)


def _names(value: Any, by: str, what: str, folder: Path, files: Files) -> list[str]:
    """Return names of entries of a folder, none of which leads out of it."""
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value) or not value:
        _refuse(f"`{by}` has no {what}", _SAVE_AGAIN)
    top = files.real(folder)
    for name in dict.fromkeys(value):
        is_plain = name.strip(". ") and name.isprintable() and set(name).isdisjoint("/\\:")
        if not is_plain or files.real(folder / name).parent != top:
            message = f"`{by}` names `{clipped(name)}`, which leads out of the folder"
            _refuse(f"{message}, and is not read", "copy the file into the folder")
    return value


def _json(folder: Path, name: str, files: Files) -> Any:
    try:
        return json.loads(_read(folder, name, files))
    except (ValueError, RecursionError):
        _refuse(f"`{name}` is not JSON", _SAVE_AGAIN)


def _read(folder: Path, name: str, files: Files) -> bytes:
    stream = _opened(folder, name, files)
    if stream.size > MAX_DOCUMENT_BYTES:
        raise ParseError(large_fault(stream.size))
    with stream.open_() as data:
        return data.read()


def _opened(folder: Path, name: str, files: Files) -> Stream:
    path = folder / name
    try:
        return files.stream(path)
    except OSError as error:
        if files.is_there(path):
            _refuse(f"`{name}` cannot be read: {(error.strerror or str(error)).lower()}", None)
        _refuse(f"`{name}` is missing, which `{STATE}` names", _SAVE_AGAIN)


def _refuse(message: str, advice: str | None) -> NoReturn:
    raise ParseError(SourceProblem("source/unreadable", message, None, advice))


class ArrowTable(BatchedTable):
    """The rows of Arrow files, one after the other, which are read in pieces; see `TypedTable`.

    Each file is a stream, or has one in it, as a Feather file has. What is compressed or repeated
    counts with the bytes that it takes when it is read.

    Raises:
        ParseError: `source/unsupported` (pyarrow is not installed, or JSON has no such type),
            `source/syntax`.

    """

    _title = _TITLE

    def __init__(self, file: str, shards: Sequence[tuple[str, Stream]]) -> None:
        super().__init__(file)
        if fault := missing_pyarrow(_TITLE):
            raise ParseError(fault)
        self._shards = shards
        self._shard, _ = shards[0]
        self._size = sum(stream.size for _, stream in shards)
        self._schema = self._first_schema()
        self._check_types(self._schema)
        for name, kind in zip(self.header, self._schema.types, strict=True):
            if _is_shared(kind):
                message = f"the column `{clipped(name)}` has the type `{kind}`, which is not read"
                self._refuse(message, "cast it to a plain type")

    def _first_schema(self) -> Schema:
        from pyarrow import ArrowException

        try:
            with self._shards[0][1].open_() as data:
                refuse_other(data)
                schema = _Messages(data).schema
            self.header = schema.names
        except (ArrowException, *FAILURES) as error:
            raise ParseError(self._fault(error)) from None
        return schema

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 digest of the bytes of all files, in hexadecimal."""
        digest = sha256()
        for _, stream in self._shards:
            with stream.open_() as data:
                while part := data.read(_CHUNK):
                    digest.update(part)
        return digest.hexdigest()

    def _record_batches(self) -> Iterator[RecordBatch]:
        rows = before = 0
        self._sections.clear()
        for shard, stream in self._shards:
            self._shard = shard
            self._sections.append(Section(rows, f"`{shard}`" if shard else ""))
            with stream.open_() as data:
                for batch in self._batches_of(data, before):
                    rows += batch.num_rows
                    self._check_rows(rows)
                    yield from _slices(batch, self._batch_size)
            before += stream.size

    def _batches_of(self, data: BinaryIO, before: int) -> Iterator[RecordBatch]:
        messages = _Messages(data)
        if not messages.schema.equals(self._schema):
            message = f"its columns differ from those of `{self._shards[0][0]}`"
            self._refuse(message, code="source/syntax")
        room = MAX_PARQUET_BYTES + self._size * MAX_EXPANSION
        for message in messages:
            if _uncompressed(message) > room:
                raise ParseError(self._expansion_limit("compressed values"))
            batch = messages.batch(message)
            if sum(map(_cells, batch.columns)) > _MIN_CELLS + self._size * _CELLS_PER_BYTE:
                raise ParseError(self._expansion_limit("repeated values"))
            room -= sum(map(_text_bytes, batch.columns))
            if room < 0:
                raise ParseError(self._expansion_limit("repeated texts"))
            self._done = before + data.tell()
            yield batch
        if not messages.has_end:
            self._refuse("the file is cut: rows may be missing", code="source/syntax")

    @property
    def _prefix(self) -> str:
        return f"`{self._shard}`: " if self._shard else ""

    def _refuse(
        self, message: str, advice: str = _SAVE_AGAIN, code: str = "source/unsupported"
    ) -> NoReturn:
        raise ParseError(SourceProblem(code, f"{self._prefix}{message}", None, advice))

    def _fault(self, error: Exception) -> SourceProblem:
        found = super()._fault(error)
        return found._replace(message=f"{self._prefix}{found.message}")


class _Messages:
    """The messages of a file: the schema, and one for each batch of rows, or for a dictionary."""

    def __init__(self, data: BinaryIO) -> None:
        from pyarrow import PythonFile, ipc

        is_file = data.read(len(_MAGIC)) == _MAGIC
        if is_file:
            data.seek(-_END, os.SEEK_END)
            if data.read() != _MAGIC[:_END]:
                raise ValueError("the file is cut: its end is missing")
        data.seek(len(_MAGIC) if is_file else 0)
        self._bytes = PythonFile(data, mode="r")
        self._messages = ipc.MessageReader.open_stream(self._bytes)
        head = self._next()
        if head is None:
            raise ValueError("it has no schema")
        self._schema_bytes = _serialized(head)
        self.schema: Schema = ipc.read_schema(head)
        self._dictionaries: list[bytes] = []
        self.has_end = False

    def _next(self) -> Message | None:
        try:
            return self._messages.read_next_message()
        except StopIteration:
            return None

    def __iter__(self) -> Iterator[Message]:
        """Yield the messages with rows; then `has_end` is whether a mark ends them."""
        before = self._bytes.tell()
        while message := self._next():
            before = self._bytes.tell()
            if message.type == "dictionary":
                self._dictionaries.append(_serialized(message))
            else:
                yield message
        self.has_end = self._bytes.tell() > before

    def batch(self, message: Message) -> RecordBatch:
        """Return the rows of a message, in which no value leads out of its buffer."""
        from pyarrow import ipc

        if self._dictionaries:
            parts = (self._schema_bytes, *self._dictionaries, _serialized(message))
            batch = ipc.open_stream(b"".join(parts)).read_next_batch()
        else:
            batch = ipc.read_record_batch(message, self.schema)
        batch.validate(full=True)
        return batch


def _serialized(message: Message) -> bytes:
    data: bytes = message.serialize().to_pybytes()
    return data


def _slices(batch: RecordBatch, size: int) -> Iterator[RecordBatch]:
    for start in range(0, batch.num_rows, size):
        yield batch.slice(start, size)


def _uncompressed(message: Message) -> int:
    """Return the bytes that the compressed columns of a message claim to have; 0 without any.

    pyarrow makes room for whatever they claim. The header is a table of FlatBuffers
    (`Message.fbs`), whose third field is the record batch; its third one are the buffers, and its
    fourth one says how they are compressed. A compressed buffer begins with its size.
    """
    header, body = message.metadata.to_pybytes(), message.body
    try:
        batch = _field(header, struct.unpack_from("<I", header)[0], number=2)
        batch += struct.unpack_from("<I", header, batch)[0]
        if not _field(header, batch, number=3):
            return 0
        at = _field(header, batch, number=2)
        at += struct.unpack_from("<I", header, at)[0]
        (count,) = struct.unpack_from("<I", header, at)
        starts = (struct.unpack_from("<qq", header, at + 4 + 16 * n) for n in range(count))
        sizes = (struct.unpack_from("<q", body, start)[0] for start, length in starts if length)
        return sum(max(0, size) for size in sizes)
    except (struct.error, TypeError) as error:
        raise ValueError(f"a message that cannot be read: {error}") from None


def _field(data: bytes, table: int, number: int) -> int:
    """Return where a table of FlatBuffers has one of its fields; 0 if it has not."""
    fields = table - struct.unpack_from("<i", data, table)[0]
    (size,) = struct.unpack_from("<H", data, fields)
    at = 4 + 2 * number
    (offset,) = struct.unpack_from("<H", data, fields + at) if at < size else (0,)
    return table + offset if offset else 0


def _is_shared(kind: DataType) -> bool:
    """Whether a value of a type, or in one, that is no text is written once for many places."""
    from pyarrow import types

    views: tuple[Callable[[DataType], bool], ...]
    views = (types.is_binary_view, types.is_list_view, types.is_large_list_view)
    if any(is_one(kind) for is_one in (*views, types.is_run_end_encoded)):
        return True
    if types.is_dictionary(kind):
        of = kind.value_type
        return bool(of.num_fields or types.is_string_view(of) or types.is_dictionary(of))
    return any(_is_shared(kind.field(at).type) for at in range(kind.num_fields))


def _text_bytes(array: Array) -> int:
    """Return the bytes of the texts in an array that may be written once for many places."""
    from pyarrow import compute, types

    kind = array.type
    if types.is_struct(kind):
        return sum(_text_bytes(array.field(at)) for at in range(kind.num_fields))
    if types.is_map(kind):
        return _text_bytes(array.keys) + _text_bytes(array.items)
    if kind.num_fields:
        return _text_bytes(array.values)
    if types.is_string_view(kind):
        # A view has 16 bytes, and begins with the length of its text.
        lengths = memoryview(array.buffers()[1]).cast("B").cast("i")[::4]
        return sum(lengths[array.offset : array.offset + len(array)])
    if types.is_dictionary(kind) and not types.is_primitive(kind.value_type):
        sizes = compute.binary_length(array.dictionary)
        return compute.sum(sizes.take(array.indices)).as_py() or 0
    return 0


def _cells(array: Array) -> int:
    """Return the number of values in an array, and in these."""
    from pyarrow import types

    kind = array.type
    if types.is_struct(kind):
        return len(array) + sum(_cells(array.field(at)) for at in range(kind.num_fields))
    if types.is_map(kind):
        return len(array) + _cells(array.keys) + _cells(array.items)
    is_list = (types.is_list, types.is_large_list, types.is_fixed_size_list)
    return len(array) + (_cells(array.values) if any(is_one(kind) for is_one in is_list) else 0)
