"""The page on scale says what was measured, from where on Spark pays, and what was not measured."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
sys.path.append(str(Path(__file__).parents[2] / "bench"))

from pyarrow import parquet
from scale import PAGE, SPARK, Cost, Line, break_even, page, projection, write_rows


def lines(start: float, *rates: float) -> list[Line]:
    """Return what was measured of a way with these rates."""
    return [
        Line({count: Cost(start + count / rate, 1.0, 100 * count) for count in (10, 1000)})
        for rate in rates
    ]


ONE = lines(1, 50_000, 50_000, 50_000)
TWO = lines(31, 75_000, 80_000, 70_000)


def test_where_spark_pays() -> None:
    text = "".join(break_even({"one process": ONE, SPARK: TWO}))
    assert "- one process: from some 4,500,000 rows on.\n" in text
    for rate, says in ((40_000, "never with two executors"), (-1e9, "not known")):
        text = "".join(break_even({"one process": ONE, SPARK: lines(31, rate)}))
        assert f"one process: {says}" in text


def test_a_billion_rows_are_projected_by_the_worst_rate() -> None:
    text = "".join(projection({"one process": ONE, SPARK: TWO}))
    assert f"| {SPARK} | {1e9 / 70_000 / 3600:.1f} |" in text
    assert f"| Spark, 20 executors of one core | {1e9 / 35_000 / 20 / 3600:.1f} |" in text


def test_what_was_not_measured_is_said() -> None:
    text = "".join(page({"one process": ONE}, 10, 1000))
    assert f"{SPARK}: not measured" in text
    assert "100 bytes per additional row" in text
    assert "Not measured.\n" in text
    hidden = "".join(page({"one process": lines(1, -1e9)}, 10, 1000))
    assert "| hidden by noise |" in hidden
    assert "| one process | not known |" in hidden


def test_all_files_have_the_same_rows(tmp_path: Path) -> None:
    write_rows(tmp_path, 100)
    lines = (tmp_path / "rows.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [*map(json.loads, lines)]
    assert rows == parquet.read_table(tmp_path / "rows.parquet").to_pylist()
    assert rows == parquet.read_table(tmp_path / "rows").to_pylist()
    assert len({row["id"] for row in rows}) == len(rows) == 100


def test_the_page_names_a_commit() -> None:
    assert "Measured at commit" in PAGE.read_text(encoding="utf-8").replace("\n", " ")
