"""The examples of docs/python.md and docs/runner.py run on the workspace of the README."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
import yaml
from writing import write

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
NAMED = re.compile(r"^`(evals/\S+)`:\n\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)
VALIDATED = re.compile(r"(?<=validated_at: )[0-9-]{10}")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    day = str(datetime.now(tz=UTC).date() - timedelta(days=3))
    write(tmp_path, {name: VALIDATED.sub(day, text) for name, text in NAMED.findall(README)})
    return tmp_path


def run(folder: Path, *arguments: str, status: int | None = 0) -> list[str]:
    call = [sys.executable, "-W", "error", *arguments]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0 or status is None, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
def test_the_page(workspace: Path) -> None:
    parts = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert len(parts) == 12
    printed = run(workspace, "-c", "".join(parts))
    assert printed[:2] == ["0 return_period True ()", "1 order_status True ()"]
    assert "'expectatons'" in "".join(printed)
    assert "weighted_avg 0.8 A customer asked: {{ input }}" in printed
    assert "no_insults must_not_contain {'values': ['stupid', 'idiot'], " in "".join(printed)
    assert "The assistant said: You can return it within 30 days." in printed
    assert printed[-1] == "2"
    graded = printed.index("return_period undecided no model is configured")
    assert printed[graded - 2] == "undecided None Bounds(low=0.75, high=1.0)"
    assert printed[graded + 1].startswith("order_status failed ")
    assert printed[graded + 2].startswith("2 1 Bounds(low=0.375, high=0.5) (")
    assert "'no model is configured'): 1" in printed[graded + 3]
    measured = "Calibration('judge/accuracy@1.0.0', tpr=0.5, tnr=1, kappa=0.5) Agreement(tp=1, fn=1"
    assert printed[graded + 4].startswith(measured)
    assert "'tpr': 0.5" in printed[graded + 6]


COMBINATIONS = {
    "as it is": "combine: weighted_avg",
    "the rest fails": "combine: all_pass",
    "one is enough": "combine: any_pass",
}


@pytest.mark.slow
@pytest.mark.parametrize("combine", COMBINATIONS.values(), ids=COMBINATIONS)
def test_the_runner_agrees_with_grade(workspace: Path, combine: str) -> None:
    """Nothing asks the judge, which decides some rows and others not."""
    rubric = workspace / "evals" / "rubrics" / "answers.yaml"
    text = rubric.read_text(encoding="utf-8")
    more = (
        "  - {id: period, kind: regex, pattern: '[0-9]+ DAYS', flags: [i]}\n"
        "  - {id: asked, kind: must_contain_any, values: [You asked], case_sensitive: true}\n"
        "scoring:"
    )
    text = text.replace("scoring:", more).replace("combine: weighted_avg", combine)
    rubric.write_text(text, encoding="utf-8")
    dataset = "evals/datasets/support.yaml"
    rows_ = (workspace / dataset).read_text(encoding="utf-8")
    rows_ = re.sub(r"(rubric_ref: \S+?)@[0-9.]+", r"\1", rows_, count=1)  # a row with a warning
    (workspace / dataset).write_text(rows_, encoding="utf-8")
    rmtree(workspace / "evals" / "targets", ignore_errors=True)  # where warnings are errors
    questions = yaml.safe_load(rows_)["questions"]
    assert "@" not in questions[0]["rubric_ref"]
    records = [{"id": row["id"], "output": model(row["input"])} for row in questions]
    lines = "".join(f"{json.dumps(record)}\n" for record in records)
    (workspace / "outputs.jsonl").write_text(lines, encoding="utf-8")
    called = run(workspace, str(ROOT / "docs" / "runner.py"), "evals", dataset, status=None)
    graded = run(
        workspace,
        *("-m", "evalcontract", "grade", dataset, "--outputs", "outputs.jsonl", "--limit", "0"),
        *("--output-format", "json"),
        status=None,
    )
    told = json.loads("".join(graded))
    rows = told["rows"]
    assert called[: len(rows)] == [f"{row['id']}: {shown(row)}" for row in rows]
    causes = told["summary"]["unmeasured"]
    assert called[len(rows) :] == [
        f"{cause['number']} of {cause['of']} {cause['kind']} {cause['outcome']}: {cause['reason']}"
        for cause in causes
    ]
    assert causes[0]["reason"] == "no model is configured"


def shown(row: dict[str, Any]) -> str:
    if "bounds" in row:
        return f"{row['outcome']} {row['bounds'][0]:.2f} to {row['bounds'][1]:.2f}"
    return f"{row['outcome']} {row['score']:.2f}"


def model(question: str) -> str:
    return f"You asked: {question} Within 30 days."


def test_the_runner_uses_the_public_api_alone() -> None:
    text = (ROOT / "docs" / "runner.py").read_text(encoding="utf-8")
    modules = re.findall(r"^(?:from|import) (\S+)", text, re.MULTILINE)
    ours = [module for module in modules if module.startswith("evalcontract")]
    assert ours == ["evalcontract"]
    assert len(text.splitlines()) <= 70
