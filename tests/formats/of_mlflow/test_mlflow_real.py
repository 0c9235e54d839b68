"""The verdicts are those of the real MLflow, and what is kept in tags outlives its store."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from examples import tries
from mlflow_files import Dice
from needs import PEERS, missing

from evalcontract.checking.pipeline import validate
from evalcontract.datasets.opening import Input, Options
from evalcontract.formats.mlflow import Mlflow
from evalcontract.model.reference import Kind
from evalcontract.model.values import json_equal
from evalcontract.source.document import Document
from evalcontract.source.external import ExternalFile
from evalcontract.source.json import scan
from evalcontract.workspace.catalogue import is_rejection

if TYPE_CHECKING:
    from collections.abc import Iterator

SCRIPT = Path(__file__).with_name("real.py")
THROWS = {"oss": 400, "evaluate": 150}


@pytest.fixture(scope="module")
def mlflow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[subprocess.Popen[str]]:
    """Start MLflow in the environment that has it; it is slow to start, and answers many times."""
    found = os.environ.get("EVALCONTRACT_PEERS")
    if not found:
        missing(PEERS)
    folder = tmp_path_factory.mktemp("mlflow")
    with (
        (folder / "errors").open("w") as errors,
        subprocess.Popen(
            [found, str(SCRIPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=folder,
            text=True,
        ) as process,
    ):
        yield process


def asked(
    mlflow: subprocess.Popen[str], mode: str, files: list[Any], folder: Path
) -> list[dict[str, Any]]:
    """Put files to the real MLflow, and return its answers."""
    assert mlflow.stdin is not None
    assert mlflow.stdout is not None
    answers = []
    for number, records in enumerate(files):
        path = folder / f"{mode}-{number}.json"
        path.write_text(json.dumps(records), encoding="utf-8")
        print(json.dumps([mode, str(path)]), file=mlflow.stdin, flush=True)
        answer = json.loads(mlflow.stdout.readline())
        assert answer["file"] == str(path)
        answers.append(answer)
    return answers


def findings(path: Path, variant: str) -> list[str]:
    """Return at what the loader would stop in a file."""
    options = Options(root=path.parent, strict=False, dialect=f"mlflow:{variant}")
    found = validate(Kind.DATASET, [Input(path)], options).diagnostics
    return [f"{each.code} {each.pointer}" for each in found if is_rejection(each.code)]


@pytest.mark.slow
@pytest.mark.parametrize("variant", THROWS)
def test_verdicts_are_the_real_ones(
    variant: str, mlflow: subprocess.Popen[str], tmp_path: Path
) -> None:
    throws = [Dice(seed) for seed in range(tries(THROWS[variant]))]
    files = [each.records() if variant == "oss" else each.rows() for each in throws]
    differ = []
    accepted = 0
    for records, answer in zip(files, asked(mlflow, variant, files, tmp_path), strict=True):
        found = findings(Path(answer["file"]), variant)
        accepted += answer["accepted"]
        if answer["accepted"] is bool(found):
            differ.append((records, answer["message"], found))
    assert differ == []
    assert len(files) * 0.25 < accepted < len(files) * 0.9


@pytest.mark.slow
def test_rows_of_ours_come_back_from_the_store(
    mlflow: subprocess.Popen[str], tmp_path: Path
) -> None:
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
    read = ExternalFile("json", Document("records.json", [], "[]", b"[]", lambda: scan("[]")))
    writer, reader = Mlflow("oss").writer("json"), Mlflow("oss").reader(read)
    written = [writer.write(row, None, index) for index, row in enumerate(rows)]
    assert [each.problems for each in written] == [()] * len(rows)
    (answer,) = asked(mlflow, "oss", [[each.row for each in written]], tmp_path)
    assert answer["accepted"], answer["message"]
    back = {}
    for index, record in enumerate(answer["stored"]):
        assert record["tags"]["mlflow.user"]
        row = reader.read(record, index).row
        metadata = {key: part for key, part in row["metadata"].items() if key != "mlflow"}
        bare = {key: part for key, part in row.items() if key != "metadata"}
        back[row["id"]] = {**bare, **({"metadata": metadata} if metadata else {})}
    for row in rows:
        assert json_equal(back[row["id"]], row), row["id"]
