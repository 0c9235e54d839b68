"""Folders that are one table: partitioned, of several files, and Delta tables."""

from __future__ import annotations

import json
import os
import sys
from datetime import date
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from doors import command_line
from tables import every_case

from evalcontract.cache import Cache
from evalcontract.checking.pipeline import check_workspaces, validate
from evalcontract.datasets.opening import Input, Options
from evalcontract.model.errors import ConfigurationError
from evalcontract.model.reference import Kind
from evalcontract.source import DISK, Entry, Files
from evalcontract.source.external import read_external
from evalcontract.source.tables.columnar import converted
from evalcontract.source.tables.folders import is_folder_table

if TYPE_CHECKING:
    from collections.abc import Callable
if "CI" not in os.environ:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import feather

USUAL: dict[str, Any] = {"id": ["a"], "input": ["When?"], "expected_facts": [["May"]]}


def put(file: Path, **columns: Any) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({**USUAL, **columns}), file)
    return file


def found_in(folder: Path, **options: Any) -> tuple[int, list[tuple[str, str, str]]]:
    given = Options(root=folder.parent, is_joined=False, **options)
    outcome = validate(Kind.DATASET, [Input(folder)], given)
    return outcome.rows, [
        (each.code, each.message, str(each.place).rpartition(f"{folder.name}/")[2])
        for each in outcome.diagnostics
    ]


def rows_of(folder: Path) -> list[Any]:
    source = read_external(folder, "d", DISK)
    assert source.unreadable is None, source.unreadable
    assert source.stream is not None
    return [row for batch in source.stream.batches() for row in batch.rows]


@every_case(
    "names",
    [
        ("k=01", "k=2"),
        ("k=1", "k=x"),
        ("k=-1", "k=__HIVE_DEFAULT_PARTITION__"),
        ("k=99999999999",),
        ("k=a%2Fb%20c=d",),
        ("k=", "k=+1"),
        ("k=2026-05-08/l=1", "k=2026-05-09/l=2"),
    ],
)
def test_partitions_are_the_columns_that_pyarrow_reads(
    names: tuple[str, ...], tmp_path: Path
) -> None:
    for number, name in enumerate(names):
        put(tmp_path / "t" / name / "x.parquet", id=[f"q{number}"])
        (tmp_path / "t" / name / "_SUCCESS").touch()
        (tmp_path / "t" / name / ".x.parquet.crc").touch()
    read = pq.read_table(tmp_path / "t").to_pylist()
    theirs = [{key: value for key, value in row.items() if value is not None} for row in read]
    assert rows_of(tmp_path / "t") == theirs


def test_the_place_of_a_finding_is_its_file_and_its_row_there(tmp_path: Path) -> None:
    put(tmp_path / "t" / "k=1" / "x.parquet", id=["a", "b"], input=["?"] * 2,
        expected_facts=[["a"]] * 2)  # fmt: skip
    put(tmp_path / "t" / "k=2" / "x.parquet", id=["a"])
    rows, found = found_in(tmp_path / "t")
    assert rows == 3
    (repeated,) = found
    assert repeated[0] == "dataset/duplicate-id"
    assert repeated[2] == "k=2/x.parquet (row group 0, row 0)"


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-9])


def damaged(file: Path) -> None:
    put(file, id=["b"] * 900, input=[os.urandom(9).hex() for _ in range(900)],
        expected_facts=[["a"]] * 900)  # fmt: skip
    data = bytearray(file.read_bytes())
    column = pq.ParquetFile(file).metadata.row_group(0).column(1)
    at = (column.dictionary_page_offset or column.data_page_offset) + 40
    data[at : at + 400] = b"\xff" * 400
    file.write_bytes(bytes(data))


def without_input(file: Path) -> None:
    pq.write_table(pa.table({"id": ["b"], "expected_facts": [["a"]]}), file)


