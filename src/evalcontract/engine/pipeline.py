"""What the commands run: validate files of one kind, or check whole workspaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import evalcontract
from evalcontract.engine.opening import open_dataset
from evalcontract.engine.our_pass import OurDataset
from evalcontract.engine.run import Run, today
from evalcontract.library.artifact import Artifact, read_artifact
from evalcontract.library.library import Library
from evalcontract.model.diagnostic import Outcome
from evalcontract.model.errors import NothingToCheck
from evalcontract.model.reference import Kind
from evalcontract.source import MisreadError, read_file
from evalcontract.workspace import (
    find_root,
    find_workspaces,
    inner_of,
    name_of,
    one_value,
    open_workspace,
    top_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from evalcontract.engine.options import Input, Options, Progress
    from evalcontract.engine.passes import Dataset
    from evalcontract.model.diagnostic import Diagnostic


def validate(kind: Kind, inputs: Iterable[Input], options: Options) -> Outcome:
    """Validate files of one kind, with all that they reach in their workspaces.

    Raises:
        NothingToCheck: there is no input.
        ConfigurationError: a workspace's configuration cannot be used.
        UsageError: there is no such dialect.

    """
    outcome = Outcome()
    runs: dict[Path, Run] = {}
    for each in inputs:
        root = options.files.real(options.root or find_root(each.path, options.files))
        if root not in runs:
            runs[root] = _run(root, (), options)
        run = runs[root]
        if kind is Kind.DATASET:
            dataset = open_dataset(each, options.dialect, quick=True)
            outcome.diagnostics += _dataset(run, dataset, each.path, outcome, options.progress)
        else:
            outcome.diagnostics += _artifact(run, kind, each, outcome)
    if not outcome.files:
        raise NothingToCheck("there is nothing to check")
    for run in runs.values():
        if kind is Kind.DATASET:
            outcome.diagnostics += run.bundles()
        outcome.diagnostics += [*run.artifacts(), *run.unlisted()]
    return outcome.settle()


def check_workspaces(path: Path, options: Options) -> Outcome:
    """Check whole workspaces: datasets, rubrics, judges, bundles and targets.

    With a cache, what was found is taken from there where nothing has changed.

    Raises:
        NothingToCheck: the folder holds none of these.
        ConfigurationError: a workspace's configuration cannot be used.

    """
    cache = options.cache
    if cache is None:
        return _check_all(path, options)
    from evalcontract.cache import cached_check  # not for those who want no cache

    options = options._replace(today=options.today or today())
    asked = {name: each for name, each in options._asdict().items() if name not in _UNSEEN}
    top = options.files.real(options.root) if options.root else top_of(path, options.files)
    return cached_check(
        cache,
        [evalcontract.__version__, top, asked],
        lambda files: _check_all(path, options._replace(files=files)),
    )


#: The options that no outcome depends on. One process gives the verdict of many.
_UNSEEN = frozenset({"progress", "jobs", "cache", "files"})


def _check_all(path: Path, options: Options) -> Outcome:
    outcome = Outcome()
    files = options.files
    roots = [files.real(options.root)] if options.root else find_workspaces(path, files)
    runs = {root: _run(root, inner_of(root, roots), options) for root in roots}
    others: dict[Path, Run] = {}
    for run in list(runs.values()):
        _ask_others(run, runs, others, options)
    for run in runs.values():
        outcome.diagnostics += _workspace(run, outcome, options.progress)
    for run in others.values():
        for dataset in run.workspace.also:
            ours = OurDataset(read_file(dataset, name_of(dataset), files))
            outcome.diagnostics += _dataset(run, ours, dataset, outcome, options.progress)
        outcome.diagnostics += [*run.artifacts(), *run.bundles()]
    if not outcome.files and not outcome.diagnostics:
        raise NothingToCheck(f"{name_of(path)} holds no dataset, rubric, judge or target")
    return outcome.settle()


def _ask_others(run: Run, runs: dict[Path, Run], others: dict[Path, Run], options: Options) -> None:
    """Let the workspaces that own them check the datasets of others that targets name.

    `others` are the runs over workspaces that are not checked themselves.
    """
    for target in run.workspace.named_elsewhere():
        if target.dataset is None or run.workspace.is_no_dataset(target.dataset):
            continue
        dataset = options.files.real(target.dataset)
        root = find_root(dataset, options.files)
        owner = runs.get(root) or others.setdefault(root, _run(root, (), options))
        if dataset not in owner.named_by_others:
            owner.workspace.also.append(dataset)
        owner.named_by_others.setdefault(dataset, []).append(run.policy_of(target))


def _workspace(run: Run, outcome: Outcome, progress: Progress | None) -> Iterator[Diagnostic]:
    for path, source in run.workspace.scan():
        if source is None:
            outcome.left_out.append(name_of(path))
        else:
            yield from _dataset(run, OurDataset(source), path, outcome, progress)
    library = run.workspace.library
    for artifact in library.artifacts:
        run.want(artifact, run.base_policy, library)
        _count(outcome, artifact.kind)
    for _each in run.workspace.targets:
        _count(outcome, Kind.TARGET)
    for _ in run.workspace.bundle_files:
        _count(outcome, "bundle")
    yield from run.artifacts()
    yield from run.targets()
    yield from run.bundles()
    broken = run.workspace.unreadable
    for _each_broken in broken:
        _count(outcome, "unreadable")
    yield from run.unreadable(broken)


def _run(root: Path, inner: tuple[Path, ...], options: Options) -> Run:
    workspace = open_workspace(root, inner, options.files)
    return Run(workspace, options.strict, options.today or today(), options.jobs)


def _count(outcome: Outcome, kind: str) -> None:
    outcome.files[kind] = outcome.files.get(kind, 0) + 1


def _dataset(
    run: Run, dataset: Dataset, path: Path, outcome: Outcome, progress: Progress | None
) -> list[Diagnostic]:
    """Pass over one dataset, and return what is wrong with it."""
    _count(outcome, Kind.DATASET)
    if dataset.unreadable:
        return list(run.unreadable([dataset.unreadable]))
    check = dataset.begin(run, run.policy_for(path))
    found: list[Diagnostic] = []
    try:
        for checked in check.batches(jobs=run.jobs):
            found += [*checked.faults, *check.to_diagnostics(checked.problems)]
            if progress and check.progress:
                progress(dataset.file, *check.progress)
        found += check.rest()
    except MisreadError as misread:
        return list(run.unreadable([misread.unreadable]))
    outcome.rows += check.count
    return found


def _artifact(run: Run, kind: Kind, input_: Input, outcome: Outcome) -> Iterator[Diagnostic]:
    _count(outcome, kind)
    library = run.workspace.library
    known = None if input_.stream else library.in_file(kind, name_of(input_.path))
    if known is not None:
        run.want(known, run.base_policy, library)
        return
    source = one_value(input_.read())
    if source.unreadable:
        yield from run.unreadable([source.unreadable])
    if source.document is None:
        return
    artifact, library = _placed(read_artifact(kind, source.document), library)
    asked = Run(run.workspace, run.forced, run.today)
    asked.want(artifact, run.base_policy, library)
    yield from asked.artifacts(library)


def _placed(artifact: Artifact, library: Library) -> tuple[Artifact, Library]:
    """Put an artifact into the library in place of the one that was read from its file.

    Where it is the same, to the byte, the library stays as it is.
    """
    twin = library.at(artifact.file)
    if twin and (twin.kind, twin.document.sha256) == (artifact.kind, artifact.document.sha256):
        return twin, library
    others = [each for each in library.artifacts if each.file != artifact.file]
    return artifact, Library([artifact, *others])
