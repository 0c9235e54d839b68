"""A cluster with two executors, one of which is killed, says what one machine says, row for row."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from fixture_rows import expected
from needs import SPARK, missing
from pyarrow import parquet

import evalcontract
from evalcontract.api.batch_runs import STATES
from evalcontract.checks.coverage import CoverageTally, count_states
from evalcontract.grading.printed import row_lines
from evalcontract.grading.summary import Summary

pytestmark = pytest.mark.thorough
ROOT = Path(__file__).parents[2]
RUBRIC = """\
id: polite
version: "1.0.0"
checks:
  - {id: no_insults, kind: must_not_contain, values: [stupid]}
  - {id: facts, kind: fact_match}
scoring: {combine: weighted_avg, threshold: 0.6}
"""
COUNT = 3000
REFERENCES = (None, "rubric/polite@1.0.0", "rubric/no@1.0.0")


def row(number: int) -> dict[str, Any]:
    return {
        "id": f"q{number}",
        "input": None if number % 100 == 7 else "x",
        "rubric_ref": REFERENCES[number % 3],
        "expected_facts": [f"fact {number % 7}", "y"] if number % 5 else None,
        "expecteed": "x" if number % 50 == 3 else None,
        "score": 1.5,
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "polite.yaml").write_text(RUBRIC, encoding="utf-8")
    for name in ("rows", "outputs", "broken"):
        (tmp_path / name).mkdir()
    for part in range(4):
        numbers = range(part * COUNT // 4, (part + 1) * COUNT // 4)
        rows = [*map(row, numbers)]
        parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "rows" / f"{part}.parquet")
        shutil.copy(tmp_path / "rows" / f"{part}.parquet", tmp_path / "broken")
        outputs = [
            {"id": f"q{n}", "output": f"fact {n % 4}{' stupid' if n % 6 == 0 else ''}"}
            for n in numbers if n % 8
        ]  # fmt: skip
        parquet.write_table(pa.Table.from_pylist(outputs), tmp_path / "outputs" / f"{part}.parquet")
    file = tmp_path / "broken" / "2.parquet"
    file.write_bytes(file.read_bytes()[:4] + b"\xff" * 200 + file.read_bytes()[204:])
    return tmp_path


def of_cluster(folder: Path) -> dict[str, Any]:
    peers = os.environ.get("EVALCONTRACT_PEERS")
    python = Path(peers).parents[1] / "spark/bin/python" if peers else None
    if python is None or not python.exists() or not shutil.which("java"):
        missing(SPARK)
    environment = {
        **os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_HOSTNAME": "localhost",
        "PYSPARK_PYTHON": str(python), "PYTHONPATH": str(ROOT / "src"),
    }  # fmt: skip
    call = [str(python), str(Path(__file__).with_name("cluster.py")), str(folder)]
    with (folder / "log").open("w") as log:
        done = subprocess.run(
            call, env=environment, cwd=folder, stdout=subprocess.PIPE, stderr=log, text=True,
            check=False, start_new_session=True, timeout=1500,
        )  # fmt: skip
    assert done.returncode == 0, (folder / "log").read_text(encoding="utf-8")[-4000:]
    answer = json.loads(done.stdout.splitlines()[-1])
    answer["printed"] = done.stdout.splitlines()[:-1]
    return answer  # type: ignore[no-any-return]


def test_a_cluster_says_what_one_machine_says(folder: Path) -> None:
    rows = parquet.read_table(folder / "rows")
    outputs = parquet.read_table(folder / "outputs")
    found = of_cluster(folder)
    assert (found["executors"], found["killed"]) == (2, 1)

    whole, _ = expected(rows, folder)
    findings = sorted(([*each] for each in whole.elements()), key=repr)
    assert found["findings"] == findings
    assert found["rows written"] == len(findings)
    assert found["status"] == 1
    assert found["streamed"] == [each for each in findings if each[0] is not None]

    covered = evalcontract.coverage(rows, workspace=folder).rows
    tally = CoverageTally(keep_all=False)
    lines = []
    for each in covered:
        tally.count(each)
        states = {str(state): count for state, count in count_states(each.cells).items()}
        lines.append([each.row, each.rubric, each.fault, *(states.get(x, 0) for x in STATES)])
    assert found["coverage"] == sorted(lines)
    assert found["percent"] == tally.of("rows").totals.percent

    graded = [*evalcontract.grade(rows, outputs, workspace=folder)]
    assert found["results"] == sorted(row_lines(graded))
    assert found["mean"] == Summary.of(graded).rows.mean

    assert found["broken"] == 1
    text = "\n".join(found["printed"])
    assert "error[source/unreadable]: 1 finding: " in text
    assert "broken/2.parquet: it is not checked, since Spark fails on it: " in text
    assert f"{COUNT * 3 // 4:,} rows checked: " in text
