"""The verdicts are those of the real MLflow, and what is kept in tags outlives its store."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from mlflow_files import Dice

from evalcontract.engine.options import Input, Options
from evalcontract.engine.pipeline import validate
from evalcontract.formats._codes import is_rejection
from evalcontract.formats.mlflow import MLFLOW
from evalcontract.model.reference import Kind
from evalcontract.model.same import same
from evalcontract.source.document import Document
from evalcontract.source.foreign import Foreign
from evalcontract.source.json_scanner import scan

SCRIPT = Path(__file__).with_name("real.py")
THROWS = {"oss": 400, "evaluate": 150}


@pytest.fixture(scope="module")
def python() -> str:
    """Return the interpreter that has MLflow."""
    found = os.environ.get("EVALCONTRACT_PEERS")
    if not found:
        reason = "EVALCONTRACT_PEERS names no interpreter that has MLflow"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return found


def asked(python: str, mode: str, files: list[Any], folder: Path) -> list[dict[str, Any]]:
    """Put files to the real MLflow, and return its answers."""
    paths = [folder / f"{mode}-{number}.json" for number in range(len(files))]
    for path, records in zip(paths, files, strict=True):
        path.write_text(json.dumps(records), encoding="utf-8")
    command = [python, str(SCRIPT), mode, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, check=False, cwd=folder, text=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["file"] for each in answers] == list(map(str, paths)), done.stderr[-2000:]
    return answers


def findings(path: Path, variant: str) -> list[str]:
    """Return at what the loader would stop in a file."""
    options = Options(root=path.parent, strict=False, dialect=f"mlflow:{variant}")
    found = validate(Kind.DATASET, [Input(path)], options).diagnostics
    return [f"{each.code} {each.pointer}" for each in found if is_rejection(each.code)]


@pytest.mark.slow
@pytest.mark.parametrize("variant", THROWS)
def test_verdicts_are_the_real_ones(variant: str, python: str, tmp_path: Path) -> None:
    throws = [Dice(seed) for seed in range(THROWS[variant])]
    files = [each.records() if variant == "oss" else each.rows() for each in throws]
    differ = []
    accepted = 0
    for records, answer in zip(files, asked(python, variant, files, tmp_path), strict=True):
        found = findings(Path(answer["file"]), variant)
        accepted += answer["accepted"]
        if answer["accepted"] is bool(found):
            differ.append((records, answer["message"], found))
    assert differ == []
    assert len(files) * 0.25 < accepted < len(files) * 0.9


@pytest.mark.slow
def test_rows_of_ours_come_back_from_the_store(python: str, tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"id": "depth", "input": "How deep?", "criteria": "Names the tide.", "tags": ["tides"]},
        {
            "id": "berth",
            "input": "May I stay?",
            "expected_facts": ["one night"],
            "must_not_contain": ["always"],
            "metadata": {"owner": "port", "n": [1, 1.0, None, True]},
            "rubric_ref": "rubric/harbour@1.0.0",
        },
        {
            "id": "chart",
            "input": "Which chart?",
            "expected_tools": ["read_chart", {"name": "zoom", "arguments": {"to": 2}}],
            "expected_documents": [{"id": "s3://port/charts.md", "content": "9 m"}],
            "recorded_output": "The chart of Wick.",
            "bundle": "rag",
            "context": {"port": "Wick", "passages": ["It dries."]},
        },
        {"id": "odd", "input": '{"a": 1}', "expected": {"format": "json"}, "mine": {"\ud800": {}}},
    ]
    read = Foreign("json", Document("records.json", [], "[]", b"[]", lambda: scan("[]")))
    writer, reader = MLFLOW.writer("json", "oss"), MLFLOW.reader(read, "oss")
    written = [writer.write(row, None, index) for index, row in enumerate(rows)]
    assert [each.problems for each in written] == [()] * len(rows)
    (answer,) = asked(python, "oss", [[each.row for each in written]], tmp_path)
    assert answer["accepted"], answer["message"]
    back = {}
    for index, record in enumerate(answer["stored"]):
        assert record["tags"]["mlflow.user"]
        row = reader.read(record, index).row
        metadata = {key: part for key, part in row["metadata"].items() if key != "mlflow"}
        bare = {key: part for key, part in row.items() if key != "metadata"}
        back[row["id"]] = {**bare, **({"metadata": metadata} if metadata else {})}
    for row in rows:
        assert same(back[row["id"]], row), row["id"]
