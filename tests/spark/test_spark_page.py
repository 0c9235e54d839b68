"""The examples of docs/spark.md run."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

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
