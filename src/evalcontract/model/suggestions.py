"""Suggest the name that was probably meant, out of many known names."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from evalcontract.model.near_index import NearIndex
from evalcontract.model.nearest import allowed_edits, normalise

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Suggestions:
    """Finds the name that was probably meant, like `nearest`, among many names."""

    def __init__(self, names: Iterable[str]) -> None:
        self._by_folded: dict[str, str] = {}
        for name in names:
            self._by_folded.setdefault(normalise(name), name)
        self._index = NearIndex(self._by_folded)
        self._answers: dict[str, str | None] = {}

    def nearest(self, word: str) -> str | None:
        """Return the name that was probably meant, or None if none is near."""
        folded = normalise(word)
        if folded in self._by_folded:
            return self._by_folded[folded]
        if folded not in self._answers:
            self._answers[folded] = next(self._near(folded), None)
        return self._answers[folded]

    def _near(self, word: str) -> Iterator[str]:
        for edits in (1, 2):
            if allowed_edits(len(word)) >= edits:
                for name in self._index.near(word, edits):
                    if allowed_edits(len(name)) >= edits:
                        yield self._by_folded[name]


@lru_cache(maxsize=8)
def suggestions(names: tuple[str, ...]) -> Suggestions:
    """Return the suggestions of some names; the same object for the same names."""
    return Suggestions(names)
