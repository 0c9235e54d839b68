"""`evalcontract.spark` says of data frames what `evalcontract.validate` says of the same rows."""

from __future__ import annotations

import sys
from collections import Counter
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from doors import UsageError
from fixture_rows import Told, datasets, expected, table

from evalcontract.api.batches import COLUMNS, BatchCheck
from evalcontract.spark import frames, summary, validate

if TYPE_CHECKING:
    from pathlib import Path

import pyarrow as pa

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]
GOOD = {"id": ["a", "b", "c"], "input": ["x"] * 3, "expected_facts": [["y"]] * 3}
#: Workspaces of the fixtures whose rows have types that a table can hold.
WORKSPACES = (
    *("misspelled_keys", "dangling_references", "bundles", "cycles", "missing_required"),
    *("several_versions", "unpinned_references", "well_formed"),
)


def told(frame: Any) -> Told:
    """Count the findings of a data frame."""
    return Counter(tuple(row) for row in frame.select(*COLUMNS).collect())


def test_frames_have_the_findings_of_the_same_rows_in_memory(spark: Any, tmp_path: Path) -> None:
    failures, names = [], set()
    for name, folder, rows in datasets(tmp_path):
        if (workspace := name.partition(":")[0]) not in WORKSPACES:
            continue
        try:
            again = table([*rows, rows[0], rows[0]])
        except (pa.ArrowException, TypeError):
            continue
        names.add(workspace)
        frame = spark.createDataFrame(again).repartition(3)
        found, (whole, _) = told(validate(frame, workspace=folder)), expected(again, folder)
        if found != whole:
            failures.append((name, found - whole, whole - found))
    assert not failures, "\n".join(map(str, failures))
    assert names == {*WORKSPACES}


def test_repeated_ids_are_told_of_the_rows_that_are_not_the_first(
    spark: Any, tmp_path: Path
) -> None:
    rows = pa.table({**GOOD, "id": ["a", "a", "a"], "n": [9, 7, 8]})
    found = validate(spark.createDataFrame(rows), workspace=tmp_path, key="n")
    assert sorted((row.row, row.code) for row in found.collect()) == [
        ("8", "dataset/duplicate-id"), ("9", "dataset/duplicate-id")
    ]  # fmt: skip
    (of_code,) = summary(found).collect()
    assert (of_code.code, of_code.findings, of_code.rows, of_code.example) == (
        "dataset/duplicate-id", 2, 2, "8"
    )  # fmt: skip


def test_a_repeated_row_may_ignore_that_it_is_one(spark: Any, tmp_path: Path) -> None:
    ignored = {"evalcontract": {"ignore": ["dataset/duplicate-id"], "reason": "by design"}}
    other = {"evalcontract": {"ignore": ["dataset/near-miss-key"], "reason": "by design"}}
    rows = table(
        [
            {"id": "a", "input": "1?", "expected_facts": ["x"], "metadata": each}
            for each in ({"n": 1}, ignored, other, None)
        ]
    ).append_column("order", pa.array([1, 2, 3, 4]))
    found = validate(spark.createDataFrame(rows), workspace=tmp_path, key="order")
    lines = [(row.row, row.code) for row in found.collect()]
    assert [code for _, code in lines].count("workspace/unused-ignore") == 1  # of row 3
    assert sorted(row for row, code in lines if code == "dataset/duplicate-id") == ["3", "4"]


def test_rows_of_other_systems_are_compared(spark: Any, tmp_path: Path) -> None:
    rows = table([{"inputs": {"q": "x"}, "expectations": {"expectd_facts": ["y"]}}] * 3)
    frame = spark.createDataFrame(rows).repartition(3)
    found = validate(frame, workspace=tmp_path, dialect="mlflow:oss")
    assert told(found) == expected(rows, tmp_path, dialect="mlflow:oss")[0]
    told_once = [each[1] for each in told(validate(frame, workspace=tmp_path)).elements()]
    assert told_once == ["dataset/other-tool"]


def test_a_frame_without_rows_is_told(spark: Any, tmp_path: Path) -> None:
    frame = spark.createDataFrame(pa.table(GOOD)).where("id = 'none'")
    assert [row.code for row in validate(frame, workspace=tmp_path).collect()] == [
        "dataset/no-rows"
    ]


