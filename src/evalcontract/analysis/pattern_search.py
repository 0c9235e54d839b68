"""Analyse the patterns of a run: each once, and each kind of analysis within one budget."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from evalcontract.analysis.budget import Budget
from evalcontract.model.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from evalcontract.analysis.regex_ambiguity import Attack

#: Characters of patterns that are read to prove that these match nothing, or everything.
MAX_PROVED_CHARACTERS = 200_000

_REPEATED_GROUP = lazy_pattern(r"\)[*+{]|\\[1-9]")


class BudgetSpentError(Exception):
    """A pattern is not searched, because those before it took all the steps."""


class PatternSearch:
    """The results for the patterns that were analysed, and what is left of the budgets.

    `budget` is for the search for exponential backtracking, `proofs` for the proofs that a pattern
    matches nothing or everything, in characters that are read.
    """

    def __init__(self, budget: Budget | None = None, proofs: Budget | None = None) -> None:
        self._budget = budget or Budget()
        self._proofs = proofs or Budget(MAX_PROVED_CHARACTERS)
        self._proved: dict[tuple[str, str, tuple[str, ...]], bool] = {}
        self._known: dict[tuple[str, tuple[str, ...], bool], Attack | None] = {}

    def attack(
        self, pattern: str, flags: Iterable[str] = (), *, full: bool = False
    ) -> Attack | None:
        """Return what `find_attack` returns.

        Raises:
            BudgetSpentError: no step is left.

        """
        if _is_plain(pattern, flags):
            return None
        key = (pattern, tuple(flags), full)
        if key not in self._known:
            if self._budget.is_spent:
                raise BudgetSpentError
            from evalcontract.analysis.regex_ambiguity import find_attack  # slow to import

            self._known[key] = find_attack(pattern, flags, full=full, budget=self._budget)
        return self._known[key]

    def matches_nothing(self, pattern: str, flags: Iterable[str] = ()) -> bool:
        """Return what `regex_impossible.matches_nothing` returns.

        Raises:
            BudgetSpentError: no character is left.

        """
        from evalcontract.analysis.regex_impossible import has_anchor, matches_nothing  # slow

        if not has_anchor(pattern):
            return False
        return self._proof(matches_nothing, "nothing", pattern, flags)

    def matches_everything(self, pattern: str, flags: Iterable[str] = (), *, full: bool) -> bool:
        """Return what `regex_totality.matches_everything` returns.

        Raises:
            BudgetSpentError: no character is left.

        """
        from evalcontract.analysis.compilation import shortest_match  # both are slow to import
        from evalcontract.analysis.regex_totality import matches_everything

        if shortest_match(pattern, flags) != 0:
            return False
        what = "full" if full else "everything"
        return self._proof(partial(matches_everything, full=full), what, pattern, flags)

    def _proof(
        self,
        prove: Callable[[str, Iterable[str]], bool],
        what: str,
        pattern: str,
        flags: Iterable[str],
    ) -> bool:
        key = (what, pattern, tuple(flags))
        if key not in self._proved:
            if self._proofs.is_spent:
                raise BudgetSpentError
            self._proofs.spend(len(pattern))
            self._proved[key] = prove(pattern, flags)
        return self._proved[key]


def _is_plain(pattern: str, flags: Iterable[str]) -> bool:
    """Whether a pattern repeats no group and no backreference, and so has no attack.

    A repeated character returns to itself in one way only. With the flag `x`, there may be blanks
    before a `*`.
    """
    return "x" not in flags and not _REPEATED_GROUP.search(pattern)
