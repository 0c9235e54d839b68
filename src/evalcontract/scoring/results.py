"""The results of checks, rows and runs, as values; `report` writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.checks.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


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
    checks: tuple[CheckResult, ...] = ()

    @property
    def key(self) -> tuple[Any, ...]:
        """What counts of it: id, kind, outcome and score, and those of the checks inside."""
        return (*self[:4], *(check.key for check in self.checks))

    def leaves(self, prefix: str = "") -> Iterator[tuple[str, CheckResult]]:
        """Yield the checks that ran: this one, or those of a composite as `composite/check`."""
        name = f"{prefix}{self.id}"
        if not self.checks:
            yield name, self
        for check in self.checks:
            yield from check.leaves(f"{name}/")


class RowResult(NamedTuple):
    """What the rubric of a row made of its output; see `Total`.

    `rubric` is its exact name; None for a row that is graded by its own expectations. `outcome` is
    None if there is a score but nothing says what passes.
    """

    id: str
    rubric: str | None
    outcome: Outcome | None
    score: float | None = None
    reason: str | None = None
    checks: tuple[CheckResult, ...] = ()

    @property
    def has_error(self) -> bool:
        """Whether the row, or any of its checks, ended in an error."""
        leaves = (leaf for check in self.checks for _, leaf in check.leaves())
        return self.outcome is Outcome.ERROR or any(
            leaf.outcome is Outcome.ERROR for leaf in leaves
        )
