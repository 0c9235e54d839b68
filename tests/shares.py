"""One of several runs of the tests at once, each of which collects only its own files.

Workers of pytest-xdist collect all tests each, and report every one to the process that started
them. For tests of some milliseconds, that is a fifth of the work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


class Share:
    """The files of one of the runs: every file that is asked about is in one of them.

    All runs ask about the same files in the same order. Each file goes to the run that has the
    fewest bytes so far.
    """

    def __init__(self, which: str) -> None:
        number, _, of_all = which.partition("/")
        if not (number.isdecimal() and of_all.isdecimal() and 0 < int(number) <= int(of_all)):
            raise pytest.UsageError(f"--share={which} is not like 1/2, the first of two runs")
        self._place = int(number) - 1
        self._bytes = [0] * int(of_all)

    def has(self, file: Path) -> bool:
        """Whether a file of tests is in the share."""
        place = self._bytes.index(min(self._bytes))
        self._bytes[place] += file.stat().st_size
        return place == self._place
