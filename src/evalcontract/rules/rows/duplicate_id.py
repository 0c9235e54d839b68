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

_SEPARATOR = "\0"


class _Ids:
    """Keeps every id in little memory and reports duplicates at the end."""

    # Ids in ascending order, such as numbers, cannot repeat. From the first id out of order, the
    # hashes of all ids are kept: an id whose hash was seen before is a suspect, and `finish` looks
    # for its rows.

    def __init__(self, context: DatasetContext) -> None:
        self._prefix = context.prefix
        self._blocks: list[tuple[int, str | list[str]]] = []
        self._last = ""
        self._hashes: set[int] | None = None
        self._suspects: set[str] = set()

    def see(self, first_index: int, rows: list[Any]) -> Problems:
        ids = [row.get("id") if row.__class__ is dict else None for row in rows]
        return self.see_ids(first_index, [id_ if id_.__class__ is str else "" for id_ in ids])

    def see_ids(self, first_index: int, ids: list[str]) -> Problems:
        if self._hashes is None and not self._is_ascending(ids):
            self._hashes = set()
            for _, block in self._blocks:
                self._compare(_ids_of(block), self._hashes)
        if self._hashes is not None:
            self._compare(ids, self._hashes)
        if ids:
            joined = _SEPARATOR.join(ids)
            can_split = joined.count(_SEPARATOR) == len(ids) - 1
            self._blocks.append((first_index, joined if can_split else ids))
        return iter(())

    def _is_ascending(self, ids: list[str]) -> bool:
        sequence = [self._last, *ids]
        self._last = sequence[-1]
        return all(map(lt, sequence, ids))

    def _compare(self, ids: list[str], known: set[int]) -> None:
        hashes = set(map(hash, ids))
        if len(hashes) == len(ids) and known.isdisjoint(hashes):
            known |= hashes
            return
        for id_ in filter(None, ids):
            if hash(id_) in known:
                self._suspects.add(id_)
            known.add(hash(id_))

    def finish(self) -> Problems:
        first: dict[str, int] = {}
        for first_index, ids in self._blocks if self._suspects else ():
            for index, id_ in enumerate(_ids_of(ids), first_index):
                if id_ in self._suspects and first.setdefault(id_, index) != index:
                    related = Related("first used here", (*self._prefix, first[id_], "id"))
                    problem = repeated(id_, (*self._prefix, index))
                    yield problem._replace(row_index=index, related=(related,))


def repeated(id_: str, path: Path) -> Problem:
    """Return the problem of the row at a path, whose id an earlier row has."""
    message = f"duplicate row id `{id_}`"
    return Problem(RULE.code, message, (*path, "id"), "row ids must be unique", row=id_)


def _ids_of(block: str | list[str]) -> list[str]:
    return block.split(_SEPARATOR) if isinstance(block, str) else block


RULE = DatasetRule(Code("dataset/duplicate-id", page=__doc__), _Ids)