def test_nulls_are_values_if_the_caller_says_so(spark: Any, tmp_path: Path) -> None:
    frame = spark.createDataFrame(pa.table({**GOOD, "criteria": pa.nulls(3, pa.string())}))
    assert validate(frame, workspace=tmp_path).count() == 0
    assert validate(frame, workspace=tmp_path, nulls="kept").count() == 3


def test_a_column_that_json_cannot_hold_is_told_and_the_others_are_checked(
    spark: Any, tmp_path: Path
) -> None:
    frame = spark.createDataFrame(pa.table({**GOOD, "criteriaa": ["x", None, None]}))
    frame = frame.selectExpr("*", "interval '1' month as since")
    assert sorted((row.code, row.path, row.row) for row in told_rows(frame, tmp_path)) == [
        ("dataset/near-miss-key", "$.criteriaa", "a"), ("source/unsupported", "$.since", None)
    ]  # fmt: skip


def told_rows(frame: Any, folder: Path) -> Any:
    return validate(frame, workspace=folder).collect()


def test_what_is_no_column_is_refused(spark: Any, tmp_path: Path) -> None:
    frame = spark.createDataFrame(pa.table(GOOD))
    with pytest.raises(UsageError, match="no column `number`"):
        validate(frame, workspace=tmp_path, key="number")
    with pytest.raises(UsageError, match="`nulls` is `absent` or `kept`, not `none`"):
        validate(frame, workspace=tmp_path, nulls="none")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="columns have the same name: `id`"):
        validate(frame.select("id", "id"), workspace=tmp_path)


MANY = {f"note_{number}": ["x"] * 3 for number in range(4000)}
DAY = datetime(2026, 5, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    "wrong",
    [
        {"input": pa.array([1, 2, None])},
        {"input": pa.array([b"x", b"y", b"z"])},
        {"input": pa.array([DAY] * 3), "criteria": pa.array([Decimal("1.50")] * 3)},
        {"id": pa.array([1, 1, 2]), "rubric_ref": pa.array([1.5, None, 2.5])},
        {"expected_facts": pa.array([{"a": "b"}] * 3)},
        pytest.param(MANY, marks=pytest.mark.thorough),
    ],
    ids=["numbers", "binary", "times and decimals", "ids", "structs", "4,000 columns"],
)
def test_wrong_types_are_told_as_in_memory(spark: Any, tmp_path: Path, wrong: Any) -> None:
    rows = pa.table({**GOOD, **wrong, "criteriaa": ["x", None, None]})
    found = validate(spark.createDataFrame(rows).repartition(2), workspace=tmp_path)
    whole, _ = expected(rows, tmp_path)
    assert told(found) == whole
    assert whole


def test_a_missing_column_is_told_of_each_row(spark: Any, tmp_path: Path) -> None:
    rows = pa.table(GOOD).drop_columns(["input"])
    found = validate(spark.createDataFrame(rows), workspace=tmp_path)
    assert [(row.code, row.message) for row in found.collect()] == [
        ("dataset/missing-key", "`input` is missing")
    ] * 3


@pytest.mark.parametrize("version", [None, "0.0.9"])
def test_an_executor_without_this_version_says_so(
    version: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import evalcontract

    check = BatchCheck(tmp_path)
    sent = frames.Shared(NoSession(), check).worker(
        ("evalcontract.api.batches", "BatchCheck", "__call__")
    )
    if version is None:
        monkeypatch.setitem(sys.modules, "evalcontract", None)
    else:
        monkeypatch.setattr(evalcontract, "__version__", version)
    (batch,) = sent(pa.table(GOOD).to_batches())
    (line,) = batch.to_pylist()
    assert (line["code"], line["severity"], line["rows"]) == ("source/unsupported", "error", 0)
    assert line["message"].startswith("3 rows are not checked: the executor on ")
    assert f"has {f'evalcontract {version}' if version else 'no evalcontract'}" in line["message"]


class NoSession:
    """A data frame without a session that can broadcast."""

    sparkSession = None  # noqa: N815 - PySpark calls it so
