"""Format lists for messages, truncated to a readable length."""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice
from typing import TYPE_CHECKING

from evalcontract.model.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

#: The maximum number of items of a list in a message.
SHOWN = 5
#: The maximum length of a name in a message or a table, and of a value.
NAME_LENGTH, VALUE_LENGTH = 80, 60
#: The maximum length of a message.
MESSAGE_LENGTH = 1000
_QUOTED = lazy_pattern("`([^`]+)`")


def clipped(text: str, most: int = VALUE_LENGTH) -> str:
    """Return a text, truncated to `most` characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def readable(message: str) -> str:
    """Return a message of a bearable length: in a long one, what it quotes is clipped."""
    if len(message) <= MESSAGE_LENGTH:
        return message
    short = _QUOTED.sub(lambda quoted: f"`{clipped(quoted[1], NAME_LENGTH)}`", message)
    return clipped(short, MESSAGE_LENGTH)


def listed(words: Iterable[object], most: int = SHOWN, total: int | None = None) -> str:
    """Join words by commas; truncate a long list and give the number of the others.

    `total` is the number of all words if `words` are only the first `most + 1` of them.
    """
    # A collection is not copied: it may be long, and be listed for each row.
    items = words if isinstance(words, Collection) else list(words)
    total = len(items) if total is None else total
    # One more item is as short as "… and 1 more".
    if total <= most + 1:
        return ", ".join(map(str, items))
    return f"{', '.join(map(str, islice(items, most)))} … and {total - most:,} more"


def chained(names: Iterable[str]) -> str:
    """Join the hops of a path by arrows; leave out the middle of a long path."""
    hops = list(names)
    if len(hops) <= SHOWN + 1:
        return " -> ".join(hops)
    return " -> ".join([*hops[:3], f"… {len(hops) - SHOWN:,} more …", *hops[-2:]])
