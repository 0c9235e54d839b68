"""How much work something is, as a number that no busy machine changes: calls of Python functions.

A test that bounds it says what a user feels, that twice the rows take twice the time, and nothing
of how it is done.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
