"""What a call of the checks asks for, and what it is to look at."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from evalcontract.source import DISK, Files, read_file, read_stream
from evalcontract.workspace import name_of

if TYPE_CHECKING:
    from datetime import date
    from pathlib import Path

    from evalcontract.cache import Cache
    from evalcontract.source import Source
    from evalcontract.source.external import ExternalFile

#: Called now and then while a file streams: its name, the bytes read, and their total.
Progress = Callable[[str, int, int], None]


class Options(NamedTuple):
    """What a call asks for: the workspace, the mode, the day, who watches, and where to remember.

    `jobs` is how many processes may look at one large dataset. Without a `cache` everything is
    checked anew. `dialect` says whose datasets are validated, such as `mlflow:oss`; without it,
    what a file holds. `files` is where the run finds what it asks for.
    """

    root: Path | None = None
    strict: bool | None = None
    today: date | None = None
    progress: Progress | None = None
    jobs: int = 1
    cache: Cache | None = None
    dialect: str | None = None
    files: Files = DISK


class Input(NamedTuple):
    """One file to validate: a path, or a stream with the path that it stands for."""

    path: Path
    stream: BinaryIO | None = None
    files: Files = DISK

    def read(self, *, quick: bool = False) -> Source:
        """Read it; `quick` is as for `read_file`."""
        name = name_of(self.path)
        if self.stream:
            return read_stream(self.stream, name, quick=quick)
        return read_file(self.path, name, self.files, quick=quick)

    def read_external(self) -> ExternalFile:
        """Read it as a dataset of another system."""
        from evalcontract.source.external import (  # rarely needed
            read_external,
            read_external_stream,
        )

        name = name_of(self.path)
        if not self.stream:
            return read_external(self.path, name, self.files)
        if self.stream.seekable():
            self.stream.seek(0)
        return read_external_stream(self.stream, name)

    def kept(self) -> Input:
        """Return it as one that can be read twice, the second time as another system's."""
        if self.stream is None:
            return self
        from io import BytesIO

        from evalcontract.source.limits import MAX_DOCUMENT_BYTES

        return Input(self.path, BytesIO(self.stream.read(MAX_DOCUMENT_BYTES + 1)))
