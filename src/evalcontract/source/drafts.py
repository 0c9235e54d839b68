"""Drafts: what files will hold, before they do. Whoever reads a file meanwhile reads its draft."""

from __future__ import annotations

from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING

from evalcontract.source.filesystem import FILE, Files, Stream
from evalcontract.source.limits import MAX_DOCUMENT_BYTES
from evalcontract.source.writing import Staged

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class Drafts(Files):
    """The files of this machine, of which some hold what they will, by where their paths lead."""

    def __init__(self) -> None:
        self._drafts: dict[Path, bytes] = {}

    def put(self, path: Path, data: bytes) -> None:
        """Let some bytes stand for those of a file."""
        self._drafts[self.real(path)] = data

    def draft(self, path: str | Path) -> bytes | None:
        """Return the draft of a file; None where it has none."""
        return self._drafts.get(self.real(path)) if self._drafts else None

    def kind(self, path: str | Path) -> str:
        """Return the kind of thing that a path leads to; a draft is a file."""
        return super().kind(path) if self.draft(path) is None else FILE

    def read(self, path: str | Path, limit: int = MAX_DOCUMENT_BYTES) -> bytes:
        """Read a file whole, or its draft; see `Files.read`."""
        draft = self.draft(path)
        return super().read(path, limit) if draft is None else draft

    def stream(self, path: str | Path) -> Stream:
        """Open a file of any size, or its draft; see `Files.stream`."""
        draft = self.draft(path)
        return (
            super().stream(path) if draft is None else Stream(partial(BytesIO, draft), len(draft))
        )


def read_bytes(path: Path) -> bytes:
    """Return all that a file holds.

    Raises:
        OSError: it cannot be read, or is too large to be edited.

    """
    if path.stat().st_size > MAX_DOCUMENT_BYTES:
        raise OSError(f"it has more than {MAX_DOCUMENT_BYTES:,} bytes")
    return path.read_bytes()


def replace_all(changes: Iterable[tuple[Path, bytes, bytes]]) -> None:
    """Replace the bytes of files, given before and after, together: all of them or none.

    Raises:
        OSError: one cannot be written, or was changed meanwhile.

    """
    with Staged() as staged:
        for path, before, after in changes:
            if read_bytes(path) != before:
                raise OSError(None, "it was changed meanwhile", str(path))
            staged.open(path).write(after)
        staged.put()
