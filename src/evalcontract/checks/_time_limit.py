"""Match a regular expression within a time limit that really ends it.

The patterns and the texts are strangers': a pattern may backtrack for years. CPython's matcher
looks for signals every few thousand steps, so a timer ends it in the main thread. A step may scan
the whole rest of the text, so long texts are searched by a child process, which is killed; so are
all texts in other threads and on systems without such timers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING, Any

from evalcontract.model.startup import lazy_pattern
from evalcontract.structure.authored import NoChildError, OutOfTimeError, answer_of_child

if TYPE_CHECKING:
    import re

#: Seconds that the slow searches of one pattern, and those of all patterns, may take in a process.
PATTERN_SECONDS, RUN_SECONDS = 20.0, 120.0
_ALLOWED, _CHILD_ALLOWED = 0.02, 0.5
# What takes so few steps takes a twentieth of what is allowed: its time is not taken.
_INSTANT_STEPS = 100_000


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
        search = matcher(pattern, full=full)
        key = pattern.pattern, pattern.flags
        spent = self._spent
        instant = _quick_length(pattern, _INSTANT_STEPS)

        def match(text: str) -> bool:
            if spent:
                self._require_time(key)
            if len(text) <= instant:
                return search(text)
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


#: Seconds that a pattern may take on one text.
SECONDS = 5.0
#: In texts up to this length, the matcher looks for signals about once a second or more often
#: (measured: 4 s for a million characters between two looks, with `(?=a*b)`).
MAX_INTERRUPTIBLE = 50_000
#: Without a timer, a search takes at most so many steps, some hundredths of a second.
MAX_QUICK_STEPS, MAX_CHOICES = 10_000_000, 4
_REPEATED_GROUP = lazy_pattern(r"\)\s*[*+{?]|\\[1-9]|\(\?")
_SEARCH = """\
import re
pattern, flags, full, text = arguments
compiled = re.compile(pattern, flags)
found = compiled.fullmatch(text) if full else compiled.search(text)
print("no" if found is None else "yes")
"""


def matcher(
    pattern: re.Pattern[str], *, full: bool = False, seconds: float = SECONDS
) -> Callable[[str], bool]:
    """Return what tells whether a pattern matches in a text, or with `full` the whole text.

    The pattern is analysed once, and not again for each text. What is returned raises
    `OutOfTimeError` if it takes longer than `seconds`, and `NoChildError` if another process is
    needed, and there is none.
    """
    find = pattern.fullmatch if full else pattern.search
    quick = _quick_length(pattern, MAX_QUICK_STEPS)

    def match(text: str) -> bool:
        if len(text) <= quick:
            return find(text) is not None
        if len(text) > MAX_INTERRUPTIBLE or not _has_timer():
            return _in_child(pattern, text, full=full, seconds=seconds)
        return _with_timer(lambda: find(text) is not None, seconds)

    return match


def _quick_length(pattern: re.Pattern[str], steps: int) -> int:
    """Return the length of texts up to which a search takes so few steps; -1 if there is none."""
    # At each position of the text, each repetition ends at one of the characters that are left, and
    # each alternative doubles the ways. What repeats a group, or refers to one, may have more.
    repetitions = sum(map(pattern.pattern.count, "*+?{"))
    alternatives = pattern.pattern.count("|")
    if repetitions + alternatives > MAX_CHOICES or _REPEATED_GROUP.search(pattern.pattern):
        return -1
    positions = (steps >> alternatives) ** (1 / (repetitions + 1))
    return min(int(positions) - 1, MAX_INTERRUPTIBLE)


def _has_timer() -> bool:
    import signal  # only where a pattern may take long

    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


def _with_timer(function: Callable[[], bool], seconds: float) -> bool:
    """Call a function in the main thread, and end it when the time is over."""
    # The handler and the timer that were set before are set again, with the time that has passed
    # taken off; what was due meanwhile comes at once.
    import signal  # only where a pattern may take long

    runs = True

    def ring(*_: Any) -> None:
        if runs:
            raise OutOfTimeError

    previous = signal.signal(signal.SIGALRM, ring)
    start = monotonic()
    left, interval = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        try:
            return function()
        finally:
            runs = False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL if previous is None else previous)
        if left:
            left = max(left - (monotonic() - start), 1e-6)
            signal.setitimer(signal.ITIMER_REAL, left, interval)


def _in_child(pattern: re.Pattern[str], text: str, *, full: bool, seconds: float) -> bool:
    answer = answer_of_child(_SEARCH, [pattern.pattern, pattern.flags, full, text], seconds)
    if answer not in (["yes"], ["no"]):
        raise NoChildError("the process that searches it gave no answer")
    return answer == ["yes"]
