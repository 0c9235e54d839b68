"""`validate`, `coverage` and `grade` say of tables in memory what the commands say of JSONL."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from doors import UsageError
from examples import a_few
from fixture_rows import datasets, table
from tables import every_case

import evalcontract
from evalcontract import Workspace
from evalcontract.checking.pipeline import validate as validate_files
from evalcontract.covering import coverage as cover_files
from evalcontract.datasets.opening import Input, Options
from evalcontract.grading.grade import Grading
from evalcontract.model.reference import Kind
from evalcontract.source.tables.columnar import rows_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

if "CI" not in os.environ:
    pytest.importorskip("pandas", reason="pandas is not installed")
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
import pandas as pd
import pyarrow as pa


def frame(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Return rows as a data frame; of a key that a row lacks, the cell is NaN."""
    return pd.DataFrame(rows, dtype=object)


class OnlyStream:
    """Something that has the stream of Arrow, and nothing else."""

    def __init__(self, rows: pa.Table) -> None:
        self._rows = rows

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._rows.__arrow_c_stream__(requested_schema)


#: Tables that hold any values, and those whose columns have one type each.
LOOSE: dict[str, Callable[[list[Any]], Any]] = {"mappings": iter, "pandas": frame}
STRICT: dict[str, Callable[[list[Any]], Any]] = {
    "batch": lambda rows: table(rows).combine_chunks().to_batches()[0],
    "pyarrow": table,
    "reader": lambda rows: table(rows).to_reader(2),
    "stream": lambda rows: OnlyStream(table(rows)),
    "pandas of Arrow": lambda rows: table(rows).to_pandas(types_mapper=pd.ArrowDtype),
}
try:
    import polars as pl
except ImportError:
    assert "CI" not in os.environ, "Polars is not installed"
else:
    STRICT["Polars"] = lambda rows: pl.DataFrame(rows, infer_schema_length=None)


def facts(found: Any, first: int | None = None) -> list[tuple[Any, ...]]:
    """Return what findings say of rows; nulls of tables are no keys, so there is no order."""
    return sorted(
        (each.code, str(each.severity), each.message, each.help or "", str(each.path),
         each.row or "", each.row_index if each.row_index is not None else -1)
        for each in found
        if first is None or each.row_index is not None
    )  # fmt: skip


def differing(found: Any, expected: Any) -> list[Any]:
    mine, others = facts(found), facts(expected)
    return [[each for each in mine if each not in others], [x for x in others if x not in mine]]


def of_lines(folder: Path, rows: list[dict[str, Any]]) -> Any:
    file = folder / "datasets" / "as_lines.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    options = Options(folder, dialect="evalcontract", is_joined=False)
    try:
        return validate_files(Kind.DATASET, [Input(file)], options)
    finally:
        file.unlink()


@pytest.mark.costly
def test_rows_in_memory_have_the_findings_of_the_same_rows_in_lines(tmp_path: Path) -> None:
    failures: list[Any] = []
    count = typed = 0
    for name, folder, rows in datasets(tmp_path):
        try:
            expected = of_lines(folder, rows)
        except evalcontract.ConfigurationError:
            continue
        count += 1
        makers = dict(LOOSE)
        try:
            is_same = (
                table(rows).num_rows == len(rows)
                and [row for batch in rows_in(table(rows)) for row in batch] == rows
            )
        except (pa.ArrowException, TypeError, OverflowError, AttributeError):
            is_same = False
        if is_same:
            typed += 1
            makers |= STRICT
        workspace, covered = Workspace(folder), covered_by_lines(folder, rows)
        kinds = [*makers.items()]
        for kind, make in a_few(kinds[count % len(kinds) :] + kinds[: count % len(kinds)], 2):
            found = evalcontract.validate(make(rows), workspace=workspace)
            if facts(found.diagnostics) != facts(expected.diagnostics):
                failures.append((kind, name, differing(found.diagnostics, expected.diagnostics)))
            if found.row_count != expected.rows:
                failures.append((kind, name, found.row_count, expected.rows))
            if kind != "mappings" and (told := covering_differs(workspace, make(rows), covered)):
                failures.append((kind, name, *told))
    assert not failures, "\n".join(map(str, failures))
    assert count >= typed >= 45, (count, typed)


def covered_by_lines(folder: Path, rows: list[Any]) -> Any:
    file = folder / "datasets" / "as_lines.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    options = Options(folder, dialect="evalcontract")
    try:
        return cover_files([Input(file)], options, all_rows=True)
    finally:
        file.unlink()


def covering_differs(workspace: Workspace, given: Any, of_file: Any) -> tuple[Any, ...] | None:
    """Return the coverage of a table and of the same rows in a file, if these differ."""
    found = evalcontract.coverage(given, workspace=workspace)
    expected = [row for each in of_file.files for row, _ in each.rows]
    is_same = [*found.rows] == expected and facts(found.diagnostics) == facts(of_file.diagnostics)
    return None if is_same else (found, expected)


