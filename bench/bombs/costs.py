"""What a command costs that may run wild: it has limits on its memory and its time."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from threading import Timer
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MEMORY = 3 << 30
#: After so many seconds a command is killed.
HANG = 120
#: What a command of a bomb may cost at most.
MAX_CPU, MAX_MEGABYTES = 5.0, 300.0


class Cost(NamedTuple):
    """What a command cost; `status` is its exit status, negative if a signal ended it."""

    status: int
    cpu: float
    megabytes: float
    output: int

    @property
    def is_met(self) -> bool:
        """Whether it ended as it should, and cost no more than it may."""
        ended = self.status in (0, 1, 2)
        return ended and self.cpu <= MAX_CPU and self.megabytes <= MAX_MEGABYTES


def cost_of(arguments: Sequence[str], folder: Path, output: Path) -> Cost:
    """Run evalcontract in a folder; its output goes to the file `output`."""
    with output.open("wb") as out:
        process = subprocess.Popen(
            (sys.executable, "-P", "-m", "evalcontract", *arguments),
            cwd=folder,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=_limit_memory,  # noqa: PLW1509 - the thread starts later
        )
        guard = Timer(HANG, os.killpg, (process.pid, signal.SIGKILL))
        guard.start()
        _, status, usage = os.wait4(process.pid, 0)
        guard.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
    cpu = usage.ru_utime + usage.ru_stime
    return Cost(process.returncode, cpu, usage.ru_maxrss / 1024, output.stat().st_size)


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
