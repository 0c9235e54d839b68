"""`DatasetLoader(dialect=…)`: rows of other systems, as they are, with their findings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from doors import Input, Kind, Options, UsageError, validate
from tables import every_case

from evalcontract import ContractViolation, DatasetLoader

if TYPE_CHECKING:
    from pathlib import Path

GOOD: dict[str, Any] = {"inputs": {"q": "When?"}, "expectations": {"expected_facts": ["today"]}}
MISSPELLED: dict[str, Any] = {
    "inputs": {"q": "Where?"},
    "expectatons": {"expected_facts": ["here"]},
}
REJECTED: dict[str, Any] = {"expectations": {"expected_facts": ["x"]}}


def write(folder: Path, name: str, rows: list[Any]) -> Path:
    path = folder / name
    lines = name.endswith("l")
    text = "".join(f"{json.dumps(row)}\n" for row in rows) if lines else json.dumps(rows)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["records.jsonl", "records.json"])
def test_rows_of_a_file(name: str, tmp_path: Path) -> None:
    rows = [GOOD, MISSPELLED, REJECTED]
    path = write(tmp_path, name, rows)
    loaded = DatasetLoader(dialect="mlflow:oss", strict=False).load(path)
    assert [row.value for row in loaded] == rows
    assert [row.rubric for row in loaded] == [None] * 3
    assert [[found.code for found in row.diagnostics] for row in loaded] == [
        [],
        ["mlflow/near-miss-key"],
        ["mlflow/missing-key"],
    ]
    told = validate(Kind.DATASET, [Input(path)], Options(dialect="mlflow:oss")).diagnostics
    assert [found._replace(cause=None) for found in loaded.diagnostics] == told
    assert [cover.rubric for cover in loaded.coverage] == ["mlflow:oss"] * 3
    assert loaded.coverage[2].fault == "`inputs` is missing"
    in_memory = DatasetLoader(dialect="mlflow", strict=False).load_rows(rows)
    assert [found.message for found in in_memory.diagnostics] == [found.message for found in told]
    assert in_memory.coverage == loaded.coverage


def test_strict_raises(tmp_path: Path) -> None:
    path = write(tmp_path, "records.jsonl", [GOOD, MISSPELLED])
    with pytest.raises(ContractViolation, match="mlflow/near-miss-key"):
        DatasetLoader(dialect="mlflow:oss", strict=True).load(path)


def test_what_the_system_does_not_load_raises(tmp_path: Path) -> None:
    loader = DatasetLoader(dialect="mlflow:oss", strict=False)
    path = tmp_path / "records.json"
    path.write_text('{"records": []}', encoding="utf-8")
    with pytest.raises(ContractViolation, match="mlflow/rejected"):
        loader.load(path)
    with pytest.raises(ContractViolation, match="source/unreadable"):
        loader.load(tmp_path / "nowhere.json")
    csv = tmp_path / "records.csv"
    csv.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(ContractViolation, match="mlflow/unread-medium"):
        loader.load(csv)


def test_rows_in_memory_may_be_what_only_python_reads() -> None:
    rows = [{"inputs": {"q": float("nan")}, "expectations": {"expected_facts": ["x"]}}]
    loaded = DatasetLoader(dialect="mlflow:oss", strict=False).load_rows(rows)
    assert len(loaded) == 1


def test_a_dialect_is_never_guessed(tmp_path: Path) -> None:
    """The keys of rows do not depend on their content."""
    path = write(tmp_path, "records.jsonl", [GOOD])
    with pytest.raises(ContractViolation) as caught:
        DatasetLoader(strict=False).load(path)
    assert [finding.code for finding in caught.value.diagnostics] == ["dataset/other-tool"]


@every_case(
    ("dialect", "part"),
    [("mlflo", "did you mean `mlflow`?"), ("mlflow:x", "mlflow:oss"), ("", "northstar")],
)
def test_there_is_no_such_dialect(dialect: str, part: str) -> None:
    with pytest.raises(UsageError) as caught:
        DatasetLoader(dialect=dialect)
    assert part in str(caught.value)


def test_a_system_that_reads_whole_files(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Evret reads whole files"):
        DatasetLoader(dialect="evret").load_rows([{}])
    table = tmp_path / "queries.csv"
    table.write_text("query_text,expected_answer\nWho?,me\n", encoding="utf-8")
    assert len(DatasetLoader(dialect="evret:0.0.3", strict=False).load(table)) == 1
