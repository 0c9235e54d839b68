"""The completion scripts, in real shells: what Tab makes of a line."""

from __future__ import annotations

import subprocess
from itertools import product
from typing import TYPE_CHECKING

import pytest
from examples import some
from shells import Machine, require
from tables import every_case

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

FILES = ("a.yaml", "b.txt", "c.parquet", "my file.yaml", "other.jsonl", "results.sarif")
FOLDERS = ("datasets", "my data")

#: What is typed, and the line after Tab, in bash and zsh.
LINES = {
    "evalcontract ch": "evalcontract check ",
    "evalcontract explain reg": "evalcontract explain regex ",
    "evalcontract check --exit": "evalcontract check --exit-zero ",
    "validate-dataset --ver": "validate-dataset --ver",
    "validate-dataset --dialect mlf": "validate-dataset --dialect mlflow:",
    "validate-dataset --dialect mlflow:o": "validate-dataset --dialect mlflow:oss ",
    "validate-dataset --dialect=mlflow:o": "validate-dataset --dialect=mlflow:oss ",
    "evalcontract check --select datas": "evalcontract check --select dataset/",
    "evalcontract check --ignore=rubric/cycle,reference/d": (
        "evalcontract check --ignore=rubric/cycle,reference/dangling "
    ),
    "evalcontract check --output-format=ju": "evalcontract check --output-format=junit ",
    "evalcontract check -o sar": "evalcontract check -o sarif:",
    "evalcontract check -o sarif:res": "evalcontract check -o sarif:results.sarif ",
    "evalcontract schema sh": "evalcontract schema show ",
    "evalcontract schema show ru": "evalcontract schema show rubric ",
    "evalcontract completion z": "evalcontract completion zsh ",
    "evalcontract check dat": "evalcontract check datasets/",
    "validate-dataset my\\ f": "validate-dataset my\\ file.yaml ",
    "validate-dataset ~/work/a": "validate-dataset ~/work/a.yaml ",
    "validate-dataset b": "validate-dataset b",  # it reads no text files
    "validate-rubric o": "validate-rubric o",  # nor rubrics that are JSONL
    "evalcontract no-such-command ": "evalcontract no-such-command ",
    "cd /; evalcontract expl": "cd /; evalcontract explain ",
}
#: `--ver` begins two options of the commands that check.
LINES["validate-dataset --ver"] = "validate-dataset --ver"

OFFERED = {
    "evalcontract aev": ["aevd", "aevr", "aevj", "aevt"],
    "evalcontract check --ou": ["--output-format", "--output"],
    "validate-dataset --dialect=mlflow:o": ["--dialect=mlflow:oss"],
    "evalcontract check --select rubric/un": None,
    "evalcontract check -o sar": ["sarif:"],
    "evalcontract check -o sarif:re": ["sarif:results.sarif"],
    "evalcontract schema show ru": ["rubric"],
    "validate-dataset ": [
        "a.yaml", "c.parquet", "datasets/", "my data/", "my file.yaml", "other.jsonl",
    ],
    "validate-rubric ": ["a.yaml", "datasets/", "my data/", "my file.yaml"],
    "evalcontract grade a.yaml --outputs ": [
        "c.parquet", "datasets/", "my data/", "other.jsonl",
    ],
    "evalcontract no-such-command ": [],
}  # fmt: skip


def machine(shell: str, home: Path) -> Machine:
    made = Machine(shell, home)
    for name in FILES:
        (made.folder / name).touch()
    for name in FOLDERS:
        (made.folder / name).mkdir()
    return made


@every_case(("line", "shell"), some(product(LINES, ["bash", "zsh"]), times=4))
def test_tab(shell: str, line: str, tmp_path: Path) -> None:
    assert machine(shell, tmp_path).completed(line) == LINES[line]


@every_case(("line", "wanted"), OFFERED.items())
def test_fish(line: str, wanted: list[str] | None, tmp_path: Path) -> None:
    offered = machine("fish", tmp_path).offered(line)
    if wanted is None:
        assert {"rubric/unknown-weight", "rubric/unnamed-check"} < set(offered)
        assert all(each.startswith("rubric/un") for each in offered)
    else:
        assert offered == wanted


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_valid(shell: str, tmp_path: Path) -> None:
    require(shell)
    made = Machine(shell, tmp_path)
    option = "--no-execute" if shell == "fish" else "-n"
    done = subprocess.run([shell, option, made.script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
