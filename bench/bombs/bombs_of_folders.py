"""Bombs in the number of files and folders."""

from __future__ import annotations

from bomb import CHECK, COVERAGE, ROW, Bomb, Files, contains, dataset, facts, numbered, rubric


def targets_by_datasets(size: int) -> Files:
    """Targets with a dataset each."""
    datasets = {f"datasets/d{at}.json": {"questions": [ROW]} for at in range(size)}
    targets = {f"targets/t{at}.json": {"dataset": f"datasets/d{at}.json"} for at in range(size)}
    return {"rubrics/": None, **datasets, **targets}


def workspaces(size: int) -> Files:
    """Workspaces beside each other."""
    return {f"w{at}/rubrics/a.json": rubric(contains()) for at in range(size)}


def unread_files(size: int) -> Files:
    """Files beside a dataset that are not read."""
    return {**dataset(ROW), **{f"datasets/x{at}.yaml.bak": "" for at in range(size)}}


def nested_folders(size: int) -> Files:
    """Folders, one inside the other."""
    return {**dataset(ROW), "datasets/" + "d/" * size: None}


def datasets_of_one_rubric(size: int) -> Files:
    """Datasets of one row each, with a rubric of 5,000 checks that the row lacks a key for."""
    datasets = {f"datasets/d{at}.json": {"questions": numbered(1)} for at in range(size)}
    return {**datasets, "rubrics/a.json": rubric(*(facts(f"x{at}") for at in range(5000)))}


BOMBS = (
    Bomb(targets_by_datasets, 800),
    Bomb(workspaces, 1600),
    Bomb(unread_files, 5000),
    Bomb(nested_folders, 900),
    Bomb(datasets_of_one_rubric, 3000, (CHECK, COVERAGE)),
)
