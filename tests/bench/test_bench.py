"""The benchmark runs, and what it measures on is sound; how long anything takes is not asserted."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "bench"))

from samples import rows, write_workspace  # noqa: E402 - the benchmark is no package


def test_both_forms_hold_the_same_rows(tmp_path: Path) -> None:
    """The YAML and the JSONL are of one content, and of the size that is claimed."""
    files = write_workspace(tmp_path, yaml_rows=50, jsonl_rows=50)
    lines = files["lines"].read_text(encoding="utf-8").splitlines()
    whole = yaml.safe_load(files["large"].read_text(encoding="utf-8"))
    assert whole == {"questions": [json.loads(line) for line in lines]}
    assert whole["questions"] == list(rows(50))
    assert 600 <= sum(map(len, lines)) / len(lines) <= 700
    assert len(files["small"].read_text(encoding="utf-8").splitlines()) in range(35, 46)


@pytest.mark.slow
def test_quick_benchmark_runs() -> None:
    """Without the peer, which is no dependency of the tests."""
    command = [sys.executable, "bench/run.py", "--quick", "--no-peer"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    table = [line for line in done.stdout.splitlines() if line.startswith("|")]
    assert len(table) == 2 + 3
    assert all(line.count("|") == table[0].count("|") for line in table)
