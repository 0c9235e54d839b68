"""Threads that wait for answers, so that the program does not have to."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from queue import SimpleQueue
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")


class Threads(Generic[Result]):
    """At most `limit` threads, which work one after another on what is submitted.

    They end with the program, even while they wait: those of `concurrent.futures` would keep an
    interrupted program from ending until the endpoint has answered.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._threads: list[threading.Thread] = []
        self._work: SimpleQueue[tuple[Future[Result], Callable[[], Result]] | None] = SimpleQueue()

    def submit(self, work: Callable[[], Result]) -> Future[Result]:
        """Return the future result of some work."""
        future: Future[Result] = Future()
        self._work.put((future, work))
        if len(self._threads) < self._limit:
            thread = threading.Thread(target=self._serve, name="judge", daemon=True)
            self._threads.append(thread)
            thread.start()
        return future

    def close(self) -> None:
        """Let the threads end, and give up what none of them has begun."""
        while not self._work.empty():
            item = self._work.get()
            if item is not None:
                item[0].cancel()
        for _ in self._threads:
            self._work.put(None)
        self._threads = []

    def _serve(self) -> None:
        while (item := self._work.get()) is not None:
            future, work = item
            if not future.set_running_or_notify_cancel():
                continue
            try:
                result = work()
            except BaseException as error:  # noqa: BLE001 - raised where the result is asked for
                future.set_exception(error)
            else:
                future.set_result(result)
