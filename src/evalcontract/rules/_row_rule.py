"""A rule on one row and the rubric that it refers to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.checks import State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.checks import Prediction
    from evalcontract.checks.plan import Plan
    from evalcontract.model.code import Code
    from evalcontract.model.diagnostic import Problem
    from evalcontract.model.path import Path


class RowSubject(NamedTuple):
    """A well-formed row. `plan` is that of its rubric; None where it refers to none.

    `bundle` is the row's own, or the dataset's; `is_declared` tells whether anybody declares it.
    `is_told_above` tells that what the row is graded by stands at the root of its dataset, where
    nobody reads it, and that this was said there.
    """

    path: Path
    row: dict[str, Any]
    plan: Plan | None
    bundle: str | None
    is_declared: bool = True
    is_told_above: bool = False

    @property
    def outlooks(self) -> list[Prediction]:
        """What will become of each check of the row's rubric."""
        return [step.outlook(self.row) for step in self.plan.steps] if self.plan else []

    @property
    def runs_nothing(self) -> bool:
        """Whether every check of the rubric is skipped for want of a key of the row."""
        if self.plan is None or not self.plan.is_complete:
            return False
        outlooks = self.outlooks
        wanting = [each for each in outlooks if each.state is State.SKIP and each.field]
        return bool(wanting) and not any(each.runs for each in outlooks)


#: Returns a JSON Schema of rows, by the plan of their rubric and by their bundle: `silent` below.
Silent = Callable[["Plan | None", "str | None"], dict[str, Any] | bool]


class RowRule(NamedTuple):
    """A judgement on one row. Pure.

    `silent` returns a JSON Schema of rows of which the rule has nothing to say, for rows with a
    plan and a bundle: `True` for all of them, `False` for none that is known. What it accepts is
    never shown to the rule, so it may refuse too much, and must not accept too much. Without it
    the rule is asked about every row, which takes longer.
    """

    code: Code
    check: Callable[[RowSubject], Iterator[Problem]]
    silent: Silent | None = None


def row_rule(code: Code, *, silent: Silent | None = None) -> Callable[[Any], RowRule]:
    """Make a function a rule; `silent` is as for `RowRule`."""

    def make(check: Callable[[RowSubject], Iterator[Problem]]) -> RowRule:
        return RowRule(code, check, silent)

    return make
