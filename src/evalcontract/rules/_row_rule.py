"""Rules for one row and the rubric it refers to."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from evalcontract.checks import State
from evalcontract.checks._kind import outlooks_of
from evalcontract.checks.plan import own_predictions
from evalcontract.model.startup import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.checks import Prediction
    from evalcontract.checks.plan import Plan
    from evalcontract.model.code import Code
    from evalcontract.model.diagnostic import Path, Problem
    from evalcontract.source import Rows


class _Given(NamedTuple):
    """What a `RowSubject` is made of, without what is computed once and kept in it."""

    path: Path
    row: dict[str, Any]
    plan: Plan | None
    bundle: str | None
    is_declared: bool = True
    is_told_above: bool = False
    graded: frozenset[str] = frozenset()
    source: Rows | None = None


class RowSubject(_Given):
    """A well-formed row, with the plan of its rubric (None if it has no rubric).

    `bundle` is the row's bundle, or else the dataset's; `is_declared` is whether that bundle is
    declared. `is_told_above` is whether the row's expectations are at the root of the dataset,
    where they are ignored and have been reported. `graded` are the keys of rows that the graders
    of the runner read, besides the rubric. `source` knows how the row is written in its
    file; it is None if that is unknown.
    """

    @cached_property
    def outlooks_of_groups(self) -> tuple[Prediction, ...]:
        """The predictions for the groups of checks of the row's rubric; empty without one."""
        groups = self.plan.steps.groups if self.plan else ()
        return tuple(outlooks_of((group.needs for group in groups), self.row))

    @cached_property
    def outlooks(self) -> tuple[Prediction, ...]:
        """The predictions for the checks of the row's rubric, or its expectations without one.

        Checks that need the same from the row share one.
        """
        own = own_predictions(self.row, self.plan, self.graded)
        return (*self.outlooks_of_groups, *(outlook for *_, outlook in own))

    @cached_property
    def runs_nothing(self) -> bool:
        """Whether no check runs, and at least one is skipped because the row lacks a key."""
        if self.plan is None or not self.plan.is_complete:
            return False
        outlooks = self.outlooks
        lacks_key = any(outlook.state is State.SKIP and outlook.field for outlook in outlooks)
        return lacks_key and not any(outlook.runs for outlook in outlooks)


class RowGroup(NamedTuple):
    """What rows that share a prefilter have in common; see `RowSubject`.

    `plan`, `bundle` and `graded` are those of each row. `has_bare_keys` is whether a key may be
    written alone, without a colon and a value, as between the braces of YAML. `has_bare_texts` is
    whether a text may be written without straight quotation marks, which JSON requires.
    """

    plan: Plan | None = None
    bundle: str | None = None
    graded: frozenset[str] = frozenset()
    has_bare_keys: bool = True
    has_bare_texts: bool = True


#: The type of `RowRule.silent`: takes what rows have in common, returns a JSON Schema.
Silent = Callable[[RowGroup], dict[str, Any] | bool]

#: The type of `RowRule.suspects`: takes a row, and what it has in common with others.
Suspects = Callable[[dict[str, Any], RowGroup], bool]


class RowRule(NamedTuple):
    """A rule for one row. Pure.

    `silent` is a prefilter. For a group of rows it returns a JSON Schema of those for which the
    rule reports nothing: `True` for all rows, `False` for none. The rule never sees rows that
    the schema accepts, so the schema may reject too many rows but must not accept too many.
    Without it the rule runs on every row, which is slower.

    `suspects` is for what no schema can express: it is called with each row that the schema
    accepts, and the rule runs on those for which it returns True. It has to be fast.
    """

    code: Code
    check: Callable[[RowSubject], Iterator[Problem]]
    silent: Silent | None = None
    suspects: Suspects | None = None


def row_rule(
    code: Code, *, silent: Silent | None = None, suspects: Suspects | None = None
) -> Callable[[Any], RowRule]:
    """Turn a function into a rule; for `silent` and `suspects` see `RowRule`."""

    def make(check: Callable[[RowSubject], Iterator[Problem]]) -> RowRule:
        return RowRule(code, check, silent, suspects)

    return make
