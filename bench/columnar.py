"""Rows as Parquet, where pyarrow is installed."""

from __future__ import annotations

import json
import random
from itertools import islice
from typing import TYPE_CHECKING

from rows import SEED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rows import Row

#: So many times the rows of the largest JSONL file are in the largest Parquet file.
TIMES = 10
_CHUNK = 50_000


def write_shape(lines: Path) -> None:
    """Write the rows of a JSONL file as Parquet, into the folder beside its own."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        return
    file = lines.parents[1] / "parquet" / f"{lines.stem}.parquet"
    file.parent.mkdir(exist_ok=True)
    with lines.open() as stream:
        parquet.write_table(pa.Table.from_pylist([json.loads(line) for line in stream]), file)


def write_many_rows(file: Path, rows: Iterator[Row]) -> None:
    """Write rows so many `TIMES`, each time with other ids, in no order."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        return
    chance, writer = random.Random(SEED), None
    while chunk := [*islice(rows, _CHUNK)]:
        table = pa.Table.from_pylist(chunk, writer and writer.schema)
        writer = writer or parquet.ParquetWriter(file, table.schema)
        for _ in range(TIMES):
            ids = pa.array([f"{chance.getrandbits(64):016x}" for _ in chunk])
            writer.write_table(table.set_column(table.column_names.index("id"), "id", ids))
    if writer:
        writer.close()
