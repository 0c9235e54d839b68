"""The results of checks, rows and runs, as values; `report` writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.checks.outcome import UNANSWERED, UNMEASURED, Outcome
from evalcontract.model.startup import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from evalcontract.library.score_bounds import Bounds


class CheckResult(NamedTuple):
    """What one check made of an output; see `Verdict`.

    `checks` are those of the rubric of a composite.
    """

    id: str
    kind: str
    outcome: Outcome
    score: float | None = None
    reason: str | None = None
    details: Mapping[str, Any] | None = None
    bounds: Bounds | None = None
    checks: tuple[CheckResult, ...] = ()

    @property
    def key(self) -> tuple[Any, ...]:
        """What counts of it, and of the checks inside: all but reasons of what was measured."""
        if self.checks:
            return (*self[:4], self.bounds, *(check.key for check in self.checks))
        unanswered = self.unanswered
        if self.bounds is None and unanswered is None:
            return self[:4]
        return (*self[:5], self.bounds, unanswered)

    @property
    def unanswered(self) -> str | None:
        """Why one of its judges gave no verdict, though the others decided; None if all did."""
        reason = self.details.get(UNANSWERED) if self.details and self.is_measured else None
        return reason if isinstance(reason, str) else None

    @property
    def is_measured(self) -> bool:
        """Whether it ran and came to a verdict, or has nothing to judge."""
        return self.outcome not in UNMEASURED

    def leaves(self, prefix: str = "") -> Iterator[tuple[str, CheckResult]]:
        """Yield the checks that ran: this one, or those of a composite as `composite/check`."""
        name = f"{prefix}{self.id}"
        if not self.checks:
            yield name, self
        for check in self.checks:
            yield from check.leaves(f"{name}/")


class RowResult(NamedTuple):
    """What the rubric of a row made of its output; see `Total`.

    `rubric` is its exact name; None for a row that is graded by its own expectations, and for one
    that could not be graded: that is undecided, and has no `checks`. `outcome` is passed, failed or
    undecided; it is skipped if no check has anything to judge, and None if there is a score but
    nothing says what passes. If the score is not known, `bounds` are those that it lies between.
    """

    id: str
    rubric: str | None
    outcome: Outcome | None
    score: float | None = None
    reason: str | None = None
    bounds: Bounds | None = None
    checks: tuple[CheckResult, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether the row was graded, and each of its checks came to a verdict or was skipped.

        A check came to one if all of its judges did.
        """
        leaves = (leaf for check in self.checks for _, leaf in check.leaves())
        return self.outcome is not Outcome.UNDECIDED and all(
            leaf.is_measured and leaf.unanswered is None for leaf in leaves
        )
