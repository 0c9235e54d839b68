"""A file that was opened, and its rows in batches, whatever it is written in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from evalcontract.source.document import value_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.diagnostic import Within
    from evalcontract.model.path import Path
    from evalcontract.model.span import Place
    from evalcontract.source.document import Document
    from evalcontract.source.fault import SourceProblem, UnreadableFile
    from evalcontract.source.jsonl import RowStream


class Batch(NamedTuple):
    """Some rows in a row: `rows[0]` is row `first_index` of the dataset.

    `faults` are the lines of the batch that gave no row, with their texts; `remarks` are what is
    odd about lines that gave one, where the rows are another system's.
    """

    first_index: int
    rows: list[Any]
    faults: tuple[tuple[SourceProblem, str], ...] = ()
    remarks: tuple[tuple[SourceProblem, str], ...] = ()


class Source(Protocol):
    """A file that was opened: exactly one of `document`, `stream` and `unreadable` is not None."""

    @property
    def file(self) -> str:
        """What findings call the file."""
        ...

    @property
    def document(self) -> Document | None:
        """The whole file, where it is one value: YAML or JSON."""
        ...

    @property
    def stream(self) -> RowStream | None:
        """The rows, read batch by batch: JSONL."""
        ...

    @property
    def unreadable(self) -> UnreadableFile | None:
        """Why the file gives neither."""
        ...

    def peek(self) -> Any:
        """Return the value of a document, or the first row of a stream; None without one."""
        ...


class Rows(Protocol):
    """What a dataset is to the stages above: rows in batches, and places for their paths.

    A row's path is `prefix` and its index. `place` may be asked at any time, also when the
    batches are done.
    """

    file: str
    prefix: Path

    @property
    def stream(self) -> RowStream | None:
        """The stream that the rows are read from; None where they are in memory."""
        ...

    def batches(self, *, quick: bool = False) -> Iterator[Batch]:
        """Read the rows from the first to the last.

        Where `quick` rows are enough, they are as a fast reader reads them, which is to be trusted
        of rows in which nothing is found: `exact` gives the others.
        """
        ...

    def exact(self, index: int) -> Any:
        """Return a row of the batches that were read, as the exact reader reads it."""
        ...

    def raw(self, path: Path) -> str | None:
        """Return a scalar as its author wrote it, where that is known; see `Document.raw`."""
        ...

    @property
    def has_other_numbers(self) -> bool:
        """Whether quick rows may hold numbers where exact ones hold text."""
        ...

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return where a path stands; see `Document.place`."""
        ...

    @property
    def sha256(self) -> str:
        """The digest of the bytes that were read, in hexadecimal."""
        ...


# So many rows are looked at together; a faulty one takes the others of its batch longer.
_BATCH = 500


class DocumentRows:
    """The rows of a YAML or JSON document, below a prefix."""

    stream = None

    def __init__(self, document: Document, prefix: Path) -> None:
        self.file = document.file
        self.prefix = prefix
        self._document = document

    @property
    def sha256(self) -> str:
        """The digest of the document's bytes."""
        return self._document.sha256

    @property
    def has_other_numbers(self) -> bool:
        """Whether quick rows may hold numbers where exact ones hold text."""
        return self._document.has_other_numbers

    def batches(self, *, quick: bool = False) -> Iterator[Batch]:
        """Yield the rows, which are there already; an empty list is one empty batch."""
        rows = value_at(self._document.quick if quick else self._document.value, self.prefix)
        for first in range(0, max(len(rows), 1), _BATCH):
            yield Batch(first, rows[first : first + _BATCH])

    def exact(self, index: int) -> Any:
        """Return a row as the exact reader reads it."""
        return self._document.row((*self.prefix, index))

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return where a path stands."""
        return self._document.place(path, on_key=on_key, within=within)

    def raw(self, path: Path) -> str | None:
        """Return a scalar as its author wrote it."""
        return self._document.raw(path)
