"""A large stream of rows in several processes: each looks at a part, this one puts them together.

What a part yields counts from its own beginning. It is moved to its place here, in the order of the
parts, so that nobody sees how many there were.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.source import EMPTY, Batch, moved_fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkProcess

    from evalcontract.model.diagnostic import Problem
    from evalcontract.source import RowStream


class Seen(NamedTuple):
    """Some rows in a row as dataset rules see them: clean ones may be there by their ids alone."""

    first_index: int
    ids: list[str]
    rows: list[Any]


class Looked(NamedTuple):
    """A batch of so many rows, and what was found: problems, and what dataset rules are to see."""

    batch: Batch
    number: int
    problems: list[Problem]
    seen: list[Seen]
    references: frozenset[str]


# To start a process and to bring its findings home takes as long as to read so many bytes.
WORTH_BYTES = 16 << 20
_BETWEEN = "\0"
_MOST_BATCHES = 64


def usable_cores() -> int:
    """Return how many processes can run at once; 1 where a process cannot be forked."""
    if not hasattr(os, "fork") or sys.platform == "darwin":
        return 1  # forked processes are not safe there
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


def look_in_parts(
    rows: RowStream,
    number: int,
    look: Callable[[RowStream], Iterator[Looked]],
    learned: Callable[[], Any],
    take: Callable[[Any], None],
) -> Iterator[Looked]:
    """Yield what `look` finds in a stream, the parts looked at side by side.

    `learned` is asked in each other process when it is done, and its answer given to `take` here.
    A part of which the process dies is looked at in this one.
    """
    first, *others = rows.cut(number)
    workers = [_Worker(part, look, learned) for part in others]
    try:
        rows.forget()
        yield from _joined(rows, first, look(first), 0, 0)
        if not first.is_done:
            return  # the file cannot be read on
        for worker in workers:
            count = rows.count, rows.lines
            results = worker.results(take)
            found = look(worker.part) if results is None else iter(results)
            yield from _joined(rows, worker.part, found, *count)
        if rows.is_empty:
            yield Looked(Batch(0, [], ((EMPTY, ""),)), 0, [], [], frozenset())
    finally:
        for worker in workers:
            worker.stop()


def _joined(
    rows: RowStream, part: RowStream, found: Iterator[Looked], count: int, lines: int
) -> Iterator[Looked]:
    """Move what was found in a part behind so many rows and lines."""
    adopted = 0
    for looked in found:
        rows.adopt(part.blocks[adopted:], rows=count, lines=lines)
        adopted = len(part.blocks)
        rows.done = part.done
        batch = looked.batch
        faults = tuple((moved_fault(fault, lines), text) for fault, text in batch.faults)
        yield looked._replace(
            batch=batch._replace(first_index=batch.first_index + count, faults=faults),
            problems=[_moved(each, count) for each in looked.problems],
            seen=[each._replace(first_index=each.first_index + count) for each in looked.seen],
        )


def _moved(problem: Problem, rows: int) -> Problem:
    if not rows or not problem.path or not isinstance(problem.path[0], int):
        return problem
    related = tuple(
        each._replace(path=_path(each.path, rows)) if each.file is None else each
        for each in problem.related
    )
    index = problem.row_index if problem.row_index is None else problem.row_index + rows
    moved = problem.relocated(lambda path: _path(path, rows))
    return moved._replace(row_index=index, related=related)


def _path(path: tuple[str | int, ...], rows: int) -> tuple[str | int, ...]:
    return (path[0] + rows, *path[1:]) if path and isinstance(path[0], int) else path


class _Worker:
    """A process that looks at one part, and says what it found when it is done."""

    def __init__(
        self,
        part: RowStream,
        look: Callable[[RowStream], Iterator[Looked]],
        learned: Callable[[], Any],
    ) -> None:
        from multiprocessing import get_context  # slow to import

        self.part = part
        context = get_context("fork")
        self._here, there = context.Pipe(duplex=False)
        self._process: ForkProcess = context.Process(
            target=_work, args=(part, look, learned, there), daemon=True
        )
        self._process.start()
        there.close()

    def results(self, take: Callable[[Any], None]) -> list[Looked] | None:
        """Wait for what was found; None where the process died."""
        try:
            found, state, answer = self._here.recv()
        except (EOFError, OSError):
            return None
        self.part.restore(state)
        take(answer)
        return [_unpacked(each) for each in found]

    def stop(self) -> None:
        """End the process, whatever it does."""
        self._here.close()
        self._process.terminate()
        self._process.join()


def _work(
    part: RowStream,
    look: Callable[[RowStream], Iterator[Looked]],
    learned: Callable[[], Any],
    there: Connection,
) -> None:
    import signal  # only who has a large file forks

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process says it
    found = list(_packed(look(part)))
    there.send((found, part.state, learned()))


def _packed(found: Iterable[Looked]) -> Iterator[Looked]:
    """Leave out rows, and put the ids of many clean batches into one text.

    Many small things are slow to send. Some batches at a time: their ids are taken apart together.
    """
    waiting: list[Looked] = []
    for looked in found:
        is_clean = not (looked.problems or looked.batch.faults) and all(
            each.ids for each in looked.seen
        )
        if waiting and (not is_clean or len(waiting) == _MOST_BATCHES):
            yield _as_one(waiting)
            waiting = []
        if is_clean:
            waiting.append(looked)
        else:
            yield looked._replace(batch=looked.batch._replace(rows=[]))
    if waiting:
        yield _as_one(waiting)


def _as_one(clean: list[Looked]) -> Looked:
    ids = [id_ for looked in clean for each in looked.seen for id_ in each.ids]
    joined = _BETWEEN.join(ids)
    is_plain = joined.count(_BETWEEN) == len(ids) - 1
    first = clean[0].batch.first_index
    references = frozenset().union(*(each.references for each in clean))
    seen = Seen(first, [joined] if is_plain else ids, [])
    return Looked(Batch(first, []), len(ids), [], [seen], references)


def _unpacked(looked: Looked) -> Looked:
    """Undo `_as_one`; what was not packed has as many ids as rows, or a run of other rows."""
    seen = looked.seen
    if len(seen) != 1 or len(seen[0].ids) != 1 or looked.number == 1:
        return looked
    return looked._replace(seen=[seen[0]._replace(ids=seen[0].ids[0].split(_BETWEEN))])
