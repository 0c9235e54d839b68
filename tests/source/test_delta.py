"""Delta tables whose log says more than which files are theirs: deleted rows, and other names."""

from __future__ import annotations

import base64
import json
import os
import struct
from collections.abc import Mapping, Sequence
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from tables import every_case

from evalcontract.checking.pipeline import validate
from evalcontract.datasets.opening import Input, Options
from evalcontract.model.reference import Kind
from evalcontract.source import DISK
from evalcontract.source.external import read_external
from evalcontract.source.tables.folders import FolderTable

if "CI" not in os.environ:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    pytest.importorskip("deltalake", reason="deltalake is not installed")
import deltalake
import pyarrow as pa
import pyarrow.parquet as pq

_Z85 = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_B85 = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"


def deleting(*rows: int) -> dict[str, Any]:
    """Return a deletion vector in the log: a Roaring bitmap of one container, in Z85."""
    container = struct.pack("<IIHHI", 12346, 1, 0, len(rows) - 1, 16)
    bitmap = (
        struct.pack("<IQI", 1681511377, 1, 0) + container + struct.pack(f"<{len(rows)}H", *rows)
    )
    padded = bitmap + bytes(-len(bitmap) % 4)
    text = base64.b85encode(padded).translate(bytes.maketrans(_B85, _Z85)).decode()
    size = {"sizeInBytes": len(bitmap), "cardinality": len(rows)}
    return {"storageType": "i", "pathOrInlineDv": text, **size}


def far(path: str) -> dict[str, Any]:
    return {"storageType": "p", "pathOrInlineDv": path, "sizeInBytes": 40, "cardinality": 1}


def field(name: str, kind: Any = "string", physical: str = "") -> dict[str, Any]:
    mapping = "delta.columnMapping"
    number = int(physical[1:] or 0) if physical else 0
    metadata = {f"{mapping}.id": number, f"{mapping}.physicalName": physical} if physical else {}
    return {"name": name, "type": kind, "nullable": True, "metadata": metadata}


def listing(of: Any) -> dict[str, Any]:
    return {"type": "array", "elementType": of, "containsNull": True}


def write(
    folder: Path,
    fields: Sequence[dict[str, Any]],
    files: Mapping[str, tuple[pa.Table, dict[str, Any]]],
    partitions: Sequence[str] = (),
    mode: str = "none",
    group: int = 4,
) -> Path:
    """Write a Delta table, whose log has one entry."""
    features = ["deletionVectors", *(["columnMapping"] if mode != "none" else [])]
    known = {"readerFeatures": features, "writerFeatures": features}
    schema = json.dumps({"type": "struct", "fields": fields})
    lines: list[dict[str, Any]] = [
        {"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, **known}},
        {"metaData": {
            "id": "0", "format": {"provider": "parquet", "options": {}}, "schemaString": schema,
            "partitionColumns": [*partitions], "createdTime": 0,
            "configuration": {"delta.columnMapping.mode": mode} if mode != "none" else {},
        }},
    ]  # fmt: skip
    (folder / "_delta_log").mkdir(parents=True)
    for name, (table, more) in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, folder / name, row_group_size=group)
        usual = {"path": name, "partitionValues": {}, "size": (folder / name).stat().st_size,
                 "modificationTime": 0, "dataChange": True,
                 "stats": json.dumps({"numRecords": table.num_rows})}  # fmt: skip
        lines.append({"add": {**usual, **more}})
    (folder / "_delta_log" / f"{0:020}.json").write_text("\n".join(map(json.dumps, lines)))
    return folder


