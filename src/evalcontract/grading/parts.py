"""Grade two JSONL files part by part, in any process, as long as both are in nearly one order.

A part is a range of lines of the dataset with the same lines of the outputs. What has no partner in
its part waits for a later one. Whatever needs more than that is irregular, and decided by the
exact way: broken lines, invalid or repeated records, repeated rows, files in different orders, rows
that take more work than every row may.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import tee, zip_longest
from typing import Any, TypeVar

from evalcontract.datasets.outputs import OutputFile, OutputRecord, Pair
from evalcontract.datasets.passes import CheckedBatch, CheckedRow, DatasetPass, NativePass, rows_of
from evalcontract.datasets.run import MAX_REJECTED
from evalcontract.datasets.workers import BatchResult, packed, unpacked
from evalcontract.model.diagnostic import Diagnostic
from evalcontract.model.startup import NamedTuple, made_of
from evalcontract.source.faults import collector_paused
from evalcontract.source.jsonl import LineBlock, RowStream
from evalcontract.source.processes import map_in_parallel

T = TypeVar("T")
_pair = made_of(Pair)

# A part ends after so many bytes of both files; they are counted by so many lines. With two
# processes, a fourth of it took 15 % more processor time, and four times as much no less.
_PART_BYTES, _LINES = 1 << 20, 64
# So many rows and records may wait for their partners: they wait in memory.
_MAX_WAITING = 2000


class IrregularError(Exception):
    """The files cannot be graded part by part."""


class ByteRanges(NamedTuple):
    """Ranges of bytes of the dataset and of the outputs: each from the start of a line."""

    rows: tuple[int, int]
    outputs: tuple[int, int]


class GradedPart(NamedTuple):
    """What a process has made of a part; numbers and lines count from the start of the part.

    `ids` are those of all rows. `rows` and `records` are what has no partner in the part.
    `graded` is made of the results of all pairs.
    """

    checked: list[BatchResult]
    blocks_of_rows: tuple[list[LineBlock], int]
    blocks_of_outputs: tuple[list[LineBlock], int]
    ids: list[str]
    rows: list[CheckedRow]
    records: list[OutputRecord]
    graded: Any


def cut(rows: RowStream, outputs: RowStream) -> Iterator[ByteRanges]:
    """Cut two files into parts of the same lines; the last one has what is left."""
    start, end, size = (0, 0), (0, 0), 0
    for some_rows, some_outputs in zip_longest(
        rows.sizes(_LINES), outputs.sizes(_LINES), fillvalue=0
    ):
        if size >= _PART_BYTES:
            yield ByteRanges((start[0], end[0]), (start[1], end[1]))
            start, size = end, 0
        end = end[0] + some_rows, end[1] + some_outputs
        size += some_rows + some_outputs
    yield ByteRanges((start[0], sys.maxsize), (start[1], sys.maxsize))


def _observe(
    rows: RowStream, dataset_pass: NativePass, found: dict[str, CheckedRow]
) -> Iterator[BatchResult]:
    for result in dataset_pass.check_part(rows):
        checked = CheckedBatch(result.batch, result.problems, [], result.unchecked)
        for row in rows_of(dataset_pass, checked):
            id_ = row.value.get("id") if isinstance(row.value, dict) else None
            if isinstance(id_, str):
                found[id_] = row
        yield result


def parts_of(
    dataset_pass: DatasetPass, outputs: OutputFile, are_ordinary: Callable[[list[Pair]], bool]
) -> Parts | None:
    """Return the parts of a dataset and its outputs; None unless both are JSONL with some lines.

    Pairs that are not all `are_ordinary` are irregular, too.
    """
    if not isinstance(dataset_pass, NativePass):
        return None
    rows, records = dataset_pass.stream, outputs.stream
    if rows is None or records is None or not rows.size or not records.size:
        return None
    return Parts(dataset_pass, outputs, rows=rows, records=records, are_ordinary=are_ordinary)


class Parts:
    """Grades part by part, and puts the graded parts together in the order of the files.

    `diagnostics` are the findings on rows so far. `surplus` has in the end the records without a
    row.
    """

    def __init__(
        self,
        dataset_pass: NativePass,
        outputs: OutputFile,
        *,
        rows: RowStream,
        records: RowStream,
        are_ordinary: Callable[[list[Pair]], bool],
    ) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.surplus: list[OutputRecord] = []
        self._pass = dataset_pass
        self._checked_outputs = outputs
        self._are_ordinary = are_ordinary
        self._dataset, self._outputs = rows, records
        self._ids: set[str] = set()
        self._count = 0
        self._rows: dict[str, CheckedRow] = {}
        self._records: dict[str, OutputRecord] = {}
        rows.forget()
        records.forget()

    def shares(self, grade: Callable[[list[Pair]], T], jobs: int) -> Iterator[T]:
        """Yield what `grade` makes of pairs, in order; up to `jobs` processes call it.

        Raises:
            IrregularError: it goes no further.

        """

        def work(part: ByteRanges) -> GradedPart | None:
            return self._grade_part(part, grade)

        rejected = 0
        parts, again = tee(cut(self._dataset, self._outputs))
        with closing(map_in_parallel(work, parts, jobs)) as graded_parts:
            for part, graded in zip(again, graded_parts, strict=True):
                if graded is None:
                    raise IrregularError
                yield grade(self._take(graded))
                rows = self._dataset.part(*part.rows)
                rows.restore(graded.blocks_of_rows)
                for problems in self._pass.take_part(rows, map(unpacked, graded.checked)):
                    self.diagnostics += self._pass.to_diagnostics(problems)
                self._count = self._dataset.count
                yield graded.graded
                rejected += sum(result.rejected for result in graded.checked)
                if rejected >= MAX_REJECTED:
                    raise IrregularError  # the next rows are not looked at
        if self._dataset.is_empty or self._outputs.is_empty:  # they have only blank lines
            raise IrregularError
        lacking = [Pair(row, None) for row in self._rows.values()]
        if not self._are_ordinary(lacking):
            raise IrregularError
        yield grade(lacking)
        self.surplus = sorted(self._records.values(), key=lambda record: record.number)

    def had(self, pair: Pair) -> bool:
        """Whether a row was graded before it went no further."""
        row = pair.row
        id_ = row.value.get("id") if isinstance(row.value, dict) else None
        is_read = row.number < self._count
        return is_read and isinstance(id_, str) and id_ in self._ids and id_ not in self._rows

    def _grade_part(
        self, part: ByteRanges, grade: Callable[[list[Pair]], Any]
    ) -> GradedPart | None:
        """Check the rows of a part, and grade those that have a record in it; None if irregular."""
        rows, records = self._dataset.part(*part.rows), self._outputs.part(*part.outputs)
        with collector_paused():
            waiting: dict[str, CheckedRow] = {}
            checked = list(packed(_observe(rows, self._pass, waiting)))
            ids = list(waiting)
            is_broken = any(result.batch.faults or result.unchecked for result in checked)
            number = sum(result.row_count for result in checked)
            if is_broken or number != len(ids) or self._pass.has_crashed:
                return None  # rows may have no id, or one that is repeated
            pairs: list[Pair] = []
            left: list[OutputRecord] = []
            for some in self._checked_outputs.clean_records(records):
                if some is None:
                    return None
                for record in some:
                    row = waiting.pop(record.id, None)
                    if row is None:
                        left.append(record)
                    else:
                        pairs.append(_pair((row, record)))
            if not self._are_ordinary(pairs):
                return None
            graded = grade(pairs)
        return GradedPart(
            checked=checked,
            blocks_of_rows=rows.state,
            blocks_of_outputs=records.state,
            ids=ids,
            rows=list(waiting.values()),
            records=left,
            graded=graded,
        )

    def _take(self, graded: GradedPart) -> list[Pair]:
        """Take the next part, or nothing of it; return the pairs of what has waited for it."""
        rows = {row.value["id"]: row for row in graded.rows}
        records = {record.id: record for record in graded.records}
        ids = set(graded.ids)
        # A second record for a row is a finding, and so is a second row.
        answered = [id_ for id_ in records if id_ in self._ids and id_ not in self._rows]
        answered += [id_ for id_ in records if id_ in ids]
        waiting = (*rows, *records, *self._rows, *self._records)
        all_rows, all_records = {**self._rows, **rows}, {**self._records, **records}
        pairs = [Pair(row, all_records[id_]) for id_, row in all_rows.items() if id_ in all_records]
        if (
            len(records) < len(graded.records)
            or not self._ids.isdisjoint(ids)
            or answered
            or not self._records.keys().isdisjoint({*records, *(ids - rows.keys())})
            or len(waiting) > _MAX_WAITING
            or self._may_be_foreign(graded)
            or not self._are_ordinary(pairs)
        ):
            raise IrregularError
        before = self._outputs.count
        self._ids |= ids
        self._rows |= rows
        for record in graded.records:
            self._records[record.id] = record._replace(number=record.number + before)
        blocks, self._outputs.done = graded.blocks_of_outputs
        self._outputs.adopt(blocks, rows=before, lines=self._outputs.lines)
        both = [id_ for id_ in self._rows if id_ in self._records]
        return [Pair(self._rows.pop(id_), self._records.pop(id_)) for id_ in both]

    def _may_be_foreign(self, graded: GradedPart) -> bool:
        """Whether the first row has problems: the dataset may be that of another tool."""
        problems = (problem for result in graded.checked for problem in result.problems)
        return not self._dataset.count and any(problem.row_index == 0 for problem in problems)
