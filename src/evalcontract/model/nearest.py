"""Find the known word that is nearest to an unknown one, for "did you mean …?"."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_SHORT, _LONG = 3, 8
_WORD_EDGE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[-_.\s]+")


def edit_distance(left: str, right: str, limit: int) -> int:
    """Return the optimal string alignment distance (restricted Damerau-Levenshtein) of two words.

    It counts insertions, deletions, replacements and swaps of neighbours. A distance above `limit`
    is returned as `limit + 1`.
    """
    if abs(len(left) - len(right)) > limit:
        return limit + 1
    if limit == 1:
        # One edit leaves the first or the second half unchanged, which rules out most words.
        half = (min(len(left), len(right)) - 2) // 2
        if half > 0 and left[:half] != right[:half] and left[-half:] != right[-half:]:
            return 2
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        before, last, row = row, before, [i]
        for j, b in enumerate(right, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
    return min(row[-1], limit + 1)


@lru_cache(maxsize=16_384)
def normalise(word: str) -> str:
    """Convert a name to `snake_case` from `camelCase`, `kebab-case` or `Two Words`."""
    return "_".join(part.lower() for part in _WORD_EDGE.split(word) if part)


def nearest(word: str, known: Iterable[str], *, limit: int | None = None) -> str | None:
    """Return the known word that was probably meant, or None if none is near.

    At most `limit` edits are allowed; by default none for words of less than three letters, one
    for less than eight, and otherwise two. Ties go to the first of `known`.
    """
    folded = normalise(word)
    best: tuple[int, str] | None = None
    for candidate in known:
        target = normalise(candidate)
        allowed = limit if limit is not None else allowed_edits(min(len(folded), len(target)))
        distance = edit_distance(folded, target, allowed)
        if distance <= allowed and (best is None or distance < best[0]):
            best = (distance, candidate)
    return best[1] if best else None


def allowed_edits(length: int) -> int:
    """Return the number of edits that are allowed for a word of a given length."""
    return 0 if length < _SHORT else 1 if length < _LONG else 2
