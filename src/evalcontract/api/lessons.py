"""How the first gate of a dataset is learned: from rows that passed the gates of what they name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.api.gates import Gates
    from evalcontract.source import Batch, Rows
    from evalcontract.structure.schemas import Schema

# So many rows show in a lesson what the others look like.
_EXAMPLES = 100
# Where most rows do not go through, each is looked at twice: then it is given up.
_PATIENCE = 2000

_Gate = TypeVar("_Gate")


class Lessons(ABC, Generic[_Gate]):
    """Keeps the examples that were given, and the gate that is made of them; None: there is none.

    After `most` lessons there are no more: a dataset whose rows are ever of new shapes gains
    nothing by them.
    """

    def __init__(self, gates: Gates, most: int) -> None:
        self._gates = gates
        self._gate: _Gate | None = None
        self._rows: list[Any] = []
        self._texts: list[str] = []
        self._lessons_left = most
        self._balance = _PATIENCE

    @abstractmethod
    def batches(self, rows: Rows) -> Iterator[Batch]:
        """Read rows, of which those that go through need not be kept."""

    @abstractmethod
    def _make(self, schema: Schema) -> _Gate:
        """Make the gate of all examples, which a schema of one row accepts."""

    @abstractmethod
    def _grown(self, count: int) -> None:
        """Take note of new examples, which stand for so many rows."""

    def learn(self, rows: list[Any], texts: list[str]) -> None:
        """Take rows that did not go through, and of which nothing is to be said, for examples.

        Where most rows do not go through it is given up. `texts` are those of the rows, where
        there is something to be learned from them.
        """
        self._balance -= len(rows)
        if self._balance < 0:
            self._gate = None
        elif self._lessons_left:
            self._rows += rows[:_EXAMPLES]
            self._texts += texts[:_EXAMPLES]
            self._grown(len(rows))

    def _passed(self, count: int) -> None:
        """Take note that so many rows went through."""
        self._balance += count

    def _teach(self) -> None:
        """Make the gate anew; where that cannot be done, there are no more lessons."""
        from evalcontract.structure.applied import UnfitError  # small files have no use for it

        schema = self._gates.schema_of_all(self._rows)
        try:
            self._gate = self._make(schema) if schema else None
        except UnfitError:
            self._gate = None
        if self._gate is None:
            self._lessons_left = 0
