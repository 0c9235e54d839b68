"""Rows in memory: any iterable of mappings, read once, batch by batch."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Place
from evalcontract.source.document import Batch
from evalcontract.source.fault import SourceProblem
from evalcontract.source.plain import NotPlainError, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.model.diagnostic import Path, Within

_BATCH = 500


class IterableRows:
    """Rows from an iterable as plain data; see `Rows`. The next batch is read when it is needed.

    The place of something in row n (from 0) is the file `NAME[n]`, without a line. A row that JSON
    cannot represent is a fault, and is left out; the others keep their indexes. `as_python` is as
    for `plain`.
    """

    prefix: Path = ()
    document = None
    stream = None
    progress = None
    has_other_numbers = False
    has_bare_keys = False
    has_bare_texts = True

    def __init__(self, name: str, rows: Iterable[Any], *, as_python: bool = False) -> None:
        self.file = name
        self._rows = iter(rows)
        self._as_python = as_python
        self._batch = Batch(0, [])
        self._digest: Any = None

    @property
    def sha256(self) -> str:
        r"""The SHA-256 digest of the rows read so far, in hexadecimal.

        That is, of their lines `json.dumps(row, sort_keys=True)`, each with a `\n`.
        """
        from hashlib import sha256  # slow to import

        digest: str = (self._digest or sha256()).hexdigest()
        return digest

    def cut_texts(self) -> tuple[()]:
        """Return nothing: there is no text that a comment could cut off."""
        return ()

    def batches(self, *, quick: bool = False) -> Iterator[Batch]:
        """Yield the rows that have not been read yet; no rows at all yield one empty batch."""
        del quick
        from hashlib import sha256  # slow to import

        self._digest = sha256()
        rows: list[Any] = []
        first = count = 0
        for index, row in enumerate(self._rows):
            count = index + 1
            try:
                rows.append(plain(row, as_python=self._as_python))
            except NotPlainError as error:
                message = f"row {index} cannot be read: {error}"
                fault = SourceProblem(error.code, message)
                yield self._read(first, rows, (fault, ""))
                first, rows = count, []
            if len(rows) == _BATCH:
                yield self._read(first, rows)
                first, rows = count, []
        if rows or not count:
            yield self._read(first, rows)

    def _read(self, first: int, rows: list[Any], *faults: tuple[SourceProblem, str]) -> Batch:
        for row in rows:
            self._digest.update(json.dumps(row, sort_keys=True).encode() + b"\n")
        self._batch = Batch(first, rows, faults)
        return self._batch

    def exact(self, index: int) -> Any:
        """Return a row of the last batch."""
        return self._batch.rows[index - self._batch.first_index]

    def raw(self, path: Path) -> None:
        """Return None: rows in memory have no source text."""

    def place(
        self,
        path: Path,
        *,
        on_key: bool = False,  # noqa: ARG002
        within: Within | None = None,  # noqa: ARG002
    ) -> Place:
        """Return the row as the place."""
        return Place(f"{self.file}[{path[0]}]" if path else self.file)


class RowIterable:
    """A source of rows in memory; see `Source`."""

    document = None
    unreadable = None

    def __init__(self, name: str, rows: Iterable[Any], *, as_python: bool = False) -> None:
        self.file = name
        self.stream: IterableRows = IterableRows(name, rows, as_python=as_python)

    def peek(self) -> None:
        """Return None: the rows can be read only once."""
