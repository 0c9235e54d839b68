"""
No possible score reaches a threshold.

Why: Every output fails, whatever its quality. A judge that answers in levels gives at most the
value of its highest level.

Bad:
    # file: rubrics/right.yaml
    id: right
    version: "1.0.0"
    checks:
      - {id: accuracy, kind: llm_judge, judge_prompt_ref: judge/accuracy@1.0.0, threshold: 0.9}
    scoring: {combine: all_pass}
    # file: judges/accuracy.yaml
    id: accuracy
    version: "1.0.0"
    template: "Is it right? {{ output }}"
    score_type: levels
    level_names: [wrong, partly, mostly]
    level_values: [0, 2, 4]
    min_score: 0
    max_score: 5
    pass_threshold: 4
    validation: {tpr: 0.95, tnr: 0.9, validated_at: 2026-05-08, sample_size: 200}

Good:
    # file: rubrics/right.yaml
    id: right
    version: "1.0.0"
    checks:
      - {id: accuracy, kind: llm_judge, judge_prompt_ref: judge/accuracy@1.0.0, threshold: 0.8}
    scoring: {combine: all_pass}
    # file: judges/accuracy.yaml
    id: accuracy
    version: "1.0.0"
    template: "Is it right? {{ output }}"
    score_type: levels
    level_names: [wrong, partly, mostly]
    level_values: [0, 2, 4]
    min_score: 0
    max_score: 5
    pass_threshold: 4
    validation: {tpr: 0.95, tnr: 0.9, validated_at: 2026-05-08, sample_size: 200}
"""

from evalcontract.library.scores import TOLERANCE, thresholds
from evalcontract.rules._rule import Code, Context, Problem, Problems, Subject, rule


@rule(Code("rubric/unreachable-threshold", page=__doc__))
def RULE(subject: Subject, context: Context) -> Problems:
    written = len(subject.written)
    scoring = subject.value.get("scoring", {})
    for threshold in thresholds(scoring, subject.checks, written, library=context.library):
        highest = threshold.bounds.high
        if threshold.value > highest + TOLERANCE:
            yield Problem(
                RULE.code,
                f"no score can reach `{threshold.path[-1]}: {threshold.value:g}`; "
                f"the highest possible score is {highest:g}",
                threshold.path,
                f"lower it to {highest:g} or less, or give the judge a higher level",
            )
