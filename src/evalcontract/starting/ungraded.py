"""Why no check will run on rows of a new workspace, by what changes it."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

from evalcontract.converting.placing import GradedBy, graded_by
from evalcontract.covering.coverage import run_for_coverage
from evalcontract.datasets.opening import open_dataset
from evalcontract.datasets.passes import NATIVE, rows_of
from evalcontract.model.startup import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from evalcontract.datasets.opening import Input, Options
    from evalcontract.datasets.passes import CheckedRow, DatasetPass


class Lack(Enum):
    """What rows lack: expectations, the rubric of a judge, no faults, or what their checks need."""

    EXPECTATIONS = auto()
    JUDGE = auto()
    CORRECTION = auto()
    NEEDS = auto()


class Ungraded(NamedTuple):
    """How many rows of a dataset lack the same.

    `has_rubrics` says that other rows of the dataset name rubrics of its workspace.
    """

    input: Input
    lack: Lack
    rows: int
    has_rubrics: bool


def ungraded(inputs: Iterable[Input], root: Path, options: Options) -> Iterator[Ungraded]:
    """Yield what the rows of datasets of a workspace lack on which no check will run."""
    run = run_for_coverage(root, options)
    for input_ in inputs:
        dataset = open_dataset(input_)
        if dataset.unreadable:
            continue
        graded = run.standards.graded_for(input_.path)
        dataset_pass = dataset.begin(run, run.standards.base, graded)
        counts = dict.fromkeys(Lack, 0)
        has_rubrics = False
        for checked in dataset_pass.batches(keep_rows=True):
            for row in rows_of(dataset_pass, checked):
                is_ours = dataset.dialect == NATIVE
                has_rubrics |= is_ours and isinstance(row.value, dict) and "rubric_ref" in row.value
                lack = _lack(dataset_pass, row, graded if is_ours else None)
                if lack is not None:
                    counts[lack] += 1
        for lack, rows in counts.items():
            if rows:
                yield Ungraded(input_, lack, rows, has_rubrics)


def _lack(dataset_pass: DatasetPass, row: CheckedRow, graded: frozenset[str] | None) -> Lack | None:
    """Return what a row lacks, or None; `graded` is None for rows of another system."""
    covered = dataset_pass.cover(row)
    if covered.runs:
        return None
    if covered.fault is not None:
        return Lack.CORRECTION
    if graded is None or covered.rubric is not None:
        return Lack.NEEDS
    match graded_by(row.value, graded):
        case GradedBy.JUDGE:
            return Lack.JUDGE
        case GradedBy.NOBODY:
            return Lack.EXPECTATIONS
        case GradedBy.CHECK:
            return Lack.CORRECTION  # its expectation is one that every output meets
