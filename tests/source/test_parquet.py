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
from evalcontract.source.parquet import ParquetTable


def written(**columns: Any) -> bytes:
    if "CI" not in os.environ:
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
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
    assert str(found.place((0, "text"))) == "d.parquet"


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
        "pip install 'evalcontract[parquet]'",
    )
