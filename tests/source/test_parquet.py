"""Parquet: plain values, batch by batch; without pyarrow a finding says what to install."""

from __future__ import annotations

import io
import os
import sys
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from evalcontract.source.external import ExternalFile, read_external_stream
from evalcontract.source.tables.parquet import ParquetTable


def written(compression: str = "snappy", /, **columns: Any) -> bytes:
    if "CI" not in os.environ:
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.table(columns), out, compression=compression)
    return out.getvalue()


def read(data: bytes) -> ExternalFile:
    return read_external_stream(io.BytesIO(data), "d.parquet")


def table_of(data: bytes) -> ParquetTable:
    table = read(data).source
    assert isinstance(table, ParquetTable)
    return table


def test_values_are_plain() -> None:
    moment = datetime(2026, 5, 8, 12, 30, tzinfo=UTC)
    found = table_of(
        written(
            text=["a"], nested=[{"b": [1, None]}], at=[moment], price=[Decimal("1.5")], raw=[b"\0"]
        )
    )
    rows = [row for batch in found.batches() for row in batch.rows]
    assert rows == [
        {
            "text": "a",
            "nested": {"b": [1, None]},
            "at": "2026-05-08T12:30:00+00:00",
            "price": 1.5,
            "raw": "AA==",
        }
    ]
    assert str(found.place((0, "text"))) == "d.parquet (row group 0, row 0)"


def test_large_files_come_in_batches() -> None:
    batches = list(table_of(written(n=list(range(10_000)))).batches())
    assert len(batches) > 1
    assert [row["n"] for batch in batches for row in batch.rows] == list(range(10_000))
    assert [batch.first_index for batch in batches][1] == len(batches[0].rows)


def test_what_is_no_parquet_is_said() -> None:
    written(a=[1])  # skips where pyarrow is not installed
    found = read(b"PAR1 and no more").unreadable
    assert found is not None
    assert found.faults[0].code == "source/syntax"
    assert "\n" not in found.faults[0].message


def test_without_pyarrow_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    found = read(b"PAR1").unreadable
    assert found is not None
    assert (found.faults[0].code, found.faults[0].help) == (
        "source/unsupported",
        "pip install 'evalcontract[arrow]'",
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("columns", "content"),
    [
        ({"a": lambda: [None] * 1_000_000}, "1,000,000 rows"),
        ({"a": lambda: ["x"] * 1_000_000}, "1,000,000 rows"),
        ({"a": lambda: ["x" * 90_000_000]}, "bytes"),
    ],
)
def test_a_small_file_with_much_content_is_not_read(columns: Any, content: str) -> None:
    data = written("gzip", **{name: make() for name, make in columns.items()})
    found = read(data).unreadable
    assert found is not None
    assert [fault.code for fault in found.faults] == ["source/limit-exceeded"]
    assert content in found.faults[0].message


@pytest.mark.slow
@pytest.mark.thorough
def test_a_value_that_every_row_repeats_is_read_until_it_is_too_much() -> None:
    data = written(a=["x" * 300_000] * 10_000)
    assert len(data) < 1_000_000
    batches = list(table_of(data).batches())
    assert sum(len(batch.rows) for batch in batches) < 1000
    assert [fault.code for fault, _ in batches[-1].faults] == ["source/limit-exceeded"]
