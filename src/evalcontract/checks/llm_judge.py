"""`llm_judge`: needs its judges, and what their templates read from the row."""

from __future__ import annotations

from evalcontract.checks._judges import needs_of_judges, reads_of_judges
from evalcontract.checks._kind import Check, CheckKind, EvalContext, Needs, State, never_runs


def _references(check: Check) -> list[str]:
    if "jury" in check:
        return [juror["judge_prompt_ref"] for juror in check["jury"]["judges"]]
    return [check["judge_prompt_ref"]]


def _reads(check: Check, context: EvalContext) -> frozenset[str]:
    return reads_of_judges(_references(check), context)


def _needs(check: Check, context: EvalContext) -> Needs:
    needs = needs_of_judges(_references(check), context)
    if needs.never_runs is None and check.get("threshold") == 0:
        return never_runs(State.VACUOUS, "every score reaches a `threshold` of 0")
    return needs


KIND = CheckKind("llm_judge", _reads, _needs)
