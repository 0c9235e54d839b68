"""Which id was probably meant by one that leads nowhere, within a bound of work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.nearest import allowed_edits, edit_distance, normalise

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Comparisons that all questions together may take: a second or so. A workspace in which
#: thousands of references dangle has one mistake, and not thousands of misspelled ids.
_MOST = 200_000


class Suggestions:
    """Answers which of some ids is nearest, as `nearest` does; each question is worked out once.

    After so many comparisons, and for what was not asked before, the answer is None.
    """

    def __init__(self, ids: Iterable[str], most: int = _MOST) -> None:
        self._ids = [(normalise(each), each) for each in ids]
        self._exact: dict[str, str] = {}
        for folded, each in self._ids:
            self._exact.setdefault(folded, each)
        self._left = most
        self._answers: dict[str, str | None] = {}

    def nearest(self, word: str) -> str | None:
        """Return the id that was probably meant; None where none is near."""
        folded = normalise(word)
        if folded in self._exact:
            return self._exact[folded]
        if folded not in self._answers:
            if self._left <= 0:
                return None
            self._answers[folded] = self._look(folded)
        return self._answers[folded]

    def _look(self, folded: str) -> str | None:
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
