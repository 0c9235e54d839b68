"""Join the rows of a dataset with recorded outputs by id, reading both at the same time.

Where both are in the same order, as is usual, little is kept in memory; what is out of order waits.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from evalcontract.model.startup import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.datasets.outputs import Record
    from evalcontract.datasets.passes import CheckedRow


class Pair(NamedTuple):
    """A row and its record; `record` is None if the row has none."""

    row: CheckedRow
    record: Record | None


class Join:
    """Joins batches of rows with batches of records.

    When all pairs are yielded, `surplus` has the records without a row.
    """

    def __init__(self) -> None:
        self._rows: dict[str, CheckedRow] = {}
        self._records: dict[str, Record] = {}
        self._ids: set[str] = set()

    @property
    def surplus(self) -> list[Record]:
        """The records whose id is that of no row, in their order."""
        return sorted(self._records.values(), key=lambda record: record.number)

    def pairs(
        self, rows: Iterable[list[CheckedRow]], records: Iterable[list[Record]]
    ) -> Iterator[Pair]:
        """Yield every row once, with its record; rows without one come last.

        A row without a usable id, or with the id of an earlier row, gets no record.
        """
        for some_rows, some_records in zip_longest(rows, records):
            for row in some_rows or ():
                yield from self._take_row(row)
            for record in some_records or ():
                row_of_record = self._rows.pop(record.id, None)
                if row_of_record is not None:
                    yield Pair(row_of_record, record)
                else:
                    self._records[record.id] = record
        for row in self._rows.values():
            yield Pair(row, None)

    def _take_row(self, row: CheckedRow) -> Iterator[Pair]:
        id_ = row.value.get("id") if isinstance(row.value, dict) else None
        if not isinstance(id_, str) or id_ in self._ids:
            yield Pair(row, None)
            return
        self._ids.add(id_)
        record = self._records.pop(id_, None)
        if record is not None:
            yield Pair(row, record)
        else:
            self._rows[id_] = row
