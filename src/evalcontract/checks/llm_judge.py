"""`llm_judge`: needs its judges, and what their templates read from the row."""

from __future__ import annotations

from evalcontract.checks._judges import needs_of_judges, reads_of_judges
from evalcontract.checks._kind import Check, CheckKind, EvalContext, Needs, Row, State, never_runs
from evalcontract.checks.outcome import NO_TEXT, Executor, Outcome, Output, Verdict, always
from evalcontract.library.scores import reaches
from evalcontract.structure.schemas import with_defaults


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


def _prepare(check: Check, context: EvalContext) -> Executor:
    from evalcontract.checks._judges import decide, panel_of, variables_of

    filled = with_defaults(check)
    panel = panel_of(_references(filled), context)
    if isinstance(panel, Verdict):
        return always(panel)
    jury, threshold = filled.get("jury"), filled.get("threshold")

    def execute(row: Row, output: Output) -> Verdict:
        if output.text is None:
            return NO_TEXT
        verdicts = panel.ask(variables_of(row, output))
        if jury:
            verdict = decide(jury, verdicts, threshold)
        else:
            (verdict,) = verdicts
        return verdict if threshold is None else _by_threshold(verdict, threshold)

    return execute


def _by_threshold(verdict: Verdict, threshold: float) -> Verdict:
    """Return a verdict with the outcome that a threshold gives to its score, if that is known."""
    score = verdict.score
    if score is None:
        return verdict
    if reaches(score, threshold):
        return verdict._replace(outcome=Outcome.PASSED, reason=None)
    reason = f"the score of {score:.3g} is below {threshold:g}"
    if verdict.outcome is Outcome.FAILED and verdict.reason:
        reason = f"{reason}: {verdict.reason}"
    return verdict._replace(outcome=Outcome.FAILED, reason=reason)


KIND = CheckKind("llm_judge", _reads, _needs, prepare=_prepare)
