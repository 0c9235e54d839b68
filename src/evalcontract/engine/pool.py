"""Map a function over items in several processes, in order, with few items at a time in memory."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from itertools import count
from time import sleep
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from multiprocessing.connection import Connection

Item = TypeVar("Item")
Result = TypeVar("Result")

# Seconds between two looks whether the main process is still there.
_WATCHED = 0.5


def map_in_parallel(
    work: Callable[[Item], Result], items: Iterable[Item], jobs: int
) -> Iterator[Result]:
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
        inherited: list[Connection] = []
        for _ in range(jobs):
            with suppress(OSError):  # no processes, or no memory for them
                worker = _Worker(work, inherited)
                inherited.append(worker.connection)
                self._workers.append(worker)

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
    """A forked process, and this end of the connection to it.

    `inherited` are the ends that the process must not keep open: a connection ends only when no
    process holds its other end.
    """

    def __init__(self, work: Callable[[Any], Any], inherited: list[Connection]) -> None:
        from multiprocessing import get_context  # slow to import

        context = get_context("fork")
        self.connection, theirs = context.Pipe()
        ends = [*inherited, self.connection]
        self._process = context.Process(
            target=_serve, args=(work, theirs, ends, os.getpid()), daemon=True
        )
        try:
            with _signals_held():
                self._process.start()
        except OSError:
            self.connection.close()
            raise
        finally:
            theirs.close()

    def send(self, item: Any) -> None:
        with suppress(OSError):  # it died: `receive` fails, too
            self.connection.send(item)

    def receive(self) -> Any:
        return self.connection.recv()

    def stop(self) -> None:
        self.connection.close()
        self._process.terminate()
        self._process.join()


@contextmanager
def _signals_held() -> Iterator[None]:
    """Hold back signals that end a process until a new one has decided what to do about them."""
    import signal  # needed only to start processes

    ends = (signal.SIGINT, signal.SIGTERM)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ends)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(
    work: Callable[[Any], Any], connection: Connection, inherited: list[Connection], parent: int
) -> None:
    import signal  # needed only in a worker process
    import threading

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the main process handles it
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM))
    for end in inherited:
        end.close()
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    # Without a result nothing is sent, so that the main process works on the item, and fails there.
    with suppress(Exception):
        while os.getppid() == parent:
            connection.send(work(connection.recv()))


def _end_with(parent: int) -> None:
    """End this process when the main process is gone; if it was killed, it cannot say so."""
    while os.getppid() == parent:
        sleep(_WATCHED)
    os._exit(1)