def plain(value: Any) -> Any:
    """Return a value of pyarrow as rows have it: no nulls in mappings, and maps as mappings."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items() if part is not None}
    if isinstance(value, list) and value and all(isinstance(part, tuple) for part in value):
        return plain(dict(value))
    return [*map(plain, value)] if isinstance(value, list) else value


def theirs(folder: Path) -> list[Any]:
    """Return the rows as the package reads them, by their ids."""
    builder = deltalake.QueryBuilder().register("t", deltalake.DeltaTable(folder))
    reader = builder.execute("select * from t order by id")
    return [plain(row) for row in pa.RecordBatchReader.from_stream(reader).read_all().to_pylist()]


def ours(folder: Path) -> FolderTable:
    source = read_external(folder, folder.name, DISK)
    assert source.unreadable is None, source.unreadable
    assert isinstance(source.stream, FolderTable)
    return source.stream


def usual(prefix: str, count: int = 10) -> pa.Table:
    ids = [f"{prefix}{number}" for number in range(count)]
    return pa.table({"id": ids, "input": ["When?"] * count, "expected_facts": [["May"]] * count})


FIELDS = [field("id"), field("input"), field("expected_facts", listing("string"))]


@every_case("deleted", [(0,), (9,), (0, 5, 6), (4, 5, 6, 7), tuple(range(9)), tuple(range(10))])
def test_rows_that_a_vector_deletes_are_none(deleted: tuple[int, ...], tmp_path: Path) -> None:
    vector = {"deletionVector": deleting(*deleted)}
    files = {"a.parquet": (usual("r"), vector), "b.parquet": (usual("s"), {})}
    folder = write(tmp_path / f"t{len(deleted)}{deleted[0]}", FIELDS, files)
    table = ours(folder)
    rows = [row for batch in table.batches() for row in batch.rows]
    assert sorted(rows, key=itemgetter("id")) == theirs(folder)
    left = [number for number in range(10) if number not in deleted]
    places = [str(table.place((number,))).partition(" (")[2] for number in range(len(rows))]
    assert places[: len(left)] == [f"row group {row // 4}, row {row})" for row in left]
    assert places[len(left)] == "row group 0, row 0)"
    in_parts = {
        batch.first_index + at: row
        for part in table.cut()
        for batch in part.batches()
        for at, row in enumerate(batch.rows)
    }
    assert in_parts == dict(enumerate(rows))


@pytest.mark.costly
def test_many_rows_that_are_left_have_the_numbers_of_the_file(tmp_path: Path) -> None:
    count = 200_000
    kinds = pa.table({"id": pa.array(range(count)).cast(pa.string()), "input": ["x"] * count})
    vector = {"deletionVector": deleting(1, 3, 65_535)}
    folder = write(tmp_path / "t", FIELDS[:2], {"a.parquet": (kinds, vector)}, group=70_000)
    table = ours(folder)
    last = 0
    for batch in table.batches():
        for number in (0, len(batch.rows) - 1) if batch.rows else ():
            row = batch.rows[number]["id"]
            assert str(table.place((batch.first_index + number,))).endswith(f"row {row})")
            last = int(row)
    assert last == count - 1
    assert table.name_of(count - 4) == f"`a.parquet`: row {count - 1}"


def test_columns_have_the_names_of_the_table(tmp_path: Path) -> None:
    inner = {"type": "struct", "fields": [field("v", "long", "c9")]}
    of_map = {"type": "map", "keyType": "string", "valueType": inner, "valueContainsNull": True}
    tool = {"type": "struct", "fields": [field("name", physical="c7"), field("args", of_map, "c8")]}
    expected = {"type": "struct", "fields": [field("reference", physical="c5")]}
    fields = [
        field("id", physical="c1"), field("input", physical="c2"),
        field("expected", expected, "c4"), field("expected_tools", listing(tool), "c6"),
        field("lang", physical="c10"), field("new", physical="c11"),
    ]  # fmt: skip
    tools = pa.struct(
        [("c7", pa.string()), ("c8", pa.map_(pa.string(), pa.struct([("c9", "i8")])))]
    )
    of_rows = [
        None if row % 4 == 0 else [{"c7": f"t{row}", "c8": [("k", {"c9": row})]}, None][: row % 3]
        for row in range(9)
    ]
    columns = {
        "c1": [f"r{row}" for row in range(9)],
        "c2": ["When?"] * 9,
        "c3": ["dropped"] * 9,
        "c4": [{"c5": f"a{row}"} if row % 3 else None for row in range(9)],
        "c6": pa.array(of_rows, pa.list_(tools)),
    }
    more = {"partitionValues": {"c10": "de"}, "deletionVector": deleting(1, 4)}
    added = pa.table({"c1": ["s"], "c2": ["?"], "c11": ["n"]})
    files = {"a.parquet": (pa.table(columns), more),
             "b.parquet": (added, {"partitionValues": {"c10": None}})}  # fmt: skip
    folder = write(tmp_path / "t", fields, files, partitions=["lang"], mode="name")
    table = ours(folder)
    rows = [row for batch in table.batches() for row in batch.rows]
    assert sorted(rows, key=itemgetter("id")) == theirs(folder)
    assert rows[0]["lang"] == "de"
    assert rows[-1] == {"id": "s", "input": "?", "new": "n"}
    outcome = validate(Kind.DATASET, [Input(folder)], Options(root=tmp_path, is_joined=False))
    assert outcome.rows == len(rows)
    assert not [each for each in outcome.diagnostics if "c1" in each.message]


def test_the_digest_is_that_of_what_is_read(tmp_path: Path) -> None:
    vectors: list[dict[str, Any]] = [{}, {"deletionVector": deleting(1)}]
    vectors.append({"deletionVector": deleting(2)})
    digests = {
        ours(write(tmp_path / str(n), FIELDS, {"a.parquet": (usual("r"), each)})).sha256
        for n, each in enumerate(vectors)
    }
    assert len(digests) == len(vectors)


@every_case(
    ("vector", "mode", "said"),
    [
        (far("https://127.0.0.1:9/x.bin"), "none", "a deletion vector is outside of the folder"),
        (far("file:///etc/hostname"), "none", "a deletion vector is outside of the folder"),
        (deleting(50), "none", "the log `_delta_log` cannot be read"),
        (
            {**deleting(1), "pathOrInlineDv": "x" * 20},
            "none",
            "the log `_delta_log` cannot be read",
        ),
        (deleting(1), "id", "this Delta table needs `columnMapping`, which is not read"),
    ],
)
def test_what_is_not_read_is_said(
    vector: dict[str, Any], mode: str, said: str, tmp_path: Path
) -> None:
    names = {"id": "c0", "input": "c1"} if mode != "none" else {"id": "", "input": ""}
    fields = [field(name, physical=physical) for name, physical in names.items()]
    table = usual("r").select(["id", "input"])
    number = sum(chain(map(ord, str(vector)), map(ord, mode)))
    folder = tmp_path / f"t{number}"
    write(folder, fields, {"a.parquet": (table, {"deletionVector": vector})}, mode=mode)
    unreadable = read_external(folder, "t", DISK).unreadable
    assert unreadable is not None
    assert said in unreadable.faults[0].message
