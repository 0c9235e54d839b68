"""One pass over the queries of a dataset of Evret."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import FirstRows
from evalcontract.formats.evret.faults import query_faults
from evalcontract.formats.evret.releases import (
    ANSWERS,
    ID_KEYS,
    NAMES,
    first_given,
    label_of,
    text_of,
)
from evalcontract.formats.evret.warnings import expectation, query_warnings
from evalcontract.model.diagnostic import Problem, Related

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.formats._format import SchemaChecker
    from evalcontract.formats.evret.releases import Release
    from evalcontract.model.path import Path

# A name, a text and a list: what nearly every query has, and no more.
_PLAIN_KEYS = 3
_NEAR = "evret/near-miss-key"


class QueryChecker:
    """Says of each query what the release refuses, and what it passes over."""

    def __init__(self, release: Release, schema: SchemaChecker) -> None:
        self._release = release
        self._schema = schema
        self._ids = release.ids[0] if release.ids else ANSWERS
        self._first = FirstRows()

    def check(self, row: Any, path: Path, *, is_clean: bool) -> Iterable[Problem]:
        """Check the next query."""
        if is_clean and self._is_plain(row, path):
            return ()
        return self._look(row, path, is_clean=is_clean)

    def finish(self) -> Iterable[Problem]:
        """Yield nothing: what only all queries show is told at the second one that shows it."""
        return ()

    def _is_plain(self, row: dict[str, Any], path: Path) -> bool:
        """Whether a row that the schema accepts is one of those of which nothing can be said."""
        name = row.get("query_id")
        if len(row) != _PLAIN_KEYS or name.__class__ is not str:
            return False
        if row.get("query_text").__class__ is not str:
            return False
        values = row.get(self._ids) or row.get(ANSWERS)
        if values.__class__ is not list:
            return False
        if len(values) == 1:
            value = values[0]
            if value.__class__ is not str or not value or value.isspace():
                return False
        elif not _are_plain(values):
            return False
        return self._first.before(name.strip(), path) is None

    def _look(self, row: Any, path: Path, *, is_clean: bool) -> list[Problem]:
        found = list(query_faults(row, path, self._release))
        if not isinstance(row, dict):
            return found
        unread = [] if is_clean else self._unread(row, path, found)
        if found:
            return [*found, *unread]
        found = [*unread, *query_warnings(row, path, self._release), *self._again(row, path)]
        lost = expectation(row, path, self._release)
        return [*found, lost] if lost and not self._is_told(lost, row, path, found) else found

    def _unread(self, row: dict[str, Any], path: Path, told: list[Problem]) -> list[Problem]:
        """Return the keys that no release reads, but for one that a missing key is told of."""
        known = {key: value for key, value in row.items() if key not in ID_KEYS}
        known |= {key: row[key] for key in self._release.lists if key in row}
        there = {each.path for each in told}
        return [each for each in self._schema.unread(known, path) if each.path not in there]

    def _again(self, row: dict[str, Any], path: Path) -> Iterable[Problem]:
        key = first_given(row, NAMES[0])
        if key is None:
            return
        name = text_of(row[key])
        if first := self._first.before(name, path):
            message = f"another query has the id `{name}` already"
            there = Related("first used here", first)
            advice = "give each query an id of its own"
            yield Problem("evret/duplicate-id", message, (*path, key), advice, related=(there,))

    def _is_told(
        self, lost: Problem, row: dict[str, Any], path: Path, found: list[Problem]
    ) -> bool:
        """Whether it is told already why a query expects nothing."""
        if lost.code != "evret/nothing-expected":
            return False
        if any(each.code in (_NEAR, "evret/other-release") for each in found):
            return True
        # A column that is not there is told of the table as a whole.
        return len(path) == 1 and not any(key in row for key in self._release.list_columns)


def _are_plain(values: list[Any]) -> bool:
    """Whether every item is a text that is not blank, and none stands there twice."""
    for value in values:
        if value.__class__ is not str or not value or value.isspace():
            return False
    return len(set(map(label_of, values))) == len(values) > 0
