"""What a test starts and takes, against its mark: the marks say what `make check` runs.

Python, Node.js and Chromium take a good part of a second to start, which no test of them makes up
for. A test that needs one is marked `slow`; one that is watched here may start git, PHP and other
small programs, and what it wrote itself.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

#: What starts within some milliseconds.
SMALL = frozenset({"git", "patch", "php", "uname"})
#: The events of Python's audit hooks for a program that is started; their first value names it.
_STARTED = frozenset({"subprocess.Popen", "os.posix_spawn"})

#: The checkout and the environment, which may themselves be among the temporary files.
_OURS = (Path(__file__).parents[1], Path(sys.prefix))

#: The seconds of processor time after which a test that is not `costly` is named in the summary:
#: several times what the mark stands for, since a busy machine takes longer.
TOO_MANY_SECONDS = 0.4
#: What a report calls them.
SECONDS = "seconds of processor time"


class Watch:
    """An audit hook that fails a test which starts what only slow ones may."""

    #: Whether a test runs that is not slow.
    is_on = False

    def __call__(self, event: str, given: tuple[Any, ...]) -> None:
        """Fail before the program is started."""
        if event in _STARTED and self.is_on and not is_small(given[0]):
            pytest.fail(f"only a test that is marked `slow` may start {given[0]}")


def is_small(program: str | bytes | os.PathLike[str]) -> bool:
    """Whether any test may start it: a small program, one that a test wrote, one that is none."""
    path = Path(os.fsdecode(program))
    if path.name in SMALL:
        return True
    if any(path.is_relative_to(folder) for folder in _OURS):
        return False
    is_missing = path.is_absolute() and not path.exists()
    return is_missing or path.is_relative_to(tempfile.gettempdir())


def seconds_used() -> float:
    """Return the processor time that this process has taken, with the processes that it ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


watch = Watch()
sys.addaudithook(watch)
