"""The files of the conformance suite of the schemas, and the groups of cases in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SUITE = ROOT / "fixtures" / "schema"


def read(path: Path) -> Any:
    """Return the value of a JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))


def suite_files() -> list[Path]:
    """List the files of the suite; an empty suite is a failure, not a pass."""
    found = sorted(SUITE.glob("*/*.json"))
    assert found, f"no case under {SUITE.relative_to(ROOT)}"
    return found


def groups() -> dict[str, Any]:
    """Return the groups of cases of the suite, each by a readable name."""
    return {
        f"{topic(file)}: {group['description']}": group
        for file in suite_files()
        for group in read(file)
    }


def topic(file: Path) -> str:
    """Return what the cases of a file are about."""
    return f"{file.parent.name}/{file.stem}"
