"""The rows with problems of a file that is checked again and again, as in an editor."""

from __future__ import annotations

from typing import Any

from evalcontract.model.diagnostic import Problem
from evalcontract.model.startup import NamedTuple
from evalcontract.source import Batch
from evalcontract.source.document import RowPieces


class KnownRow(NamedTuple):
    """A row with problems: its number, its value, and what finds places in its text."""

    number: int
    value: Any
    problems: list[Problem]
    piece: Any


class KnownRows:
    """The rows with problems of the last check of a file, by their text, for the next check.

    Problems depend on the text of the row, and on what all rows are checked with: where that is not
    what it was, no row is known.
    """

    def __init__(self) -> None:
        self._checked_with: object = None
        self._rows: dict[object, KnownRow] = {}
        self._next: dict[object, KnownRow] = {}

    def begin(self, checked_with: object) -> None:
        """Begin a check; one before that did not come to its end is no loss."""
        is_same = checked_with == self._checked_with
        self._rows = {**self._rows, **self._next} if is_same else {}
        self._checked_with, self._next = checked_with, {}

    def end(self, *, is_sure: bool) -> None:
        """End a check: keep the rows that it has come across, if they are sure to stay the same."""
        self._rows, self._next = self._next if is_sure else {}, {}

    def in_batch(self, batch: Batch, pieces: RowPieces) -> dict[int, KnownRow]:
        """Return the known rows of a batch by their numbers."""
        if not self._rows:
            return {}
        first, known = batch.first_index, self._rows
        texts = pieces.texts(first, len(batch.rows))
        found = {n: known[text] for n, text in enumerate(texts, first) if text in known}
        for n, row in found.items():
            self._next[texts[n - first]] = row
            pieces.put(n, row.piece)
        return found

    def keep(self, index: int, value: Any, problems: list[Problem], pieces: RowPieces) -> None:
        """Keep a row that has been checked, unless its problems are related to other places."""
        piece, (text,) = pieces.piece(index), pieces.texts(index, 1)
        if piece and text and not any(each.related for each in problems):
            self._next[text] = KnownRow(index, value, problems, piece)
