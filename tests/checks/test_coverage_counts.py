"""Coverage in numbers: cells by state, rows by what runs on them, and which rows are kept."""

from __future__ import annotations

import pytest
from tables import every_case

from evalcontract.checks import coverage
from evalcontract.checks._kind import Prediction, State
from evalcontract.checks.coverage import Cell, CoverageTally, CoverageTotals, RowCoverage
from evalcontract.checks.plan import RUNNER, own_predictions
from evalcontract.model.diagnostic import Place

STATES = {state.value[0]: state for state in State}


def row(states: str, index: int = 0) -> RowCoverage:
    """Return a row with a check for each letter, the first one of its state."""
    cells = [Cell(f"c{n}", "regex", Prediction(STATES[s])) for n, s in enumerate(states)]
    return RowCoverage(index, f"r{index}", "rubric/a@1.0.0", tuple(cells))


def tallied(*rows: str, keep_all: bool = False) -> coverage.FileCoverage:
    tally = CoverageTally(keep_all=keep_all)
    for index, states in enumerate(rows):
        tally.take(row(states, index), lambda index=index: Place(f"row {index}"))  # type: ignore[misc]
    return tally.of("a.yaml")


ROWS = ("rr", "rs", "ssv", "", "uf", "r", "")


def test_every_state_is_counted() -> None:
    covered = tallied(*ROWS)
    expected = CoverageTotals(
        run=4,
        skip=3,
        vacuous=1,
        unavailable=1,
        fail=1,
        rows=7,
        rows_without_checks=2,
        rows_on_which_nothing_runs=4,
    )
    assert covered.totals == expected
    assert covered.file == "a.yaml"
    assert expected.cells == 12
    assert expected.percent == pytest.approx(100 / 3)
    assert {key: (t.run, t.skip, t.rows) for key, t in covered.by_check.items()} == {
        ("rubric/a@1.0.0", "c0", "regex"): (3, 1, 0),
        ("rubric/a@1.0.0", "c1", "regex"): (1, 2, 0),
        ("rubric/a@1.0.0", "c2", "regex"): (0, 0, 0),
    }


@every_case(
    ("keep_all", "kept"),
    [(False, [1, 2, 3, 4, 6]), (True, [0, 1, 2, 3, 4, 5, 6])],
)
def test_rows_with_gaps_are_kept(*, keep_all: bool, kept: list[int]) -> None:
    rows = tallied(*ROWS, keep_all=keep_all).rows
    assert [(r.index, place) for r, place in rows] == [(n, Place(f"row {n}")) for n in kept]


def test_sums() -> None:
    one = CoverageTotals(1, 2, 3, 4, 5, 6, 7, 8)
    other = CoverageTotals(10, 20, 30, 40, 50, 60, 70, 80)
    assert coverage.add(one, other) == CoverageTotals(11, 22, 33, 44, 55, 66, 77, 88)
    assert one.cells == 1 + 2 + 3 + 4 + 6 + 8
    assert (CoverageTotals().cells, CoverageTotals().percent, CoverageTotals(rows=1).percent) == (
        0,
        0.0,
        0.0,
    )
    assert CoverageTotals(run=3).percent == 100


@every_case(
    ("value", "fault", "expected"),
    [
        ({"id": "a", "rubric_ref": "rubric/x"}, "f", (2, "a", "rubric/x", (), "f")),
        ({"id": 5}, "f", (2, None, None, (), "f")),
        ({"id": "a", "rubric_ref": 5}, "f", (2, "a", "5", (), "f")),
        (7, "f", (2, None, None, (), "f")),
        ({"id": "a"}, None, (2, "a", None, (), None)),
    ],
)
def test_rows(value: object, fault: str | None, expected: tuple[object, ...]) -> None:
    covered = coverage.cover(2, value, None, fault)
    assert (covered.index, covered.row, covered.rubric, covered.cells, covered.fault) == expected
    assert not covered.runs


OWN = {
    "criteria": ("llm_judge", "c", " "),
    "expected": ("format", {"format": "json"}, {}),
    "expected_facts": ("fact_match", ["a"], ["", " "]),
    "expected_tools": ("tool_usage", ["a"], []),
    "must_contain_any": ("must_contain_any", ["a"], [" "]),
    "must_not_contain": ("must_not_contain", ["a"], []),
}


@every_case(("key", "case"), OWN.items())
def test_expectations_of_a_row_alone(key: str, case: tuple[str, object, object]) -> None:
    kind, full, empty = case
    (told,) = own_predictions({"id": "a", key: full}, None, frozenset())
    # Only the rubric of a row can name a judge.
    state = State.UNAVAILABLE if key == "criteria" else State.RUN
    assert (*told[:2], told[2].state) == (key, kind, state)
    (told,) = own_predictions({"id": "a", key: empty}, None, frozenset())
    assert told == (key, kind, Prediction(State.VACUOUS, f"the row's `{key}` is empty", key))
    assert own_predictions({"id": "a", key: None}, None, frozenset()) == []


def test_a_key_that_no_check_reads_is_skipped() -> None:
    ((_, kind, told),) = own_predictions({"expected": {"answer": 1}}, None, frozenset())
    assert (kind, told.state, told.field) == ("format", State.SKIP, "expected.format")
    ((_, kind, told),) = own_predictions({"expected": {"a": 1}}, None, frozenset({"expected"}))
    assert (kind, told) == (RUNNER, Prediction(State.RUN))


def test_every_output_is_text() -> None:
    ((_, _, told),) = own_predictions({"expected": {"format": "text"}}, None, frozenset())
    assert (told.state, told.field) == (State.VACUOUS, "expected.format")
    assert not told.runs


def test_what_the_runner_grades_is_told_after_the_rest() -> None:
    graded = frozenset({"notes", "answer", "criteria"})
    told = own_predictions({"notes": "n", "answer": " ", "criteria": "c"}, None, graded)
    assert [(key, kind, str(prediction.state)) for key, kind, prediction in told] == [
        ("criteria", RUNNER, "run"),
        ("answer", RUNNER, "vacuous"),
        ("notes", RUNNER, "run"),
    ]
