"""What changed between two runs: rows, checks, versions; and the interval of a difference."""

from __future__ import annotations

from evalcontract.checks.outcome import ANY_SCORE, Outcome
from evalcontract.grading.compared import RunComparison, lines_of, write_comparisons
from evalcontract.grading.comparison import Comparison, ScoreDifference
from evalcontract.grading.earlier import by_id
from evalcontract.grading.groups import Group, Grouping
from evalcontract.grading.results import CheckResult, RowResult
from evalcontract.library.scores import Bounds


def check(id_: str, score: float | None, *inner: CheckResult) -> CheckResult:
    outcome = {None: Outcome.SKIPPED, 1.0: Outcome.PASSED}.get(score, Outcome.FAILED)
    return CheckResult(id_, "regex", outcome, score, checks=inner)


def row(id_: str, *checks: CheckResult, rubric: str = "rubric/a@1.0.0") -> RowResult:
    score = min((one.score for one in checks if one.score is not None), default=None)
    outcome = Outcome.PASSED if score == 1 else Outcome.FAILED
    return RowResult(id_, rubric, outcome, score, checks=checks)


def compared(before: list[RowResult], after: list[RowResult]) -> Comparison:
    return Comparison.of(by_id(before), after)


def lost(before: list[RowResult], after: list[RowResult]) -> list[str]:
    return compared(before, after).lost_ids(by_id(before))


def differences(comparison: Comparison) -> dict[tuple[str | None, str], ScoreDifference]:
    """Return those of the checks that changed."""
    found = {key: tally for key, tally in comparison.checks.items() if tally.has_changed}
    return {key: tally.difference for key, tally in found.items() if tally.difference}


def test_rows_with_the_same_id_are_compared_in_their_order() -> None:
    """Those after the first are errors, since the id is not unique."""
    rows = [row("a", check("x", 1.0)), row("a", check("x", 0.0)), row("b")]
    comparison = compared(rows, [*rows, row("a")])
    assert (comparison.changed, comparison.new) == ([], ["a"])
    assert lost(rows, [*rows, row("a")]) == []
    assert lost(rows, rows[:1]) == ["a", "b"]


def test_equal_runs_have_no_differences() -> None:
    rows = [row("a", check("x", 1.0)), row("b", check("x", 0.0))]
    comparison = compared(rows, rows)
    assert comparison.changed == []
    assert differences(comparison) == {}
    assert (comparison.new, lost(rows, rows), comparison.versions) == ([], [], {})
    found = comparison.rows.difference
    assert found is not None
    assert (found.scores.mean, found.p_value, found.test) == (0, 1, "mcnemar")


def test_rows_that_come_and_go() -> None:
    before, after = [row("a"), row("b")], [row("b"), row("c")]
    assert (compared(before, after).new, lost(before, after)) == (["c"], ["a"])


def test_a_check_that_turned() -> None:
    before = [row("a", check("x", 1.0), check("y", 1.0)), row("b", check("x", 0.0))]
    after = [row("a", check("x", 0.0), check("y", 1.0)), row("b", check("x", 1.0))]
    comparison = compared(before, after)
    assert [(change.after.id, change.checks) for change in comparison.changed] == [
        ("a", ("x",)),
        ("b", ("x",)),
    ]
    ((check_of, difference),) = differences(comparison).items()
    assert check_of == ("rubric/a", "x")
    assert (difference.better, difference.worse) == (1, 1)
    assert difference.scores.pairs == 2
    assert [change.after.id for change in comparison.flipped] == ["a", "b"]


def test_checks_inside_composites_are_compared_by_their_names() -> None:
    before = row("a", check("c", 1.0, check("x", 1.0), check("y", 0.5)))
    after = row("a", check("c", 1.0, check("x", 1.0), check("y", 1.0)))
    ((check_of, difference),) = differences(compared([before], [after])).items()
    assert check_of == ("rubric/a", "c/y")
    assert difference.better == 1


def test_another_version_of_a_rubric_is_told_and_its_checks_are_compared() -> None:
    before = [row("a", check("x", 1.0)), row("b", check("x", 1.0))]
    after = [
        row("a", check("x", 0.0), rubric="rubric/a@1.1.0"),
        row("b", check("x", 1.0), rubric="rubric/a@1.1.0"),
    ]
    comparison = compared(before, after)
    assert comparison.versions == {("rubric/a@1.0.0", "rubric/a@1.1.0"): 2}
    ((check_of, difference),) = differences(comparison).items()
    assert (check_of, difference.worse) == (("rubric/a", "x"), 1)


def test_a_check_that_is_skipped_now_is_a_change_without_a_score() -> None:
    comparison = compared([row("a", check("x", 1.0))], [row("a", check("x", None))])
    assert comparison.changed[0].checks == ("x",)
    assert differences(comparison) == {}
    assert comparison.rows.difference is None


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
    assert comparison.rows.difference is not None
    assert comparison.rows.difference.scores.pairs == 1, "row c"
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


