"""Times of whole commands, taken in turns, so that a busy machine is busy for both."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

Command = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a command: its time, and the memory that it had at the most."""

    seconds: float
    megabytes: float


@dataclass(frozen=True, slots=True)
class Pairs:
    """The runs of two commands, pair by pair."""

    first: tuple[Run, ...]
    second: tuple[Run, ...]

    def ratios(self) -> list[float]:
        """Return how many times longer the second took, for each pair, the smallest first."""
        pairs = zip(self.first, self.second, strict=True)
        return sorted(second.seconds / first.seconds for first, second in pairs)


def median_seconds(runs: Sequence[Run]) -> float:
    """Return the median time."""
    return statistics.median(run.seconds for run in runs)


def peak_megabytes(runs: Sequence[Run]) -> float:
    """Return the most memory of all runs."""
    return max(run.megabytes for run in runs)


def in_turns(first: Command, second: Command, *, repeats: int, warm_up: bool) -> Pairs:
    """Run two commands in turns: A B A B."""
    if warm_up:  # compiled modules and the files come from the disk only once
        run(first)
        run(second)
    pairs = [(run(first), run(second)) for _ in range(repeats)]
    return Pairs(tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs))


def run(command: Command) -> Run:
    """Run a command.

    Raises:
        RuntimeError: it fails: then there is nothing to compare.

    """
    started = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        assert process.stdout is not None
        said = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        text = said.decode(errors="replace")[-2000:]
        raise RuntimeError(f"{' '.join(command)} exited with {process.returncode}:\n{text}")
    return Run(seconds, usage.ru_maxrss / 1024)
