"""Hold signals back while something must not be interrupted; whether a process runs."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


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
