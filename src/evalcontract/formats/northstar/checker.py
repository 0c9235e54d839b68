"""One pass over the cases of a file: what the models of NorthStar refuse, and what it swallows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import FirstRows
from evalcontract.formats.northstar.advice import advised
from evalcontract.formats.northstar.pydantic_coercion import refused_numbers, without_numbers
from evalcontract.formats.northstar.warnings import warnings
from evalcontract.model.diagnostic import Problem, Related

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcontract.formats._format import SchemaChecker
    from evalcontract.model.path import Path

_REFUSES = frozenset(
    f"northstar/{fault}"
    for fault in ("missing-key", "wrong-type", "unknown-key", "out-of-range", "malformed-value")
)


class CaseChecker:
    """Judges cases; see `formats._format.RowChecker`."""

    def __init__(self, schema: SchemaChecker) -> None:
        self._schema = schema
        self._first = FirstRows()

    def check(self, row: Any, path: Path, *, is_clean: bool) -> Sequence[Problem]:
        """Check the next case."""
        found = [] if is_clean else self._of_structure(row, path)
        if is_clean or isinstance(row, dict):
            found += refused_numbers(row, path)
        if found and any(each.code in _REFUSES for each in found):
            return found
        id_ = row["id"]
        if not id_.strip():
            message = "the id is blank: nobody can tell whose result it is"
            found.append(Problem("northstar/blank-id", message, (*path, "id"), "name the case"))
        elif first := self._first.before(id_, path):
            found.append(_duplicate(id_, path, first))
        found += warnings(row, path)
        return found

    def finish(self) -> tuple[Problem, ...]:
        """Return nothing: all was said of the cases."""
        return ()

    def _of_structure(self, row: Any, path: Path) -> list[Problem]:
        # The schema cannot know all that is taken for a number, nor can its engines read NaN.
        given = without_numbers(row) if isinstance(row, dict) else row
        return [advised(each, row, path) for each in self._schema.faults(given, path)]


def _duplicate(id_: str, path: Path, first: Path) -> Problem:
    message = f"the id `{id_}` is taken: NorthStar loads both, and results cannot be told apart"
    related = (Related("first here", (*first, "id")),)
    place = (*path, "id")
    return Problem("northstar/duplicate-id", message, place, "give it another one", related=related)
