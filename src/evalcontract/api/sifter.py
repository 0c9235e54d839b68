"""The first gate of a stream of rows: it learns what clean rows look like, and reads only those."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.api.lessons import Lessons
from evalcontract.source import RowStream, Sifted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.api.gates import Gates
    from evalcontract.source import Batch, Rows
    from evalcontract.structure.schemas import Schema
    from evalcontract.structure.typed_gate import TypedGate

    Piece = tuple[int, Sifted | None]

_MOST_LESSONS = 40
# Doubtful rows are seldom alone: after one, so many readings are line by line at once.
_WARY = 4
# Where so many pieces were doubtful and none of their rows was clean, the next hardly are.
_TIRED = 16


class Sifter(Lessons["TypedGate"]):
    """A `LineSift`. Its gate is made when there is more to read: rows of a small file are all."""

    def __init__(self, gates: Gates) -> None:
        super().__init__(gates, _MOST_LESSONS)
        self._is_behind = False
        self._wary = 0
        self._in_vain = 0

    @property
    def can_wait(self) -> bool:
        """Whether there was nothing to be learned lately."""
        return self._in_vain >= _TIRED

    def batches(self, rows: Rows) -> Iterator[Batch]:
        """Read rows; those of a stream need not be kept where they go through."""
        return rows.batches(self) if isinstance(rows, RowStream) else rows.batches()

    def read(self, lines: bytes) -> Iterator[Piece]:
        """Yield how long pieces are, with the ids and references of rows that are surely clean.

        A few doubtful rows must not take the others with them; see `LineSift`.
        """
        at = 0
        while at < len(lines):
            self._catch_up()
            for piece in self._pieces(lines[at:]):
                at += piece[0]
                yield piece
                if self._is_behind:  # the rest may go through now
                    break

    def _pieces(self, lines: bytes) -> Iterator[Piece]:
        gate = self._gate
        if gate is None:
            yield len(lines), None
            return
        rows = None if self._wary else gate.read(lines)
        if rows is None:
            yield from self._line_by_line(gate, lines)
        else:
            yield len(lines), self._sifted(gate, rows)

    def _line_by_line(self, gate: TypedGate, lines: bytes) -> Iterator[Piece]:
        """Yield the lines in runs, of doubtful ones and of others."""
        each, rows, doubtful = gate.read_each(lines)
        self._wary = _WARY if doubtful else max(self._wary - 1, 0)
        left = len(lines)
        for first, last, is_doubtful in _runs(doubtful, len(each)):
            size = min(sum(map(len, each[first:last])) + last - first, left)
            left -= size
            self._in_vain += is_doubtful
            yield size, None if is_doubtful else self._sifted(gate, rows[first:last])

    def _sifted(self, gate: TypedGate, rows: list[Any]) -> Sifted:
        self._passed(len(rows))
        references = frozenset(gate.column("rubric_ref", rows))
        return Sifted(gate.column("id", rows), references, len(rows))

    def _grown(self, count: int) -> None:  # noqa: ARG002
        self._lessons_left -= 1
        self._is_behind = True
        self._in_vain = 0

    def _catch_up(self) -> None:
        if self._is_behind:
            self._is_behind = False
            self._teach()

    def _make(self, schema: Schema) -> TypedGate:
        from evalcontract.structure.typed_gate import TypedGate  # msgspec is slow to import

        return TypedGate(schema, self._rows)


def _runs(doubtful: list[int], count: int) -> Iterator[tuple[int, int, bool]]:
    """Yield runs of so many lines, from one to before another, and whether they are doubtful."""
    at = number = 0
    while number < len(doubtful):
        first = last = doubtful[number]
        while number < len(doubtful) and doubtful[number] == last:
            number, last = number + 1, last + 1
        if at < first:
            yield at, first, False
        yield first, last, True
        at = last
    if at < count:
        yield at, count, False
