"""The only place that opens files: a path becomes a document, a stream of rows, or faults."""

from __future__ import annotations

import codecs
import io
import os
import stat
from pathlib import PurePath
from typing import TYPE_CHECKING, BinaryIO

from evalcontract.source.fault import Fault, SourceFault, Unreadable
from evalcontract.source.jsonl import RowStream
from evalcontract.source.limits import MAX_DOCUMENT_BYTES, large_fault
from evalcontract.source.text import EMPTY, decode, split_lines
from evalcontract.source.witness import MAX_STREAM_BYTES, the_witness

if TYPE_CHECKING:
    from pathlib import Path

    from evalcontract.source.document import Document

SUFFIXES = {
    ".yaml": "yaml",
    ".yml": "yaml",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}

# Standard input, and what `<(command)` of a shell stands for.
_GIVEN = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")


def format_of(name: str) -> str | None:
    """Return the format that a file's name promises; None where it promises none."""
    return SUFFIXES.get(PurePath(name).suffix.lower())


def read_file(path: Path, name: str, *, quick: bool = False) -> Document | RowStream | Unreadable:
    """Read a file; `name` is what findings call it. JSONL is opened, and read later.

    Where a `quick` reading of the rows of a dataset is enough at first, YAML may be read by a fast
    reader; see `yaml_rows`.
    """
    witness = the_witness()
    try:
        limit = MAX_STREAM_BYTES if format_of(name) == "jsonl" else MAX_DOCUMENT_BYTES
        data = witness.read(path, limit) if witness else None
        if data is None:
            return _open(path, name, quick=quick)
        return read_stream(io.BytesIO(data), name, quick=quick)
    except FileNotFoundError:
        return unreadable(name, "no such file")
    except (OSError, ValueError) as error:
        return unreadable(name, _reason(error))


def _open(path: Path, name: str, *, quick: bool) -> Document | RowStream | Unreadable:
    status = path.stat()
    if not stat.S_ISREG(status.st_mode) and (what := what_else(path, status.st_mode)):
        return unreadable(name, f"it is {what}")
    kind = format_of(name)
    if kind == "jsonl" and stat.S_ISREG(status.st_mode):
        with path.open("rb"):  # fails here, not while it streams
            return RowStream(name, lambda: path.open("rb"), status.st_size)
    if status.st_size > MAX_DOCUMENT_BYTES:
        return Unreadable(name, (large_fault(status.st_size),))
    with path.open("rb") as stream:
        return read_stream(stream, name, quick=quick)


def read_text(path: Path, name: str) -> str | Unreadable:
    """Read a text file whole, whatever its format; an empty one is an empty text."""
    witness = the_witness()
    try:
        data = witness.read(path, MAX_DOCUMENT_BYTES) if witness else None
        if data is None:
            with path.open("rb") as stream:
                data = stream.read()
        return decode(data)
    except (OSError, ValueError) as error:
        return unreadable(name, _reason(error))
    except Fault as fault:
        return "" if fault.faults == (EMPTY,) else Unreadable(name, fault.faults)


def read_stream(
    stream: BinaryIO, name: str, *, quick: bool = False
) -> Document | RowStream | Unreadable:
    """Read an open stream of bytes to its end; where the name promises no format, look.

    `quick` is as for `read_file`.
    """
    data = stream.read(MAX_DOCUMENT_BYTES + 1)
    if len(data) > MAX_DOCUMENT_BYTES:
        return Unreadable(name, (large_fault(len(data)),))
    kind = format_of(name) or guess_format(data)
    if kind == "jsonl":
        return RowStream(name, lambda: io.BytesIO(data), len(data))
    text = None
    try:
        text = decode(data)
        if kind == "json":
            from evalcontract.source.json import parse_json  # parsers are slow to import

            return parse_json(text, name, data)
        if quick:
            from evalcontract.source.yaml_rows import read_quickly

            if found := read_quickly(text, name, data):
                return found
        from evalcontract.source.yaml import parse_yaml

        return parse_yaml(text, name, data)
    except Fault as fault:
        from evalcontract.source.misnamed import misnamed  # slow to import

        text = data.decode("utf-8", "replace") if text is None else text
        other = misnamed(kind, guess_format(data), text) if _is_syntax(fault) else None
        return Unreadable(name, (other,) if other else fault.faults, tuple(split_lines(text)))


def guess_format(data: bytes) -> str:
    """Tell the format of bytes without a name: JSON and JSONL begin with a bracket."""
    data = data.removeprefix(codecs.BOM_UTF8)
    if data.lstrip()[:1] not in (b"{", b"["):
        return "yaml"
    lines = [line for line in data.splitlines() if line.strip()]
    many = len(lines) > 1 and all(
        line.lstrip().startswith(b"{") and line.rstrip().endswith(b"}") for line in lines[:2]
    )
    return "jsonl" if many else "json"


def what_else(path: Path, mode: int) -> str | None:
    """Say what a path is that is no file; None for a stream that this process was given.

    Opening a named pipe waits for somebody who may never come, and a device may never end.
    """
    if stat.S_ISDIR(mode):
        return "a folder" if os.access(path, os.R_OK | os.X_OK) else "a folder without access"
    if path.as_posix().startswith(_GIVEN):
        return None
    if stat.S_ISFIFO(mode):
        return "a named pipe; pipe into `-` instead"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"


def _is_syntax(fault: Fault) -> bool:
    return any(each.code == "source/syntax" for each in fault.faults)


def _reason(error: OSError | ValueError) -> str:
    """Say why a file cannot be opened; a ValueError is a name that no system takes."""
    return (getattr(error, "strerror", None) or str(error)).lower()


def unreadable(name: str, reason: str) -> Unreadable:
    """Say why a file gives nothing at all."""
    return Unreadable(name, (SourceFault("source/unreadable", f"cannot be read: {reason}"),))
