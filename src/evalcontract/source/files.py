"""Read files: turn a path into a document, a stream of rows, or problems."""

from __future__ import annotations

import codecs
import io
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from evalcontract.source.document import Document
from evalcontract.source.faults import (
    MAX_DOCUMENT_BYTES,
    ParseError,
    SourceProblem,
    UnreadableFile,
    large_fault,
)
from evalcontract.source.filesystem import DISK, Files, TooLargeError, format_of
from evalcontract.source.text import EMPTY, decode, split_lines
from evalcontract.source.yaml.quick import raise_early, read_quickly

if TYPE_CHECKING:
    from evalcontract.source.jsonl import RowStream

#: The bytes from which on the faults of YAML are searched for where the fast reader refuses it.
_LARGE = 1 << 16


def read_file(
    path: Path, name: str, files: Files = DISK, *, quick: bool = False
) -> Document | RowStream | UnreadableFile:
    """Read a file; diagnostics call it `name`. JSONL is only opened, and read later.

    With `quick`, YAML may be read by the fast reader; see `yaml.quick`.
    """
    try:
        if format_of(name) == "jsonl":
            from evalcontract.source.jsonl import RowStream  # not needed for YAML

            return RowStream(name, *files.stream(path))
        return read_stream(io.BytesIO(files.read(path)), name, quick=quick)
    except (OSError, ValueError) as error:
        return unreadable(name, error)


def read_text(path: Path, name: str, files: Files = DISK) -> str | UnreadableFile:
    """Return the text of a file of any format; that of an empty file is empty."""
    try:
        return decode(files.read(path))
    except ParseError as error:
        return "" if error.faults == (EMPTY,) else UnreadableFile(name, error.faults)
    except (OSError, ValueError) as error:
        return unreadable(name, error)


def read_stream(
    stream: BinaryIO, name: str, *, quick: bool = False
) -> Document | RowStream | UnreadableFile:
    """Read an open stream of bytes to its end.

    If the extension of `name` is unknown, the format is guessed. `quick` is as in `read_file`.
    """
    data = stream.read(MAX_DOCUMENT_BYTES + 1)
    if len(data) > MAX_DOCUMENT_BYTES:
        return UnreadableFile(name, (large_fault(len(data)),))
    kind = format_of(name) or guess_format(data)
    if kind == "jsonl":
        from evalcontract.source.jsonl import RowStream  # not needed for YAML

        return RowStream(name, lambda: io.BytesIO(data), len(data))
    text = None
    try:
        text = decode(data)
        if kind == "json":
            from evalcontract.source.json import parse_json  # parsers are slow to import

            return parse_json(text, name, data)
        if quick and (document := read_quickly(text, name, data)):
            return document
        from evalcontract.source.yaml.reading import parse_yaml

        if quick and len(data) > _LARGE:
            raise_early(text, data, lambda part: parse_yaml(part, name, b""))
        return parse_yaml(text, name, data)
    except ParseError as error:
        from evalcontract.source.json import wrong_extension_fault  # slow to import

        text = data.decode("utf-8", "replace") if text is None else text
        is_syntax = any(problem.code == "source/syntax" for problem in error.faults)
        other = wrong_extension_fault(kind, guess_format(data), text) if is_syntax else None
        return UnreadableFile(name, (other,) if other else error.faults, tuple(split_lines(text)))


def guess_format(data: bytes) -> str:
    """Guess the format from the content: JSON and JSONL begin with a bracket."""
    data = data.removeprefix(codecs.BOM_UTF8)
    if data.lstrip()[:1] not in (b"{", b"["):
        return "yaml"
    lines = [line for line in data.splitlines() if line.strip()]
    many = len(lines) > 1 and all(
        line.lstrip().startswith(b"{") and line.rstrip().endswith(b"}") for line in lines[:2]
    )
    return "jsonl" if many else "json"


def unreadable(name: str, error: OSError | ValueError) -> UnreadableFile:
    """Explain why a file cannot be read; a ValueError means that its name is invalid."""
    if isinstance(error, TooLargeError):
        return UnreadableFile(name, (large_fault(error.size),))
    is_missing = isinstance(error, FileNotFoundError)
    reason = "no such file" if is_missing else getattr(error, "strerror", None) or str(error)
    message = f"cannot be read: {reason.lower()}"
    return UnreadableFile(name, (SourceProblem("source/unreadable", message),))
