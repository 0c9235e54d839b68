"""`python -m evalcontract.spark` prints a summary, writes the findings, and has exit codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from evalcontract.api.batches import COLUMNS, BatchCheck
from evalcontract.spark.__main__ import main

if TYPE_CHECKING:
    from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.usefixtures("spark"),
]


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    (tmp_path / "rows").mkdir()
    for number in range(3):
        ids = [f"q{number}{n}" for n in range(4)]
        table = {"id": ids, "input": ["x"] * 4, "expected_facts": [["y"]] * 4}
        parquet.write_table(pa.table(table), tmp_path / "rows" / f"{number}.parquet")
    return tmp_path


def test_a_clean_table(tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tables / "rows"), "--workspace", str(tables)]) == 0
    assert capsys.readouterr().out == "12 rows checked: no findings\n"


def test_findings_are_summed_up_and_written(
    tables: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = pa.table({"id": ["q00", "new"], "input": ["x", None], "expected_facts": [["y"]] * 2})
    parquet.write_table(wrong, tables / "rows" / "3.parquet")
    written = tables / "findings"
    arguments = [str(tables / "rows"), "--workspace", str(tables), "--strict"]
    assert main([*arguments, "--output", str(written)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "error[dataset/duplicate-id]: 1 finding on 1 row, such as `q00`: duplicate row id `q00`",
        "error[dataset/missing-key]: 1 finding on 1 row, such as `new`: `input` is missing",
        "14 rows checked: 2 errors",
    ]
    found = parquet.read_table(written)
    assert tuple(found.column_names) == COLUMNS
    assert sorted(found.column("row").to_pylist()) == ["new", "q00"]


def test_what_spark_refuses_is_told_without_a_traceback(
    tables: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [str(tables / "rows"), "--workspace", str(tables), "--format", "no_such"]
    assert main(arguments) != 0
    assert "Traceback" not in capsys.readouterr().err
    (tables / "findings").mkdir()
    (tables / "findings" / "old.parquet").write_bytes(b"x")
    arguments = [str(tables / "rows"), "--workspace", str(tables)]
    assert main([*arguments, "--output", str(tables / "findings")]) == 2
    assert capsys.readouterr().err.startswith("error: Spark fails: ")


def test_a_bug_has_an_exit_code_of_its_own(
    tables: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("evalcontract.spark.__main__._report", lambda *_: 1 / 0)
    assert main([str(tables / "rows"), "--workspace", str(tables)]) == 3
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_a_file_that_cannot_be_read_is_told_and_the_others_are_checked(
    tables: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tables / "rows" / "1.parquet"
    data = bytearray(broken.read_bytes())
    data[4:60] = b"\xff" * 56
    broken.write_bytes(data)
    assert main([str(tables / "rows"), "--workspace", str(tables)]) == 1
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith("error[source/unreadable]: 1 finding: ")
    assert "rows/1.parquet: it is not checked, since Spark fails on it: " in first
    assert last == "8 rows checked: 1 error"


def test_a_task_that_fails_again_costs_its_file(
    tables: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    check = BatchCheck.__call__

    def fails(self: BatchCheck, batches: Any) -> Any:
        given = [*batches]
        if any("q10" in batch.column("id").to_pylist() for batch in given):
            raise MemoryError
        yield from check(self, given)

    monkeypatch.setattr(BatchCheck, "__call__", fails)
    assert main([str(tables / "rows"), "--workspace", str(tables)]) == 1
    first, last = capsys.readouterr().out.splitlines()
    assert "rows/1.parquet: it is not checked, since Spark fails on it: " in first
    assert last == "8 rows checked: 1 error"


def test_nothing_to_check_is_no_success(tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tables / "none"), "--workspace", str(tables)]) in (1, 2)
    told = capsys.readouterr()
    assert "none" in told.out + told.err


@pytest.mark.parametrize("wrong", [("--key", "number"), ("--dialect", "promptfo")])
def test_wrong_arguments(
    wrong: tuple[str, str], tables: Path, capsys: pytest.CaptureFixture[Any]
) -> None:
    assert main([str(tables / "rows"), "--workspace", str(tables), *wrong]) == 2
    assert wrong[1] in capsys.readouterr().err
