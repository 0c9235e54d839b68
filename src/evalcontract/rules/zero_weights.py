"""
All weights are zero.

Why: A weighted mean of nothing is no score. Whatever the output is, the rubric cannot judge it.

Bad:
    id: polite
    version: "1.0.0"
    checks:
      - {id: no_insults, kind: must_not_contain, values: [stupid]}
      - {id: asks_kindly, kind: must_contain_any, values: [please]}
    scoring: {combine: weighted_avg, weights: {no_insults: 0, asks_kindly: 0}}

Good:
    id: polite
    version: "1.0.0"
    checks:
      - {id: no_insults, kind: must_not_contain, values: [stupid]}
      - {id: asks_kindly, kind: must_contain_any, values: [please]}
    scoring: {combine: weighted_avg, weights: {no_insults: 2, asks_kindly: 1}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.code import Code
from evalcontract.model.diagnostic import Problem
from evalcontract.model.reference import Kind
from evalcontract.rules._rule import Context, Subject, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

CODE = Code("rubric/zero-weights", page=__doc__)


@rule(CODE, Kind.RUBRIC)
def RULE(subject: Subject, context: Context) -> Iterator[Problem]:
    scoring = subject.value.get("scoring", {})
    weights = scoring.get("weights", {})
    # A check that is ill-formed or has no id counts 1: then not all are zero.
    ids = [each.get("id") for each in subject.written if isinstance(each, dict)]
    named = [id_ for id_ in ids if isinstance(id_, str) and weights.get(id_, 1) == 0]
    if scoring.get("combine") == "weighted_avg" and ids and len(named) == len(subject.written):
        advice = "give the checks that are to count a weight above 0"
        message = "all weights are 0, so that no check counts"
        yield Problem(CODE, message, ("scoring", "weights"), advice, on_key=True)
    for path, check in subject.checks:
        jury = check.get("jury", {})
        aggregation = jury.get("aggregation", "majority_vote")
        if jury and aggregation in ("majority_vote", "weighted_average"):
            if any(judge.get("weight", 1) for judge in jury["judges"]):
                continue
            advice = "give the judges that are to count a weight above 0"
            place = (*path, "jury", "judges")
            message = "all weights of the jury are 0, so that no judge counts"
            yield Problem(CODE, message, place, advice, on_key=True)
