"""What changed between two runs: rows, checks, versions; and the interval of a difference."""

from __future__ import annotations

import pytest
from tables import every_case

from evalcontract.checks.outcome import ANY_SCORE, Outcome
from evalcontract.grading.comparison import Comparison
from evalcontract.grading.results import CheckResult, RowResult
from evalcontract.library.score_bounds import Bounds
from evalcontract.statistics.rates import MOST_DRAWN, Draws, paired_difference


def check(id_: str, score: float | None, *inner: CheckResult) -> CheckResult:
    outcome = {None: Outcome.SKIPPED, 1.0: Outcome.PASSED}.get(score, Outcome.FAILED)
    return CheckResult(id_, "regex", outcome, score, checks=inner)


def row(id_: str, *checks: CheckResult, rubric: str = "rubric/a@1.0.0") -> RowResult:
    score = min((one.score for one in checks if one.score is not None), default=None)
    outcome = Outcome.PASSED if score == 1 else Outcome.FAILED
    return RowResult(id_, rubric, outcome, score, checks=checks)


def compared(before: list[RowResult], after: list[RowResult]) -> Comparison:
    comparison = Comparison(before)
    for one in after:
        comparison.take(one)
    return comparison


def test_rows_with_the_same_id_are_compared_in_their_order() -> None:
    """Those after the first are errors, since the id is not unique."""
    rows = [row("a", check("x", 1.0)), row("a", check("x", 0.0)), row("b")]
    comparison = compared(rows, [*rows, row("a")])
    assert (comparison.changed, comparison.new, comparison.lost_ids) == ([], ["a"], [])
    assert compared(rows, rows[:1]).lost_ids == ["a", "b"]


def test_beyond_the_samples_of_a_comparison_the_normal_distribution_is_used() -> None:
    before, after = [0.0, 1.0, 0.5], [1.0, 0.0, 1.0]
    drawn = paired_difference(before, after, Draws())
    assert drawn == paired_difference(before, after)
    normal = paired_difference(before, after, Draws(0))
    assert normal.interval is not None
    assert normal.interval != drawn.interval
    assert normal.interval.lower + normal.interval.upper == pytest.approx(2 * normal.mean)


def test_equal_runs_have_no_differences() -> None:
    rows = [row("a", check("x", 1.0)), row("b", check("x", 0.0))]
    comparison = compared(rows, rows)
    assert comparison.changed == []
    assert list(comparison.checks()) == []
    assert (comparison.new, comparison.lost_ids, comparison.versions) == ([], [], {})
    assert comparison.rows is not None
    assert (comparison.rows.mean, comparison.rows.is_clear) == (0, False)


def test_rows_that_come_and_go() -> None:
    comparison = compared([row("a"), row("b")], [row("b"), row("c")])
    assert (comparison.new, comparison.lost_ids) == (["c"], ["a"])


def test_a_check_that_turned() -> None:
    before = [row("a", check("x", 1.0), check("y", 1.0)), row("b", check("x", 0.0))]
    after = [row("a", check("x", 0.0), check("y", 1.0)), row("b", check("x", 1.0))]
    comparison = compared(before, after)
    assert [(change.after.id, change.checks) for change in comparison.changed] == [
        ("a", ("x",)),
        ("b", ("x",)),
    ]
    (difference,) = comparison.checks()
    assert (difference.rubric, difference.check) == ("rubric/a", "x")
    assert (difference.better, difference.worse) == (1, 1)
    assert difference.scores.pairs == 2


def test_checks_inside_composites_are_compared_by_their_names() -> None:
    before = row("a", check("c", 1.0, check("x", 1.0), check("y", 0.5)))
    after = row("a", check("c", 1.0, check("x", 1.0), check("y", 1.0)))
    (difference,) = compared([before], [after]).checks()
    assert difference.check == "c/y"
    assert difference.better == 1


