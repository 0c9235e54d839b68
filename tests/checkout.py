"""A copy of the package in which a recipe of CONTRIBUTING.md is acted out."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from doors import ROOT

if TYPE_CHECKING:
    from pathlib import Path

#: What the package and the scripts of `make generated` read.
FOLDERS = ("src/evalcontract", "schema", "editors/schemas", "release")


def copy_package(place: Path) -> Path:
    """Copy the package, the schemas and what derives files from them; return the package."""
    for folder in FOLDERS:
        skipped = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, place / folder, ignore=skipped)
    return place / "src" / "evalcontract"


def add_below(file: Path, line: str, added: str) -> None:
    """Add text to a file, below the only line that is `line`."""
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    assert lines.count(f"{line}\n") == 1, line
    lines.insert(lines.index(f"{line}\n") + 1, added)
    file.write_text("".join(lines), encoding="utf-8")
