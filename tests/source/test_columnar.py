"""Tables with typed columns have the findings of the same rows in JSONL, and places of rows."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from saved import saved, stream
from tables import every_case

from evalcontract.cache import Cache
from evalcontract.cache.checks import deserialize, serialize
from evalcontract.checking.pipeline import check_workspaces, validate
from evalcontract.datasets.opening import Input, Options
from evalcontract.model.reference import Kind
from evalcontract.source.tables.columnar import rows_of
from evalcontract.workspace import ChosenConfiguration

if TYPE_CHECKING:
    from collections.abc import Callable
if "CI" not in os.environ:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
import pyarrow as pa
import pyarrow.parquet as pq


def table(rows: list[dict[str, Any]]) -> pa.Table:
    """Return rows as a table: each key that any row has is a column."""
    keys = dict.fromkeys(key for row in rows for key in row)
    return pa.table({key: [row.get(key) for row in rows] for key in keys})


def feather(rows: pa.Table) -> bytes:
    from pyarrow.feather import write_feather

    out = io.BytesIO()
    write_feather(rows, out)
    return out.getvalue()


def parquet(rows: pa.Table, **options: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(rows, out, **options)
    return out.getvalue()


WRITERS: dict[str, Callable[[pa.Table], bytes]] = {
    "a.parquet": parquet,
    "a.arrow": stream,
    "a.feather": feather,
}


def findings(
    path: Path, data: bytes, *, keeps_nulls: bool | None = None
) -> list[tuple[str, str, int | None, str | None]]:
    path.write_bytes(data)
    choice = ChosenConfiguration(keeps_nulls=keeps_nulls)
    root = path.parent if path.parent.name != "t" else path.parent.parent
    options = Options(root=root, is_joined=False, configuration=choice)
    found = validate(Kind.DATASET, [Input(path)], options).diagnostics
    return [
        (each.code, each.message, each.row_index, each.place.at)
        for each in found
        if not each.code.endswith("/detected")
    ]


def native(number: int) -> dict[str, Any]:
    row = {"id": f"q{number}", "input": "When?", "metadata": {"owner": "Ada"}}
    if number % 10 == 0:
        return {**row, "expecteed_facts": ["a"], "expected": {"referenc": "a"}}
    return {**row, "expected_facts": ["a"], "tags": ["x"]}


def of_mlflow(number: int) -> dict[str, Any]:
    key = "expected_facts" if number % 10 else "expectd_facts"
    return {"inputs": {"question": f"When {number}?"}, "expectations": {key: ["a"]}}


@pytest.mark.costly
@every_case("name", [*WRITERS])
@pytest.mark.parametrize(
    ("make", "code"),
    [(native, "dataset/near-miss-key"), (of_mlflow, "mlflow/near-miss-key")],
)
def test_a_null_that_only_the_table_forces_to_exist_is_an_absent_key(
    make: Any, code: str, name: str, tmp_path: Path
) -> None:
    rows = [make(number) for number in range(1000)]
    lines = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    of_lines = findings(tmp_path / "a.jsonl", lines)
    of_table = findings(tmp_path / name, WRITERS[name](table(rows)))
    assert [each[:3] for each in of_table] == [each[:3] for each in of_lines]
    assert len([each for each in of_table if each[0] == code]) >= 100


@pytest.mark.costly
@pytest.mark.parametrize("setting", ["configuration", "argument"])
@every_case("name", [*WRITERS, "part.parquet"])
@every_case("make", [native, of_mlflow])
def test_a_null_is_a_value_if_a_setting_says_so(
    setting: str, name: str, make: Any, tmp_path: Path
) -> None:
    rows = [make(number) for number in range(20)]
    keys = dict.fromkeys(key for row in rows for key in row)
    with_nulls = [{key: row.get(key) for key in keys} for row in rows]
    written = table(rows).to_pylist()  # fields of structs are nulls, too
    assert [row.keys() for row in written] == [row.keys() for row in with_nulls]
    kept = setting == "argument" or None
    (tmp_path / "evalcontract.toml").write_text("" if kept else 'nulls = "kept"')
    lines = "".join(f"{json.dumps(row)}\n" for row in written).encode()
    of_lines = findings(tmp_path / "a.jsonl", lines, keeps_nulls=kept)
    file = tmp_path / ("a.parquet" if name in WRITERS else "t/part-0.parquet")
    file.parent.mkdir(exist_ok=True)
    writer = WRITERS.get(name, parquet)
    file = file.with_name(name) if name in WRITERS else file
    of_table = findings(file, writer(table(rows)), keeps_nulls=kept)
    assert [each[:3] for each in of_table] == [each[:3] for each in of_lines]
    absent = findings(file, writer(table(rows)), keeps_nulls=False)
    assert absent != of_table


def test_the_place_of_a_finding_is_its_row_group_and_its_row(tmp_path: Path) -> None:
    rows = [native(number) for number in range(1, 31)]
    found = findings(tmp_path / "a.parquet", parquet(table(rows), row_group_size=8))
    assert {each[3] for each in found} == {
        "row group 1, row 9", "row group 2, row 19", "row group 3, row 29"
    }  # fmt: skip


def test_a_row_group_that_cannot_be_read_costs_its_own_rows(tmp_path: Path) -> None:
    rows = [native(number) for number in range(1, 31)]
    options: dict[str, Any] = {"compression": "gzip", "write_page_checksum": True}
    data = bytearray(parquet(table(rows), row_group_size=8, **options))
    column = pq.ParquetFile(io.BytesIO(bytes(data))).metadata.row_group(1).column(1)
    middle = column.data_page_offset + column.total_compressed_size // 2
    data[middle : middle + 8] = b"\xff" * 8
    found = findings(tmp_path / "a.parquet", bytes(data))
    (fault,) = [each for each in found if each[0] == "source/syntax"]
    assert "rows 8 to 15 of row group 1 are not checked" in fault[1]
    assert {each[3] for each in found if each is not fault} == {
        "row group 2, row 19", "row group 3, row 29"
    }  # fmt: skip


@pytest.mark.costly
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
@pytest.mark.parametrize("part", [200, 1_500, 1 << 20])
@pytest.mark.parametrize("is_folder", [False, True])
def test_pieces_that_processes_check_have_the_findings_of_the_whole(
    is_folder: Any, part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = {
        "evalcontract.datasets.tables.MIN_TABLE_BYTES": 0,
        "evalcontract.source.tables.parquet.PART_BYTES": part,
        "evalcontract.source.tables.folders.PART_BYTES": part,
    }
    for name, size in small.items():
        monkeypatch.setattr(name, size)
    monkeypatch.setattr("evalcontract.source.tables.parquet._JOINED_ROWS", 16)
    folder = tmp_path / "d" if is_folder else tmp_path
    folder.mkdir(exist_ok=True)
    for name in ("part-0.parquet", "part-1.parquet"):
        rows = [native(number) for number in range(1, 151)]
        options: dict[str, Any] = {"compression": "gzip", "write_page_checksum": True}
        data = bytearray(parquet(table(rows), row_group_size=60, data_page_size=64, **options))
        column = pq.ParquetFile(io.BytesIO(bytes(data))).metadata.row_group(1).column(1)
        middle = column.data_page_offset + column.total_compressed_size // 2
        data[middle : middle + 8] = b"\xff" * 8
        (folder / name).write_bytes(data)
    path = folder if is_folder else folder / "part-0.parquet"
    one, two, three = (
        validate(Kind.DATASET, [Input(path)], Options(tmp_path, is_joined=False, jobs=jobs))
        for jobs in (1, 2, 3)
    )
    assert one == two == three
    assert one.rows < (300 if is_folder else 150)
    assert len([each for each in one.diagnostics if each.code == "source/syntax"]) == 1 + is_folder
    assert [each.place.at for each in one.diagnostics if each.place.at][
        -1
    ] == "row group 2, row 149"
    limited = [
        validate(Kind.DATASET, [Input(path)], Options(tmp_path, jobs=jobs, max_findings=5))
        for jobs in (1, 2)
    ]
    assert limited[0].diagnostics == limited[1].diagnostics
    assert "more than 5 findings" in str(limited[0].diagnostics)


def test_a_file_that_is_cut_is_not_read(tmp_path: Path) -> None:
    for name, write in WRITERS.items():
        data = write(table([native(1)]))
        (fault,) = findings(tmp_path / name, data[: len(data) - 20])
        assert fault[0] == "source/syntax", name


@every_case(
    ("column", "message"),
    [
        (pa.array([[1]]), "`input` must be text, not a list"),
        (pa.array([1.5]), "`input` must be text, not a number"),
        (
            pa.array([b"0" * 16], pa.uuid()),
            "the column `input` has values of the type `arrow.uuid`",
        ),
        (pa.array([float("nan")]), "row 0 cannot be read: `$.input` is NaN"),
    ],
)
def test_a_column_of_the_wrong_type_is_named(column: Any, message: str, tmp_path: Path) -> None:
    rows = pa.table({"id": ["a"], "input": column, "expected_facts": [["b"]]})
    found = findings(tmp_path / "a.parquet", parquet(rows))
    assert message in found[0][1]


def test_a_required_column_that_is_missing_is_said(tmp_path: Path) -> None:
    rows = pa.table({"id": ["a"], "expected_facts": [["b"]]})
    (found,) = findings(tmp_path / "a.parquet", parquet(rows))
    assert "no column is read as `input`" in found[1]


def test_values_of_many_types_are_plain() -> None:
    from datetime import UTC, date, datetime, time, timedelta
    from decimal import Decimal

    at = datetime(2026, 5, 8, 12, 30, tzinfo=UTC)
    parts = pa.array([{"a": [{"b": None}, None]}, {"a": None}, None])
    columns = {
        "a": pa.array(["x", None, "y"]).dictionary_encode(),
        "b": pa.array(["x", None, "y"], pa.string_view()),
        "c": pa.array([at, None, at], pa.timestamp("ns", "UTC")),
        "d": pa.array([Decimal("1.5"), None, None]),
        "e": pa.array([b"\0", None, None]),
        "f": pa.array([[("k", None)], None, []], pa.map_(pa.string(), pa.int64())),
        "g": parts,
        "h": pa.array([[1, 2], None, [3, 4]], pa.list_(pa.int64(), 2)),
        "i": pa.array([date(2026, 5, 8), None, None]),
        "j": pa.array([timedelta(seconds=2), None, None]),
        "k": pa.array([time(1, 2), None, None]),
        "l": pa.array([{}, None, {}], pa.struct([])),
    }
    whole = pa.record_batch(columns)
    expected = [
        {"a": "x", "b": "x", "c": "2026-05-08T12:30:00+00:00", "d": 1.5, "e": "AA==",
         "f": {"k": None}, "g": {"a": [{}, None]}, "h": [1, 2], "i": "2026-05-08", "j": 2.0,
         "k": "01:02:00", "l": {}},
        {"g": {}},
        {"a": "y", "b": "y", "c": "2026-05-08T12:30:00+00:00", "f": {}, "h": [3, 4], "l": {}},
    ]  # fmt: skip
    assert rows_of(whole) == expected
    assert [row for at in range(3) for row in rows_of(whole.slice(at, 1))] == expected
    kept = rows_of(whole, keeps_nulls=True)
    assert kept[1] == {**dict.fromkeys("abcdefhijkl"), "g": {"a": None}}
    assert kept[2]["g"] is None


@every_case(
    "column",
    [
        pa.array([1.0, number, None])
        for number in (float("nan"), float("inf"))
    ]
    + [
        pa.array([{"a": [1.0]}, {"a": [float("nan")]}, None]),
        pa.array([[("k", 1.0)], [("k", float("inf"))], None], pa.map_(pa.string(), pa.float64())),
        pa.array([1.0, float("nan"), None]).dictionary_encode(),
        pa.array([1.0, float("nan"), None]).cast(pa.float16()),
        pa.array([[1.0], [float("-inf")], None], pa.list_(pa.float32(), 1)),
    ],
)  # fmt: skip
def test_a_number_that_json_lacks_is_found_wherever_it_is(column: Any, tmp_path: Path) -> None:
    rows = pa.table({"id": ["a", "b", "c"], "input": ["x"] * 3, "x_a": column})
    found = findings(tmp_path / "a.arrow", stream(rows))
    assert [each[3] for each in found if each[0] == "source/unsupported"] == [None]
    assert [each[2] for each in found if each[0] == "dataset/nothing-to-grade"] == [0, 2]


@pytest.mark.costly
def test_many_columns_come_in_small_batches(tmp_path: Path) -> None:
    names = {f"x_{n}": ["a"] * 70 for n in range(4000)}
    rows = pa.table({"id": [f"q{n}" for n in range(70)], "input": ["a"] * 70, **names})
    found = findings(tmp_path / "a.parquet", parquet(rows))
    assert {each[0] for each in found} == {"dataset/nothing-to-grade"}
    assert len(found) == 70


@pytest.mark.costly
def test_check_reads_the_tables_of_a_workspace(tmp_path: Path) -> None:
    rows = [native(number) for number in range(1, 31)]
    folder = tmp_path / "datasets" / "inner"
    folder.mkdir(parents=True)
    for name, write in WRITERS.items():
        (folder / name).write_bytes(write(table(rows)))
    (folder / "cut.parquet").write_bytes(parquet(table(rows))[:-20])
    for name, data in saved(rows[:1]).items():
        (tmp_path / "datasets" / "hugging_face" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "datasets" / "hugging_face" / name).write_bytes(data)
    options = Options(root=tmp_path, is_joined=False)
    outcome = check_workspaces(tmp_path, options)
    cached = options._replace(cache=Cache(tmp_path / "cache"))
    assert [check_workspaces(tmp_path, cached) for _ in range(2)] == [outcome] * 2
    kept = serialize(outcome)
    assert kept is not None
    assert deserialize(kept) == outcome
    found = [(Path(each.place.file).name, each.code) for each in outcome.diagnostics]
    assert outcome.rows == 90
    assert outcome.files[Kind.DATASET] == 4
    for name in WRITERS:
        assert [code for file, code in found if file == name].count("dataset/near-miss-key") == 6
    assert ("cut.parquet", "source/syntax") in found
    assert ("hugging_face", "workspace/unsupported-file") in found
