"""Rows of an opened file, whatever its format: in a document, a stream, or one alone."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import islice
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Protocol

from evalcontract.model.diagnostic import Path, Place, Within, format_path
from evalcontract.model.values import is_writable
from evalcontract.source.comments import CutText, cut_texts
from evalcontract.source.document import Batch, Document, RowPieces, value_at
from evalcontract.source.faults import MAX_DEPTH, SourceProblem, UnreadableFile

if TYPE_CHECKING:
    from evalcontract.source.jsonl import RowStream

#: How types that JSON lacks are written, in rows in memory and in Parquet files.
CONVERTERS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (datetime | date | time, lambda value: value.isoformat()),
    (timedelta, timedelta.total_seconds),
    (Decimal, float),
    (bytes, lambda value: base64.b64encode(value).decode()),
)
_MAX_STEPS = 4  # steps of a path that a message quotes


class NotPlainError(Exception):
    """A value that JSON cannot represent; `code` is that of the finding, `path` its place."""

    def __init__(self, reason: str, code: str = "source/unsupported", path: Path = ()) -> None:
        super().__init__(reason, code, path)
        self.reason = reason
        self.code = code
        self.path = path

    def __str__(self) -> str:
        return f"`{format_path(self.path[:_MAX_STEPS])}` {self.reason}"

    def inside(self, step: str | int) -> NotPlainError:
        """Return the same error with its path below a key or an index."""
        return NotPlainError(self.reason, self.code, (step, *self.path))


def plain(value: Any, *, as_python: bool = False, depth: int = 0) -> Any:
    """Return a copy of a value with all its parts as dict, list, str, int, float, bool or None.

    Dates and times become ISO 8601 strings, bytes base64, durations seconds, decimals floats.
    `as_python` permits what Python's `json` reads beyond JSON: NaN, infinity, lone surrogates.

    Raises:
        NotPlainError: a part is of another type, is a mapping with a key that is not a string, or
            is nested too deeply.

    """
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        return _text(value, as_python=as_python)
    if isinstance(value, dict | list | tuple | Mapping):
        if depth == MAX_DEPTH:
            reason = f"is nested more than {MAX_DEPTH} levels deep"
            raise NotPlainError(reason, "source/limit-exceeded")
        if isinstance(value, list | tuple):
            return _items(value, as_python=as_python, depth=depth + 1)
        return _mapping(value, as_python=as_python, depth=depth + 1)
    for kind, convert in CONVERTERS:
        if isinstance(value, kind):
            value = convert(value)
    return value if isinstance(value, str) else _number(value, as_python=as_python)


def _mapping(value: Mapping[Any, Any], *, as_python: bool, depth: int) -> dict[str, Any]:
    copy = {}
    for key, part in value.items():
        if not isinstance(key, str):
            raise NotPlainError(f"has a key that is a `{type(key).__name__}` and not a string")
        try:
            copy[_text(key, as_python=as_python)] = plain(part, as_python=as_python, depth=depth)
        except NotPlainError as error:
            raise error.inside(key) from None
    return copy


def _items(value: Sequence[Any], *, as_python: bool, depth: int) -> list[Any]:
    copy = []
    for index, part in enumerate(value):
        try:
            copy.append(plain(part, as_python=as_python, depth=depth))
        except NotPlainError as error:
            raise error.inside(index) from None
    return copy


def _text(value: str, *, as_python: bool) -> str:
    text = value if type(value) is str else str.__str__(value)  # of a subclass, the text alone
    if not as_python and not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            reason = "has a lone surrogate, which UTF-8 cannot represent"
            raise NotPlainError(reason, "source/encoding") from None
    return text


def _number(value: Any, *, as_python: bool) -> int | float:
    if isinstance(value, Integral):
        number = int(value)
        if not is_writable(number):
            raise NotPlainError("has too many digits", "source/limit-exceeded")
        return number
    if not isinstance(value, Real):
        raise NotPlainError(f"is a `{type(value).__name__}`, which JSON cannot represent")
    if not as_python and not math.isfinite(value):
        name = "NaN" if math.isnan(value) else "infinite"
        raise NotPlainError(f"is {name}, which JSON cannot represent; use None")
    return float(value)


class RowSource(Protocol):
    """An opened file: exactly one of `document`, `stream` and `unreadable` is not None."""

    @property
    def file(self) -> str:
        """The name of the file in diagnostics."""

    @property
    def document(self) -> Document | None:
        """The parsed document of a YAML or JSON file, otherwise None."""

    @property
    def stream(self) -> RowStream | None:
        """The stream of rows of a JSONL file, otherwise None."""

    @property
    def unreadable(self) -> UnreadableFile | None:
        """Why the file cannot be read; None if it can."""

    def peek(self) -> Any:
        """Return the value of a document, or the first row of a stream; None if there is none."""


class RowBatches(Protocol):
    """The rows of a dataset in batches, and the places of their parts.

    The path of a row is `prefix` and its index. `place` can be called at any time, even after all
    batches are read. What is not abstract here holds for rows in memory.
    """

    file: str
    prefix: Path = ()

    @property
    def pieces(self) -> RowPieces | None:
        """The rows, if each can be read alone."""
        return None

    @property
    def stream(self) -> RowStream | None:
        """The stream that the rows are read from; None if they are in memory."""
        return None

    def parts(self) -> Sequence[RowBatches]:
        """Return parts that any process can read, with the numbers of rows here, in their order."""
        return ()

    def batches(self, *, quick: bool = False) -> Iterator[Batch]:
        """Yield all rows from the first to the last.

        With `quick`, rows may come from the fast reader. Trust those without any problem; read
        the others again with `exact`.
        """

    def exact(self, index: int) -> Any:
        """Return a row of a batch that was read before, from the exact reader."""

    def raw(self, path: Path) -> str | None:
        """Return the source text of a scalar, if it is known; see `Document.raw`."""
        return None

    def cut_texts(self) -> Iterable[CutText]:
        """Yield the texts of rows that a comment probably cuts off: only YAML has comments."""
        return ()

    @property
    def has_other_numbers(self) -> bool:
        """Whether quick rows may hold numbers where exact rows hold text."""
        return False

    @property
    def has_bare_keys(self) -> bool:
        """Whether a key of a row may be written alone, without a colon: only YAML allows it."""
        return False

    @property
    def has_bare_texts(self) -> bool:
        """Whether a text of a row may be written without straight quotation marks."""
        return True

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return the place of a path; see `Document.place`."""

    @property
    def sha256(self) -> str:
        """The SHA-256 digest of the bytes that were read, in hexadecimal."""


