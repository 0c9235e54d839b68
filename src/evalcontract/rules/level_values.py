"""
The values of a judge's levels do not fit their names, or one another.

Why: Each level is worth one number. One too few, two that are the same, or an order that turns
round in the middle gives a grade that nobody meant.

Bad:
    id: clarity
    version: "1.0.0"
    template: "How clear is this, poor, fair or good? {{ output }}"
    score_type: levels
    level_names: [poor, fair, good]
    level_values: [0, 1]

Good:
    id: clarity
    version: "1.0.0"
    template: "How clear is this, poor, fair or good? {{ output }}"
    score_type: levels
    level_names: [poor, fair, good]
    level_values: [0, 0.5, 1]
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from evalcontract.model.code import Code
from evalcontract.model.diagnostic import Problem
from evalcontract.model.reference import Kind
from evalcontract.rules._rule import Context, Subject, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.path import Path

CODE = Code("judge/level-values", page=__doc__)


@rule(CODE, Kind.JUDGE)
def RULE(subject: Subject, context: Context) -> Iterator[Problem]:
    values = subject.value.get("level_values")
    if values is None:
        return
    path: Path = ("level_values",)
    names = subject.value.get("level_names", values)
    if len(names) != len(values):
        message = f"{len(values)} level values for {len(names)} level names"
        yield Problem(
            CODE, message, path, "give each name one value, in the same order", on_key=True
        )
        return
    upward = values[0] < values[1]
    for index, (before, value) in enumerate(pairwise(values), 1):
        if not (before < value if upward else before > value):
            same = f"is worth {value}, as is the one before"
            told = same if value == before else "breaks the order of the values"
            message = f"the level `{names[index]}` {told}"
            advice = "order the levels from the worst to the best, each worth more than the last"
            yield Problem(CODE, message, (*path, index), advice)
            return
    yield from _outside(subject, values, path)


def _outside(subject: Subject, values: list[float], path: Path) -> Iterator[Problem]:
    """Report a value that the judge's own scale does not reach."""
    lowest = subject.value.get("min_score", min(values))
    highest = subject.value.get("max_score", max(values))
    if not lowest < highest:
        return  # that is a mistake of the scale
    for index, value in enumerate(values):
        if not lowest <= value <= highest:
            message = f"the level value {value} is outside of the scale, {lowest} to {highest}"
            advice = "change the value, or `min_score` and `max_score`"
            yield Problem(CODE, message, (*path, index), advice)
            return
