"""Check a large stream of rows in several processes, one part each, and join the results.

Row indexes and lines in the results of a part count from the start of the part. They are shifted
here and joined in the order of the parts, so that the number of processes changes nothing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Problem
from evalcontract.model.startup import NamedTuple
from evalcontract.source import Batch
from evalcontract.source.faults import moved_fault
from evalcontract.source.text import EMPTY

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from evalcontract.source.jsonl import RowStream
    from evalcontract.source.processes import ForkedProcess


class IgnoringRow(NamedTuple):
    """A row that may ignore findings: its number, from 0, and a mapping of only its `metadata`."""

    row_index: int
    value: dict[str, Any]


def ignoring_rows(batch: Batch) -> Iterator[IgnoringRow]:
    """Yield the rows of a batch that have `metadata.evalcontract`."""
    for index, row in enumerate(batch.rows, batch.first_index):
        metadata = row.get("metadata") if isinstance(row, dict) else None
        if metadata and isinstance(metadata, dict) and "evalcontract" in metadata:
            yield IgnoringRow(index, {"metadata": metadata})


class ObservedRows(NamedTuple):
    """Consecutive rows for dataset rules: either `ids`, of clean rows, or the whole `rows`.

    `is_joined` says that `ids` has a single text of all of them, to be sent to another process.
    """

    first_index: int
    ids: list[str]
    rows: list[Any]
    is_joined: bool = False


class BatchResult(NamedTuple):
    """The problems, references and bundles of one batch, and its rows for dataset rules."""

    batch: Batch
    row_count: int
    problems: list[Problem]
    observed: list[ObservedRows]
    references: frozenset[str]
    ignoring: tuple[IgnoringRow, ...] = ()
    rejected: int = 0
    unchecked: int = 0
    bundles: frozenset[str] = frozenset()


class BatchFindings(NamedTuple):
    """A batch, its problems, and its rows that may ignore some of them.

    The last `unchecked` rows were not looked at.
    """

    batch: Batch
    problems: list[Problem]
    ignoring: Sequence[IgnoringRow]
    unchecked: int = 0


# Starting a process and collecting its results takes as long as checking this many bytes.
MIN_PART_BYTES = 16 << 20
_SEPARATOR = "\0"


def usable_cores() -> int:
    """Return how many processes can run at once; 1 if processes cannot be forked."""
    if not hasattr(os, "fork") or sys.platform == "darwin":
        return 1  # forking is not safe on macOS
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


def check_in_parallel(
    rows: RowStream,
    parts: int,
    check: Callable[[RowStream], Iterator[BatchResult]],
    collect: Callable[[], Any],
    merge: Callable[[Any], None],
) -> Iterator[BatchResult]:
    """Yield the results of `check` for a stream, with its parts checked in parallel.

    `collect` runs in each worker process when it has finished; `merge` receives its value in this
    process. If a worker process cannot be started, or dies, its part is checked in this process.
    """
    first, *others = rows.cut(parts)
    workers: list[_PartWorker] = []
    try:
        workers.extend(_workers(others, check, collect))
        rows.forget()
        yield from shifted(rows, first, check(first), count=0, lines=0)
        if not first.is_done:
            return  # reading failed
        for part, worker in zip_longest(others, workers):
            count = rows.count, rows.lines
            received = worker.results(merge) if worker else None
            results = check(part) if received is None else iter(received)
            yield from shifted(rows, part, results, *count)
        if rows.is_empty:
            yield BatchResult(Batch(0, [], ((EMPTY, ""),)), 0, [], [], frozenset())
    finally:
        for worker in workers:
            worker.forked.stop()


def shifted(
    rows: RowStream, part: RowStream, results: Iterator[BatchResult], count: int, lines: int
) -> Iterator[BatchResult]:
    """Yield the results of a part that follows `count` rows and `lines` lines."""
    adopted = 0
    for result in results:
        rows.adopt(part.blocks[adopted:], rows=count, lines=lines)
        adopted = len(part.blocks)
        rows.done = part.done
        batch = result.batch
        faults = tuple((moved_fault(fault, lines), text) for fault, text in batch.faults)
        yield result._replace(
            batch=batch._replace(first_index=batch.first_index + count, faults=faults),
            problems=[_shifted_problem(problem, count) for problem in result.problems],
            observed=[
                observed._replace(first_index=observed.first_index + count)
                for observed in result.observed
            ],
            ignoring=tuple(
                row._replace(row_index=row.row_index + count) for row in result.ignoring
            ),
        )


def _shifted_problem(problem: Problem, rows: int) -> Problem:
    if not rows or not problem.path or not isinstance(problem.path[0], int):
        return problem
    related = tuple(
        place._replace(path=_shifted_path(place.path, rows)) if place.file is None else place
        for place in problem.related
    )
    index = problem.row_index if problem.row_index is None else problem.row_index + rows
    shifted = problem.relocated(lambda path: _shifted_path(path, rows))
    return shifted._replace(row_index=index, related=related)


def _shifted_path(path: tuple[str | int, ...], rows: int) -> tuple[str | int, ...]:
    return (path[0] + rows, *path[1:]) if path and isinstance(path[0], int) else path


def _workers(
    parts: Iterable[RowStream],
    check: Callable[[RowStream], Iterator[BatchResult]],
    collect: Callable[[], Any],
) -> Iterator[_PartWorker]:
    """Start a worker for each part, as long as the system has processes and memory for them."""
    started: list[ForkedProcess] = []
    for part in parts:
        try:
            worker = _PartWorker(part, check, collect, others=started)
        except OSError:
            return
        started.append(worker.forked)
        yield worker


class _PartWorker:
    """A process that checks one part, and sends its results when it has finished."""

    def __init__(
        self,
        part: RowStream,
        check: Callable[[RowStream], Iterator[BatchResult]],
        collect: Callable[[], Any],
        others: Iterable[ForkedProcess],
    ) -> None:
        from evalcontract.source.processes import ForkedProcess  # only for large files

        self.part = part
        self.forked = ForkedProcess(partial(_run_worker, part, check, collect), others)

    def results(self, merge: Callable[[Any], None]) -> list[BatchResult] | None:
        """Wait for the results; return None if the process died."""
        try:
            results, state, collected = self.forked.connection.recv()
        except (EOFError, OSError):
            return None
        self.part.restore(state)
        merge(collected)
        return [unpacked(result) for result in results]


def _run_worker(
    part: RowStream,
    check: Callable[[RowStream], Iterator[BatchResult]],
    collect: Callable[[], Any],
    sender: Connection,
) -> None:
    results = list(packed(check(part)))
    sender.send((results, part.state, collect()))


def packed(results: Iterable[BatchResult]) -> Iterator[BatchResult]:
    """Remove the rows from results, and join the ids of clean rows in one string.

    Sending many small objects is slow.
    """
    for result in results:
        observed = [_join(part) for part in result.observed]
        yield result._replace(batch=result.batch._replace(rows=[]), observed=observed)


def _join(part: ObservedRows) -> ObservedRows:
    joined = _SEPARATOR.join(part.ids)
    can_be_split = bool(part.ids) and joined.count(_SEPARATOR) == len(part.ids) - 1
    return part._replace(ids=[joined], is_joined=True) if can_be_split else part


def unpacked(result: BatchResult) -> BatchResult:
    """Split the ids that `packed` has joined."""
    observed = [_split(part) if part.is_joined else part for part in result.observed]
    return result._replace(observed=observed)


def _split(part: ObservedRows) -> ObservedRows:
    return part._replace(ids=part.ids[0].split(_SEPARATOR), is_joined=False)
