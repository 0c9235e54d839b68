"""The texts of some outputs, as they are written and as checks search them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from evalcontract.analysis.texts import composed, folded

if TYPE_CHECKING:
    from collections.abc import Sequence


class OutputTexts:
    """The texts of some outputs, in order; `written` are the texts as they are.

    Each form in which checks search them is made once, for all checks that ask for it.
    """

    def __init__(self, written: Sequence[str]) -> None:
        self.written = written
        self._all: tuple[OutputTexts, Sequence[int]] | None = None
        self._spaced: dict[str, str] = {}

    def some(self, numbers: Sequence[int]) -> OutputTexts:
        """Return some of the texts, which share the forms of these."""
        some = OutputTexts([self.written[number] for number in numbers])
        some._all = self, numbers
        some._spaced = self._spaced
        return some

    def searched(self, *, case_sensitive: bool) -> Sequence[str]:
        """Return the texts in the form in which checks search them."""
        return self.composed if case_sensitive else self.folded

    @cached_property
    def composed(self) -> Sequence[str]:
        """The texts in normalisation form C."""
        if self._all is not None:
            texts, numbers = self._all
            return [texts.composed[number] for number in numbers]
        return list(map(composed, self.written))

    @cached_property
    def folded(self) -> Sequence[str]:
        """The texts without case, in normalisation form C."""
        if self._all is not None:
            texts, numbers = self._all
            return [texts.folded[number] for number in numbers]
        return list(map(folded, self.written))

    def spaced(self, text: str) -> str:
        """Return one of the `folded` texts with a space for each run of white space."""
        spaced = self._spaced.get(text)
        if spaced is None:
            spaced = self._spaced[text] = " ".join(text.split())
        return spaced
