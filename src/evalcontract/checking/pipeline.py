"""The entry points of the commands: validate files of one kind, or check whole workspaces."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from evalcontract._version import __version__
from evalcontract.checking.artifacts import (
    artifact_findings,
    bundle_findings,
    listing_errors,
    lock_findings,
    target_findings,
    unread_files,
)
from evalcontract.checking.findings import (
    FindingCollector,
    check_dataset,
    no_findings,
    opened_quickly,
    rank_of,
)
from evalcontract.datasets.opening import Advance, Input, Options, is_table
from evalcontract.datasets.passes import NativeDataset
from evalcontract.datasets.placing import from_unreadable, from_unreadable_files, judged
from evalcontract.datasets.run import Run, library_findings, today
from evalcontract.model.diagnostic import Diagnostic, RunOutcome
from evalcontract.model.errors import NothingToCheck
from evalcontract.model.reference import Kind
from evalcontract.policy import Policy
from evalcontract.source import DISK, read_file
from evalcontract.workspace import (
    Workspace,
    display_name,
    find_root,
    find_workspaces,
    nested_workspaces,
    open_workspace,
    search_root,
)

if TYPE_CHECKING:
    from evalcontract.checking.known_results import KnownResults
    from evalcontract.datasets.passes import Dataset


def settled(
    outcome: RunOutcome, findings: FindingCollector, runs: Collection[Run], *, is_whole: bool
) -> RunOutcome:
    """Return the outcome with the findings, those on files that others depend on first.

    Unless it `is_whole`, files were not checked that others depend on.
    """
    if findings:
        documents = {file: document for run in runs for file, document in run.documents.items()}
        outcome.diagnostics = findings.joined(documents)
    for run in runs:
        outcome.diagnostics = [*run.ignores.without_joined(outcome.diagnostics)]
        outcome.diagnostics += run.ignores.unused(is_whole=is_whole)
        shadowed = run.workspace.configuration.shadowed
        if shadowed:  # settings that are not read, since others are beside them
            outcome.diagnostics += from_unreadable(shadowed, run.standards.base)
        outcome.ignored += run.ignores.count
    return outcome.settle(rank_of(runs) if outcome.diagnostics else None)


def validate(kind: Kind, inputs: Iterable[Input], options: Options) -> RunOutcome:
    """Validate files of one kind, and all artifacts of their workspaces that these refer to.

    A target refers to its dataset, which is checked as strictly as the target demands.

    Raises:
        NothingToCheck: there is no input.
        ConfigurationError: a workspace's configuration cannot be used.
        UsageError: there is no such dialect.

    """
    return settled(*_find_problems(kind, inputs, options), is_whole=False)


def _find_problems(
    kind: Kind, inputs: Iterable[Input], options: Options
) -> tuple[RunOutcome, FindingCollector, Collection[Run]]:
    """Validate files, and return the findings before those with the same cause are joined."""
    outcome, findings = RunOutcome(), no_findings(options)
    runs: dict[Path, Run] = {}
    policies: dict[Path, Policy] = {}  # the datasets of targets
    for input_ in inputs:
        if findings.is_full:
            break
        run = _run_of(input_.path, runs, options)
        if kind is Kind.TARGET:
            from evalcontract.checking.artifacts import check_target  # not for datasets

            findings.add(check_target(run, input_, outcome, policies=policies))
        elif kind is Kind.DATASET:
            open_ = partial(opened_quickly, input_, options)
            check = _check_found if input_.is_found else check_dataset
            findings.merge(check(run, open_, input_.path, outcome=outcome, options=options))
        else:
            from evalcontract.checking.artifacts import check_artifact_file

            findings.add(
                check_artifact_file(run, kind, input_, outcome=outcome), run.workspace.root
            )
    if not outcome.files:
        raise NothingToCheck(_with_reason("there is nothing to check", findings.single or ()))
    for path, policy in policies.items():
        opened = partial(_opened_as_named, path, options)
        run = _run_of(path, runs, options)
        findings.merge(
            check_dataset(run, opened, path, outcome=outcome, options=options, policy=policy)
        )
    for run in runs.values():
        if kind in (Kind.DATASET, Kind.TARGET):
            findings.add(bundle_findings(run))
        every = (artifact_findings(run), listing_errors(run), library_findings(run))
        findings.add(chain.from_iterable(every), run.workspace.root)
        of_lock = lock_findings(run, has_bundles=kind in (Kind.DATASET, Kind.TARGET))
        findings.add(of_lock, run.workspace.root)
    causes = findings.files_of_causes
    for run in runs.values() if causes else ():
        unreadable = [file for file in run.workspace.unreadable if file.file in causes]
        findings.add(from_unreadable_files(unreadable, run.standards.base))
    return outcome, findings, runs.values()


def _opened_as_named(path: Path, options: Options) -> Dataset:
    """Open a dataset that a target names: one of ours, or a table."""
    if is_table(path, options.files):
        own = options._replace(dialect=None, columns=())
        return opened_quickly(Input(path, None, options.files), own)
    return NativeDataset(read_file(path, display_name(path), options.files))


def validate_in_modes(
    kind: Kind, inputs: Iterable[Input], modes: Mapping[str, Options], policy: Policy
) -> dict[str, RunOutcome]:
    """Validate files once, and return the outcome in each mode by its name.

    The modes differ in `strict` alone. `policy` is that of the workspaces; it reports the same
    codes in soft and in strict mode, so that these have the same problems.
    """
    first = next(iter(modes.values()))
    outcome, findings, runs = _find_problems(kind, inputs, first._replace(strict=None))
    outcomes = {}
    for name, mode in modes.items():
        forced = policy.forced(mode.strict).narrowed(mode.selection)
        is_forced = mode.strict is not None
        in_mode = findings.judged(forced) if is_forced else findings
        outcomes[name] = settled(copy(outcome), in_mode, runs, is_whole=False)
        if is_forced:
            outcomes[name].diagnostics = [*judged(outcomes[name].diagnostics, forced)]
    return outcomes


#: What a folder contains that has nothing to check.
NOTHING = "no dataset, rubric, judge or target"


def check_workspaces(path: Path, options: Options) -> RunOutcome:
    """Check whole workspaces: datasets, rubrics, judges, bundles and targets.

    With a cache, the result is taken from there if nothing has changed; else those of the datasets
    that have not changed, unless what they refer to has.

    Raises:
        NothingToCheck: the folder contains none of these, and that is not allowed.
        ConfigurationError: a workspace's configuration cannot be used.

    """
    cache = options.cache
    if cache is None:
        return _check_all(path, options)
    from evalcontract.cache import cached_check  # not needed without a cache

    options = options._replace(today=options.today or today())
    cache_key = {
        name: value for name, value in options._asdict().items() if name not in _IRRELEVANT_OPTIONS
    }
    top = options.files.real(options.root) if options.root else search_root(path, options.files)
    return cached_check(
        cache,
        [__version__, top, cache_key],
        lambda files, memory: _check_all(path, options._replace(files=files, memory=memory)),
    )


#: The options that do not affect the outcome.
_IRRELEVANT_OPTIONS = frozenset(
    {"progress", "jobs", "cache", "files", "memory", "look", "found", "opened", "known_rows"}
)


def _check_all(path: Path, options: Options) -> RunOutcome:
    outcome, runs = check_runs(path, options)
    has_errors = any(finding.is_error for finding in outcome.diagnostics)
    if not (outcome.is_checked or has_errors or options.allows_empty):
        raise NothingToCheck(_why_nothing(path, outcome, runs))
    return outcome


def check_runs(path: Path, options: Options) -> tuple[RunOutcome, list[Run]]:
    """Check whole workspaces as `check_workspaces` does, and return the runs of those below."""
    outcome, findings = RunOutcome(), no_findings(options)
    files = options.files
    roots = [files.real(options.root)] if options.root else find_workspaces(path, files)
    runs = {root: _run(root, nested, options) for root, nested in nested_workspaces(roots).items()}
    other_runs: dict[Path, Run] = {}
    for run in list(runs.values()):
        _assign_datasets(run, runs, other_runs, options=options)
    counting = _with_files([run.workspace for run in runs.values()], options)
    for run in runs.values():
        _check_workspace(run, outcome, findings, options=counting)
    for run in other_runs.values():
        for dataset_path in run.workspace.extra_datasets:
            open_ = partial(_opened_as_named, dataset_path, options)
            findings.merge(
                check_dataset(run, open_, dataset_path, outcome=outcome, options=options)
            )
        every = (artifact_findings(run), bundle_findings(run), library_findings(run))
        findings.add(chain.from_iterable(every), run.workspace.root)
    every_run = [*runs.values(), *other_runs.values()]
    outcome = settled(outcome, findings, every_run, is_whole=not findings.is_full)
    return outcome, [*runs.values()]


def _why_nothing(path: Path, outcome: RunOutcome, runs: Iterable[Run]) -> str:
    """Explain why a folder has nothing to check: what is excluded, or not read."""
    message = f"{display_name(path)} contains {NOTHING}"
    from evalcontract.source.tables.arrow import saved_in  # rarely needed

    excluded = sum(run.workspace.listing.excluded_count for run in runs)
    if excluded:
        message += f"; `exclude` in evalcontract.toml leaves out {excluded:,} files"
    message = _with_reason(message, outcome.diagnostics)
    if saved_in(path, DISK):
        message += (
            "; Hugging Face `datasets` wrote this folder: "
            "check it with `evalcontract validate-dataset`"
        )
    return message


def _with_reason(message: str, findings: Sequence[Diagnostic]) -> str:
    """Return a message with the first of the findings, if there is one."""
    return "; ".join((message, *(f"{each.place}: {each.message}" for each in findings[:1])))


def _assign_datasets(
    run: Run, runs: dict[Path, Run], other_runs: dict[Path, Run], options: Options
) -> None:
    """Assign the datasets that targets name in other workspaces to the runs of these workspaces."""
    # `other_runs` are the runs of workspaces that are not checked themselves.
    for target in run.workspace.targets_outside():
        if target.dataset is None or run.workspace.is_artifact(target.dataset):
            continue
        dataset = options.files.real(target.dataset)
        root = find_root(dataset, options.files)
        owner = runs.get(root) or other_runs.setdefault(root, _run(root, (), options))
        standards = run.standards
        policy, graded = standards.policy_of(target), standards.graded_by(target)
        if owner.standards.add_external(dataset, policy, graded):
            owner.workspace.extra_datasets.append(dataset)


def _check_workspace(
    run: Run, outcome: RunOutcome, findings: FindingCollector, options: Options
) -> None:
    known = _known_results(run, options)
    _check_datasets(run, outcome, findings, options=options, known=known)
    library = run.workspace.library
    for artifact in library.artifacts:
        run.scheduled.add(artifact, run.standards.base, library)
        outcome.count(artifact.kind, artifact.file)
    for target in run.workspace.targets:
        outcome.count(Kind.TARGET, target.document.file)
    for source in run.workspace.bundle_files.values():
        outcome.count("bundle", source.file)
    streams = (
        artifact_findings(run, known=known),
        target_findings(run),
        bundle_findings(run),
        lock_findings(run, is_whole=not findings.is_full),
    )
    for diagnostics in streams:
        findings.add(diagnostics, run.workspace.root)
    if known:
        known.save()
    unreadable = run.workspace.unreadable
    for file in unreadable:
        outcome.count("unreadable", file.file)
    findings.add(from_unreadable_files(unreadable, run.standards.base))
    findings.add([*unread_files(run), *library_findings(run)])


def _with_files(workspaces: Sequence[Workspace], options: Options) -> Options:
    """Return options whose progress has the files of all workspaces, too."""
    progress = options.progress
    if progress is None:
        return options

    def advance(at: Advance) -> None:
        scanned = sum(workspace.scanned for workspace in workspaces)
        total = sum(len(workspace.data_files) for workspace in workspaces)
        progress(at._replace(files=(scanned, total)))

    return options._replace(progress=advance)


def _check_datasets(
    run: Run,
    outcome: RunOutcome,
    findings: FindingCollector,
    options: Options,
    known: KnownResults | None,
) -> None:
    """Check the datasets of a workspace, except those with known results."""

    def take(part: RunOutcome) -> None:
        outcome.add(part)
        findings.add(part.diagnostics)

    def recall(path: Path, is_named: bool) -> bool:  # noqa: FBT001 - as `scan` calls it
        part = known.of_dataset(path, is_named=is_named) if known else None
        if part is not None:
            take(part)
        return part is not None

    for path, source in run.workspace.scan(recall):
        if findings.is_full:
            break
        part, collector = RunOutcome(), no_findings(options)
        before = len(run.scheduled.files)
        if source is None:
            kind = run.workspace.recorded_kind(path)
            part.left_out += () if kind else (display_name(path),)
            part.files.update({kind: 1} if kind else {})
        else:
            collector = _check_found(
                run, partial(NativeDataset, source), path, outcome=part, options=options
            )
            if options.found and (without_cause := collector.without_cause):
                options.found(without_cause)
        if known and collector.single is not None:
            part.diagnostics = collector.single
            known.keep_dataset(path, part, [*dict.fromkeys(run.scheduled.files[before:])])
        else:
            findings.merge(collector)
        take(part)
    for path in () if findings.is_full else run.workspace.tables():
        part = RunOutcome()
        open_ = partial(_opened_as_named, path, options)
        findings.merge(check_dataset(run, open_, path, outcome=part, options=options))
        take(part)


def _check_found(
    run: Run, open_: Callable[[], Dataset], path: Path, outcome: RunOutcome, options: Options
) -> FindingCollector:
    """Check a dataset that nobody named: a log, or the like, of another tool is only noted."""
    part = RunOutcome()
    findings = check_dataset(run, open_, path, outcome=part, options=options)
    if any(each.code == "dataset/other-tool" for each in findings.single or ()):
        from evalcontract.workspace.unread import no_dataset  # rarely needed

        if (unread := no_dataset(path, options.files)) and not run.workspace.targets_of(path):
            noted = no_findings(options)
            noted.add(from_unreadable_files([unread], run.standards.base))
            return noted
    outcome.add(part)
    return findings


def _known_results(run: Run, options: Options) -> KnownResults | None:
    if options.memory is None:
        return None
    from evalcontract.checking.known_results import KnownResults  # only with a cache

    return KnownResults(run, options.memory)


def _run_of(path: Path, runs: dict[Path, Run], options: Options) -> Run:
    """Return the run of the workspace that a path belongs to."""
    root = options.files.real(options.root or find_root(path, options.files))
    if root not in runs:
        runs[root] = _run(root, (), options)
    return runs[root]


def _run(root: Path, nested: tuple[Path, ...], options: Options) -> Run:
    workspace = options.opened.get(root) if options.opened else None
    if workspace is None:
        workspace = open_workspace(root, nested, options.files, choice=options.configuration)
    day = options.today or today()
    return Run(
        workspace,
        options.strict,
        day,
        jobs=options.jobs,
        max_findings=options.max_findings,
        selection=options.selection,
        is_locking=options.is_locking,
        known_rows=options.known_rows,
    )
