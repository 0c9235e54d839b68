"""Lists in sentences: as many words as a person reads, and how many there are beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Words of a list that stand in a message.
SHOWN = 5


def listed(words: Iterable[object], most: int = SHOWN) -> str:
    """Join words; of a long list the first ones, and the count of the others."""
    known = list(map(str, words))
    # One more word takes no more room than to say that there is one more.
    if len(known) <= most + 1:
        return ", ".join(known)
    return f"{', '.join(known[:most])} … and {len(known) - most:,} more"


def chained(names: Iterable[str]) -> str:
    """Join the hops of a way by arrows; of a long way, where it begins and ends."""
    known = list(names)
    if len(known) <= SHOWN + 1:
        return " -> ".join(known)
    return " -> ".join([*known[:3], f"… {len(known) - SHOWN:,} more …", *known[-2:]])
