"""Dataset files of other systems, read like their own loaders read them: with Python's parsers."""

from __future__ import annotations

import codecs
import io
import os
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any, BinaryIO

from evalcontract.source.document import Document
from evalcontract.source.faults import (
    MAX_DOCUMENT_BYTES,
    ParseError,
    SourceProblem,
    UnreadableFile,
    large_fault,
)
from evalcontract.source.files import guess_format, unreadable
from evalcontract.source.filesystem import DISK, SUFFIXES, TABLES, Files, Stream
from evalcontract.source.json import load_as_python, nodes_of
from evalcontract.source.jsonl import RowStream
from evalcontract.source.rows import IterableRows, RowIterable
from evalcontract.source.tables.columnar import TypedTable, in_memory
from evalcontract.source.tables.delimited import CsvTable
from evalcontract.source.tables.parquet import ParquetTable
from evalcontract.source.text import decode, sha256_of, split_lines

#: File formats by file name extension.
MEDIA = {**SUFFIXES, **TABLES}
# The file formats of tables with typed columns, which are read in pieces.
_TYPED = ("parquet", "arrow")


@dataclass(frozen=True, slots=True)
class ExternalFile:
    """A file of another system; `medium` is its file format, one of the values of MEDIA.

    `has_mark` is true if the file begins with a byte order mark, which some loaders reject.
    `remarks` are problems of JSON that RFC 8259 forbids and Python's parser accepts; the remarks
    of JSONL are in its batches. `path` is where it is in `files`; None for a stream.
    """

    medium: str
    source: Document | RowStream | CsvTable | TypedTable | RowIterable | UnreadableFile
    has_mark: bool = False
    remarks: tuple[SourceProblem, ...] = field(default=())
    path: Path | None = None
    files: Files = DISK

    @property
    def file(self) -> str:
        """The name of the file in diagnostics."""
        return self.source.file

    @property
    def document(self) -> Document | None:
        """The parsed document of a JSON or YAML file, otherwise None."""
        return self.source.document

    @property
    def stream(self) -> RowStream | CsvTable | TypedTable | IterableRows | None:
        """The rows of JSONL or of a table, or in memory; otherwise None."""
        return self.source.stream

    @property
    def unreadable(self) -> UnreadableFile | None:
        """Why the file cannot be read; None if it can."""
        return self.source.unreadable

    def is_read_by(self, media: Collection[str]) -> bool:
        """Whether a loader of these media reads it; whoever reads Parquet has rows of Arrow."""
        return ("parquet" if self.medium == "arrow" else self.medium) in media

    def has_below(self, folder: Path, name: str) -> bool | None:
        """Whether something of a name is below a folder; None if the name leads out of it.

        Then nothing is looked up.
        """
        path = Path(os.path.normpath(folder / name))
        return self.files.is_there(path) if path.is_relative_to(folder) else None

    def as_text(self) -> ExternalFile:
        """Return the file with the lines of JSONL as Python's text files have them."""
        if not isinstance(self.source, RowStream):
            return self
        return replace(self, source=self.source.as_text())

    def peek(self) -> Any:
        """Return the value of a document, or the first row of a table or a stream."""
        return self.source.peek()


def medium_of(name: str) -> str | None:
    """Return the file format by the extension of a name; None if the extension is unknown."""
    return MEDIA.get(PurePath(name).suffix.lower())


def read_external(path: Path, name: str, files: Files = DISK) -> ExternalFile:
    """Read a file; diagnostics call it `name`. JSONL is only opened, and read later.

    A folder is one that `save_to_disk` of Hugging Face `datasets` wrote.
    """
    try:
        if medium_of(name) in (None, "parquet") and files.is_folder(path):
            return _folder(path, name, files)
        if medium_of(name) == "jsonl":
            open_, size = files.stream(path)
            with open_() as stream:
                has_mark = stream.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8
            return ExternalFile("jsonl", RowStream(name, open_, size, as_python=True), has_mark)
        if medium_of(name) in _TYPED:
            table = open_typed(str(medium_of(name)), name, files.stream(path))
            return ExternalFile(str(medium_of(name)), table, path=path, files=files)
        read = read_external_stream(io.BytesIO(files.read(path)), name)
        return replace(read, path=path, files=files)
    except ParseError as error:
        return ExternalFile(medium_of(name) or "arrow", UnreadableFile(name, error.faults))
    except (OSError, ValueError) as error:
        return ExternalFile(medium_of(name) or "", unreadable(name, error))


def digest_of(path: Path, files: Files = DISK) -> str | None:
    """Return the SHA-256 digest of a file, or of the files of a folder that is one table.

    It is None if there is no such file, or it cannot be read again.
    """
    if not files.is_folder(path):
        return sha256_of(path)
    table = read_external(path, path.name, files).stream
    return table.sha256 if table else None


def read_external_stream(stream: BinaryIO, name: str) -> ExternalFile:
    """Read an open stream to its end, as `read_external` reads a file."""
    data = stream.read(MAX_DOCUMENT_BYTES + 1)
    if len(data) > MAX_DOCUMENT_BYTES:
        return ExternalFile("", UnreadableFile(name, (large_fault(len(data)),)))
    medium = medium_of(name) or guess_format(data)
    has_mark = data.startswith(codecs.BOM_UTF8)
    text = "" if medium in _TYPED else data.decode("utf-8", "replace")
    try:
        return _parse(medium, data, name, has_mark=has_mark)
    except ParseError as error:
        return ExternalFile(medium, UnreadableFile(name, error.faults, tuple(split_lines(text))))


def _folder(path: Path, name: str, files: Files) -> ExternalFile:
    """Read a folder that is one table, of one of two kinds."""
    from evalcontract.source.tables.arrow import is_saved, read_saved  # rarely needed
    from evalcontract.source.tables.folders import is_folder_table, read_folder

    if not is_saved(path, files) and is_folder_table(path, files, is_named=True):
        table = read_folder(path, name, files)
        return ExternalFile("parquet", table, path=path, files=files)
    return ExternalFile("arrow", read_saved(path, name, files), path=path, files=files)


def open_typed(medium: str, name: str, stream: Stream) -> TypedTable:
    """Open a file with typed columns; diagnostics call it `name`.

    Raises:
        ParseError: it cannot be read.

    """
    if medium == "parquet":
        return ParquetTable(name, stream)
    from evalcontract.source.tables.arrow import ArrowTable  # rarely needed

    return ArrowTable(name, [("", stream)])


def _parse(medium: str, data: bytes, name: str, *, has_mark: bool) -> ExternalFile:
    match medium:
        case "parquet" | "arrow":
            return ExternalFile(medium, open_typed(medium, name, in_memory(data)))
        case "jsonl":
            rows = RowStream(name, lambda: io.BytesIO(data), len(data), as_python=True)
            return ExternalFile(medium, rows, has_mark)
        case "csv" | "tsv":
            delimiter = "\t" if medium == "tsv" else ","
            return ExternalFile(
                medium, CsvTable(name, decode(data), data, delimiter=delimiter), has_mark
            )
        case "json":
            text = decode(data)
            value, remarks = load_as_python(text.encode())
            document = Document(name, value, text, data=data, nodes=lambda: nodes_of(text))
            return ExternalFile(medium, document, has_mark, remarks)
        case _:
            from evalcontract.source.yaml.reading import parse_yaml  # slow to import

            return ExternalFile(medium, parse_yaml(decode(data), name, data), has_mark)
