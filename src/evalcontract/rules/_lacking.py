"""Rows that lack what the template of a judge shows: the tag may be the cause of them all."""

from collections.abc import Iterable
from typing import Any

from evalcontract.checks._judges import tag_for
from evalcontract.checks.plan import StepGroup, rows_with_all
from evalcontract.model.diagnostic import Cause
from evalcontract.rules._rule import Problem, RowGroup


def cause_in_template(
    code: str, groups: Iterable[StepGroup], field: str, similar: str | None
) -> Cause | None:
    """Return the tag for which checks cannot run on rows without a field; None if there is none.

    `similar` is the name that a row has in place of the field, or None.
    """
    numbered = [judge for group in groups for judge in group.judges]
    numbered.sort(key=lambda judge: judge[0])
    shown = tag_for((judge for _, judge in numbered), field)
    if shown is None:
        return None
    judge, tag = shown
    optional = f"`{{{{#{field}}}}}…{{{{/{field}}}}}`"
    advice = (
        f"the rows have `{similar}`: use the same name in both places"
        if similar
        else f"add `{field}` to the rows, or make it optional: {optional}"
    )
    message = f"`{tag.text}` shows what rows lack: no check with this judge runs on them"
    problem = Problem(code, message, ("template",), advice, within=tag.within)
    return Cause(f"{judge.file}:{field}:{similar}", f"lack `{field}`", judge.file, problem)


def rows_lacking_nothing(group: RowGroup) -> dict[str, Any] | bool:
    """Return a schema of the rows that have all that the checks of their rubric need."""
    return group.plan is None or rows_with_all(group.plan)
