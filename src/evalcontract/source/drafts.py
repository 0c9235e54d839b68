"""Drafts: what files will hold, before they do. Whoever reads a file meanwhile reads its draft."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from evalcontract.source.limits import MAX_DOCUMENT_BYTES
from evalcontract.source.witness import Witness
from evalcontract.source.writing import Staged

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class Drafts(Witness):
    """The bytes that stand for those of files, by the files that their paths lead to."""

    def __init__(self) -> None:
        self._drafts: dict[str, bytes] = {}

    def put(self, path: Path, data: bytes) -> None:
        """Let some bytes stand for those of a file."""
        self._drafts[os.path.realpath(path)] = data

    def read(self, path: Path, limit: int) -> bytes | None:
        """Return the draft of a file; None where it has none."""
        del limit
        return self._drafts.get(os.path.realpath(path)) if self._drafts else None

    # What else a witness is told is of no use here.

    def spoil(self) -> None:
        """Pass over it."""

    def followed(self, path: Path) -> None:
        """Pass over it."""

    def named(self, path: Path) -> None:
        """Pass over it."""

    def looked(self, folder: Path) -> None:
        """Pass over it."""

    def listed(self, folder: Path) -> None:
        """Pass over it."""


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
