"""Ask the judges of a check about an output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.checks._judges import judge_of
from evalcontract.checks.outcome import NO_MODEL, Outcome, Verdict, error, unavailable
from evalcontract.model.startup import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from evalcontract.checks._kind import EvalContext
    from evalcontract.checks.outcome import Output
    from evalcontract.library.artifact import Artifact

#: The variables of templates that are keys of a row.
_OF_ROW = ("input", "criteria", "expected", "context")


class Panel(NamedTuple):
    """The judges of a check, each with its reference, and how they are asked."""

    judges: tuple[tuple[str, Artifact], ...]
    asking: Callable[[Artifact, Mapping[str, Any]], Verdict]

    def ask(self, variables: Mapping[str, Any]) -> list[Verdict]:
        """Return the verdict of each judge: passed or failed with a score, else what hinders it."""
        return [
            _certain(reference, self.asking(judge, variables)) for reference, judge in self.judges
        ]


def _certain(reference: str, verdict: Verdict) -> Verdict:
    """Return a verdict that passes or fails with a score; another one as an error that says so."""
    if verdict.outcome is Outcome.UNAVAILABLE:
        return verdict
    if verdict.outcome in (Outcome.PASSED, Outcome.FAILED) and verdict.score is not None:
        return verdict
    reason = f"`{reference}` came to no verdict: {verdict.reason or verdict.outcome}"
    return error(reason, **(verdict.details or {}))


def panel_of(references: Iterable[str], context: EvalContext) -> Panel | Verdict:
    """Return the judges that references lead to, or the verdict of a check that cannot ask them."""
    judges = []
    for reference in references:
        judge = judge_of(reference, context)
        if judge is None:
            return unavailable(f"there is no `{reference}`")
        judges.append((reference, judge))
    return NO_MODEL if context.ask is None else Panel(tuple(judges), context.ask)


def variables_of(row: Mapping[str, Any], output: Output) -> dict[str, Any]:
    """Return the variables of templates for an output; its own context stands for the row's."""
    variables = {key: row[key] for key in _OF_ROW if row.get(key) is not None}
    if output.context is not None:
        variables["context"] = output.context
    return {**variables, "output": output.text}
