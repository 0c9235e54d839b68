"""How much work something is, as a number that no busy machine changes: calls of Python functions.

A test that bounds it says what a user feels, that twice the rows take twice the time, and nothing
of how it is done. What is done to another process in the midst of its work waits for its processor
time.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable


def calls_of(action: Callable[..., Any], *arguments: Any) -> int:
    """Call it, and return how many calls of Python functions it took."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        action(*arguments)
    finally:
        sys.setprofile(before)
    return calls


def let_work(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Wait until a process has used so much processor time, has ended, or is stuck for a minute.

    Where the system does not tell, it is the time by the clock.
    """
    stat = Path(f"/proc/{process.pid}/stat")
    if not stat.exists():
        time.sleep(seconds)
        return
    ticks = seconds * os.sysconf("SC_CLK_TCK")
    patience = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < patience:
        if sum(_user_and_system(stat.read_text())) >= ticks:
            return
        time.sleep(0.01)


def _user_and_system(stat: str) -> tuple[int, int]:
    """Return two fields of a line of `/proc/PID/stat`: see proc_pid_stat(5)."""
    fields = stat.rpartition(")")[2].split()
    return int(fields[11]), int(fields[12])