def _numbered(index: int) -> str:
    return f"row {index}"


def representable(
    batch: Batch, *, as_python: bool = False, name_of: Callable[[int], str] = _numbered
) -> Iterator[Batch]:
    """Yield a batch with plain rows, in parts: a row that JSON cannot represent is a fault."""
    first, rows = batch.first_index, []
    for index, row in enumerate(batch.rows, first):
        try:
            rows.append(plain(row, as_python=as_python))
        except NotPlainError as error:
            fault = SourceProblem(error.code, f"{name_of(index)} cannot be read: {error}")
            yield Batch(first, rows, ((fault, ""),))
            first, rows = index + 1, []
    if rows or not batch.rows:
        yield Batch(first, rows, batch.faults)


def has_infinite(value: Any) -> bool:
    """Whether a value, or a part of it, is a number that JSON has not: NaN or an infinite one."""
    if isinstance(value, dict):
        return any(map(has_infinite, value.values()))
    if isinstance(value, list):
        return any(map(has_infinite, value))
    return isinstance(value, float) and not math.isfinite(value)


class RowBlocks:
    """An iterable of lists of rows that are plain already, but for NaN and infinite numbers.

    `name_of` says what messages call a row, by its number.
    """

    def __init__(
        self, blocks: Iterable[list[dict[str, Any]]], name_of: Callable[[int], str] = _numbered
    ) -> None:
        self._blocks = blocks
        self.name_of = name_of

    def __iter__(self) -> Iterator[list[dict[str, Any]]]:
        return iter(self._blocks)


