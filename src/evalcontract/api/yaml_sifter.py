"""The first gate of a YAML dataset: it learns how clean rows are written, and matches those."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.api.lessons import Lessons
from evalcontract.source import Sifted, YamlRows
from evalcontract.structure.yaml_gate import YamlGate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.api.gates import Gates
    from evalcontract.source import Batch, Rows
    from evalcontract.structure.schemas import Schema

# A lesson takes as long as to read some hundred rows: each has to wait for twice as many
# rows that it could help as the one before.
_FIRST_LESSON, _SECOND, _LATER = 1, 2, 8
_MOST_LESSONS = 12


class YamlSifter(Lessons[YamlGate]):
    """A `TextSift`."""

    def __init__(self, gates: Gates) -> None:
        super().__init__(gates, _MOST_LESSONS)
        self._waiting = 0
        self._wanted = _FIRST_LESSON

    def batches(self, rows: Rows) -> Iterator[Batch]:
        """Read rows; those of large YAML need not be kept where they go through."""
        return rows.batches(self) if isinstance(rows, YamlRows) else rows.batches()

    def take(self, text: str, start: int) -> tuple[Sifted, int]:
        """Return the ids and references of rows that are surely clean, and their end."""
        if self._gate is None:
            return Sifted([], frozenset(), 0), start
        ids, references, end = self._gate.take(text, start)
        self._passed(len(ids))
        return Sifted(ids, references, len(ids)), end

    def _grown(self, count: int) -> None:
        self._waiting += count
        if self._waiting < self._wanted:
            return
        self._waiting = 0
        is_first = self._wanted == _FIRST_LESSON
        self._wanted = _SECOND if is_first else max(self._wanted * 2, _LATER)
        self._lessons_left -= 1
        self._teach()

    def _make(self, schema: Schema) -> YamlGate:
        return YamlGate(schema, self._rows, self._texts)
