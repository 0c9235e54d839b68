"""One pass over the queries of a dataset of Evret."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import FirstRows
from evalcontract.formats._format import RowChecker
from evalcontract.formats.evret.faults import are_filled, query_faults
from evalcontract.formats.evret.releases import (
    ANSWERS,
    ID_KEYS,
    NAMES,
    first_non_empty,
    label_of,
    text_of,
)
from evalcontract.formats.evret.warnings import missing_expectation, query_warnings
from evalcontract.model.diagnostic import Problem, Related

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.formats._format import SchemaChecker
    from evalcontract.formats.evret.releases import Release
    from evalcontract.model.diagnostic import Path

# Most queries have exactly a name, a text and a list.
_PLAIN_KEYS = 3
_EXPLAINED = ("evret/near-miss-key", "evret/other-release")


class QueryChecker(RowChecker):
    """Reports what the release rejects in each query, and what it ignores."""

    def __init__(self, release: Release, schema: SchemaChecker) -> None:
        self._release = release
        self._schema = schema
        self._ids = release.ids[0] if release.ids else ANSWERS
        self._first = FirstRows()

    def check(self, row: Any, path: Path, *, is_clean: bool) -> Iterable[Problem]:
        """Check the next query."""
        if is_clean and self._is_plain(row, path):
            return ()
        return self._check(row, path, is_clean=is_clean)

    def _is_plain(self, row: dict[str, Any], path: Path) -> bool:
        """Whether a row that satisfies the schema surely has no problems."""
        name = row.get("query_id")
        if len(row) != _PLAIN_KEYS or name.__class__ is not str:
            return False
        if row.get("query_text").__class__ is not str:
            return False
        values = row.get(self._ids) or row.get(ANSWERS)
        if values.__class__ is not list or not values or not are_filled(values):
            return False
        # Different items may be equal for the evaluation.
        if len(values) > 1 and len(set(map(label_of, values))) < len(values):
            return False
        return self._first.before(name.strip(), path) is None

    def _check(self, row: Any, path: Path, *, is_clean: bool) -> list[Problem]:
        faults = list(query_faults(row, path, self._release))
        if not isinstance(row, dict):
            return faults
        unread = [] if is_clean else self._unread(row, path, faults)
        if faults:
            return [*faults, *unread]
        problems = [*unread, *query_warnings(row, path, self._release)]
        problems += self._duplicate(row, path)
        lacking = missing_expectation(row, path, self._release)
        if lacking and not self._is_explained(lacking, row, path, problems):
            problems.append(lacking)
        return problems

    def _unread(self, row: dict[str, Any], path: Path, faults: list[Problem]) -> list[Problem]:
        """Return the keys that no release reads and that no fault reports."""
        known = {key: value for key, value in row.items() if key not in ID_KEYS}
        known |= {key: row[key] for key in self._release.lists if key in row}
        reported = {fault.path for fault in faults}
        return [p for p in self._schema.unread(known, path) if p.path not in reported]

    def _duplicate(self, row: dict[str, Any], path: Path) -> Iterator[Problem]:
        key = first_non_empty(row, NAMES[0])
        if key is not None and (first := self._first.before(text_of(row[key]), path)):
            message = f"duplicate query id `{text_of(row[key])}`"
            related = (Related("first used here", first),)
            where, advice = (*path, key), "query ids must be unique"
            yield Problem("evret/duplicate-id", message, where, advice, related=related)

    def _is_explained(
        self, lacking: Problem, row: dict[str, Any], path: Path, problems: list[Problem]
    ) -> bool:
        """Whether another problem explains why a query has no expectations."""
        if lacking.code != "evret/nothing-expected":
            return False
        if any(problem.code in _EXPLAINED for problem in problems):
            return True
        # A missing column is reported once for the table.
        return len(path) == 1 and not any(key in row for key in self._release.list_columns)
