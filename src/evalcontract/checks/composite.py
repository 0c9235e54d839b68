"""`composite`: the checks of the other rubric run in its place."""

from __future__ import annotations

from evalcontract.checks._kind import Check, CheckKind, EvalContext, Needs, State, never_runs


def _needs(check: Check, context: EvalContext) -> Needs:
    """Return why none of the checks runs, if so; `plan` looks at each of them."""
    if context.library.artifact_of(check["rubric_ref"]) is None:
        return never_runs(State.UNAVAILABLE, f"there is no `{check['rubric_ref']}`")
    if check.get("threshold") == 0:
        return never_runs(State.VACUOUS, "every score reaches a `threshold` of 0")
    return Needs()


KIND = CheckKind("composite", needs=_needs)
