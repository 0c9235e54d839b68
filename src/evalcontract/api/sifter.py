"""The first gate of a stream of rows: it learns what clean rows look like, and reads only those."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.source import Sifted

if TYPE_CHECKING:
    from evalcontract.api.gates import Gates
    from evalcontract.structure.typed_gate import TypedGate

# So many clean rows show what the others look like.
_EXAMPLES = 100
# A dataset whose rows are ever of new shapes gains nothing by this.
_MOST_LESSONS = 40
_PATIENCE = 2000


class Sifter:
    """A `Sift` whose gate is made of rows that passed the gates of their bundle and rubric."""

    def __init__(self, gates: Gates) -> None:
        self._gates = gates
        self._gate: TypedGate | None = None
        self._examples: list[Any] = []
        self._lessons = 0
        self._balance = _PATIENCE
        self._is_behind = False

    @property
    def is_ready(self) -> bool:
        """Whether it lets anything through."""
        self._catch_up()
        return self._gate is not None

    def read(self, lines: bytes) -> Sifted | tuple[int, int] | None:
        """Return the ids and references of rows that are surely clean; see `Sift`."""
        self._catch_up()
        if self._gate is None:
            return None
        rows = self._gate.read(lines)
        if not isinstance(rows, list):
            return rows
        self._balance += len(rows)
        column = self._gate.column
        return Sifted(column("id", rows), frozenset(column("rubric_ref", rows)), len(rows))

    def take(self, text: str, start: int) -> tuple[Sifted, int]:
        """Return nothing: it reads lines of JSON."""
        del text
        return Sifted([], frozenset(), 0), start

    def learn(self, rows: list[Any], texts: list[str]) -> None:  # noqa: ARG002
        """Take rows that did not go through, and of which nothing is to be said, for examples.

        Where most rows do not go through it is given up: each is then read twice. The gate is
        made when there is more to read: the rows of a small file are all there are.
        """
        self._balance -= len(rows)
        if self._balance < 0:
            self._gate = None
        if self._lessons >= _MOST_LESSONS or self._balance < 0:
            return
        self._lessons += 1
        self._examples += rows[:_EXAMPLES]
        self._is_behind = True

    def _catch_up(self) -> None:
        if not self._is_behind:
            return
        from evalcontract.structure.applied import UnfitError  # msgspec is slow to import
        from evalcontract.structure.typed_gate import TypedGate

        self._is_behind = False
        schema = self._gates.schema_of_all(self._examples)
        try:
            self._gate = TypedGate(schema, self._examples) if schema else None
        except UnfitError:
            self._gate = None
        if self._gate is None:
            self._lessons = _MOST_LESSONS
