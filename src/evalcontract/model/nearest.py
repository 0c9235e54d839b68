"""Find the known word that is nearest to an unknown one, for "did you mean …?"."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from evalcontract.model.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

_SHORT, _LONG = 3, 8
_WORD_EDGE = lazy_pattern(r"(?<=[a-z0-9])(?=[A-Z])|[-_.\s]+")


def edit_distance(left: str, right: str, limit: int) -> int:
    """Return the optimal string alignment distance (restricted Damerau-Levenshtein) of two words.

    It counts insertions, deletions, replacements and swaps of neighbours. A distance above `limit`
    is returned as `limit + 1`. The limit should be small: the time grows exponentially with it.
    """
    if abs(len(left) - len(right)) > limit:
        return limit + 1
    if left == right:
        return 0
    if not limit:
        return 1
    # An edit before the first difference gains nothing, so one of four is made there.
    at = next((at for at, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), None)
    if at is None:
        return abs(len(left) - len(right))
    left, right = left[at:], right[at:]
    rests = [(left[1:], right[1:]), (left[1:], right), (left, right[1:])]
    if left[:2] == right[1::-1]:  # swapped
        rests.append((left[2:], right[2:]))
    if limit == 1:
        return 1 if any(one == other for one, other in rests) else 2
    best = limit
    for one, other in rests:
        best = min(best, edit_distance(one, other, best - 1)) if best else 0
    return best + 1


@lru_cache(maxsize=16_384)
def normalise(word: str) -> str:
    """Convert a name to `snake_case` from `camelCase`, `kebab-case` or `Two Words`."""
    return "_".join([part.lower() for part in _WORD_EDGE.split(word) if part])


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
