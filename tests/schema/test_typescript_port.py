"""The conformance fixtures in another language: the port in TypeScript agrees on all of them.

Needs Node.js and `npm ci --ignore-scripts` in `ports/typescript`. Without them the tests are
skipped, but where `CI` is set their lack is a failure.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from needs import TYPESCRIPT, missing
from tables import every_case

ROOT = Path(__file__).parents[2]
PORT = ROOT / "ports" / "typescript"
MOST_LINES = 300


@pytest.fixture(scope="module")
def node() -> str:
    """Return Node.js, once the port is compiled."""
    program, compiler = shutil.which("node"), PORT / "node_modules" / "typescript" / "bin" / "tsc"
    if program is None or not compiler.is_file():
        missing(TYPESCRIPT)
    done = subprocess.run(
        [program, compiler], cwd=PORT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")
    return program


def run(node: str, *arguments: Path) -> subprocess.CompletedProcess[str]:
    """Run the port."""
    command = [node, str(PORT / "dist" / "conformance.js"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_port_agrees(node: str, cases: list[dict[str, Any]]) -> None:
    done = run(node, ROOT / "schema", ROOT / "fixtures")
    *_, last = done.stdout.splitlines()
    workspaces = len([*(ROOT / "fixtures" / "workspaces").glob("*/expected.json")]) - 1
    said = f"{len(cases)} documents, {workspaces} workspaces: 0 differences"
    assert (done.returncode, last, done.stderr) == (0, said, "")
    assert "configured: not run: it has an evalcontract.toml" in done.stdout
    assert "not checked: bundle/invalid-schema, " in done.stdout


@pytest.mark.thorough
@every_case(
    ("file", "old", "new", "said"),
    [
        ("schema/rubric/regex.json", '"valid": true', '"valid": false', "it is valid here"),
        ("schema/rubric/regex.json", '"property": "pattern"', '"property": "x"', '"required"'),
        ("workspaces/cycles/expected.json", "rubric/cycle", "rubric/none", "too many"),
        ("workspaces/cycles/rubrics/hand.yaml", "rubric/other_hand", "rubric/paper", "not found"),
        ("workspaces/two_part_versions/rubrics/brief.yaml", '"1.0"', '"1.1"', "dangling: too many"),
    ],
)
def test_a_difference_is_told(
    node: str, tmp_path: Path, file: str, old: str, new: str, said: str
) -> None:
    shutil.copytree(ROOT / "fixtures", tmp_path / "fixtures")
    path = tmp_path / "fixtures" / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    done = run(node, ROOT / "schema", tmp_path / "fixtures")
    assert (done.returncode, said in done.stdout) == (1, True), done.stdout


@pytest.mark.slow
def test_without_folders_it_says_what_it_needs(node: str, tmp_path: Path) -> None:
    done = run(node, tmp_path)
    assert (done.returncode, done.stdout, "usage: " in done.stderr) == (2, "", True)


def test_the_port_is_short() -> None:
    lines = [line for file in PORT.glob("src/*.ts") for line in file.read_text().splitlines()]
    assert 0 < len(lines) < MOST_LINES


@every_case("folder", ["tests/node", "ports/typescript"])
def test_lock_file_names_no_registry(folder: str) -> None:
    """The packages are pinned by version and digest; where they come from is the user's choice."""
    lock = json.loads((ROOT / folder / "package-lock.json").read_text(encoding="utf-8"))
    packages = {name: entry for name, entry in lock["packages"].items() if name}
    assert packages
    for name, entry in packages.items():
        assert "resolved" not in entry, name
        assert entry["integrity"], name
