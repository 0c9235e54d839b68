"""The arithmetic of scores: the known answers of the page, and laws."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from doors import ROOT
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case

from evalcontract.checks._judges import decide
from evalcontract.checks.outcome import Outcome, Verdict, error, unavailable
from evalcontract.grading.runner import Scoring, Total, of_composite, score_text, total
from evalcontract.library.scores import Bounds

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


def score_of(text: str) -> tuple[float | None, Bounds | None]:
    """Return the score of a cell, or its bounds."""
    if " to " in text:
        low, _, high = text.partition(" to ")
        return None, Bounds(float(low), float(high))
    return (float(text) if text else None), None


@every_case(("combine", "threshold", "checks", "score", "outcome"), ANSWERS, ids=str)
def test_known_answers(combine: str, threshold: str, checks: str, score: str, outcome: str) -> None:
    verdicts = [check_of(text.strip()) for text in checks.split(",")]
    made = total(Scoring(combine, float(threshold) if threshold else None), verdicts)
    assert (made.score, made.bounds) == score_of(score)
    assert str(made.outcome or "scored") == outcome


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
        (unavailable("no php"), 1.0),
        (error("no verdict"), 1.0),
    ]
    made = total(Scoring("min"), verdicts)
    assert made == Total(Outcome.UNDECIDED, None, Bounds(0, 1), "no verdict")
    assert total(Scoring("min"), verdicts[:2]).reason == "no php"
    assert total(Scoring("min"), verdicts[:1]) == Total(Outcome.SKIPPED, None, None, "no facts")
    assert total(Scoring("min"), []).outcome is Outcome.SKIPPED


LOST = unavailable("why")
NUMBERS = Scoring("min")


@every_case(
    ("scoring", "checks", "threshold", "outcome", "score"),
    [
        (Scoring("min", 0.7), [0.6], 0.5, "passed", "0.6"),
        (Scoring("min", 0.5), [0.6], 0.7, "failed", "0.6"),
        (Scoring("min", 0.5), [0.6], None, "passed", "0.6"),
        (Scoring("min", 0.7), [0.6], None, "failed", "0.6"),
        (Scoring("max"), [1.0, 0.2], None, "failed", "1.0"),
        (NUMBERS, [1.0, None], None, "passed", "1.0"),
        (Scoring("min", 0.5), [None], 0.5, "skipped", ""),
        (Scoring("weighted_avg", 0.9), [1.0, LOST], 0.5, "passed", "0.5 to 1"),
        (Scoring("weighted_avg", 0.5), [1.0, LOST], 0.9, "undecided", "0.5 to 1"),
        (Scoring("weighted_avg", 0.5), [0.5, LOST], 0.8, "failed", "0.25 to 0.75"),
        (NUMBERS, [1.0, LOST], None, "undecided", "0 to 1"),
        (NUMBERS, [0.5, LOST], None, "failed", "0 to 0.5"),
        (Scoring("max"), [1.0, LOST], None, "undecided", "1"),
        (Scoring("all_pass"), [1.0, LOST], 0.0, "passed", "0 to 1"),
        (Scoring("all_pass"), [0.0, LOST], None, "failed", "0"),
    ],
)
def test_composites(
    scoring: Scoring, checks: list[Any], threshold: float | None, outcome: str, score: str
) -> None:
    made = of_composite(scoring, [(check_or(one), 1.0) for one in checks], threshold)
    assert (made.outcome, made.score, made.bounds) == (outcome, *score_of(score))
    assert (made.reason is None) is (outcome in ("passed", "skipped"))


def check_or(one: float | Verdict | None) -> Verdict:
    if isinstance(one, Verdict):
        return one
    return Verdict(Outcome.SKIPPED) if one is None else scored(one)


SCORES = st.floats(0, 1)
WEIGHTS = st.floats(0, 100)
COUNTED = st.tuples(SCORES.map(scored), WEIGHTS)
SKIPPED = st.tuples(st.just(Verdict(Outcome.SKIPPED)), WEIGHTS)
UNKNOWN = st.tuples(st.sampled_from([unavailable("a"), error("b")]), WEIGHTS)
SCORINGS = st.builds(
    Scoring,
    st.sampled_from(["all_pass", "any_pass", "weighted_avg", "min", "max", "median"]),
    st.none() | SCORES,
)


@pytest.mark.costly
@given(SCORINGS, st.lists(COUNTED | UNKNOWN, min_size=1), st.lists(SKIPPED))
def test_what_is_skipped_changes_nothing(scoring: Scoring, counted: Any, rest: Any) -> None:
    alone = total(scoring, counted)
    assert total(scoring, [*rest, *counted])[:3] == alone[:3]


@given(SCORINGS, st.lists(COUNTED | UNKNOWN | SKIPPED))
def test_a_score_or_its_bounds_agree_with_the_outcome(scoring: Scoring, checks: Any) -> None:
    outcome, score, bounds, reason = total(scoring, checks)
    low, high = bounds or (score, score)
    if low is None or high is None:
        assert outcome is Outcome.SKIPPED
        return
    assert 0 <= low <= high <= 1
    assert math.isfinite(low + high)
    assert (score is None) is (low < high)
    assert outcome is not Outcome.SKIPPED
    assert (reason is not None) is (outcome is Outcome.UNDECIDED)
    if scoring.combine not in ("all_pass", "any_pass") and scoring.threshold is not None:
        passing = {low >= scoring.threshold, high >= scoring.threshold}
        expected = {True: Outcome.PASSED, False: Outcome.FAILED}
        assert outcome is (Outcome.UNDECIDED if len(passing) == 2 else expected[passing.pop()])


@given(SCORINGS, st.lists(COUNTED | UNKNOWN, min_size=1), st.randoms())
def test_the_order_of_checks_changes_nothing(scoring: Scoring, checks: Any, random: Any) -> None:
    shuffled = random.sample(checks, len(checks))
    assert total(scoring, shuffled)[:3] == total(scoring, checks)[:3]


Known = Callable[[], Verdict]


class Tree(NamedTuple):
    """What has a verdict, given what becomes of each check below it that did not run."""

    verdict: Callable[[Known], Verdict]


def leaf(verdict: Verdict) -> Tree:
    return Tree(lambda known: known() if verdict.score is None else verdict)


def jury(aggregation: str, tie_break: str, threshold: float | None, jurors: Any) -> Tree:
    judges = [{"weight": weight} for _, weight in jurors]
    content = {"aggregation": aggregation, "tie_break": tie_break, "judges": judges}
    return Tree(
        lambda known: decide(content, [each.verdict(known) for each, _ in jurors], threshold)
    )


def composite(scoring: Scoring, threshold: float | None, checks: Any) -> Tree:
    def verdict(known: Known) -> Verdict:
        made = of_composite(scoring, [(each.verdict(known), by) for each, by in checks], threshold)
        assert made.outcome is not None
        return Verdict(made.outcome, made.score, made.reason, None, made.bounds)

    return Tree(verdict)


VERDICTS = st.tuples(st.sampled_from([Outcome.PASSED, Outcome.FAILED]), SCORES)
ANY: st.SearchStrategy[Verdict] = VERDICTS.map(lambda known: Verdict(*known))
LEAVES = (ANY | st.sampled_from([unavailable("a"), error("b")])).map(leaf)
POSITIVE = st.floats(0.01, 100)


def weighted(trees: st.SearchStrategy[Tree]) -> st.SearchStrategy[list[tuple[Tree, float]]]:
    return st.lists(st.tuples(trees, WEIGHTS), min_size=1, max_size=5)


JURIES = st.builds(
    jury,
    st.sampled_from(["majority_vote", "average", "weighted_average", "median"]),
    st.sampled_from(["pass", "fail"]),
    st.none() | SCORES,
    st.lists(st.tuples(LEAVES, POSITIVE), min_size=2, max_size=4),
)
COMPOSITES = st.builds(composite, SCORINGS, st.none() | SCORES, weighted(LEAVES | JURIES))
RUBRICS = st.tuples(SCORINGS, weighted(LEAVES | JURIES | COMPOSITES))


@examples(400)
@given(RUBRICS, st.data())
def test_whatever_did_not_run_would_have_given_what_the_bounds_say(rubric: Any, data: Any) -> None:
    scoring, checks = rubric
    replaced = [0]

    def nothing() -> Verdict:
        return unavailable("it did not run")

    def anything() -> Verdict:
        replaced[0] += 1
        drawn: Verdict = data.draw(ANY)
        return drawn

    def made(known: Known) -> Total:
        return total(scoring, [(each.verdict(known), weight) for each, weight in checks])

    before, after = made(nothing), made(anything)
    assert after.bounds is None, "all is known"
    low, high = before.bounds or (before.score, before.score)
    if low is None or high is None or after.score is None:
        assert before == after, "all is skipped: the weights are 0"
        return
    assert low <= after.score <= high
    if before.outcome is not Outcome.UNDECIDED:
        assert after.outcome is before.outcome
    if not replaced[0]:
        assert before == after


@every_case(
    ("score", "bounds", "text"),
    [(0.5, None, "0.5"), (None, Bounds(0.25, 1), "0.25 to 1"), (None, None, "-")],
)
def test_scores_as_text(score: float | None, bounds: Bounds | None, text: str) -> None:
    assert score_text(score, bounds) == text


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