#: What is wrong with one file of a folder: its code, what is said, and whether it is checked.
BAD: dict[str, tuple[Callable[[Path], Any], str, str, bool]] = {
    "a number": (lambda f: put(f, input=[1]), "source/unsupported", "`input` has numbers", False),
    "a list": (lambda f: put(f, input=[["x"]]), "source/unsupported", "`input` has lists", False),
    "bytes": (lambda f: put(f, input=[b"x"]), "source/unsupported", "`input` has bytes", False),
    "a decimal": (
        lambda f: put(f, input=pa.array([1], pa.decimal128(5, 2))),
        "source/unsupported", "`input` has numbers", False,
    ),
    "a UUID": (
        lambda f: put(f, input=pa.array([b"0" * 16], pa.uuid())),
        "source/unsupported", "`input` has values of the type `arrow.uuid`", False,
    ),
    "no input": (without_input, "source/unsupported", "it has no column `input`", False),
    "cut": (cut, "source/syntax", "not Parquet", False),
    "empty": (lambda f: f.write_bytes(b""), "source/syntax", "not Parquet", False),
    "text": (lambda f: f.write_text("a,b\n" * 9), "source/syntax", "not Parquet", False),
    "damaged": (damaged, "source/syntax", "row group 0 are not checked", False),
    "a key of the folder": (lambda f: put(f, k=["1"]), "source/unsupported", "column `k`", False),
    "a key more": (lambda f: put(f, x_a=["1"]), "dataset/ragged-row", "`x_a` is missing", True),
    "a dictionary": (
        lambda f: put(f, input=pa.array(["x"]).dictionary_encode()), "", "", True,
    ),
    "a time": (
        lambda f: put(f, input=pa.array([0], pa.timestamp("ms"))),
        "dataset/wrong-type", "the column `input` has the type `timestamp[ms]`", True,
    ),
    "nulls alone": (lambda f: put(f, context=[None]), "dataset/ragged-row", "`context`", True),
}  # fmt: skip


@pytest.mark.costly
@every_case("name", [*BAD])
def test_what_is_wrong_with_a_file_is_said_and_the_others_are_checked(
    name: str, tmp_path: Path
) -> None:
    make, code, message, is_checked = BAD[name]
    folder = tmp_path / "t"
    for number in (1, 3):
        put(folder / f"k={number}" / "x.parquet", id=[f"q{number}"], input=["?"])
    put(folder / "k=9" / "x.parquet", id=["q9"], expected_facts=[[1]])  # the last has a finding
    make(put(folder / "k=2" / "y.parquet", id=["q2"]))
    rows, found = found_in(folder)
    assert rows == 3 + is_checked
    told = [each for each in found if each[0] != "dataset/wrong-type" or "column" in each[1]]
    assert [each[0] for each in told] == ([code] if code else [])
    if code:
        assert message in told[0][1]
        assert "y.parquet" in told[0][1] or code.startswith("dataset/")
    assert [each[2] for each in found if each not in told] == ["k=9/x.parquet (row group 0, row 0)"]


def test_no_file_that_can_be_read_is_an_error(tmp_path: Path) -> None:
    for number in range(30):
        cut(put(tmp_path / "t" / f"part-{number}.parquet"))
    rows, found = found_in(tmp_path / "t")
    assert rows == 0
    assert {each[0] for each in found} == {"source/syntax"}
    assert len(found) == 20


@every_case(
    ("names", "by_itself", "by_name"),
    [
        (["part-0.parquet", "part-1.parquet", "_SUCCESS"], True, True),
        (["a.parquet", "_SUCCESS"], True, True),
        (["a.parquet", "_metadata"], True, True),
        (["k=1/a.parquet", "k=2/a.pq"], True, True),
        (["a.parquet", "b.parquet", "README.md"], False, True),
        (["a.parquet", "b.jsonl"], False, False),
        (["k=1/a.parquet", "other/a.parquet"], False, False),
        (["k=1/a.jsonl"], False, False),
        (["_a.parquet", ".b.parquet"], False, False),
        (["=1/a.parquet"], False, False),
    ],
)
def test_which_folders_are_tables(
    names: list[str],
    by_itself: Any,
    by_name: Any,
    tmp_path: Path,
) -> None:
    for name in names:
        put(tmp_path / "t" / name)
    assert is_folder_table(tmp_path / "t", DISK) == by_itself
    assert is_folder_table(tmp_path / "t", DISK, is_named=True) == by_name


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    put(tmp_path / "t" / "k=1" / "x.parquet")
    other = put(tmp_path / "other" / "x.parquet", id=["secret"])
    (tmp_path / "t" / "k=1" / "y.parquet").symlink_to(other)
    (tmp_path / "t" / "k=2").symlink_to(other.parent)
    rows, found = found_in(tmp_path / "t")
    assert rows == 1
    assert [each[1].partition(":")[0] for each in found] == ["`k=1/y.parquet`", "`k=2`"]