RUBRIC = """\
id: polite
version: "1.0.0"
checks:
  - {id: no_insults, kind: must_not_contain, values: [stupid]}
scoring: {combine: all_pass}
"""
ROWS: list[dict[str, Any]] = [
    {"id": "a", "input": "x", "rubric_ref": "rubric/polite@1.0.0"},
    {"id": "b", "input": "x", "expected_facts": ["y"]},
    {"id": "c", "input": "x", "expected": {"reference": "z"}, "rubric_ref": "rubric/polit@1.0.0"},
]
OUTPUTS: list[dict[str, Any]] = [
    {"id": "a", "output": "fine"}, {"id": "b", "output": "y"}, {"id": "d", "output": "stupid"}
]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "polite.yaml").write_text(RUBRIC, encoding="utf-8")
    return tmp_path


@pytest.mark.costly
@every_case("make", [*LOOSE.values(), *STRICT.values()])
def test_rows_in_memory_have_the_results_of_the_same_rows_in_lines(
    make: Callable[[list[Any]], Any], tmp_path: Path
) -> None:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "polite.yaml").write_text(RUBRIC, encoding="utf-8")
    files = []
    for name, rows in (("rows", ROWS), ("outputs", OUTPUTS)):
        files.append(tmp_path / f"{name}.jsonl")
        lines = "".join(f"{json.dumps(row)}\n" for row in rows)
        files[-1].write_text(lines, encoding="utf-8")
    expected = Grading(Input(files[0]), Input(files[1]), Options(tmp_path))
    found = evalcontract.grade(make(ROWS), make(OUTPUTS), workspace=tmp_path)
    assert [*found] == [*expected.results()]
    assert facts(found.diagnostics) == facts(expected.diagnostics)
    assert {each.place.file for each in found.diagnostics} == {
        "rows[2]", "outputs", "outputs[2]"
    }  # fmt: skip


def test_outputs_may_be_texts_by_id(folder: Path) -> None:
    graded = evalcontract.grade(frame(ROWS[:1]), {"a": "stupid"}, workspace=folder)
    assert [(each.id, str(each.outcome)) for each in graded] == [("a", "failed")]


def test_a_null_is_a_value_if_the_caller_says_so(folder: Path) -> None:
    rows = table([{"id": "a", "input": "x", "expected_facts": ["y"], "criteria": None}])
    assert evalcontract.validate(rows, workspace=folder).ok
    for given in (rows, rows.to_pandas(types_mapper=pd.ArrowDtype)):
        kept = evalcontract.validate(given, workspace=folder, nulls="kept")
        assert [str(each.path) for each in kept.diagnostics] == ["(0, 'criteria')"]


def test_places_are_rows_and_paths(folder: Path) -> None:
    (found, *_) = evalcontract.validate(frame(ROWS), workspace=folder, name="golden").diagnostics
    assert (found.place.file, found.path) == ("golden[2]", (2, "rubric_ref"))


def test_rows_of_other_systems(folder: Path) -> None:
    rows = table([{"inputs": {"q": "x"}, "expectations": {"expectd_facts": ["y"]}}] * 3)
    found = evalcontract.validate(rows, workspace=folder, dialect="mlflow:oss").diagnostics
    assert {each.code for each in found} == {"mlflow/near-miss-key", "mlflow/equal-inputs"}


def test_rows_are_read_batch_by_batch(folder: Path) -> None:
    read = []

    def batches() -> Iterator[pa.RecordBatch]:
        for number in range(20):
            read.append(number)
            yield pa.record_batch({"id": [f"q{number}"], "input": ["x"], "criteria": ["y"]})

    schema = pa.schema([(name, pa.string()) for name in ("id", "input", "criteria")])
    reader = pa.RecordBatchReader.from_batches(schema, batches())
    assert evalcontract.validate(reader, workspace=folder).row_count == len(read) == 20


@every_case("given", ["rows.jsonl", b"", Path("rows"), {"id": "a"}, 7, None])
def test_what_has_no_rows_is_refused(given: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="rows must be an iterable of mappings"):
        evalcontract.validate(given, workspace=tmp_path)


def test_a_frame_that_is_not_computed_is_refused(tmp_path: Path) -> None:
    class Lazy:
        def collect(self) -> None:
            """Compute the frame."""

    with pytest.raises(UsageError, match="call its `collect` first"):
        evalcontract.validate(Lazy(), workspace=tmp_path)  # type: ignore[arg-type]


def test_a_number_that_json_lacks_is_a_fault_of_its_row(folder: Path) -> None:
    rows = pa.table({"id": ["a", "b", "c"], "input": ["x"] * 3, "expected_facts": [["y"]] * 3,
                     "metadata": [{"n": 1.0}, {"n": float("nan")}, {"n": 2.0}]})  # fmt: skip
    found = evalcontract.validate(rows, workspace=folder)
    assert [each.message for each in found.diagnostics] == [
        "row 1 cannot be read: `$.metadata.n` is NaN, which JSON cannot represent; use None"
    ]
    assert found.row_count == 2
