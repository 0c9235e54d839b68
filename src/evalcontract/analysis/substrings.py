"""Find which of many texts another text contains, without trying each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

# This few texts are tried one by one.
_FEW = 16
# A text is indexed by its start, which has the greatest of these lengths that it reaches.
_SIZES = (*range(17), 24, 32, 48, 64, 96, 128, 256, 512, 1024)
# The number of texts that are compared for each character of a text, after their start matched.
# Only texts that are made for it have so many long starts in common; no more of them are found.
_MAX_COMPARED = 20


def any_text(_: str) -> bool:
    """Want any text."""
    return True


class Substrings:
    """Texts to look for in other texts, in order of preference."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._order = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        self._index: dict[int, dict[str, list[str]]] = {}

    def first_in(self, text: str, is_wanted: Callable[[str], bool] = any_text) -> str | None:
        """Return the first of the texts that is wanted and that a text contains, or None."""
        if len(self._order) <= _FEW:
            return next((part for part in self._order if part in text and is_wanted(part)), None)
        found = filter(is_wanted, set(self._within(text)))
        return min(found, key=self._order.__getitem__, default=None)

    def _within(self, text: str) -> Iterator[str]:
        """Yield the texts that a text contains, in any order."""
        self._index = self._index or self._indexed()
        left = _MAX_COMPARED * (len(text) + 1)
        for size, by_start in self._index.items():
            for at in range(len(text) - size + 1):
                for part in by_start.get(text[at : at + size], ()):
                    if len(part) == size:
                        yield part
                    elif left > 0:
                        left -= 1
                        if text.startswith(part, at):
                            yield part

    def _indexed(self) -> dict[int, dict[str, list[str]]]:
        index: dict[int, dict[str, list[str]]] = {}
        for text in self._order:
            size = max(size for size in _SIZES if size <= len(text))
            index.setdefault(size, {}).setdefault(text[:size], []).append(text)
        return index
