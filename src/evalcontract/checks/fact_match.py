"""`fact_match`: reads the row's `expected_facts` unless it has its own `facts`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from evalcontract.checks._judges import needs_of_judges, reads_of_judges
from evalcontract.checks._kind import (
    Check,
    CheckKind,
    EvalContext,
    Needs,
    Row,
    State,
    is_empty,
    never_runs,
)
from evalcontract.checks._texts import facts_to_find, not_stated, quoted_list
from evalcontract.checks.outcome import (
    NO_TEXT,
    UNMEASURED,
    End,
    Executor,
    OfTexts,
    Outcome,
    Output,
    OutputTexts,
    Verdict,
    always,
    combined,
    of_judges,
)
from evalcontract.model.startup import made_of
from evalcontract.structure.schemas import with_defaults

# What each row needs: members of enums are found slowly.
_verdict_of, _PASSED, _FAILED = made_of(Verdict), Outcome.PASSED, Outcome.FAILED
#: So many of the facts that are missing are in the results; the score tells how many are.
_MAX_MISSING = 100
#: So many of the verdicts on outputs that state all facts are kept for a check.
_MAX_COMPLETE = 100


def _reads(check: Check, context: EvalContext) -> frozenset[str]:
    own: frozenset[str] = frozenset() if "facts" in check else frozenset({"expected_facts"})
    reference = check.get("judge_prompt_ref")
    return own | reads_of_judges([reference], context) if reference else own


def _needs(check: Check, context: EvalContext) -> Needs:
    reference = check.get("judge_prompt_ref")
    judged = needs_of_judges([reference], context, of_row=False) if reference else Needs()
    if judged.never_runs is not None:
        return judged
    if check.get("min_recall") == 0:
        return never_runs(State.VACUOUS, "a `min_recall` of 0 requires no fact")
    if "facts" in check and is_empty("expected_facts", check["facts"]):
        return never_runs(State.VACUOUS, "its `facts` is empty")
    fields = () if "facts" in check else ("expected_facts",)
    return Needs((*fields, *judged.fields), judges=judged.judges)


def _prepare(check: Check, context: EvalContext) -> Executor:
    filled = with_defaults(check)
    least = filled.get("min_recall", 1)
    if "judge_prompt_ref" in filled:
        return _by_judge(filled, least, context)

    own = facts_to_find(filled.get("facts", ()))
    complete: dict[int, Verdict] = {}  # by the number of facts, all of which are stated

    def judge(rows: Sequence[Row], texts: OutputTexts) -> list[Verdict]:
        verdicts = []
        for row, text in zip(rows, texts.folded, strict=True):
            facts = own or facts_to_find(row["expected_facts"])
            missing = not_stated(facts, text, texts.spaced)
            verdict = None if missing else complete.get(len(facts))
            if verdict is None:
                verdict = _verdict(facts, missing, least)
                if not missing and len(complete) < _MAX_COMPLETE:
                    complete[len(facts)] = verdict
            verdicts.append(verdict)
        return verdicts

    return OfTexts(judge)


def _by_judge(check: Check, least: float, context: EvalContext) -> Executor:
    """Return an executor that asks a judge about each fact, as the one of `expected.facts`."""
    from evalcontract.checks._judges import panel_of, variables_of

    panel = panel_of([check["judge_prompt_ref"]], context)
    if isinstance(panel, Verdict):
        return always(panel)

    def execute(row: Row, output: Output) -> Verdict:
        if output.text is None:
            return NO_TEXT
        variables = variables_of(row, output)
        facts = _facts(check, row)
        verdicts = []
        for fact in facts:
            expected = {**(row.get("expected") or {}), "facts": [fact]}
            verdicts += panel.ask({**variables, "expected": expected})
        verdict = combined(verdicts, partial(_recall, least))
        missing = _facts_that_are(facts, verdicts, Outcome.FAILED)
        unjudged = _facts_that_are(facts, verdicts, *UNMEASURED)
        details = _details(facts, missing)
        if unjudged:
            details["unjudged"] = unjudged[:_MAX_MISSING]
        return of_judges(
            verdict, verdicts, f"it does not state {quoted_list(missing)}", details=details
        )

    return execute


def _recall(least: float, ends: list[End]) -> End:
    recall = sum(bool(end.passed) for end in ends) / len(ends)
    return End(recall, recall >= least)


def _facts_that_are(
    facts: Sequence[str], verdicts: Sequence[Verdict], *outcomes: Outcome
) -> list[str]:
    return [
        fact for fact, verdict in zip(facts, verdicts, strict=True) if verdict.outcome in outcomes
    ]


def _facts(check: Check, row: Row) -> Sequence[str]:
    facts: Sequence[str] = check["facts"] if "facts" in check else row["expected_facts"]
    return facts


def _verdict(facts: Sequence[Any], missing: list[str], least: float) -> Verdict:
    """Return the verdict: the score is the recall, the fraction of the facts that are stated."""
    recall = (len(facts) - len(missing)) / len(facts)
    details = _details(facts, missing)
    if recall >= least:
        return _verdict_of((_PASSED, recall, None, details, None))
    reason = f"it does not state {quoted_list(missing)}"
    return _verdict_of((_FAILED, recall, reason, details, None))


def _details(facts: Sequence[Any], missing: list[str]) -> dict[str, Any]:
    return {"facts": len(facts), "missing": missing[:_MAX_MISSING]}


KIND = CheckKind("fact_match", _reads, _needs, prepare=_prepare)
