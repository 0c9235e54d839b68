"""Write the files of a test, of a workspace for example."""

from __future__ import annotations

import json
from textwrap import dedent
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def write(folder: Path, files: Mapping[str, object]) -> None:
    """Write files below a folder, by their names: a text as it is, and any other value as JSON."""
    for name, value in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = value if isinstance(value, str) else json.dumps(value)
        path.write_text(text, encoding="utf-8", newline="")


def stream_of(results: Path) -> list[str]:
    """Return the lines that a run would have printed which wrote results, and a run file."""
    run = json.loads(results.with_name(f"{results.name}.run.json").read_text(encoding="utf-8"))
    used = [{"used": run["used"]}] if run["used"] else []
    last = {key: run[key] for key in ("summary", "provenance")}
    lines = [json.dumps(each) for each in ({"manifest": run["manifest"]}, *used)]
    rows = results.read_text(encoding="utf-8").splitlines()
    return [f"{line}\n" for line in (*lines, *rows, json.dumps(last))]


def write_dedented(folder: Path, files: Mapping[str, str]) -> None:
    """Write texts below a folder, by their names, without their common indentation."""
    write(folder, {name: dedent(text).lstrip("\n") for name, text in files.items()})
