"""Coverage of files: predict which checks will run on which rows."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from evalcontract.checks.coverage import FileCoverage, Tally, Totals, add
from evalcontract.datasets.opening import open_with_graders
from evalcontract.datasets.passes import rows_of
from evalcontract.datasets.placing import from_unreadable_files, one_finding
from evalcontract.datasets.run import Run, today
from evalcontract.library.artifact import read_artifact
from evalcontract.model.errors import NothingToCheck
from evalcontract.model.reference import Kind
from evalcontract.workspace import display_name, find_root, open_workspace

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from evalcontract.checks.plan import Plan
    from evalcontract.datasets.opening import Input, Options
    from evalcontract.datasets.passes import Dataset
    from evalcontract.model.diagnostic import Diagnostic
    from evalcontract.source import Document


@dataclass
class CoverageOutcome:
    """The coverage of all files; `plans` are those of rubrics given in place of datasets."""

    files: list[FileCoverage] = field(default_factory=list)
    plans: list[Plan] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def totals(self) -> Totals:
        """The counts over all datasets."""
        totals = Totals()
        for file in self.files:
            totals = add(totals, file.totals)
        return totals


def coverage(inputs: Iterable[Input], options: Options, *, all_rows: bool) -> CoverageOutcome:
    """Return the coverage of datasets, and the keys that rubrics require of a row.

    With `all_rows`, rows on which every check runs are kept, too. Without it, only rows with gaps
    are kept, so that a large dataset needs little memory.

    Raises:
        NothingToCheck: there is no input.
        UsageError: there is no such dialect.

    """
    outcome = CoverageOutcome()
    runs: dict[Any, Run] = {}
    any_input = False
    # A folder may have thousands of files.
    root_of = cache(lambda folder: options.files.real(options.root or find_root(folder)))
    for input_ in inputs:
        any_input, path = True, input_.path
        root = root_of(path if options.files.is_folder(path) else path.parent)
        if root not in runs:
            runs[root] = run_for_coverage(root, options)
        run = runs[root]
        with one_finding(display_name(path), outcome.diagnostics.append):
            dataset = open_with_graders(input_, options)
            _take(outcome, run, dataset, path, keep_all=all_rows)
    if not any_input:
        raise NothingToCheck("there is nothing to check")
    return outcome


def _take(
    outcome: CoverageOutcome, run: Run, dataset: Dataset, path: Path, *, keep_all: bool
) -> None:
    rubric = _rubric_in(dataset)
    if dataset.unreadable:
        outcome.diagnostics += from_unreadable_files([dataset.unreadable], run.standards.base)
    elif rubric:
        plan, crashed = run.plan(read_artifact(Kind.RUBRIC, rubric))
        outcome.plans += [plan] if plan else []
        outcome.diagnostics += crashed
    else:
        outcome.files.append(_cover(run, dataset, path, outcome.diagnostics, keep_all=keep_all))


def run_for_coverage(root: Path, options: Options) -> Run:
    """Return the run of a workspace that predicts what runs on this machine, without rules."""
    workspace = (options.opened or {}).get(root)
    workspace = workspace or open_workspace(root, (), options.files, options.configuration)
    has_php = shutil.which("php") is not None
    return Run(workspace, None, options.today or today(), has_php=has_php, runs_rules=False)


def _rubric_in(dataset: Dataset) -> Document | None:
    """Return the document if it is a rubric."""
    document = dataset.document
    value = document.value if document else None
    is_rubric = isinstance(value, dict) and "checks" in value and "questions" not in value
    return document if is_rubric else None


def _cover(
    run: Run, dataset: Dataset, path: Path, diagnostics: list[Diagnostic], *, keep_all: bool
) -> FileCoverage:
    tally = Tally(keep_all=keep_all)
    dataset_pass = dataset.begin(run, run.standards.base, run.standards.graded_for(path))
    for checked in dataset_pass.batches(keep_rows=True):
        diagnostics += checked.faults
        for row in rows_of(dataset_pass, checked):
            tally.take(dataset_pass.cover(row), partial(dataset_pass.place, row.path))
    diagnostics += dataset_pass.coverage_diagnostics()
    return tally.of(dataset.file)
