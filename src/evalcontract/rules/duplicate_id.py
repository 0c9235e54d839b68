"""
Two rows of a dataset have the same id.

Why: Results are joined to rows by id: with two of them, one score silently replaces the other.

Bad:
    questions:
      - {id: capital, input: What is the capital of France?, criteria: Names Paris}
      - {id: capital, input: What is the capital of Spain?, criteria: Names Madrid}

Good:
    questions:
      - {id: capital_of_france, input: What is the capital of France?, criteria: Names Paris}
      - {id: capital_of_spain, input: What is the capital of Spain?, criteria: Names Madrid}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Problem, Related
from evalcontract.model.page import parse_page
from evalcontract.rules._dataset_rule import DatasetContext, DatasetRule

if TYPE_CHECKING:
    from collections.abc import Iterator

CODE = "dataset/duplicate-id"


class _Ids:
    """Keeps every id with the row that had it first."""

    def __init__(self, context: DatasetContext) -> None:
        self._prefix = context.prefix
        self._first: dict[str, int] = {}

    def see(self, first_index: int, rows: list[Any]) -> Iterator[Problem]:
        first = self._first
        for index, row in enumerate(rows, first_index):
            id_ = row.get("id") if row.__class__ is dict else None
            if id_.__class__ is str and first.setdefault(id_, index) != index:
                yield self._problem(id_, index)

    def finish(self) -> Iterator[Problem]:
        return iter(())

    def _problem(self, id_: str, index: int) -> Problem:
        earlier = (*self._prefix, self._first[id_], "id")
        return Problem(
            CODE,
            f"another row has the id `{id_}` already",
            (*self._prefix, index, "id"),
            "give each row an id of its own",
            row=id_,
            row_index=index,
            related=(Related("first used here", earlier),),
        )


RULE = DatasetRule(CODE, _Ids, parse_page(CODE, __doc__))