def test_another_version_of_a_rubric_is_told_and_its_checks_are_compared() -> None:
    before = [row("a", check("x", 1.0)), row("b", check("x", 1.0))]
    after = [
        row("a", check("x", 0.0), rubric="rubric/a@1.1.0"),
        row("b", check("x", 1.0), rubric="rubric/a@1.1.0"),
    ]
    comparison = compared(before, after)
    assert comparison.versions == {("rubric/a@1.0.0", "rubric/a@1.1.0"): 2}
    (difference,) = comparison.checks()
    assert (difference.rubric, difference.worse) == ("rubric/a", 1)


def test_a_check_that_is_skipped_now_is_a_change_without_a_score() -> None:
    comparison = compared([row("a", check("x", 1.0))], [row("a", check("x", None))])
    assert comparison.changed[0].checks == ("x",)
    assert list(comparison.checks()) == []
    assert comparison.rows is None


def undecided(id_: str, reason: str) -> RowResult:
    check_ = CheckResult("x", "php_lint", Outcome.UNAVAILABLE, None, reason, bounds=ANY_SCORE)
    return RowResult(id_, "rubric/a@1.0.0", Outcome.UNDECIDED, None, reason, ANY_SCORE, (check_,))


def test_rows_without_a_known_score_are_in_no_difference_and_told() -> None:
    known = [row(id_, check("x", 1.0)) for id_ in "abcd"]
    skipped = RowResult("e", "rubric/a@1.0.0", Outcome.SKIPPED, None, "nothing to judge")
    passed = known[3]._replace(score=None, bounds=Bounds(0.5, 1))
    passed = passed._replace(checks=(*passed.checks, *undecided("d", "no endpoint").checks))
    before = [undecided("a", "no PHP"), undecided("b", "no PHP"), *known[2:], skipped]
    after = [known[0], undecided("b", "no endpoint"), known[2], passed, skipped]
    comparison = compared(before, after)
    assert comparison.rows is not None
    assert comparison.rows.pairs == 1, "row c"
    assert dict(comparison.uncompared) == {
        (True, False, "no PHP"): 1,
        (True, True, "no endpoint"): 1,
        (False, True, "no endpoint"): 1,
    }
    assert [change.after.id for change in comparison.changed] == ["a", "d"]


def test_other_bounds_are_a_change() -> None:
    one = undecided("a", "no PHP")
    assert compared([one], [one]).changed == []
    assert len(compared([one], [one._replace(bounds=Bounds(0, 0.5))]).changed) == 1


def test_checks_that_are_new_or_gone_are_changes() -> None:
    comparison = compared([row("a", check("x", 1.0))], [row("a", check("y", 1.0))])
    assert set(comparison.changed[0].checks) == {"x", "y"}


@every_case(
    ("before", "after", "lower", "upper"),
    [
        # A difference that is the same everywhere has no spread.
        ([0.0] * 5, [0.5] * 5, 0.5, 0.5),
        ([0.2, 0.4], [0.2, 0.4], 0.0, 0.0),
        # All resamples of one 1 and three 0: the 2.5 % and 97.5 % points are 0 and 3/4.
        ([0.0] * 4, [1.0, 0.0, 0.0, 0.0], 0.0, 0.75),
    ],
)
def test_intervals(before: list[float], after: list[float], lower: float, upper: float) -> None:
    found = paired_difference(before, after)
    assert found.interval is not None
    assert (found.interval.lower, found.interval.upper) == pytest.approx((lower, upper))
    assert found == paired_difference(before, after), "the same every time"


def test_the_interval_of_many_pairs_is_that_of_the_normal_distribution() -> None:
    many = MOST_DRAWN * 2
    found = paired_difference([0.0] * many, [0.0, 1.0] * (many // 2))
    # The standard deviation of n/2 ones and n/2 zeros is √(n / 4(n - 1)).
    spread = 1.959963984540054 * (many / (4 * (many - 1))) ** 0.5 / many**0.5
    assert found.interval is not None
    assert found.interval.lower == pytest.approx(0.5 - spread)
    assert found.interval.upper == pytest.approx(0.5 + spread)
    assert found.is_clear


def test_one_pair_has_no_interval() -> None:
    assert paired_difference([0.0], [1.0]).interval is None
    assert not paired_difference([0.0], [1.0]).is_clear