@pytest.mark.parametrize("name", ["k=1", "/".join(["k=1"] * 110)])
def test_a_folder_that_is_not_read_is_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "t" / "l=0" / "x.parquet")
    put(tmp_path / "t" / name / "x.parquet")

    def listed(files: Files, folder: Path, *endings: str) -> tuple[Entry, ...]:
        if folder == tmp_path / "t" / "k=1" and name == "k=1":
            raise PermissionError(13, "Permission denied", str(folder))
        return entries(files, folder, *endings)

    entries = Files.entries
    monkeypatch.setattr(Files, "entries", listed)
    rows, found = found_in(tmp_path / "t")
    assert rows == 1
    assert [each[0] for each in found] == ["source/unsupported"]
    assert found[0][1].startswith("`k=1/")


@pytest.mark.costly
def test_check_reads_a_folder_in_a_workspace_as_one(tmp_path: Path) -> None:
    for number in (1, 2):
        put(tmp_path / "datasets" / "t" / f"k={number}" / "x.parquet")
        put(tmp_path / "datasets" / "u" / f"{number}.parquet")
    (tmp_path / "datasets" / "t" / "_SUCCESS").touch()
    options = Options(root=tmp_path, is_joined=False)
    outcome = check_workspaces(tmp_path, options)
    assert outcome.files == {Kind.DATASET: 3}
    assert outcome.rows == 4
    assert [each.code for each in outcome.diagnostics] == ["dataset/duplicate-id"]
    cached = options._replace(cache=Cache(tmp_path / "cache"))
    assert [check_workspaces(tmp_path, cached) for _ in range(2)] == [outcome] * 2
    put(tmp_path / "datasets" / "t" / "k=2" / "x.parquet", id=["b"])
    assert check_workspaces(tmp_path, cached).diagnostics == []


@every_case(
    ("pattern", "rows"),
    [("data/**", 3), ("data/*.parquet", 1), ("data/t", 2), ("t", 2), ("other/*", None)],
)
def test_a_pattern_of_datasets_selects_tables(
    pattern: str, rows: int | None, tmp_path: Path
) -> None:
    for name in ("t/k=1/x.parquet", "t/k=2/x.parquet", "one.parquet"):
        put(tmp_path / "data" / name, id=[name])
    (tmp_path / "evalcontract.toml").write_text(f'datasets = ["{pattern}"]', encoding="utf-8")
    options = Options(root=tmp_path, is_joined=False)
    if rows is None:
        with pytest.raises(ConfigurationError, match="matches no YAML, JSON or JSONL file"):
            check_workspaces(tmp_path, options)
    else:
        assert check_workspaces(tmp_path, options).rows == rows


def test_a_pattern_of_the_command_line_matches_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("t/k=1/x.parquet", "u/part-0.parquet", "no/a.parquet", "one.parquet"):
        put(tmp_path / name, id=[name])
    assert command_line("validate-dataset", "*") == 0
    assert "3 datasets (3 rows)" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["t", "t.parquet"])
