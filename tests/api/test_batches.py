"""`BatchCheck` says of the parts of a table what `validate` says of all of it."""

from __future__ import annotations

import os
import pickle
from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from doors import UsageError
from fixture_rows import Told, datasets, expected, table
from tables import every_case

import evalcontract
from evalcontract.api.batches import COLUMNS, BatchCheck, BatchSettings
from evalcontract.source.filesystem import KeptFiles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

if "CI" not in os.environ:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
import pyarrow as pa


def in_parts(rows: pa.Table, check: BatchCheck, size: int = 2) -> tuple[Told, int]:
    """Check a table in parts, each with another copy of the check, as engines do."""
    if head := check.of_another_tool(rows.to_batches()):
        return Counter(head), 0
    parts = [rows] if check.needs_one_part else [
        rows.slice(start, size) for start in range(0, rows.num_rows, size)
    ]  # fmt: skip
    lines = [line for part in parts for line in called(check, part.to_batches())]
    lines += called(check, [groups(rows)], "whole")
    lines += [] if check.needs_one_part else called(check, repeated(rows), "repeats")
    told = Counter(tuple(line[name] for name in COLUMNS) for line in lines if line["code"])
    return told, sum(line["rows"] or 0 for line in lines)


def called(check: BatchCheck, batches: Iterable[pa.RecordBatch], method: str = "__call__") -> Any:
    elsewhere = pickle.loads(pickle.dumps(check))  # noqa: S301 - made here
    return [line for each in getattr(elsewhere, method)(batches) for line in each.to_pylist()]


def groups(rows: pa.Table) -> pa.RecordBatch:
    counts = Counter(
        (row.get("rubric_ref"), row.get("bundle")) for row in _only(rows, "rubric_ref", "bundle")
    )
    return pa.RecordBatch.from_pylist(
        [{"rubric_ref": ref, "bundle": name, "rows": n} for (ref, name), n in counts.items()]
        or [{"rubric_ref": None, "bundle": None, "rows": 0}]
    )


def _only(rows: pa.Table, *columns: str) -> Any:
    return rows.select([name for name in columns if name in rows.column_names]).to_pylist()


def repeated(rows: pa.Table) -> Iterator[pa.RecordBatch]:
    seen = set()
    for row in _only(rows, "id"):
        id_ = row.get("id")
        if isinstance(id_, str) and id_ in seen:
            yield pa.record_batch({"id": [id_], "row": [id_]})
        seen.add(id_)


@pytest.mark.costly
def test_parts_have_the_findings_of_the_whole(tmp_path: Path) -> None:
    failures: list[Any] = []
    count = 0
    for name, folder, rows in datasets(tmp_path):
        try:
            given = table(rows)
            check = BatchCheck(folder)
        except (pa.ArrowException, TypeError, evalcontract.ConfigurationError):
            continue
        count += 1
        found, whole = in_parts(given, check), expected(given, folder)
        if found != whole:
            failures.append((name, found[0] - whole[0], whole[0] - found[0], found[1], whole[1]))
    assert not failures, "\n".join(map(str, failures))
    assert count >= 45


def test_rows_of_other_systems_are_one_part(tmp_path: Path) -> None:
    rows = table([{"inputs": {"q": "x"}, "expectations": {"expectd_facts": ["y"]}}] * 3)
    check = BatchCheck(tmp_path, BatchSettings("mlflow:oss"))
    assert in_parts(rows, check) == expected(rows, tmp_path, dialect="mlflow:oss")


def test_rows_of_another_tool_are_told_once(tmp_path: Path) -> None:
    rows = table([{"inputs": {"q": "x"}, "expectations": {"expected_facts": ["y"]}}] * 5)
    told, count = in_parts(rows, BatchCheck(tmp_path))
    assert (told, count) == expected(rows, tmp_path)
    assert [line[1] for line in told] == ["dataset/other-tool"]


def test_no_rows_are_told(tmp_path: Path) -> None:
    for dialect in ("evalcontract", "mlflow:oss"):
        rows = pa.table({"id": pa.array([], pa.string())})
        check = BatchCheck(tmp_path, BatchSettings(dialect))
        assert in_parts(rows, check) == expected(rows, tmp_path, dialect=dialect)


GOOD = {"id": ["a", "b", "c"], "input": ["x"] * 3, "expected_facts": [["y"]] * 3}
YEAR_294247 = pa.array([0, (1 << 63) - 1, 0], pa.timestamp("us"))


@every_case(
    ("column", "facts", "count"),
    [
        (pa.array([1.5, float("nan"), 2]), [("b", "source/unsupported", "$")], 2),
        (YEAR_294247, [("b", "source/unsupported", "$.metadata")], 2),
        (pa.array([(1, 2, 3)] * 3, pa.month_day_nano_interval()),
         [(None, "source/unsupported", "$.metadata")], 3),
        (pa.array([Decimal("1.5")] * 3), [(each, "dataset/wrong-type", "$.metadata")
                                          for each in "abc"], 3),
        (pa.array([b"x"] * 3), [(each, "dataset/wrong-type", "$.metadata") for each in "abc"], 3),
    ],
)  # fmt: skip
def test_what_cannot_be_read_costs_its_rows_or_its_column(
    column: pa.Array, facts: list[tuple[str | None, ...]], count: int, tmp_path: Path
) -> None:
    if pa.types.is_floating(column.type) or pa.types.is_timestamp(column.type):
        column = pa.StructArray.from_arrays([column], ["n"])
    told, checked = in_parts(pa.table({**GOOD, "metadata": column}), BatchCheck(tmp_path))
    assert sorted((line[0] or "", *line[1:4:2]) for line in told) == [
        (row or "", *rest) for row, *rest in facts
    ]
    assert checked == count
    assert {line[2] for line in told if line[1] == "source/unsupported"} <= {"error"}


def test_findings_name_rows_by_the_column_that_is_their_key(tmp_path: Path) -> None:
    rows = pa.table({"number": [7, 8, 9], **GOOD, "criteriaa": ["x", None, None]})
    told, _ = in_parts(rows, BatchCheck(tmp_path, BatchSettings(key="number")), size=3)
    assert {line[0] for line in told} == {"7"}


@pytest.mark.slow
def test_many_columns_are_checked_as_in_memory(tmp_path: Path) -> None:
    extra = {f"note_{number}": ["x"] * 3 for number in range(4000)}
    rows = pa.table({**GOOD, **extra, "expecteed": ["x"] * 3})
    assert in_parts(rows, BatchCheck(tmp_path)) == expected(rows, tmp_path)


def test_an_unknown_dialect_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="promptfo"):
        BatchCheck(tmp_path, BatchSettings("promptfo"))


def test_files_that_were_not_asked_for_are_not_there_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(b"1")
    (tmp_path / "two").write_bytes(b"2")
    here = KeptFiles()
    assert here.read(tmp_path / "one") == b"1"
    assert here.kind(tmp_path / "none") == "nothing"
    (tmp_path / "one").write_bytes(b"changed")
    (tmp_path / "none").write_bytes(b"new")
    elsewhere = pickle.loads(pickle.dumps(here))  # noqa: S301 - made here
    assert (elsewhere.read(tmp_path / "one"), elsewhere.kind(tmp_path / "none")) == (
        b"1",
        "nothing",
    )
    assert elsewhere.kind(tmp_path / "two") == "nothing"
    with pytest.raises(FileNotFoundError):
        elsewhere.read(tmp_path / "two")
