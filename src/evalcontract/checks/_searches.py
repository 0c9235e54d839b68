"""The time that the searches for patterns may take together."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

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

    def matcher(self, pattern: re.Pattern[str], *, full: bool = False) -> Callable[[str], bool]:
        """Return what tells whether a pattern matches in a text, or with `full` all of it.

        It raises `GivenUpError` if this pattern, or all of them, took too long before; see
        `_time_limit.matcher` for what it raises besides.
        """
        from evalcontract.checks._time_limit import MAX_INTERRUPTIBLE, matcher  # slow to import

        search = matcher(pattern, full=full)
        key = pattern.pattern, pattern.flags
        spent = self._spent

        def match(text: str) -> bool:
            if spent:
                self._require_time(key)
            start = monotonic()
            try:
                return search(text)
            finally:
                over = monotonic() - start - _ALLOWED
                if over > 0:
                    over -= _CHILD_ALLOWED - _ALLOWED if len(text) > MAX_INTERRUPTIBLE else 0
                    self._take(key, max(0.0, over))

        return match

    def _require_time(self, key: tuple[str, int]) -> None:
        if self._spent.get(key, 0.0) >= PATTERN_SECONDS:
            raise GivenUpError(f"its searches took more than {PATTERN_SECONDS:g} seconds")
        if self._left <= 0:
            raise GivenUpError(f"slow searches took more than {RUN_SECONDS:g} seconds")

    def _take(self, key: tuple[str, int], seconds: float) -> None:
        self._left -= seconds
        self._spent[key] = self._spent.get(key, 0.0) + seconds
