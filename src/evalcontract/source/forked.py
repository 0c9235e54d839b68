"""A forked process, and this end of the pipe to it."""

from __future__ import annotations

import os
from contextlib import suppress
from time import sleep
from typing import TYPE_CHECKING

from evalcontract.source.signals import signals_held

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from multiprocessing.connection import Connection

    Work = Callable[[Connection], None]

# Seconds between two looks whether the main process is still there.
_WATCHED = 0.5


class Forked:
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
        self,
        work: Work,
        others: Iterable[Forked] = (),
        *,
        duplex: bool = False,
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
