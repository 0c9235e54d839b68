"""The examples of docs/spark.md run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from needs import ENGINES, missing
from pyarrow import parquet

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]
ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "spark.md").read_text(encoding="utf-8")


def blocks(title: str) -> list[str]:
    """Return the code below a title."""
    section = PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    return re.findall(r"```python\n(.*?)```", section, re.DOTALL)


def test_the_example_of_spark(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(ROOT / "fixtures" / "workspaces" / "well_formed", tmp_path / "evals")
    monkeypatch.chdir(tmp_path)
    for code in blocks("Spark"):
        exec(code, {"spark": spark})  # noqa: S102 - the page
    printed = capsys.readouterr().out
    assert "dataset/duplicate-id" in printed
    assert "$.expecteed_facts" in printed
    assert "100.0\n" in printed
    assert "[Row(id='late', outcome='passed', score=1.0)] Estimate(" in printed


def engines() -> list[tuple[str, str]]:
    """Return the code of each engine besides Spark, by its name."""
    return [(re.findall(r"import (dask|duckdb|polars|ray)", code)[0], code)
            for code in blocks("Ray, Dask, Polars and DuckDB")]  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "code"), engines(), ids=[name for name, _ in engines()])
def test_the_examples_of_other_engines(name: str, code: str, tmp_path: Path) -> None:
    peers = os.environ.get("EVALCONTRACT_PEERS")
    python = Path(peers).parents[1] / "engines/bin/python" if peers else None
    if python is None or not python.exists():
        missing(ENGINES)
    shutil.copytree(ROOT / "fixtures" / "workspaces" / "well_formed", tmp_path / "evals")
    rows = {"id": ["a", "b", "a"], "input": ["x", None, "x"], "expected_facts": [["y"]] * 3}
    parquet.write_table(pa.table(rows), tmp_path / "rows.parquet")
    call = [str(python), "-c", f"if __name__ == '__main__':\n    exec({code!r}, globals())"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        call, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
        timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = [("b", "dataset/missing-key")]
    told += [("a", "dataset/duplicate-id")] if name in ("polars", "duckdb") else []
    assert done.stdout.splitlines()[-1] == str(told)


def test_every_engine_has_an_example() -> None:
    assert [name for name, _ in engines()] == ["ray", "dask", "polars", "duckdb"]