def test_every_command_reads_a_folder(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    for number in (1, 2):
        put(tmp_path / name / f"k={number}" / "x.parquet", id=[f"q{number}"])
    outputs = pa.table({"id": ["q1", "q2"], "output": ["May", "June"]})
    pq.write_to_dataset(outputs, tmp_path / "outputs", partition_cols=["id"])
    assert command_line("validate-dataset", name) == 0
    assert "(2 rows): no findings" in capsys.readouterr().out
    assert command_line("coverage", name) == 0
    assert "100.0 %" in capsys.readouterr().out
    assert command_line("convert", name, "out.jsonl") == 0
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    assert [json.loads(line)["k"] for line in lines] == [1, 2]
    capsys.readouterr()
    command_line("grade", name, "--outputs", "outputs")
    assert "2 rows" in capsys.readouterr().out


@pytest.mark.parametrize("results", ["t/r.parquet", "t/k=1/r.jsonl", "link/r.jsonl"])
def test_results_are_not_written_among_what_is_read(
    results: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "t" / "k=1" / "x.parquet")
    (tmp_path / "link").symlink_to("t")
    (tmp_path / "outputs.jsonl").write_text('{"id": "a", "output": "May"}')
    assert command_line("grade", "t", "--outputs", "outputs.jsonl", "--results", results) == 2
    assert "the files in t are read" in capsys.readouterr().err
    assert [file.name for file in (tmp_path / "t").rglob("*.*")] == ["x.parquet"]


def test_results_of_a_folder_are_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "t" / "k=1" / "x.parquet")
    put(tmp_path / "outputs" / "part-0.parquet", output=["May"])
    arguments = ("grade", "t", "--outputs", "outputs", "--results", "r.jsonl")
    assert command_line(*arguments) == 0
    manifest = json.loads((tmp_path / "r.run.json").read_text())["manifest"]
    assert len(manifest["dataset"]["sha256"]) == len(manifest["outputs"]["sha256"]) == 64
    before = (tmp_path / "r.jsonl").read_bytes()
    assert command_line(*arguments, "--resume") == 0
    assert (tmp_path / "r.jsonl").read_bytes() == before
    put(tmp_path / "t" / "k=1" / "x.parquet", expected_facts=[["June"]])
    capsys.readouterr()
    assert command_line(*arguments, "--resume") == 2
    assert "r.jsonl depends on what is another now" in capsys.readouterr().err


@every_case("files", [("t.parquet",), ("t/k=1/x.parquet", "t/k=2/y.parquet")])
def test_a_table_without_rows_is_told(files: tuple[str, ...], tmp_path: Path) -> None:
    for file in files:
        rows = pq.ParquetFile(put(tmp_path / file)).read()  # without the values of its path
        pq.write_table(rows.slice(0, 0), tmp_path / file)
    table = tmp_path / files[0].partition("/")[0]
    assert found_in(table)[1][0][0] == "dataset/no-rows"
    put(tmp_path / files[0])
    assert found_in(table) == (1, [])


RUBRIC = """\
id: r
version: {}
checks: [{{id: a, kind: must_contain_any, values: [x]}}]
scoring: {{combine: all_pass}}
"""


@pytest.mark.costly
def test_references_of_tables_are_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rubrics").mkdir()
    for version in ("1.0.0", "2.0.0"):
        (tmp_path / "rubrics" / f"r{version}.yaml").write_text(RUBRIC.format(version))
    put(tmp_path / "datasets" / "s.parquet", rubric_ref=["rubric/r@1.0.0"])
    put(tmp_path / "datasets" / "t" / "k=1" / "x.parquet", rubric_ref=["rubric/r@1.0.0"])
    assert command_line("outdated") == 0
    printed = capsys.readouterr().out
    assert all(f"used by datasets/{name} (1 row)" in printed for name in ("s.parquet", "t"))
    assert command_line("lock") == 0
    assert command_line("check", ".") == 0
    assert "lock/unused-entry" not in capsys.readouterr().out
    assert command_line("bump", "rubrics/r1.0.0.yaml", "--to", "3.0.0", "--update-refs") == 0
    printed = capsys.readouterr().out
    for name in ("datasets/s.parquet", "datasets/t"):
        said = "a table is not edited: it still has 1 reference to rubric/r@1.0.0"
        assert f"{name}: unchanged, {said}" in printed
    assert command_line("bump", "rubrics/r2.0.0.yaml", "--to", "4.0.0") == 0
    assert "note: " not in capsys.readouterr().out  # nothing refers to it
    put(tmp_path / "datasets" / "new.parquet", rubric_ref=["rubric/r@3.0.0"])
    for arguments in (("check", "."), ("validate-dataset", "datasets/new.parquet")):
        command_line(*arguments)
        assert "datasets/new.parquet is not in evalcontract.lock" in capsys.readouterr().out
    (tmp_path / "datasets" / "t" / "k=1" / "y.parquet").write_bytes(b"PAR1")
    command_line("bump", "--all")
    assert "datasets/t: not compared" not in capsys.readouterr().out  # its other file is read
    (tmp_path / "datasets" / "s.parquet").write_bytes(b"PAR1")
    assert command_line("bump", "--all") == 1
    assert "datasets/s.parquet: not compared, it cannot be read" in capsys.readouterr().out
    assert command_line("graph") == 1
    assert "datasets/t cannot be read" in capsys.readouterr().out
    (tmp_path / "datasets" / "s.parquet").unlink()
    command_line("check", ".")
    assert "nothing has datasets/s.parquet any more" in capsys.readouterr().out


