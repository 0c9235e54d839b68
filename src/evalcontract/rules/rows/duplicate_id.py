"""
Two rows of a dataset have the same id.

Why: Results are joined to rows by id, so one score silently replaces the other.

Bad:
    questions:
      - {id: capital, input: What is the capital of France?, expected_facts: [Paris]}
      - {id: capital, input: What is the capital of Spain?, expected_facts: [Madrid]}

Good:
    questions:
      - {id: capital_of_france, input: What is the capital of France?, expected_facts: [Paris]}
      - {id: capital_of_spain, input: What is the capital of Spain?, expected_facts: [Madrid]}
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator
from operator import lt
from typing import Any

from evalcontract.rules._rule import (
    Code,
    DatasetContext,
    DatasetRule,
    Path,
    Problem,
    Problems,
    Related,
)
from evalcontract.source.text import TextBlocks

# The hashes of ids are divided, so that those of a part are few.
_PARTS = 64


class _Ids:
    """Keeps every id in little memory and reports duplicates at the end."""

    # Ids in ascending order, such as numbers, cannot repeat. From the first id out of order, the
    # hashes of all ids are kept, eight bytes each: an id whose hash occurs twice is a suspect, and
    # `finish` looks for its rows. The ids themselves go to a file when they are many.

    def __init__(self, context: DatasetContext) -> None:
        self._prefix = context.prefix
        self._starts: list[int] = []
        self._blocks = TextBlocks()
        self._last = ""
        self._hashes: list[array[int]] | None = None

    def see(self, first_index: int, rows: list[Any]) -> Problems:
        ids = [row.get("id") if row.__class__ is dict else None for row in rows]
        return self.see_ids(first_index, [id_ if id_.__class__ is str else "" for id_ in ids])

    def see_ids(self, first_index: int, ids: list[str]) -> Problems:
        if self._hashes is None and not self._is_ascending(ids):
            self._hashes = [array("q") for _ in range(_PARTS)]
            for block in self._blocks:
                self._note(block, self._hashes)
        if self._hashes is not None:
            self._note(ids, self._hashes)
        if ids:
            self._starts.append(first_index)
            self._blocks.add(ids)
        return iter(())

    def _is_ascending(self, ids: list[str]) -> bool:
        sequence = [self._last, *ids]
        self._last = sequence[-1]
        return all(map(lt, sequence, ids))

    @staticmethod
    def _note(ids: list[str], parts: list[array[int]]) -> None:
        for each in map(hash, filter(None, ids)):
            parts[each % _PARTS].append(each)

    def _suspects(self) -> Iterator[int]:
        """Yield the hashes that occur more than once."""
        for part in self._hashes or ():
            if len(set(part)) < len(part):
                yield from (each for each, count in Counter(part).items() if count > 1)

    def finish(self) -> Problems:
        suspects = {*self._suspects()}
        first: dict[str, int] = {}
        for start, ids in zip(self._starts, self._blocks, strict=True) if suspects else ():
            for index, id_ in enumerate(ids, start):
                if hash(id_) in suspects and id_ and first.setdefault(id_, index) != index:
                    related = Related("first used here", (*self._prefix, first[id_], "id"))
                    problem = repeated(id_, (*self._prefix, index))
                    yield problem._replace(row_index=index, related=(related,))


def repeated(id_: str, path: Path) -> Problem:
    """Return the problem of the row at a path, whose id an earlier row has."""
    message = f"duplicate row id `{id_}`"
    return Problem(RULE.code, message, (*path, "id"), "row ids must be unique", row=id_)


RULE = DatasetRule(Code("dataset/duplicate-id", page=__doc__), _Ids)
