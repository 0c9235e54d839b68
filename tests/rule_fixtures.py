"""The cases of `fixtures/rules`: single files, and folders that are whole workspaces."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from doors import ROOT, Options, check_workspaces

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from evalcontract import Diagnostic
    from evalcontract.model.diagnostic import RunOutcome

FIXTURES = ROOT / "fixtures" / "rules"
TODAY = date(2026, 6, 1)
KINDS = {"dataset": "datasets", "rubric": "rubrics", "judge": "judges"}
SUFFIXES = {".yaml", ".json", ".jsonl"}


def cases() -> list[Path]:
    """List the files and workspaces; an empty folder is a failure, not a pass."""
    found = []
    for kind in KINDS:
        folder = FIXTURES / kind
        if folder.is_dir():
            entries = sorted(folder.iterdir())
            mine = [each for each in entries if each.is_dir() or each.suffix in SUFFIXES]
            assert mine, f"fixtures/rules/{kind} is empty"
            found += mine
    assert found, "there is nothing in fixtures/rules"
    return found


def name_of(case: Path) -> str:
    return case.relative_to(FIXTURES).as_posix()


def kind_of(case: Path) -> str:
    return case.relative_to(FIXTURES).parts[0]


def placed_in(case: Path, folder: Path) -> None:
    """Copy a case into an empty workspace."""
    if case.is_dir():
        shutil.copytree(case, folder, dirs_exist_ok=True)
        return
    target = folder / KINDS[kind_of(case)]
    target.mkdir()
    shutil.copy(case, target / case.name)
    beside = case.with_suffix(".expect")
    if beside.exists():
        shutil.copy(beside, target / beside.name)


def outcome_of(case: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> RunOutcome:
    """Check a case in an empty folder, as from inside of it."""
    placed_in(case, folder)
    monkeypatch.chdir(folder)
    if any(folder.rglob("*.expect")):
        (folder / "evalcontract.toml").write_text("exclude = ['*.expect']\n", encoding="utf-8")
    return check_workspaces(Path(), Options(root=Path(), strict=False, today=TODAY))


def findings_of_kind(
    kind: str, work: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[str, list[Diagnostic], Path]]:
    """Yield the name of each case of a kind, its findings, and the folder below `work` it is in."""
    for number, case in enumerate(each for each in cases() if kind_of(each) == kind):
        folder = work / str(number)
        folder.mkdir()
        yield name_of(case), outcome_of(case, folder, monkeypatch).diagnostics, folder