def delta(folder: Path) -> Any:
    """Write a Delta table of three versions, of which the last has two rows."""
    deltalake = pytest.importorskip("deltalake", reason="deltalake is not installed")
    rows = pa.table({**USUAL, "id": ["a"], "lang": ["de"], "day": [date(2026, 5, 8)]})
    deltalake.write_deltalake(folder, rows, partition_by=["lang", "day"])
    more = pa.table({**USUAL, "id": ["b"], "lang": ["f%/r"], "day": [date(2026, 5, 9)]})
    deltalake.write_deltalake(folder, more, mode="append")
    late = pa.table({"id": ["c"], "input": ["?"], "lang": ["en"], "expectd_facts": [["a"]]})
    deltalake.write_deltalake(folder, late, mode="append", schema_mode="merge")
    deltalake.DeltaTable(folder).delete("id = 'a'")
    return deltalake.DeltaTable(folder)


@pytest.mark.costly
def test_a_delta_table_has_the_rows_of_its_latest_version(tmp_path: Path) -> None:
    theirs = delta(tmp_path / "t").to_pyarrow_table().to_pylist()
    expected = [
        {key: converted(value) for key, value in row.items() if value is not None} for row in theirs
    ]
    assert sorted(rows_of(tmp_path / "t"), key=itemgetter("id")) == sorted(
        expected, key=itemgetter("id")
    )
    rows, found = found_in(tmp_path / "t")
    assert rows == 2
    assert ("dataset/ragged-row", "`expectd_facts` is missing") in [
        (each[0], each[1][11:37]) for each in found
    ]
    assert any(each[0] == "dataset/near-miss-key" and "row 0)" in each[2] for each in found)


@pytest.mark.costly
def test_check_reads_a_delta_table_and_not_its_log(tmp_path: Path) -> None:
    delta(tmp_path / "datasets" / "t")
    options = Options(root=tmp_path, is_joined=False, cache=Cache(tmp_path / "cache"))
    outcome = check_workspaces(tmp_path, options)
    assert outcome.files == {Kind.DATASET: 1}
    assert outcome.rows == 2
    assert check_workspaces(tmp_path, options) == outcome
    delta(tmp_path / "new")
    log = tmp_path / "datasets" / "t" / "_delta_log"
    (log / "00000000000000000004.json").write_text(
        json.dumps({"remove": {"path": path_in(tmp_path / "datasets" / "t", "lang=en"),
                               "deletionTimestamp": 1, "dataChange": True}})
    )  # fmt: skip
    assert check_workspaces(tmp_path, options).rows == 1


def path_in(folder: Path, below: str) -> str:
    (file,) = folder.glob(f"{below}/**/*.parquet")
    return file.relative_to(folder).as_posix()


VECTOR = {"storageType": "u", "pathOrInlineDv": "x" * 20, "sizeInBytes": 9, "cardinality": 1}


def needing(feature: str) -> dict[str, Any]:
    features = {"readerFeatures": [feature], "writerFeatures": [feature]}
    return {"minReaderVersion": 3, "minWriterVersion": 7, **features}


