"""The end of the server when its editor is gone without a word."""

from __future__ import annotations

import os
import threading
import time

from evalcontract.source.processes import is_running

_SECONDS = 2.0


def end_with(process: int) -> None:
    """End this process when another one has ended.

    The end of standard input ends the server, too; but another process may hold that open. Where
    processes have no signals, standard input is all there is.
    """
    if os.name == "posix":
        threading.Thread(target=_watch, args=(process,), name="lifetime", daemon=True).start()


def _watch(process: int) -> None:
    while is_running(process):
        time.sleep(_SECONDS)
    os._exit(0)
