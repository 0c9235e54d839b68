"""Coverage, results and their sums on Spark are those of the same rows in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from doors import UsageError

import evalcontract
from evalcontract.api.batch_runs import STATES
from evalcontract.checks.coverage import CoverageTally
from evalcontract.grading.printed import row_lines
from evalcontract.grading.summary import Summary
from evalcontract.spark import coverage, grade, statistics, totals

if TYPE_CHECKING:
    from pathlib import Path

import pyarrow as pa

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]
RUBRIC = """\
id: polite
version: "1.0.0"
checks:
  - {id: no_insults, kind: must_not_contain, values: [stupid]}
  - {id: facts, kind: fact_match}
scoring: {combine: weighted_avg, threshold: 0.6}
"""
COUNT = 40
REFERENCES = (None, "rubric/polite@1.0.0", "rubric/no@1.0.0")
ROWS = pa.Table.from_pylist([
    {"id": f"q{n}", "input": "x", "rubric_ref": REFERENCES[n % 3],
     "expected_facts": [f"fact {n % 7}", "y"] if n % 5 else None}
    for n in range(COUNT)
])  # fmt: skip
OUTPUTS = pa.Table.from_pylist([
    {"id": f"q{n}", "output": f"fact {n % 4}{' stupid' if n % 6 == 0 else ''}"}
    for n in range(COUNT) if n % 8
])  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "polite.yaml").write_text(RUBRIC, encoding="utf-8")
    return tmp_path


def test_coverage(spark: Any, folder: Path) -> None:
    found = coverage(spark.createDataFrame(ROWS).repartition(3), workspace=folder)
    expected = evalcontract.coverage(ROWS, workspace=folder).rows
    tally = CoverageTally(keep_all=False)
    for each in expected:
        tally.count(each)
    lines = {row.row: row for row in found.collect()}
    assert len(lines) == len(expected) == COUNT
    for each in expected:
        line = lines[each.row]
        assert (line.rubric, line.fault) == (each.rubric, each.fault)
        assert [tuple(check) for check in line.checks] == [
            (cell.check, cell.kind, str(at.state), at.reason, at.field)
            for cell in each.cells for at in [cell.outlook]
        ]  # fmt: skip
        assert sum(line[state] for state in STATES) == len(each.cells)
    assert totals(found) == tally.of("rows").totals


def test_results_and_their_sums(spark: Any, folder: Path) -> None:
    frames = [spark.createDataFrame(table).repartition(3) for table in (ROWS, OUTPUTS)]
    found = grade(*frames, workspace=folder)
    expected = [*evalcontract.grade(ROWS, OUTPUTS, workspace=folder)]
    lines = sorted(found.collect(), key=lambda row: row.id)
    in_order = sorted(expected, key=lambda each: each.id)
    assert [row.result for row in lines] == [*row_lines(in_order)]
    assert {row.outcome for row in lines} == {"passed", "failed", "undecided", "skipped"}
    merged, whole = statistics(found), Summary.of(expected)
    assert merged.rows.scores == whole.rows.scores
    for one, other in ((merged.rows, whole.rows), *(
        (merged.checks[key][1], tally) for key, (_, tally) in whole.checks.items()
    )):  # fmt: skip
        assert (one.mean, one.estimate, one.pass_rate, one.bounds, one.outcomes) == (
            other.mean, other.estimate, other.pass_rate, other.bounds, other.outcomes
        )  # fmt: skip
    assert merged.checks.keys() == whole.checks.keys()
    assert merged.unmeasured == whole.unmeasured


def test_several_outputs_are_no_result(spark: Any, folder: Path) -> None:
    rows = spark.createDataFrame(ROWS.slice(1, 1))
    outputs = spark.createDataFrame(pa.table({"id": ["q1", "q1"], "output": ["a", "b"]}))
    (line,) = grade(rows, outputs, workspace=folder).collect()
    assert (line.outcome, line.score) == ("undecided", None)
    assert line.reason == "the row has 2 outputs, and nothing says which of them counts"
    with pytest.raises(UsageError, match="`sample`"):
        grade(rows, outputs.selectExpr("*", "1 as sample"), workspace=folder)


def test_rows_that_cannot_be_read_are_undecided(spark: Any, folder: Path) -> None:
    metadata = pa.array([{"n": 1.0}, {"n": float("nan")}, {"n": 2.0}])
    rows = spark.createDataFrame(
        pa.table({"id": ["a", "b", "c"], "input": ["x"] * 3, "expected_facts": [["y"]] * 3,
                  "metadata": metadata})
    )  # fmt: skip
    outputs = spark.createDataFrame(pa.table({"id": ["a", "b", "c"], "output": ["y", "y", "n"]}))
    graded = {row.id: row for row in grade(rows, outputs, workspace=folder).collect()}
    assert {id_: row.outcome for id_, row in graded.items()} == {
        "a": "passed", "b": "undecided", "c": "failed"
    }  # fmt: skip
    assert "is NaN" in graded["b"].reason
    assert statistics(grade(rows, outputs, workspace=folder)).has_errors
    covered = {row.row: row.fault for row in coverage(rows, workspace=folder).collect()}
    assert {id_ for id_, fault in covered.items() if fault} == {"b"}
