"""The conformance suite through ajv, an engine of another language: the same verdicts and errors.

Needs Node.js and `npm ci --ignore-scripts` in `tests/node`. Without them the tests are skipped,
but where `CI` is set their lack is a failure.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from needs import NODE, missing

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def verdicts(root: Path) -> list[dict[str, Any]]:
    """Return what ajv says of each case, in the order of the suite's files."""
    node, folder = shutil.which("node"), root / "tests" / "node"
    if node is None:
        missing(NODE)
    if not (folder / "node_modules" / "ajv").is_dir():
        missing(NODE)
    command = [str(node), "ajv_suite.mjs", str(root / "schema"), str(root / "fixtures" / "schema")]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


@pytest.mark.slow
def test_every_case_was_run(verdicts: list[dict[str, Any]], cases: list[dict[str, Any]]) -> None:
    """The runner left no case out."""
    assert len(verdicts) == len(cases)


@pytest.mark.slow
def test_verdicts_and_errors_agree(verdicts: list[dict[str, Any]], root: Path) -> None:
    """What is valid is accepted, and the rest has the stated errors."""
    stated = _stated(root / "fixtures" / "schema")
    for verdict in verdicts:
        name = (verdict["file"], verdict["group"], verdict["description"])
        case = stated[name]
        assert verdict["valid"] is case["valid"], name
        assert _sorted(verdict["errors"]) == _sorted(case.get("errors", [])), name


def test_lock_file_names_no_registry(root: Path) -> None:
    """The packages are pinned by version and digest; where they come from is the user's choice."""
    lock = json.loads((root / "tests" / "node" / "package-lock.json").read_text(encoding="utf-8"))
    packages = {name: entry for name, entry in lock["packages"].items() if name}
    assert packages
    for name, entry in packages.items():
        assert "resolved" not in entry, name
        assert entry["integrity"], name


def _stated(suite: Path) -> dict[tuple[str, str, str], Any]:
    return {
        (f"{file.parent.name}/{file.name}", group["description"], case["description"]): case
        for file in suite.glob("*/*.json")
        for group in json.loads(file.read_text(encoding="utf-8"))
        for case in group["tests"]
    }


def _sorted(errors: list[dict[str, str]]) -> list[dict[str, str]]:
    return sorted(errors, key=lambda error: sorted(error.items()))
