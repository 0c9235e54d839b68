"""
Every possible score reaches a threshold.

Why: A check that cannot fail tests nothing, but every report shows it as passed.

Bad:
    id: polite
    version: "1.0.0"
    checks:
      - {id: no_insults, kind: must_not_contain, values: [stupid]}
      - {id: asks_kindly, kind: must_contain_any, values: [please]}
    scoring: {combine: weighted_avg, threshold: 0}

Good:
    id: polite
    version: "1.0.0"
    checks:
      - {id: no_insults, kind: must_not_contain, values: [stupid]}
      - {id: asks_kindly, kind: must_contain_any, values: [please]}
    scoring: {combine: weighted_avg, threshold: 0.5}
"""

from evalcontract.library.scores import TOLERANCE, thresholds
from evalcontract.rules._rule import Code, Context, Problem, Problems, Subject, rule


@rule(Code("rubric/threshold-always-reached", page=__doc__))
def RULE(subject: Subject, context: Context) -> Problems:
    written = len(subject.written)
    scoring = subject.value.get("scoring", {})
    for threshold in thresholds(scoring, subject.checks, written, library=context.library):
        lowest = threshold.bounds.low
        if threshold.value <= lowest + TOLERANCE:
            scores = f"; the lowest possible score is {lowest:g}" if lowest else ""
            advice = "raise it above that" if lowest else "raise it above 0"
            yield Problem(
                RULE.code,
                f"every score reaches `{threshold.path[-1]}: {threshold.value:g}`{scores}",
                threshold.path,
                f"{advice}, or remove the check"
                if threshold.path[0] == "checks"
                else f"{advice}, or remove it",
            )
