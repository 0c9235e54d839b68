"""Results of `grade` as tests look at them: rows, and the run file beside them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def run_of(path: Path) -> dict[str, Any]:
    """Return the run file of results."""
    run: dict[str, Any] = json.loads(path.with_suffix(".run.json").read_text(encoding="utf-8"))
    return run


def rows_of(path: Path) -> list[dict[str, Any]]:
    """Return the rows of results."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def printed_lines(text: str) -> list[dict[str, Any]]:
    """Return what `--output-format json` prints as a partial file has it, with the summary."""
    return as_lines(json.loads(text))


def as_lines(run: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a run with its rows as the lines that a run writes while it goes on, and the last."""
    last = {key: run[key] for key in ("summary", "provenance") if key in run}
    used = [{"used": run["used"]}] if run["used"] else []
    return [{"manifest": run["manifest"]}, *used, *run["rows"], last]


def lines_of_version_2(path: Path) -> list[dict[str, Any]]:
    """Return complete results as versions before 3 wrote them."""
    return as_lines({**run_of(path), "rows": rows_of(path)})


def partial_of(path: Path, to: Path) -> list[str]:
    """Write results as a run that was interrupted at its end leaves them; return the lines."""
    lines = [json.dumps(line, ensure_ascii=False) + "\n" for line in lines_of_version_2(path)[:-1]]
    to.with_name(f"{to.name}.partial").write_text("".join(lines), encoding="utf-8")
    return lines