def test_parts_of_a_run_are_compared_as_the_whole() -> None:
    before = [row(f"r{at}", check("x", float(at % 2)), check("y", at / 8)) for at in range(8)]
    after = [row(f"r{at}", check("x", float(at % 3 == 0)), check("y", 0.5)) for at in range(9)]
    whole, parts = Comparison.of(by_id(before), after, keep=2), Comparison(keep=2)
    for start in (0, 3, 6):
        parts.merge(Comparison.of(by_id(before), after[start : start + 3], keep=2))
    assert [change.after.id for change in whole.changed] == ["r0", "r1"]
    for one, other in zip(_all(whole), _all(parts), strict=True):
        assert one == other


def _all(comparison: Comparison) -> list[object]:
    tallies = (comparison.rows, *comparison.checks.values())
    changes = (comparison.changed, comparison.change_count, comparison.new, comparison.flipped)
    return [[tally.difference for tally in tallies], *changes]


def test_groups_and_clusters() -> None:
    """Each cluster counts as one, and McNemar's test, which knows no clusters, is left out."""
    grouping = Grouping(cluster="document")
    before, after = (
        [
            row(f"r{at}", check("x", float(at % 6 >= passed)))._replace(
                content={"tags": [f"t{at % 2}"], "by": {"document": at // 2}}
            )
            for at in range(24)
        ]
        for passed in (2, 4)
    )
    found = Comparison.of(by_id(before), after, grouping)
    for tally, clusters in ((found.rows, 12), (found.groups[Group("tags", "t0")], 12)):
        difference = tally.difference
        assert difference is not None
        assert difference.scores.difference.clusters == clusters
        assert difference.test == "t"
        assert (difference.worse > 0, difference.better) == (True, 0)


def test_checks_have_the_order_of_the_rows_whatever_has_changed() -> None:
    same, other = row("a", check("first", 1.0)), row("b", check("second", 1.0))
    comparison = compared([same, row("b", check("second", 0.0))], [same, other])
    assert [name for _, name in comparison.checks] == ["first", "second"]


def test_bounds_are_compared_beside_a_score() -> None:
    one = row("a", check("c", 1.0))
    comparison = compared([one._replace(bounds=Bounds(0.0, 1.0))], [one])
    assert comparison.change_count == 1


def test_graded_scores_have_the_test_of_scores_and_verdicts_their_own() -> None:
    """The mean falls while as many verdicts turn one way as the other: McNemar's test says 1."""
    before = [row(f"r{at}", check("x", 0.75 + at % 3 / 100)) for at in range(12)]
    after = [row(f"r{at}", check("x", 0.55 + at % 4 / 50)) for at in range(12)]
    before[0], after[0] = row("r0", check("x", 1.0)), row("r0", check("x", 0.9))
    before[1], after[1] = row("r1", check("x", 0.9)), row("r1", check("x", 1.0))
    found = compared(before, after).rows.difference
    assert found is not None
    assert (found.better, found.worse, found.test, found.of_verdicts) == (1, 1, "t", 1)
    assert found.p_value == found.scores.p_value
    assert found.p_value is not None
    assert found.p_value < 0.001
    (line,) = lines_of([compared(before, after)])[0].rows
    assert (line.corrected, line.verdicts_corrected) == (found.p_value, 1)


def test_scores_that_are_verdicts_have_one_test() -> None:
    before = [row(f"r{at}", check("x", float(at > 1))) for at in range(12)]
    after = [row(f"r{at}", check("x", float(at > 5))) for at in range(12)]
    found = compared(before, after).rows.difference
    assert found is not None
    assert found.test == "mcnemar"
    assert found.p_value == found.of_verdicts == 0.125


def test_a_row_without_a_verdict_leaves_verdicts_without_a_test() -> None:
    rows = [row(f"r{at}", check("x", at / 12)) for at in range(12)]
    rows[0] = rows[0]._replace(outcome=None)
    found = compared(rows, [each._replace(score=0.5) for each in rows]).rows.difference
    assert found is not None
    assert (found.test, found.of_verdicts) == ("t", None)


def test_verdicts_are_told_beside_graded_scores() -> None:
    """Of ten rows, eight fail now by the one check, and one more by the other, which is graded."""
    before = [row(f"r{at}", check("x", 1.0), check("y", 1.0)) for at in range(10)]
    after = [
        row(f"r{at}", check("x", float(at > 7)), check("y", 0.5 if at == 9 else 1.0))
        for at in range(10)
    ]
    text = "".join(
        write_comparisons(
            [RunComparison("old", "", by_id(before), compared(before, after), [])], 0, 300
        )
    )
    rows, x, y = (line for line in text.splitlines() if " → " in line and " over " in line)
    assert "0 pass now, 9 fail now (p 0.0039 by McNemar's exact test); p " in rows
    assert "8 fail now; p 0.0078 by McNemar's exact test, 0.016 corrected for 2 tests" in x
    assert "1 fail now (p 1 by McNemar's exact test); p 0.34 by paired t test, 0.34 corrected" in y
