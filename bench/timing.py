"""What a whole command costs: time, processor time, memory."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

#: Settings that developers have and others do not, and what would change which code is measured.
LEFT_OUT = (
    *("PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"),
    *("PYTHONDEVMODE", "PYTHONASYNCIODEBUG", "PYTHONWARNINGS"),
)
TAIL = 4000  # bytes of a command's output: its last words stand there


@dataclass(frozen=True, slots=True)
class Command:
    """A command, and what shows that it did its work.

    `rows` is how many rows it reads, `says` what the end of its output holds, `exits` its exit
    code, `empties` a folder that is emptied before it starts, `missing` why it cannot be run.
    """

    key: str
    what: str
    arguments: tuple[str, ...]
    rows: int = 0
    says: str = ""
    exits: int = 0
    empties: Path | None = None
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a command: wall time, time of the processor (user and system), peak memory."""

    seconds: float
    cpu: float
    megabytes: float


def run(command: Command, work: Path) -> Run:
    """Run a command; its output goes to a file in the folder `work`, as does its cache.

    Raises:
        RuntimeError: it does not do what it should: then there is nothing to compare.

    """
    if command.empties is not None:
        shutil.rmtree(command.empties, ignore_errors=True)
    output = work / "output.txt"
    with output.open("wb") as out:
        started = time.perf_counter()
        with subprocess.Popen(
            command.arguments, stdout=out, stderr=subprocess.STDOUT, env=environment(work)
        ) as process:
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - started
            process.returncode = os.waitstatus_to_exitcode(status)
    said = _last_words(output)
    if process.returncode != command.exits or command.says not in said:
        line = " ".join(command.arguments)
        raise RuntimeError(
            f"`{line}` should exit with {command.exits} and say {command.says!r}; "
            f"it exited with {process.returncode}:\n{said}"
        )
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def environment(work: Path) -> dict[str, str]:
    """Return the environment of the commands: that of a user, with a cache of its own."""
    others = {key: value for key, value in os.environ.items() if key not in LEFT_OUT}
    return {**others, "EVALCONTRACT_CACHE_DIR": str(work / "cache")}


def _last_words(output: Path) -> str:
    with output.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - TAIL))
        return file.read().decode(errors="replace")


def smallest_measurable() -> float:
    """Return the megabytes below which a command's peak cannot be told.

    A process begins with the peak of the one that started it, in the system's count.
    """
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