@pytest.mark.costly
@every_case(
    ("changes", "message"),
    [
        ({"add": {"path": "../other.parquet"}}, "it leads out of the folder"),
        ({"add": {"path": "/etc/passwd.parquet"}}, "it leads out of the folder"),
        ({"add": {"path": "%2e%2e/other.parquet"}}, "it leads out of the folder"),
        ({"add": {"path": "https://example.com/a.parquet"}}, "it leads out of the folder"),
        ({"add": {"path": "missing.parquet"}}, "`missing.parquet`"),
        ({"add": {"path": "x.parquet", "deletionVector": VECTOR},
          "protocol": needing("deletionVectors")}, "`_delta_log` cannot be read"),
        ({"metaData": {"configuration": {"delta.columnMapping.mode": "id"}},
          "protocol": needing("columnMapping")}, "`columnMapping`"),
        ({"protocol": needing("ofTheFuture")}, "ofTheFuture"),
        ({"add": None}, "no Parquet file"),
        ({"metaData": {"schemaString": "{"}}, "the log"),
    ],
)  # fmt: skip
def test_what_a_log_says_that_is_not_read_is_said(
    changes: dict[str, Any], message: str, tmp_path: Path
) -> None:
    pytest.importorskip("deltalake", reason="deltalake is not installed")
    folder = tmp_path / "t"
    put(folder / "x.parquet")
    put(tmp_path / "other.parquet")
    mapped = "delta.columnMapping"
    is_mapped = mapped in str(changes)
    fields: list[Any] = [
        {"name": name, "type": "string", "nullable": True,
         "metadata": {f"{mapped}.id": number, f"{mapped}.physicalName": name} if is_mapped else {}}
        for number, name in enumerate(("id", "input"), 1)
    ]  # fmt: skip
    actions: dict[str, dict[str, Any]] = {
        "protocol": {"minReaderVersion": 1, "minWriterVersion": 2},
        "metaData": {
            "id": "0", "format": {"provider": "parquet", "options": {}},
            "schemaString": json.dumps({"type": "struct", "fields": fields}),
            "partitionColumns": [], "configuration": {}, "createdTime": 0,
        },
        "add": {
            "path": "x.parquet", "partitionValues": {}, "size": 1, "modificationTime": 0,
            "dataChange": True,
        },
    }  # fmt: skip
    changed = {
        name: action if name not in changes else changes[name] and {**action, **changes[name]}
        for name, action in actions.items()
    }
    (folder / "_delta_log").mkdir()
    lines = [json.dumps({name: action}) for name, action in changed.items()]
    (folder / "_delta_log" / f"{0:020}.json").write_text("\n".join(lines))
    _, found = found_in(folder)
    assert message in " ".join(each[1] for each in found)


@every_case(
    ("package", "message"),
    [("deltalake", "needs deltalake"), ("pyarrow", "needs pyarrow")],
)
def test_without_a_package_it_says_what_to_install(package: str, message: str) -> None:
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        folder = Path(name, "t")
        put(folder / "x.parquet")
        (folder / "_delta_log").mkdir()
        patch.setitem(sys.modules, package, None)
        rows, found = found_in(folder)
        assert rows == 0
        assert message in found[0][1]


@pytest.mark.costly
def test_doctor_knows_the_tables_that_check_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evalcontract.toml").touch()
    tables = ["datasets/s.parquet", "datasets/t", "datasets/t/k=1/x.parquet"]
    others = ["other/t", "other/s.parquet", "datasets"]
    for name in ("datasets/s.parquet", "datasets/t/k=1/x.parquet"):
        put(tmp_path / name)
        put(tmp_path / name.replace("datasets", "other"))
    assert command_line("doctor", *tables) == 0
    assert capsys.readouterr().out.count("checked as a dataset") == len(tables)
    for name in others:
        assert command_line("doctor", name) == 1
        printed = " ".join(capsys.readouterr().out.split())
        assert ("read below `datasets/`, and this is not" in printed) == (name != "datasets")
        assert ("name it in a target" in printed) == (name != "datasets")
    (tmp_path / "evalcontract.toml").write_text('datasets = ["datasets/**"]')
    assert command_line("doctor", "other/s.parquet") == 1
    assert "no pattern under `datasets` matches it" in capsys.readouterr().out


def test_what_to_install_is_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        put(tmp_path / "t" / f"k={number}" / "x.parquet")
    (tmp_path / "d" / "_delta_log").mkdir(parents=True)
    for package in ("pyarrow", "deltalake"):
        monkeypatch.setitem(sys.modules, package, None)
    for name, title in (("t", "Parquet needs pyarrow"), ("d", "Delta needs deltalake")):
        message = f"reading {title}, which is not installed"
        ((code, told, _),) = found_in(tmp_path / name)[1]
        assert (code, told) == ("source/unsupported", message)


def test_a_row_that_json_cannot_hold_is_named_with_its_file(tmp_path: Path) -> None:
    for number, value in enumerate((1.0, float("nan"))):
        put(tmp_path / "t" / f"k={number}" / "x.parquet", id=[f"q{number}"], score=[value])
    rows, ((code, message, _),) = found_in(tmp_path / "t")
    assert (rows, code) == (1, "source/unsupported")
    assert message.startswith("`k=1/x.parquet`: row 0 cannot be read: `$.score` is NaN")


