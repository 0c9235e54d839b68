"""The first gate of a YAML dataset: it learns how clean rows are written, and matches those."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.source import Sifted
from evalcontract.structure.applied import UnfitError
from evalcontract.structure.yaml_gate import YamlGate

if TYPE_CHECKING:
    from evalcontract.api.gates import Gates

# So many rows show in a lesson what the others look like.
_EXAMPLES = 100
# A lesson takes as long as to read some hundred rows: each has to wait for twice as many
# rows that it could help as the one before.
_FIRST_LESSON = 1
_MOST_LESSONS = 12
# Where most rows do not go through, each is looked at twice: then it is given up.
_PATIENCE = 2000


class YamlSifter:
    """A `Sift` whose gate is made of rows that passed the gates of their bundle and rubric."""

    def __init__(self, gates: Gates) -> None:
        self._gates = gates
        self._gate: YamlGate | None = None
        self._rows: list[Any] = []
        self._texts: list[str] = []
        self._waiting = 0
        self._wanted = _FIRST_LESSON
        self._lessons = 0
        self._balance = _PATIENCE

    @property
    def is_ready(self) -> bool:
        """Whether it lets anything through."""
        return self._gate is not None

    def read(self, lines: bytes) -> None:
        """Return nothing: it reads YAML."""

    def take(self, text: str, start: int) -> tuple[Sifted, int]:
        """Return the ids and references of rows that are surely clean, and their end."""
        if self._gate is None:
            return Sifted([], frozenset(), 0), start
        ids, references, end = self._gate.take(text, start)
        self._balance += len(ids)
        return Sifted(ids, references, len(ids)), end

    def learn(self, rows: list[Any], texts: list[str]) -> None:
        """Take rows that did not go through, and of which nothing is to be said, for examples."""
        self._balance -= len(rows)
        if self._balance < 0:
            self._gate = None
        if self._lessons >= _MOST_LESSONS or self._balance < 0:
            return
        self._rows += rows[:_EXAMPLES]
        self._texts += texts[:_EXAMPLES]
        self._waiting += len(rows)
        if self._waiting >= self._wanted:
            self._teach()

    def _teach(self) -> None:
        self._waiting = 0
        self._wanted = max(self._wanted, 4) * 2 if self._lessons else 2
        self._lessons += 1
        schema = self._gates.schema_of_all(self._rows)
        try:
            self._gate = YamlGate(schema, self._rows, self._texts) if schema else None
        except UnfitError:
            self._gate = None
        if self._gate is None:
            self._lessons = _MOST_LESSONS
