"""The time that the searches for patterns may take together."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re

#: Seconds that the slow searches of one pattern, and those of all patterns, may take in a process.
PATTERN_SECONDS, RUN_SECONDS = 20.0, 120.0
_ALLOWED, _CHILD_ALLOWED = 0.02, 0.5


class GivenUpError(Exception):
    """Searches took so much time before that no other is made."""


class Searches:
    """The searches of one process, which end when patterns have been slow for too long.

    What a search takes beyond some hundredths of a second counts; beyond half a second where the
    text is so long that a process of its own searches it.
    """

    def __init__(self) -> None:
        self._left = RUN_SECONDS
        self._spent: dict[tuple[str, int], float] = {}

    def matches(self, pattern: re.Pattern[str], text: str, *, full: bool = False) -> bool:
        """Whether a pattern matches; see `_time_limit.matches` for what it raises besides.

        Raises:
            GivenUpError: this pattern, or all of them, took too long before.

        """
        from evalcontract.checks._time_limit import MAX_INTERRUPTIBLE, matches  # slow to import

        key = pattern.pattern, pattern.flags
        if self._spent.get(key, 0.0) >= PATTERN_SECONDS:
            raise GivenUpError(f"its searches took more than {PATTERN_SECONDS:g} seconds")
        if self._left <= 0:
            raise GivenUpError(f"slow searches took more than {RUN_SECONDS:g} seconds")
        start = monotonic()
        try:
            return matches(pattern, text, full=full)
        finally:
            allowed = _CHILD_ALLOWED if len(text) > MAX_INTERRUPTIBLE else _ALLOWED
            if (over := monotonic() - start - allowed) > 0:
                self._left -= over
                self._spent[key] = self._spent.get(key, 0.0) + over
