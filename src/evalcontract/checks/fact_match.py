"""`fact_match`: reads the row's `expected_facts` unless it has its own `facts`."""

from __future__ import annotations

from evalcontract.checks._judges import needs_of_judges, reads_of_judges
from evalcontract.checks._kind import (
    Check,
    CheckKind,
    EvalContext,
    Needs,
    State,
    is_empty,
    never_runs,
)


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


KIND = CheckKind("fact_match", _reads, _needs)
