"""What the files that are read at once as a table of rows have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.diagnostic import Path
    from evalcontract.source.document import Batch


class Table(ABC):
    """The rows of a file that is in memory; it is a stream of rows, see `Source`."""

    prefix: Path = ()
    document = None
    unreadable = None
    #: None: the whole file is read at once.
    progress = None

    def __init__(self, file: str, data: bytes) -> None:
        self.file = file
        self._data = data

    @property
    def sha256(self) -> str:
        """The SHA-256 digest of the bytes, in hexadecimal."""
        return sha256(self._data).hexdigest()

    @property
    def stream(self) -> Self:
        """The table itself; see `Source`."""
        return self

    def peek(self) -> Any:
        """Return the first row, or None if there is none."""
        return next((row for batch in self.batches() for row in batch.rows), None)

    @abstractmethod
    def batches(self) -> Iterator[Batch]:
        """Yield the rows; if reading fails, the last batch has the problem."""
