"""Folders that `save_to_disk` of Hugging Face `datasets` writes, and what is wrong with them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest
from doors import Input, Kind, Options, check_workspaces, command_line, validate
from saved import naming, packed, saved, splits, stream
from tables import every_case

from evalcontract.datasets.opening import files_below
from evalcontract.source import DISK
from evalcontract.source.external import read_external

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ROWS = [{"user_input": "Where?", "reference": "Here."}, {"user_input": "2+2", "reference": "4"}]
NAME = "data-00000-of-00001.arrow"
posix = pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")


def write(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def faults(path: Path, dialect: str | None = None) -> list[tuple[str, str]]:
    """Return the errors of a file or a folder."""
    found = validate(Kind.DATASET, [Input(path)], Options(dialect=dialect)).diagnostics
    return [(each.code, each.message) for each in found if each.is_error]


def rows_in(path: Path) -> list[Any]:
    file = read_external(path, path.name)
    assert file.stream is not None, file.unreadable
    return [row for batch in file.stream.batches() for row in batch.rows]


def test_a_folder_is_a_dataset_of_the_system_of_its_columns(tmp_path: Path) -> None:
    folder = write(tmp_path / "one", saved(ROWS[:1], ROWS[1:]))
    outcome = validate(Kind.DATASET, [Input(folder)], Options())
    assert [each.code for each in outcome.diagnostics] == ["ragas/detected"]
    assert (outcome.rows, rows_in(folder)) == (2, ROWS)


def test_an_id_that_two_files_have_is_one_of_one_dataset(tmp_path: Path) -> None:
    row = {"id": "a", "input": "b"}
    folder = write(tmp_path, saved([row], [row]))
    found = validate(Kind.DATASET, [Input(folder)], Options(strict=False)).diagnostics
    assert "dataset/duplicate-id" in [each.code for each in found]


def test_splits_are_datasets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "two", splits(train=saved(ROWS), test=saved(ROWS)))
    monkeypatch.chdir(tmp_path)
    assert command_line("validate-dataset", "two") == 0
    assert "2 datasets (4 rows)" in capsys.readouterr().out
    assert command_line("convert", "two", "all.yaml") == 2
    assert command_line("convert", "two/train", "train.jsonl", "--to", "ragas") == 0
    # A folder of it, by the dialect, has the splits alone: its JSON files are no datasets.
    assert [*map(str, files_below(tmp_path, Kind.DATASET, "ragas"))] == [
        *(str(tmp_path / name) for name in ("train.jsonl", "two/test", "two/train"))
    ]


LEADS_OUT = "which leads out of the folder"


@every_case(
    ("changed", "code", "said"),
    [
        (lambda _: naming("gone.arrow"), "source/unreadable", "`gone.arrow` is missing"),
        *(
            (lambda _, name=name: naming(name), "source/unreadable", LEADS_OUT)
            for name in ("../x.arrow", "/etc/passwd", "a/b.arrow", "..", "", "c:x", "a\\b", "a\0b")
        ),
        (lambda _: naming(5), "source/unreadable", "no list"),
        (lambda _: naming(), "source/unreadable", "no list"),
        (lambda _: {"state.json": b"[" * 100_000}, "source/unreadable", "not JSON"),
        (lambda _: {"state.json": b"\xff"}, "source/unreadable", "not JSON"),
        (lambda files: {NAME: files[NAME][:200]}, "source/syntax", "only read"),
        (lambda files: {NAME: files[NAME][:-20]}, "source/syntax", "not Arrow"),
        (lambda files: {NAME: files[NAME][:-8]}, "source/syntax", "the file is cut"),
        (lambda _: {NAME: b""}, "source/syntax", "not Arrow"),
        (lambda _: {NAME: b"id: a"}, "source/syntax", "not Arrow"),
    ],
)
def test_what_is_wrong_with_a_folder_is_said(
    changed: Callable[[dict[str, bytes]], dict[str, bytes]],
    code: str,
    said: str,
    tmp_path: Path,
) -> None:
    write(tmp_path / "x.arrow", {})
    files = saved(ROWS)
    found = faults(write(tmp_path / "d", {**files, **changed(files)}), "ragas")
    assert [each for each, _ in found] == [code]
    assert said in found[0][1]


@posix
def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    folder = write(tmp_path / "d", saved(ROWS))
    (folder / NAME).rename(tmp_path / NAME)
    (folder / NAME).symlink_to(tmp_path / NAME)
    assert [(code, LEADS_OUT in text) for code, text in faults(folder)] == [
        ("source/unreadable", True)
    ]


@every_case("name", ("../d", "/etc", "a/b", "."))
def test_a_split_does_not_lead_out(name: str, tmp_path: Path) -> None:
    folder = write(tmp_path / "two", splits(train=saved(ROWS)))
    write(folder, {"dataset_dict.json": packed({"splits": ["train", name]})})
    assert files_below(folder, Kind.DATASET) == [folder]
    assert [(code, LEADS_OUT in text) for code, text in faults(folder)] == [
        ("source/unreadable", True)
    ]


def test_files_of_other_columns_are_no_one_dataset(tmp_path: Path) -> None:
    found = faults(write(tmp_path, saved(ROWS, [{"user_input": 5}])))
    assert [code for code, _ in found] == ["source/syntax"]


def test_without_pyarrow_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(tmp_path, saved(ROWS))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    unreadable = read_external(folder, "d").unreadable
    assert unreadable is not None
    assert (unreadable.faults[0].code, unreadable.faults[0].help) == (
        "source/unsupported",
        "pip install 'evalcontract[arrow]'",
    )


def hostile(column: Callable[[Any], Any], **options: Any) -> bytes:
    saved([])  # skips where pyarrow is not installed
    import pyarrow as pa

    return stream(pa.table({"input": ["a"], "z": column(pa)}), **options)


@pytest.mark.costly
@every_case(
    ("column", "options", "code"),
    [
        (lambda pa: pa.array([b"0" * 16], pa.uuid()), {}, "source/unsupported"),
        (lambda pa: pa.array(["a"]).dictionary_encode(), {}, None),
        (lambda pa: pa.array(["a"], pa.string_view()), {}, None),
        (lambda pa: pa.array([["a"]], pa.list_view(pa.string())), {}, "source/unsupported"),
        (lambda _: [["a" * 100_000]], {"compression": "zstd"}, None),
        (lambda _: [["a" * 90_000_000]], {"compression": "zstd"}, "source/limit-exceeded"),
        (
            lambda pa: pa.FixedSizeListArray.from_arrays(pa.nulls(10**9), 10**9),
            {},
            "source/limit-exceeded",
        ),
        (
            lambda pa: pa.ListArray.from_arrays(pa.array([0, 10**9], pa.int32()), pa.nulls(10**9)),
            {},
            "source/limit-exceeded",
        ),
    ],
)
def test_a_column_that_json_cannot_hold_or_memory_cannot(
    column: Callable[[Any], Any], options: dict[str, Any], code: str | None, tmp_path: Path
) -> None:
    write(tmp_path, {"x.arrow": hostile(column, **options)})
    assert [each for each, _ in faults(tmp_path / "x.arrow")] == ([code] if code else [])


@pytest.mark.slow
def test_a_text_that_every_row_repeats_is_read_until_it_is_too_much(tmp_path: Path) -> None:
    saved([])
    import pyarrow as pa

    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 5000, pa.int8()), ["a" * 10_000])
    write(tmp_path, {"x.arrow": stream(pa.table({"input": texts}))})
    assert faults(tmp_path / "x.arrow") == []
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 10_000, pa.int8()), ["a" * 10_000])
    write(tmp_path, {"x.arrow": stream(pa.table({"input": texts}))})
    assert [code for code, _ in faults(tmp_path / "x.arrow")] == ["source/limit-exceeded"]


def test_more_rows_than_bytes_are_not_read(tmp_path: Path) -> None:
    saved([])
    import pyarrow as pa

    write(tmp_path, {"x.arrow": stream(pa.table({"input": pa.nulls(10**9)}))})
    assert [code for code, _ in faults(tmp_path / "x.arrow")] == ["source/limit-exceeded"]


def test_texts_of_json_are_their_values(tmp_path: Path) -> None:
    saved([])
    import pyarrow as pa

    texts = pa.array(['{"b": 1}', None, "{"], pa.json_())
    inner = pa.StructArray.from_arrays([texts], ["c"])
    table = pa.table({"a": texts, "d": inner, "e": pa.ListArray.from_arrays([0, 1, 2, 3], texts)})
    values: list[Any] = [{"b": 1}, None, "{"]
    assert rows_in(write(tmp_path, saved(table))) == [
        {"a": value, "d": {"c": value}, "e": [value]} if value else {"d": {}, "e": [None]}
        for value in values
    ]


def test_a_file_of_arrow_with_a_footer_is_read(tmp_path: Path) -> None:
    saved([])
    import pyarrow as pa

    table = pa.Table.from_pylist(ROWS)
    with pa.ipc.new_file(str(tmp_path / "x.arrow"), table.schema) as writer:
        writer.write_table(table)
    assert rows_in(tmp_path / "x.arrow") == ROWS


def test_a_folder_in_a_workspace_is_one_file_that_is_not_read(tmp_path: Path) -> None:
    write(tmp_path / "datasets/one", saved(ROWS))
    write(tmp_path / "datasets/two", splits(train=saved(ROWS), test=saved(ROWS)))
    good = b"questions:\n  - {id: a, input: b, must_contain_any: [c]}\n"
    write(tmp_path, {"datasets/a.yaml": good})
    outcome = check_workspaces(tmp_path, Options(strict=False))
    assert [(each.place.file, each.code) for each in outcome.diagnostics] == [
        (str(tmp_path / "datasets" / name), "workspace/unsupported-file") for name in ("one", "two")
    ]


def test_check_says_what_reads_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line("check", str(write(tmp_path / "d", saved(ROWS)))) == 2
    assert "evalcontract validate-dataset" in capsys.readouterr().err


def test_a_workspace_begins_with_a_folder(tmp_path: Path) -> None:
    folder = write(tmp_path / "d", saved(ROWS))
    assert command_line("init", str(tmp_path / "new"), "--from", str(folder)) == 0
    assert DISK.is_file(tmp_path / "new/datasets/d.yaml")