def test_no_finding_in_a_table_claims_to_be_fixable(tmp_path: Path) -> None:
    file = put(tmp_path / "t.parquet", id=[7], expectd_facts=[["x"]])
    found = validate(Kind.DATASET, [Input(file)], Options(root=tmp_path, is_joined=False))
    assert {(each.code, each.fix) for each in found.diagnostics} == {
        ("dataset/wrong-type", None),
        ("dataset/near-miss-key", None),
    }


def saved(folder: Path) -> None:
    """Write a dataset as Hugging Face `datasets` does."""
    folder.mkdir(parents=True)
    table = pa.table(USUAL)
    with (
        pa.OSFile(str(folder / "data-0.arrow"), "wb") as sink,
        pa.ipc.new_stream(sink, table.schema) as writer,
    ):
        writer.write_table(table)
    files = {"state.json": {"_data_files": [{"filename": "data-0.arrow"}]}, "dataset_info.json": {}}
    for name, value in files.items():
        (folder / name).write_text(json.dumps(value))


def put_arrow(file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    feather.write_feather(pa.table(USUAL), file, compression="uncompressed")


def put_csv(file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("id,input,expected_facts\na,When?,May\n")


TABLES: dict[str, Callable[[Path], object]] = {
    "datasets/t": lambda path: put(path / "part-0.parquet"),
    "datasets/hive": lambda path: put(path / "k=1" / "x.parquet"),
    "datasets/delta": delta,
    "datasets/saved": saved,
    "other/plain": lambda path: put(path / "x.parquet"),
    "other/x.parquet": put,
    "datasets/x.arrow": put_arrow,
    "datasets/x.csv": put_csv,
}


@pytest.mark.costly
@every_case("name", [*TABLES])
def test_a_target_runs_a_table(name: str, tmp_path: Path) -> None:
    TABLES[name](tmp_path / name)
    rows = 2 if name == "datasets/delta" else 1
    written = f"./{name}" if Path(name).suffix else f"{name}/../{Path(name).name}/"
    target = tmp_path / "targets" / "t.yaml"
    target.parent.mkdir()
    target.write_text(f"id: t\ndataset: {written}\nstrict_validation: true\n")
    (tmp_path / "rubrics").mkdir()
    options = Options(root=tmp_path, is_joined=False)
    for outcome in (
        check_workspaces(tmp_path, options),
        validate(Kind.TARGET, [Input(target)], options),
    ):
        found = [each for each in outcome.diagnostics if each.code != "dataset/ragged-row"]
        near = [each for each in found if each.code == "dataset/near-miss-key"]
        assert found == near
        assert all(each.is_error for each in near)  # as the target demands
        assert bool(near) == (name == "datasets/delta")
        assert outcome.files == {Kind.DATASET: 1, Kind.TARGET: 1}
        assert outcome.rows == rows


def test_a_folder_that_is_no_table_is_no_dataset_of_a_target(tmp_path: Path) -> None:
    put(tmp_path / "datasets" / "orders" / "part-0.parquet")
    saved(tmp_path / "datasets" / "split" / "train")
    (tmp_path / "datasets" / "split" / "dataset_dict.json").write_text('{"splits": ["train"]}')
    (tmp_path / "targets").mkdir()
    said = {
        "datasets/ordres": ("there is no file", "did you mean `datasets/orders`?"),
        "datasets/split": ("has a dataset for each split: `train`", "name one of them"),
        "targets": ("cannot be read: it is a folder", "all data in it is Parquet"),
        "../other": ("is outside of the workspace", "relative to the workspace root"),
    }
    for number, name in enumerate(said):
        (tmp_path / "targets" / f"{number}.yaml").write_text(f"dataset: {name}\n")
    found = [
        each
        for each in check_workspaces(tmp_path, Options(root=tmp_path)).diagnostics
        if each.code == "target/missing-dataset"
    ]
    assert len(found) == len(said)
    for each, (message, advice) in zip(found, said.values(), strict=True):
        assert message in each.message
        assert advice in str(each.help)
