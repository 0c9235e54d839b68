"""Map a function over items in several processes, in order, with few items at a time in memory."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar

from evalcontract.source.forked import Forked

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from multiprocessing.connection import Connection

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_in_parallel(
    work: Callable[[Item], Result], items: Iterable[Item], jobs: int
) -> Generator[Result, None, None]:
    """Yield `work` of each item, in order, with up to `jobs` forked processes.

    With one job, or a single item, no process is started. If a process cannot be started, or dies,
    its items are worked on in this process.
    """
    iterator = iter(items)
    first = next(iterator, None)
    second = next(iterator, None) if first is not None and jobs > 1 else None
    if first is not None and second is None:
        yield work(first)
    if second is None:
        yield from map(work, iterator)
        return
    workers = _Workers(work, jobs)
    try:
        yield from workers.map(_chained(first, second, iterator))
    finally:
        workers.stop()


def _chained(first: Any, second: Any, rest: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield second
    yield from rest


class _Workers:
    """Processes that take turns; each works on one item at a time."""

    def __init__(self, work: Callable[[Any], Any], jobs: int) -> None:
        self._work = work
        self._workers: list[_Worker] = []
        for _ in range(jobs):
            with suppress(OSError):  # no processes, or no memory for them
                self._workers.append(_Worker(work, self._workers))

    def map(self, items: Iterator[Any]) -> Iterator[Any]:
        """Yield the result of each item, in order."""
        if not self._workers:
            yield from map(self._work, items)
            return
        waiting: dict[int, Any] = {}  # the items that are worked on, by number
        sent = done = 0
        for number in count():
            item = next(items, waiting)  # `waiting` is no item
            if item is waiting:
                break
            if number >= len(self._workers):
                yield self._result(done, waiting.pop(done))
                done += 1
            waiting[number] = item
            self._worker(number).send(item)
            sent += 1
        for number in range(done, sent):
            yield self._result(number, waiting.pop(number))

    def _worker(self, number: int) -> _Worker:
        return self._workers[number % len(self._workers)]

    def _result(self, number: int, item: Any) -> Any:
        try:
            return self._worker(number).receive()
        except (EOFError, OSError):
            return self._work(item)

    def stop(self) -> None:
        for worker in self._workers:
            worker.stop()


class _Worker:
    """A process that sends back what `work` makes of each item."""

    def __init__(self, work: Callable[[Any], Any], others: Iterable[_Worker]) -> None:
        started = (other.forked for other in others)
        self.forked: Forked = Forked(partial(_serve, work), started, duplex=True)

    def send(self, item: Any) -> None:
        with suppress(OSError):  # it died: `receive` fails, too
            self.forked.connection.send(item)

    def receive(self) -> Any:
        return self.forked.connection.recv()

    def stop(self) -> None:
        self.forked.stop()


def _serve(work: Callable[[Any], Any], connection: Connection) -> None:
    with suppress(EOFError, OSError):  # there are no more items
        while True:
            connection.send(work(connection.recv()))
