"""Protocols of an opened file and of its rows, independent of the file format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from evalcontract.source.document import Batch, value_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.model.diagnostic import Path, Place, Within
    from evalcontract.source.cut_texts import CutText
    from evalcontract.source.document import Document
    from evalcontract.source.fault import UnreadableFile
    from evalcontract.source.json.jsonl import RowStream


class Source(Protocol):
    """An opened file: exactly one of `document`, `stream` and `unreadable` is not None."""

    @property
    def file(self) -> str:
        """The name of the file in diagnostics."""
        ...

    @property
    def document(self) -> Document | None:
        """The parsed document of a YAML or JSON file, otherwise None."""
        ...

    @property
    def stream(self) -> RowStream | None:
        """The stream of rows of a JSONL file, otherwise None."""
        ...

    @property
    def unreadable(self) -> UnreadableFile | None:
        """Why the file cannot be read; None if it can."""
        ...

    def peek(self) -> Any:
        """Return the value of a document, or the first row of a stream; None if there is none."""
        ...


class Rows(Protocol):
    """The rows of a dataset in batches, and the places of their parts.

    The path of a row is `prefix` and its index. `place` can be called at any time, even after all
    batches are read.
    """

    file: str
    prefix: Path

    @property
    def stream(self) -> RowStream | None:
        """The stream that the rows are read from; None if they are in memory."""
        ...

    def batches(self, *, quick: bool = False) -> Iterator[Batch]:
        """Yield all rows from the first to the last.

        With `quick`, rows may come from the fast reader. Trust those without any problem; read
        the others again with `exact`.
        """
        ...

    def exact(self, index: int) -> Any:
        """Return a row of a batch that was read before, from the exact reader."""
        ...

    def raw(self, path: Path) -> str | None:
        """Return the source text of a scalar, if it is known; see `Document.raw`."""
        ...

    def cut_texts(self) -> Iterable[CutText]:
        """Yield the texts of rows that a comment probably cuts off."""
        ...

    @property
    def has_other_numbers(self) -> bool:
        """Whether quick rows may hold numbers where exact rows hold text."""
        ...

    @property
    def has_bare_keys(self) -> bool:
        """Whether a key of a row may be written alone, without a colon and a value."""
        ...

    @property
    def has_bare_texts(self) -> bool:
        """Whether a text of a row may be written without straight quotation marks."""
        ...

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return the place of a path; see `Document.place`."""
        ...

    @property
    def sha256(self) -> str:
        """The SHA-256 digest of the bytes that were read, in hexadecimal."""
        ...


# Rows per batch of a document: one invalid row sends its whole batch to the slower checks.
_BATCH = 500


class DocumentRows:
    """The rows of a YAML or JSON document: the list at the path `prefix`."""

    stream = None

    def __init__(self, document: Document, prefix: Path) -> None:
        self.file = document.file
        self.prefix = prefix
        self._document = document

    @property
    def sha256(self) -> str:
        """The SHA-256 digest of the bytes of the document, in hexadecimal."""
        return self._document.sha256

    @property
    def has_other_numbers(self) -> bool:
        """Whether quick rows may hold numbers where exact rows hold text."""
        return self._document.has_other_numbers

    @property
    def has_bare_keys(self) -> bool:
        """Whether a key may be written alone: only YAML allows it, between braces."""
        return self._document.may_be_yaml and "{" in self._document.text

    @property
    def has_bare_texts(self) -> bool:
        """Whether a text may be written without straight quotation marks: not in JSON."""
        return self._document.may_be_yaml

    def batches(self, *, quick: bool = False) -> Iterator[Batch]:
        """Yield all rows; an empty list yields one empty batch."""
        rows = value_at(self._document.quick if quick else self._document.value, self.prefix)
        for first in range(0, max(len(rows), 1), _BATCH):
            yield Batch(first, rows[first : first + _BATCH])

    def exact(self, index: int) -> Any:
        """Return a row from the exact reader."""
        return self._document.row((*self.prefix, index))

    def cut_texts(self) -> Iterable[CutText]:
        """Yield the texts of rows of a YAML document that a comment probably cuts off."""
        if not self._document.may_be_yaml:
            return ()
        from evalcontract.source.cut_texts import cut_texts  # only YAML needs it

        return cut_texts(self._document, self.prefix)

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return the place of a path."""
        return self._document.place(path, on_key=on_key, within=within)

    def raw(self, path: Path) -> str | None:
        """Return the source text of a scalar."""
        return self._document.raw(path)


class OneRow(DocumentRows):
    """The only row of a JSON or YAML document, which is a mapping; it is row 0."""

    def __init__(self, document: Document) -> None:
        super().__init__(document, ())

    def batches(self, *, quick: bool = False) -> Iterator[Batch]:
        """Yield the row."""
        yield Batch(0, [self._document.quick if quick else self._document.value])

    def exact(self, index: int) -> Any:
        """Return the row from the exact reader."""
        del index
        return self._document.value

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return the place of a path, which begins with the number of the row."""
        return self._document.place(path[1:], on_key=on_key, within=within)

    def raw(self, path: Path) -> str | None:
        """Return the source text of a scalar."""
        return self._document.raw(path[1:])
