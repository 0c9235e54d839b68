"""Format lists for messages, truncated to a readable length."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

#: The maximum number of items of a list in a message.
SHOWN = 5


def listed(words: Iterable[object], most: int = SHOWN) -> str:
    """Join words by commas; truncate a long list and give the number of the others."""
    items = list(words)
    # One more item is as short as "… and 1 more".
    if len(items) <= most + 1:
        return ", ".join(map(str, items))
    return f"{', '.join(map(str, items[:most]))} … and {len(items) - most:,} more"


def chained(names: Iterable[str]) -> str:
    """Join the hops of a path by arrows; leave out the middle of a long path."""
    hops = list(names)
    if len(hops) <= SHOWN + 1:
        return " -> ".join(hops)
    return " -> ".join([*hops[:3], f"… {len(hops) - SHOWN:,} more …", *hops[-2:]])
