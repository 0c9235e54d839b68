"""Workspaces whose versions are compared: with and without a lock, and changed since a commit."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from workspaces import write_datasets, write_rubrics

if TYPE_CHECKING:
    from pathlib import Path

#: The workspaces that are compared with the same one, without a lock.
PLAIN, LOCKED = "plain", "locked"
#: What is changed since the commit: every so many rubrics, and every so many datasets (0: none).
CHANGES = {"one rubric": (10_000, 0), "a tenth": (10, 10), "every file": (1, 1)}


def write_versions(folder: Path, parts: int) -> None:
    """Write all workspaces, each of so many rubrics and judges, and a fifth as many datasets."""
    for name in (PLAIN, LOCKED):
        _write_workspace(folder / name, parts)
    for title, (rubrics, datasets) in CHANGES.items():
        changed = folder / title.replace(" ", "_")
        _write_workspace(changed, parts)
        for command in ("init --quiet", "add --all", "commit --quiet --message=one"):
            _git(changed, *command.split())
        _change(changed, rubrics, datasets)


def _write_workspace(folder: Path, parts: int) -> None:
    """Write a workspace whose datasets refer to all rubrics, half of them as YAML."""
    write_rubrics(folder, parts)
    write_datasets(
        folder, max(parts // 5, 2), lambda number: number % parts, endings=("yaml", "jsonl")
    )


def _git(folder: Path, *arguments: str) -> None:
    """Run git, whose committer is nobody."""
    nobody = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.org")
    subprocess.run(["git", "-C", folder, *nobody, *arguments], check=True)


def _change(folder: Path, rubrics: int, datasets: int) -> None:
    for path in sorted((folder / "rubrics").iterdir())[::rubrics]:
        text = path.read_text(encoding="utf-8")
        path.write_text(f"{text}description: another\n", encoding="utf-8")
    for path in sorted((folder / "datasets").iterdir())[::datasets] if datasets else ():
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(" the ", " this "), encoding="utf-8")
