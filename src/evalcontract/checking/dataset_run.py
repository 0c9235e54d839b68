"""Check one dataset from its file to its findings, whatever its format is and whatever crashes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.checking.findings import Findings
from evalcontract.datasets.opening import Advance, Input, Options, open_dataset
from evalcontract.datasets.passes import begin_pass
from evalcontract.datasets.placing import from_unreadable_files, one_finding
from evalcontract.model.reference import Kind
from evalcontract.source import MisreadError
from evalcontract.workspace import display_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from evalcontract.datasets.passes import Dataset, DatasetPass
    from evalcontract.datasets.run import Run
    from evalcontract.model.diagnostic import Outcome
    from evalcontract.policy import Policy


def no_findings(options: Options) -> Findings:
    """Return findings to add to, joined and limited as the options say."""
    return Findings(is_joined=options.is_joined, limit=options.max_findings)


def opened_quickly(input_: Input, options: Options) -> Dataset:
    """Open a dataset to check it; see `open_dataset`."""
    return open_dataset(input_, options.dialect, quick=True, columns=options.columns)


def check_dataset(
    run: Run,
    open_: Callable[[], Dataset],
    path: Path,
    outcome: Outcome,
    options: Options,
    policy: Policy | None = None,
) -> Findings:
    """Check one dataset, by default with the policy of its targets, and return its findings."""
    outcome.count(Kind.DATASET, display_name(path))
    findings = no_findings(options)
    policy = policy or run.standards.policy_for(path)
    begin = options.passes.begin if options.passes else begin_pass

    def begun(dataset: Dataset) -> DatasetPass:
        return begin(dataset, run, policy, run.standards.graded_for(path))

    try:
        # What is called after each batch may raise whatever it wants.
        for at in _pass_over(run, open_, begun, path, findings, outcome):
            if options.progress:
                options.progress(at)
            if options.look:
                options.look()
    except MisreadError as misread:
        findings = Findings()
        findings.add(from_unreadable_files([misread.unreadable], run.standards.base))
    return findings


def _pass_over(
    run: Run,
    open_: Callable[[], Dataset],
    begin: Callable[[Dataset], DatasetPass],
    path: Path,
    findings: Findings,
    outcome: Outcome,
) -> Iterator[Advance]:
    """Check a dataset batch by batch; add its findings, and yield how far it is after each."""
    with one_finding(display_name(path), lambda crash: findings.add([crash])):
        dataset = open_()
        if dataset.unreadable:
            findings.add(from_unreadable_files([dataset.unreadable], run.standards.base))
            return
        dataset_pass = begin(dataset)
        for checked in dataset_pass.batches(jobs=run.jobs):
            findings.add(checked.faults)
            diagnostics = dataset_pass.to_diagnostics(checked.problems)
            findings.add(diagnostics, run.workspace.root)
            yield Advance(dataset.file, dataset_pass.count, dataset_pass.progress)
            if findings.is_full:
                break
        else:
            findings.add(dataset_pass.finish(), run.workspace.root)
        outcome.rows += dataset_pass.count
        outcome.ignored += dataset_pass.ignored
