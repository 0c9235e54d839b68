"""A forked process, and this end of the pipe to it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from multiprocessing.connection import Connection

    Work = Callable[[Connection, Callable[[], bool]], None]


class Forked:
    """Runs `work` in another process, which gets the other end of the pipe.

    It also gets a function that tells whether this process is still there: if it was killed, it
    cannot say so.

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

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the main process handles it
    for end in ends:
        end.close()
    work(theirs, lambda: os.getppid() == parent)