class IterableRows(RowBatches):
    """Rows from an iterable as plain data; see `RowBatches`. Each batch is read when it is needed.

    The place of something in row n (from 0) is the file `NAME[n]`, without a line. A row that JSON
    cannot represent is a fault, and is left out; the others keep their indexes. `as_python` is as
    for `plain`. Without `has_digest`, there is no `sha256`, which takes time for every row.
    """

    document = None
    progress = None
    has_bare_texts = False

    def __init__(
        self,
        name: str,
        rows: Iterable[Any],
        *,
        as_python: bool = False,
        has_digest: bool = True,
    ) -> None:
        self.file = name
        self._are_plain = isinstance(rows, RowBlocks)
        self._name_of = rows.name_of if isinstance(rows, RowBlocks) else _numbered
        self._rows = iter(rows)
        self._as_python = as_python
        self._has_digest = has_digest
        self._batch = Batch(0, [])
        self._kept: list[Batch] | None = None
        self._digest: Any = None

    @property
    def sha256(self) -> str:
        r"""The SHA-256 digest of the rows read so far, in hexadecimal.

        That is, of their lines `json.dumps(row, sort_keys=True)`, each with a `\n`.
        """
        from hashlib import sha256  # slow to import

        digest: str = (self._digest or sha256()).hexdigest()
        return digest

    def keep(self) -> None:
        """Read all rows now: from then on, `batches` yields them each time."""
        self._kept = [*self.batches()]

    def batches(self, *, quick: bool = False) -> Iterator[Batch]:
        """Yield the rows that have not been read yet; no rows at all yield one empty batch."""
        if self._kept is not None:
            for batch in self._kept:
                self._batch = batch
                yield batch
            return
        from hashlib import sha256  # slow to import

        self._digest = sha256()
        first = 0
        while (rows := self._next()) or not first:
            for batch in self._parts(Batch(first, rows)):
                for row in batch.rows if self._has_digest else ():
                    self._digest.update(json.dumps(row, sort_keys=True).encode() + b"\n")
                self._batch = batch
                yield batch
            first += len(rows)
            if not rows:
                return

    def _next(self) -> list[Any]:
        """Return the next rows; none at the end."""
        if self._are_plain:
            return next(filter(None, self._rows), [])
        return [*islice(self._rows, _BATCH)]

    def _parts(self, batch: Batch) -> Iterator[Batch]:
        if self._are_plain and (self._as_python or not any(map(has_infinite, batch.rows))):
            return iter((batch,))
        return representable(batch, as_python=self._as_python, name_of=self._name_of)

    def exact(self, index: int) -> Any:
        return self._batch.rows[index - self._batch.first_index]

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        return Place(f"{self.file}[{path[0]}]" if path else self.file)


class RowIterable:
    """A source of rows in memory; see `RowSource`."""

    document = None
    unreadable = None

    def __init__(self, stream: IterableRows) -> None:
        self.file = stream.file
        self.stream = stream

    def peek(self) -> None:
        """Return None: the rows can be read only once."""


# Rows per batch of a document: one invalid row sends its whole batch to the slower checks.
_BATCH = 500


class DocumentRows(RowBatches):
    """The rows of a YAML or JSON document: the list at the path `prefix`."""

    def __init__(self, document: Document, prefix: Path) -> None:
        self.file = document.file
        self.prefix = prefix
        self._document = document

    @property
    def pieces(self) -> RowPieces | None:
        return self._document.pieces

    @property
    def sha256(self) -> str:
        return self._document.sha256

    @property
    def has_other_numbers(self) -> bool:
        return self._document.has_other_numbers

    @property
    def has_bare_keys(self) -> bool:
        return self._document.may_have_bare_keys(self.prefix)

    @property
    def has_bare_texts(self) -> bool:
        return self._document.may_be_yaml

    def batches(self, *, quick: bool = False) -> Iterator[Batch]:
        rows = value_at(self._document.quick if quick else self._document.value, self.prefix)
        for first in range(0, max(len(rows), 1), _BATCH):
            yield Batch(first, rows[first : first + _BATCH])

    def exact(self, index: int) -> Any:
        return self._document.row((*self.prefix, index))

    def cut_texts(self) -> Iterable[CutText]:
        if not self._document.may_be_yaml:
            return ()
        return cut_texts(self._document, self.prefix)

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        return self._document.place(path, on_key=on_key, within=within)

    def raw(self, path: Path) -> str | None:
        return self._document.raw(path)


class OneRow(DocumentRows):
    """The only row of a JSON or YAML document, which is a mapping; it is row 0."""

    def __init__(self, document: Document) -> None:
        super().__init__(document, ())

    def batches(self, *, quick: bool = False) -> Iterator[Batch]:
        yield Batch(0, [self._document.quick if quick else self._document.value])

    def exact(self, index: int) -> Any:
        return self._document.value

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return the place of a path, which begins with the number of the row."""
        return self._document.place(path[1:], on_key=on_key, within=within)

    def raw(self, path: Path) -> str | None:
        return self._document.raw(path[1:])
