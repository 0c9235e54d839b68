"""Workspaces with many files: the work grows with them, not with the pairs of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from doors import Options, check_workspaces
from work import calls_of
from writing import write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ROW = {"id": "a", "input": "b", "criteria": "c"}
CHECK = {"id": "x", "kind": "must_contain_any", "values": ["a"]}


def rubric(name: str, check: dict[str, Any] = CHECK) -> dict[str, Any]:
    scoring = {"combine": "all_pass"}
    return {"id": name, "version": "1.0.0", "checks": [check], "scoring": scoring}


def targets_and_datasets(top: Path, count: int) -> None:
    (top / "rubrics").mkdir(parents=True)
    for number in range(count):
        write(top, {f"datasets/d{number}.json": {"questions": [ROW]}})
        write(top, {f"targets/t{number}.json": {"dataset": f"datasets/d{number}.json"}})


def misspelled_datasets(top: Path, count: int) -> None:
    (top / "rubrics").mkdir(parents=True)
    for number in range(count):
        write(top, {f"datasets/some_rows_{number}.json": {"questions": [ROW]}})
        write(top, {f"targets/t{number}.json": {"dataset": f"datasets/some_rwos_{number}.json"}})


def workspaces(top: Path, count: int) -> None:
    for number in range(count):
        write(top, {f"w{number}/rubrics/a.json": rubric("a")})


def chain_of_composites(top: Path, count: int) -> None:
    write(top, {"rubrics/r0.json": rubric("r0")})
    for number in range(1, count):
        check = {"id": "x", "kind": "composite", "rubric_ref": f"rubric/r{number - 1}@1.0.0"}
        write(top, {f"rubrics/r{number}.json": rubric(f"r{number}", check)})


def check_grows_with(files: Callable[[Path, int], None], folder: Path) -> None:
    def work(count: int) -> int:
        top = folder / str(count)
        files(top, count)
        check_workspaces(top, Options(root=None))  # what is imported and compiled once
        return calls_of(lambda: check_workspaces(top, Options(root=None)))

    few, more, many = map(work, (10, 40, 70))
    assert many - more < 1.3 * (more - few)


@pytest.mark.slow
def test_datasets_that_targets_name(tmp_path: Path) -> None:
    check_grows_with(targets_and_datasets, tmp_path)


@pytest.mark.slow
def test_datasets_whose_names_are_misspelled(tmp_path: Path) -> None:
    check_grows_with(misspelled_datasets, tmp_path)


@pytest.mark.slow
def test_workspaces(tmp_path: Path) -> None:
    check_grows_with(workspaces, tmp_path)


@pytest.mark.slow
def test_rubrics_that_refer_to_each_other(tmp_path: Path) -> None:
    check_grows_with(chain_of_composites, tmp_path)
