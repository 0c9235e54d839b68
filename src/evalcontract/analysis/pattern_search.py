"""Search the patterns of a run for exponential backtracking: each once, all within one budget."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evalcontract.analysis.budget import Budget

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.analysis.regex_ambiguity import Attack


_REPEATED_GROUP = re.compile(r"\)[*+{]|\\[1-9]")


class BudgetSpentError(Exception):
    """A pattern is not searched, because those before it took all the steps."""


class PatternSearch:
    """The results for the patterns that were searched, and the steps that are left."""

    def __init__(self, budget: Budget | None = None) -> None:
        self._budget = budget or Budget()
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


def _is_plain(pattern: str, flags: Iterable[str]) -> bool:
    """Whether a pattern repeats no group and no backreference, and so has no attack.

    A repeated character returns to itself in one way only. With the flag `x`, there may be blanks
    before a `*`.
    """
    return "x" not in flags and not _REPEATED_GROUP.search(pattern)
