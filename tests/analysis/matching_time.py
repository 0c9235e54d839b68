"""Attacks on patterns, and whether Python's own matcher hangs on them."""

from __future__ import annotations

import signal
from functools import cache
from typing import TYPE_CHECKING, Any

from evalcontract.analysis.ambiguity import find_attack

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcontract.analysis.ambiguity import Attack

#: Processor time in which a polynomial matcher is done with the texts of an attack many times over.
_PATIENCE_SECONDS = 0.15


@cache
def attack_on(pattern: str, flags: str = "", *, full: bool = False) -> Attack | None:
    """Return the attack that is found; each is looked for once."""
    return find_attack(pattern, flags, full=full)


def hangs(match: Callable[[str], Any], text: str) -> bool:
    """Whether a matcher is still at work on a short text after millions of steps.

    It is interrupted by a timer of processor time, so that a busy machine makes no difference.
    """

    class StillMatchingError(Exception):
        """The timer has run out."""

    def interrupt(*_: object) -> None:
        raise StillMatchingError

    before = signal.signal(signal.SIGPROF, interrupt)
    signal.setitimer(signal.ITIMER_PROF, _PATIENCE_SECONDS)
    try:
        match(text)
    except StillMatchingError:
        return True
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    return False
