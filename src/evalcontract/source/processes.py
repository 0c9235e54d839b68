"""Work in other processes, and signals held back while something must not be interrupted."""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain
from time import sleep
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    Work = Callable[[Connection], None]


@contextmanager
def signals_held() -> Iterator[None]:
    """Block the signals that end a process in this thread, and in a process that it forks.

    They come at the end of the block. Windows has no such thing: there, nothing is blocked.
    """
    import signal  # rarely needed

    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    ends = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ends)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def signals_deferred() -> Iterator[None]:
    """Handle the signals that end a process at the end of the block, whatever thread gets them.

    Python handles signals in the main thread; in any other there is nothing to defer.
    """
    import signal  # rarely needed

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP")]
    before = {number: signal.getsignal(number) for number in numbers if number is not None}
    came: list[int] = []
    # What is ignored stays so, and what is handled outside of Python is left alone.
    held = [each for each, action in before.items() if action not in (None, signal.SIG_IGN)]
    for number in held:
        signal.signal(number, lambda number, _frame: came.append(number))
    try:
        yield
    finally:
        for number in held:
            signal.signal(number, before[number])
        for number in dict.fromkeys(came):
            signal.raise_signal(number)


def is_running(process: int) -> bool:
    """Whether there is a process with an id, whoever it belongs to; on Windows, that is not known.

    There, the question would end the process.
    """
    if sys.platform == "win32":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


# Seconds between two looks whether the main process is still there.
_WATCHED = 0.5


class ForkedProcess:
    """Runs `work` in another process, which gets the other end of the pipe.

    That process ends when this one is gone. What fails in it closes its pipe without a message, so
    that this process does the work itself, and fails where the failure is reported.

    `connection` is this end of the pipe; unless it is `duplex`, it only receives. `others` are
    processes that were started before: the new one must not keep their pipes open, since a pipe
    ends only when no process holds its other end.

    Raises:
        OSError: there are no more processes, or no memory for them.

    """

    def __init__(
        self, work: Work, others: Iterable[ForkedProcess] = (), *, duplex: bool = False
    ) -> None:
        from multiprocessing import get_context  # slow to import

        context = get_context("fork")
        self.connection, theirs = context.Pipe(duplex)
        ends = [*(other.connection for other in others), self.connection]
        self._process = context.Process(
            target=_serve, args=(work, theirs, ends, os.getpid()), daemon=True
        )
        try:
            with signals_held():  # until the new process has decided what to do about them
                self._process.start()
        except OSError:
            self.connection.close()
            raise
        finally:
            theirs.close()

    def stop(self) -> None:
        """Terminate the process."""
        self.connection.close()
        self._process.terminate()
        self._process.join()


def _serve(work: Work, theirs: Connection, ends: list[Connection], parent: int) -> None:
    import signal  # needed only in a forked process
    import threading

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the main process handles it
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    for end in ends:
        end.close()
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    with suppress(Exception):
        work(theirs)


def _end_with(parent: int) -> None:
    """End this process when the main process is gone; if it was killed, it cannot say so."""
    while os.getppid() == parent:
        sleep(_WATCHED)
    os._exit(1)


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
        yield from workers.map(chain((first, second), iterator))
    finally:
        workers.stop()


class _Workers:
    """Processes that take turns; each works on one item at a time, and sends back the result."""

    def __init__(self, work: Callable[[Any], Any], jobs: int) -> None:
        self._work = work
        self._processes: list[ForkedProcess] = []
        for _ in range(jobs):
            with suppress(OSError):  # no processes, or no memory for them
                serve = partial(_serve_pool, work)
                self._processes.append(ForkedProcess(serve, self._processes, duplex=True))

    def map(self, items: Iterator[Any]) -> Iterator[Any]:
        """Yield the result of each item, in order."""
        if not self._processes:
            yield from map(self._work, items)
            return
        waiting: deque[tuple[Connection, Any]] = deque()  # what is worked on, the oldest first
        for number, item in enumerate(items):
            done = [self._result(*waiting.popleft())] if number >= len(self._processes) else []
            connection = self._processes[number % len(self._processes)].connection
            waiting.append((connection, item))
            with suppress(OSError):  # it died: receiving fails, too
                connection.send(item)
            yield from done  # while the process works on the next item
        while waiting:
            yield self._result(*waiting.popleft())

    def _result(self, connection: Connection, item: Any) -> Any:
        try:
            return connection.recv()
        except (EOFError, OSError):
            return self._work(item)

    def stop(self) -> None:
        for process in self._processes:
            process.stop()


def _serve_pool(work: Callable[[Any], Any], connection: Connection) -> None:
    with suppress(EOFError, OSError):  # there are no more items
        while True:
            connection.send(work(connection.recv()))
