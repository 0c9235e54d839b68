"""Suggest known ids for unknown ones, with a limit on the work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.nearest import allowed_edits, edit_distance, normalise

if TYPE_CHECKING:
    from collections.abc import Iterable

#: The maximum number of comparisons in total, about a second. A workspace with thousands of
#: dangling references has one mistake, not thousands of misspelled ids.
_MAX_COMPARISONS = 200_000


class Suggestions:
    """Finds the nearest of some ids, like `nearest`, and caches the answers.

    After `most` comparisons, the answer is None for words that are not cached.
    """

    def __init__(self, ids: Iterable[str], most: int = _MAX_COMPARISONS) -> None:
        self._ids = [(normalise(id_), id_) for id_ in ids]
        self._exact: dict[str, str] = {}
        for folded, id_ in self._ids:
            self._exact.setdefault(folded, id_)
        self._left = most
        self._answers: dict[str, str | None] = {}

    def nearest(self, word: str) -> str | None:
        """Return the id that was probably meant, or None if none is near."""
        folded = normalise(word)
        if folded in self._exact:
            return self._exact[folded]
        if folded not in self._answers:
            if self._left <= 0:
                return None
            self._answers[folded] = self._search(folded)
        return self._answers[folded]

    def _search(self, folded: str) -> str | None:
        best: tuple[int, str] | None = None
        for target, candidate in self._ids:
            allowed = allowed_edits(min(len(folded), len(target)))
            if abs(len(folded) - len(target)) > allowed:
                continue
            self._left -= 1
            distance = edit_distance(folded, target, allowed)
            if distance == 1:
                return candidate  # nothing is nearer, and ties go to the first
            if distance <= allowed and best is None:
                best = (distance, candidate)
        return best[1] if best else None
