"""Hold back signals while something must not be interrupted."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def signals_held() -> Iterator[None]:
    """Hold back the signals that end a process; they come at the end of the block.

    They are held in this thread. Windows has no such thing: there, nothing is held.
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
