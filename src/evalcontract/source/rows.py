"""A dataset as batches of rows, whatever it is written in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.diagnostic import Within
    from evalcontract.model.path import Path
    from evalcontract.model.span import Place
    from evalcontract.source.document import Document
    from evalcontract.source.fault import SourceFault


class Sifted(NamedTuple):
    """What is kept of rows of which nothing is to be said: their ids, and what they refer to."""

    ids: list[str]
    references: frozenset[str]
    number: int


class LineSift(Protocol):
    """What tells rows of JSONL of which nothing is to be said from all others."""

    def read(self, lines: bytes) -> Iterator[tuple[int, Sifted | None]]:
        """Yield the sizes of pieces of whole lines, with what is kept; None: it is to be read.

        What is learned from a piece may be used for the next: they are to be read as they come.
        """
        ...

    @property
    def can_wait(self) -> bool:
        """Whether pieces may be held back before they are read: little is learned from them."""
        ...


class TextSift(Protocol):
    """What tells rows of YAML of which nothing is to be said from all others."""

    def take(self, text: str, start: int) -> tuple[Sifted, int]:
        """Return what is kept of the rows of a text from one on, and where they end.

        They end before the first of which something may be to be said.
        """
        ...


class Batch(NamedTuple):
    """Some rows in a row: `rows[0]` is row `first_index` of the dataset.

    `faults` are the lines of the batch that gave no row, with their texts. Of rows that were
    `sifted` there is nothing else. `texts` are those of the rows, where a sift can learn from them.
    `remarks` are what is odd about lines that gave a row, with their texts, where the rows are
    another system's.
    """

    first_index: int
    rows: list[Any]
    faults: tuple[tuple[SourceFault, str], ...] = ()
    sifted: Sifted | None = None
    texts: tuple[str, ...] = ()
    remarks: tuple[tuple[SourceFault, str], ...] = ()

    @property
    def number(self) -> int:
        """How many rows it is of."""
        return len(self.rows) if self.sifted is None else self.sifted.number


class Rows(Protocol):
    """What a dataset is to the stages above: rows in batches, and places for their paths.

    A row's path is `prefix` and its index. `place` may be asked at any time, also when the
    batches are done.
    """

    file: str
    prefix: Path

    def batches(self) -> Iterator[Batch]:
        """Read the rows from the first to the last."""
        ...

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return where a path stands; see `Document.place`."""
        ...

    @property
    def sha256(self) -> str:
        """The digest of the bytes that were read, in hexadecimal."""
        ...


class DocumentRows:
    """The rows of a YAML or JSON document: one batch."""

    def __init__(self, document: Document, prefix: Path, rows: list[Any]) -> None:
        self.file = document.file
        self.prefix = prefix
        self._document = document
        self._rows = rows

    @property
    def sha256(self) -> str:
        """The digest of the document's bytes."""
        return self._document.sha256

    def batches(self) -> Iterator[Batch]:
        """Yield the one batch; its rows are there already."""
        yield Batch(0, self._rows)

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return where a path stands."""
        return self._document.place(path, on_key=on_key, within=within)
