"""The arithmetic of scores: the known answers of the page, and laws."""

from __future__ import annotations

import math
import re
from typing import Any

from doors import ROOT
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case

from evalcontract.checks.outcome import Outcome, Verdict
from evalcontract.scoring.arithmetic import Scoring, Total, of_composite, total

PAGE = (ROOT / "docs" / "grading.md").read_text(encoding="utf-8")
_ANSWERS = PAGE.partition("<!-- known answers -->")[2].partition("<!-- end")[0]
ANSWERS = [
    tuple(cell.strip().strip("`") for cell in line.strip("|").split("|"))
    for line in _ANSWERS.strip().splitlines()[2:]
]
WITHOUT = {
    "skip": Outcome.SKIPPED,
    "unavailable": Outcome.UNAVAILABLE,
    "error": Outcome.ERROR,
}


def scored(score: float) -> Verdict:
    return Verdict(Outcome.PASSED if score == 1 else Outcome.FAILED, score)


def check_of(text: str) -> tuple[Verdict, float]:
    match = re.fullmatch(r"(\S+)(?: \u00d7(\S+))?", text)
    assert match, text
    word, weight = match[1], float(match[2] or 1)
    return (Verdict(WITHOUT[word]) if word in WITHOUT else scored(float(word))), weight


@every_case(("combine", "threshold", "checks", "score", "outcome"), ANSWERS, ids=str)
def test_known_answers(combine: str, threshold: str, checks: str, score: str, outcome: str) -> None:
    verdicts = [check_of(text.strip()) for text in checks.split(",")]
    made = total(Scoring(combine, float(threshold) if threshold else None), verdicts)
    assert made.score == (float(score) if score else None)
    assert str(made.outcome or "scored") == outcome
    assert made.passed is {"passed": True, "failed": False}.get(outcome)


def test_the_page_has_an_answer_for_every_combination() -> None:
    combinations = {"all_pass", "any_pass", "weighted_avg", "min", "max", "median"}
    assert {answer[0] for answer in ANSWERS} == combinations
    assert len(ANSWERS) > 15


def test_weights_are_those_of_weighted_averages_alone() -> None:
    assert Scoring("weighted_avg", None, {"a": 3}).weight_of("a") == 3
    assert Scoring("weighted_avg", None, {"a": 3}).weight_of("b") == 1
    assert Scoring("min", None, {"a": 3}).weight_of("a") == 1


def test_the_reason_is_that_of_the_gravest_outcome() -> None:
    verdicts = [
        (Verdict(Outcome.SKIPPED, None, "no facts"), 1.0),
        (Verdict(Outcome.ERROR, None, "no verdict"), 1.0),
        (Verdict(Outcome.UNAVAILABLE, None, "no php"), 1.0),
    ]
    assert total(Scoring("min"), verdicts) == Total(Outcome.ERROR, None, None, "no verdict")
    assert total(Scoring("min"), verdicts[:1]).reason == "no facts"
    assert total(Scoring("min"), []).outcome is Outcome.SKIPPED


@every_case(
    ("inner", "checks", "threshold", "outcome", "score"),
    [
        (Total(Outcome.FAILED, 0.6, passed=False), [0.6], 0.5, Outcome.PASSED, 0.6),
        (Total(Outcome.PASSED, 0.6, passed=True), [0.6], 0.7, Outcome.FAILED, 0.6),
        (Total(Outcome.PASSED, 0.6, passed=True), [0.6], None, Outcome.PASSED, 0.6),
        (Total(Outcome.FAILED, 0.6, passed=False), [0.6], None, Outcome.FAILED, 0.6),
        (Total(None, 0.6, None), [1.0, 0.2], None, Outcome.FAILED, 0.6),
        (Total(None, 1.0, None), [1.0, None], None, Outcome.PASSED, 1.0),
        (Total(Outcome.SKIPPED, None, None, "why"), [None], 0.5, Outcome.SKIPPED, None),
    ],
)
def test_composites(
    inner: Total, checks: list[Any], threshold: float | None, outcome: Outcome, score: float | None
) -> None:
    verdicts = [Verdict(Outcome.SKIPPED) if one is None else scored(one) for one in checks]
    made = of_composite(inner, verdicts, threshold)
    assert (made.outcome, made.score) == (outcome, score)
    assert made.reason is None or outcome is not Outcome.PASSED


SCORES = st.floats(0, 1)
WEIGHTS = st.floats(0, 100)
COUNTED = st.tuples(SCORES.map(scored), WEIGHTS)
LEFT_OUT = st.tuples(st.sampled_from(list(WITHOUT.values())).map(Verdict), WEIGHTS)
SCORINGS = st.builds(
    Scoring,
    st.sampled_from(["all_pass", "any_pass", "weighted_avg", "min", "max", "median"]),
    st.none() | SCORES,
)


@given(SCORINGS, st.lists(COUNTED, min_size=1), st.lists(LEFT_OUT))
def test_what_does_not_count_changes_nothing(scoring: Scoring, counted: Any, rest: Any) -> None:
    alone = total(scoring, counted)
    assert total(scoring, [*rest, *counted])[:3] == alone[:3]


@given(SCORINGS, st.lists(COUNTED | LEFT_OUT))
def test_a_score_is_from_0_to_1_and_agrees_with_the_outcome(scoring: Scoring, checks: Any) -> None:
    made = total(scoring, checks)
    if made.score is None:
        assert made.outcome in WITHOUT.values()
        assert made.passed is None
    else:
        assert 0 <= made.score <= 1
        assert math.isfinite(made.score)
        assert (
            made.outcome
            == {
                True: Outcome.PASSED,
                False: Outcome.FAILED,
                None: None,
            }[made.passed]
        )


@given(SCORINGS, st.lists(COUNTED, min_size=1), st.randoms())
def test_the_order_of_checks_changes_nothing(scoring: Scoring, checks: Any, random: Any) -> None:
    shuffled = random.sample(checks, len(checks))
    assert total(scoring, shuffled) == total(scoring, checks)


@every_case(
    ("weights", "score"),
    [
        ((5e-324, 0.0), 1.0),
        ((1e308, 1e308), 0.5),
        ((1e308, 1.0), 1.0),
        ((1e-308, 1e-308), 0.5),
    ],
)
def test_extreme_weights(weights: tuple[float, float], score: float) -> None:
    made = total(Scoring("weighted_avg"), [(scored(1), weights[0]), (scored(0), weights[1])])
    assert made.score == score
