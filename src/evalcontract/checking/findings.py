"""Collect the findings of a run, and join those that have the same cause.

500 rows that refer to a rubric that does not exist are one finding, with the places of the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from evalcontract.datasets.opening import Advance, Input, Options, open_dataset
from evalcontract.datasets.passes import Dataset, DatasetPass
from evalcontract.datasets.placing import from_unreadable_files, judged, one_finding
from evalcontract.datasets.run import Run
from evalcontract.model.diagnostic import (
    Cause,
    Diagnostic,
    Place,
    Problem,
    RunOutcome,
    Severity,
    Site,
    Sites,
)
from evalcontract.model.reference import Kind
from evalcontract.policy import Policy
from evalcontract.source import Document, MisreadError
from evalcontract.workspace import display_name

#: The number of places that are kept for one finding; the others are only counted.
MAX_SITES = 1000

#: Files that others depend on come first: `bundle` before `dataset`, and so on.
_ORDER = ("bundle", "judge", "rubric", "dataset", "target")


class FindingCollector:
    """The findings of a run so far. Without `is_joined`, each of them is kept as it is.

    The memory for findings with the same cause is bounded. Of the others, at most `limit` are kept
    if it is not 0; `is_full` then says that there are more.
    """

    def __init__(self, *, is_joined: bool = True, limit: int = 0) -> None:
        self._is_joined = is_joined
        self._limit = limit
        self._excess: Diagnostic | None = None  # the first finding that was not kept
        self._single: list[Diagnostic] = []
        self._groups: dict[tuple[object, ...], _FindingGroup] = {}
        self._full: dict[tuple[object, ...], _FindingGroup] = {}

    def __bool__(self) -> bool:
        return bool(self._single or self._groups)

    def add(self, diagnostics: Iterable[Diagnostic], root: Path | None = None) -> None:
        """Add findings; those of different workspaces, by their `root`, share no cause."""
        for diagnostic in diagnostics:
            cause = diagnostic.cause
            if cause is None:
                self._keep(diagnostic)
            elif not self._is_joined:
                self._keep(diagnostic._replace(cause=None))
            else:
                key = (root, diagnostic.code, diagnostic.severity, cause.name)
                if key not in self._groups:
                    self._groups[key] = _FindingGroup(diagnostic, cause)
                group = self._groups[key]
                group.add(diagnostic)
                if group.has_all_sites:
                    self._full[root, diagnostic.code, cause.name] = group

    def uncounted(self, problems: Iterable[Problem], root: Path) -> Iterator[Problem]:
        """Count the problems whose cause has all places that are kept, and yield the others.

        They must be of one file, and of one policy.
        """
        for problem in problems:
            group = self._full_group(problem, root)
            if group is None:
                yield problem
            else:
                group.count(group.first.place.file, problem.row_index)

    def count_rows(self, problem: Problem, rows: int, root: Path) -> bool:
        """Count a problem that further rows have, unless places of its cause are still needed."""
        group = self._full_group(problem, root)
        if group is not None:
            group.count_rows(rows)
        return group is not None

    def _full_group(self, problem: Problem, root: Path) -> _FindingGroup | None:
        """Return the group of a problem if its cause has all places that are kept."""
        cause = problem.cause
        return self._full.get((root, problem.code, cause.name)) if cause else None

    def merge(self, other: FindingCollector) -> None:
        """Add the findings of another collection."""
        for diagnostic in other._single:
            self._keep(diagnostic)
        if other._excess:
            self._keep_excess(other._excess)
        for key, group in other._groups.items():
            if key in self._groups:
                self._groups[key].merge(group)
            else:
                self._groups[key] = group

    def judged(self, policy: Policy) -> FindingCollector:
        """Return the findings with the severities of another policy; see `judged`."""
        other = FindingCollector(is_joined=self._is_joined, limit=self._limit)
        other._single, other._excess = [*judged(self._single, policy)], self._excess
        for (root, code, _, cause), group in self._groups.items():
            for first in judged([group.first], policy):
                key = (root, code, first.severity, cause)
                other._groups.setdefault(key, _FindingGroup(first, group.cause)).merge(group)
        return other

    @property
    def is_full(self) -> bool:
        """Whether there are more findings than are kept, so that the run can stop."""
        return self._excess is not None

    def _keep(self, diagnostic: Diagnostic) -> None:
        if self._limit and len(self._single) >= self._limit:
            self._keep_excess(diagnostic)
        else:
            self._single.append(diagnostic)

    def _keep_excess(self, diagnostic: Diagnostic) -> None:
        self._excess = self._excess or diagnostic

    @property
    def count(self) -> int:
        """The number of findings; those with the same cause are one."""
        return len(self._single) + len(self._groups)

    @property
    def without_cause(self) -> list[Diagnostic]:
        """The findings that no finding in another file can change."""
        return [*self._single]

    @property
    def single(self) -> list[Diagnostic] | None:
        """The findings, if they are all and none has a cause that others may have, too."""
        return None if self._groups or self._excess else self._single

    @property
    def files_of_causes(self) -> set[str]:
        """The files with the causes of findings."""
        files = (group.cause.file for group in self._groups.values() if not group.cause.problem)
        return {file for file in files if file is not None}

    def joined(self, documents: Mapping[str, Document]) -> list[Diagnostic]:
        """Return the findings; those with the same cause are one.

        `documents` are the documents of the library by file name.
        """
        single = [*self._single]
        if self._excess:
            single.append(_limit_exceeded(self._excess, self._limit))
        if not self._groups:
            return single
        faults = _Faults([*dict.fromkeys(single)])
        joined = [group.diagnostic(faults, documents) for group in self._groups.values()]
        return [*(diagnostic for diagnostic in joined if diagnostic), *faults.diagnostics]


def _limit_exceeded(first: Diagnostic, limit: int) -> Diagnostic:
    """Return the finding that there are more findings than `limit`; `first` is the next one."""
    return Diagnostic(
        "source/limit-exceeded",
        Severity.ERROR,
        f"there are more than {limit:,} findings: the rest is not checked",
        Place(first.place.file),
        (),
        "correct these first, or allow more with `--max-findings`",
    )


class _FindingGroup:
    """Findings with the same cause: the first of them, their number, and the first places."""

    # A row may have several of them, and counts once: the findings come in the order of the rows.

    def __init__(self, first: Diagnostic, cause: Cause) -> None:
        self.first = first
        self.cause = cause
        self._sites: dict[Site, None] = {}
        self._files: set[str] = set()
        self._total = 0
        self._rows = 0
        self._last_row: tuple[str, int] | None = None
        self._checks = 0

    def add(self, diagnostic: Diagnostic) -> None:
        """Add a finding, unless its place has been added."""
        place = diagnostic.place._replace(text=None)  # a line of JSONL may be long
        site = Site(place, diagnostic.path, diagnostic.row, diagnostic.row_index, diagnostic.fix)
        if site in self._sites:
            return
        if not self.has_all_sites:
            self._sites[site] = None
        self.count(place.file, diagnostic.row_index)

    @property
    def has_all_sites(self) -> bool:
        """Whether further places are only counted."""
        return len(self._sites) >= MAX_SITES

    def count(self, file: str, row_index: int | None) -> None:
        """Count a finding on a row, or on a check."""
        self._files.add(file)
        self._total += 1
        if row_index is None:
            self._checks += 1
        elif (row := (file, row_index)) != self._last_row:
            self._last_row = row
            self._rows += 1

    def count_rows(self, rows: int) -> None:
        """Count a finding on each of further rows of the file with the last one."""
        self._total += rows
        self._rows += rows

    def merge(self, other: _FindingGroup) -> None:
        """Add the findings of another group with the same cause."""
        new = [site for site in other._sites if site not in self._sites]
        known = [
            site for site in other._sites if site in self._sites and site.row_index is not None
        ]
        rows = {(site.place.file, site.row_index) for site in known}
        self._sites.update(dict.fromkeys(new[: MAX_SITES - len(self._sites)]))
        self._files |= other._files
        self._total += other._total - len(known)
        self._rows += other._rows - len(rows)
        self._checks += other._checks

    @property
    def sites(self) -> Sites:
        """The places of the findings."""
        noun = self.cause.noun
        counts = ((self._checks, noun), (self._rows, "row"))
        parts = [f"{count:,} {noun}{'' if count == 1 else 's'}" for count, noun in counts if count]
        is_in_files = len(self._files) > 1 and noun == "check"
        files = f" in {len(self._files):,} files" if is_in_files else ""
        verb = self.cause.verb
        verb = verb if self._checks + self._rows > 1 else _singular(verb)
        return Sites(f"{' and '.join(parts)}{files} {verb}", self._total, tuple(self._sites))

    def diagnostic(self, faults: _Faults, documents: Mapping[str, Document]) -> Diagnostic | None:
        """Return the finding; None if its cause is a finding among `faults`."""
        problem, file = self.cause.problem, self.cause.file
        first = self.first._replace(cause=None)
        sites = self.sites
        if file is not None and problem is None and faults.explain(file, first, sites):
            return None
        if sites.total == 1:
            return first
        document = documents.get(file) if file is not None and problem is not None else None
        if problem is None or document is None:
            return first._replace(sites=sites)
        return Diagnostic(
            first.code,
            first.severity,
            problem.message,
            document.place(problem.path, within=problem.within),
            problem.path,
            problem.help,
            sites=sites,
            severity_source=first.severity_source,
        )


class _Faults:
    """Findings without a common cause, some of which are the cause of others."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        self.diagnostics = diagnostics
        self._by_file: dict[str, list[int]] | None = None

    def explain(self, file: str, consequence: Diagnostic, sites: Sites) -> bool:
        """Add the places of a consequence to the finding that is its cause; return if there is one.

        A cause is a fault of the file as a whole, or of its id or version. It is at least as severe
        as its consequence, so that the exit code stays the same.
        """
        if self._by_file is None:
            self._by_file = {}
            for index, diagnostic in enumerate(self.diagnostics):
                self._by_file.setdefault(diagnostic.place.file, []).append(index)
        for index in self._by_file.get(file, ()):
            fault = self.diagnostics[index]
            if fault.severity >= consequence.severity and prevents_reading(fault):
                self.diagnostics[index] = fault._replace(sites=_both(fault.sites, sites))
                return True
        return False


def prevents_reading(fault: Diagnostic) -> bool:
    """Whether no reference to the file of a finding can resolve because of it."""
    if fault.code.startswith("source/") or fault.code == "library/not-synced":
        return True
    is_missing = fault.code.endswith("/missing-key") and not fault.path
    names_identity = any(f"`{key}`" in fault.message for key in ("id", "version"))
    return (is_missing and names_identity) or fault.path in (("id",), ("version",))


def _both(some: Sites | None, more: Sites) -> Sites:
    if some is None:
        return more
    first = (*some.first, *more.first)[:MAX_SITES]
    return Sites(f"{some.message}; {more.message}", some.total + more.total, first)


def _singular(verb: str) -> str:
    """Return the third person singular of `refer to it` or `lack it`."""
    first, _, rest = verb.partition(" ")
    return f"{first}s {rest}"


def rank_of(runs: Iterable[Run]) -> Callable[[Diagnostic], int]:
    """Return a function that ranks findings: files that others depend on come first."""
    kinds: dict[str, str] = {}
    for run in runs:
        workspace = run.workspace
        kinds |= {source.file: "bundle" for source in workspace.faults_of_libraries}
        kinds |= {source.file: "bundle" for source in workspace.bundle_files.values()}
        kinds |= {artifact.file: artifact.kind for artifact in workspace.library.artifacts}
        for name, files in workspace.unreadable_names.items():
            kinds |= dict.fromkeys((file for _, file in files), name.partition("/")[0])

    def rank(diagnostic: Diagnostic) -> int:
        kind = diagnostic.code.partition("/")[0]
        kind = kind if kind == "target" else kinds.get(diagnostic.place.file, "")
        return _ORDER.index(kind or "dataset")

    return rank


def no_findings(options: Options) -> FindingCollector:
    """Return findings to add to, joined and limited as the options say."""
    return FindingCollector(is_joined=options.is_joined, limit=options.max_findings)


def opened_quickly(input_: Input, options: Options) -> Dataset:
    """Open a dataset to check it; see `open_dataset`."""
    return open_dataset(input_, options.dialect, quick=True, columns=options.columns)


def check_dataset(
    run: Run,
    open_: Callable[[], Dataset],
    path: Path,
    outcome: RunOutcome,
    options: Options,
    policy: Policy | None = None,
) -> FindingCollector:
    """Check one dataset, by default with the policy of its targets, and return its findings."""
    outcome.count(Kind.DATASET, display_name(path))
    findings = no_findings(options)
    policy = policy or run.standards.policy_for(path)

    def begin(dataset: Dataset) -> DatasetPass:
        return dataset.begin(run, policy, run.standards.graded_for(path))

    try:
        # What is called after each batch may raise whatever it wants.
        for at in _pass_over(run, open_, begin, path=path, findings=findings, outcome=outcome):
            if options.progress:
                options.progress(at)
            if options.look:
                options.look()
    except MisreadError as misread:
        findings = FindingCollector()
        findings.add(from_unreadable_files([misread.unreadable], run.standards.base))
    return findings


def _pass_over(
    run: Run,
    open_: Callable[[], Dataset],
    begin: Callable[[Dataset], DatasetPass],
    path: Path,
    findings: FindingCollector,
    outcome: RunOutcome,
) -> Iterator[Advance]:
    """Check a dataset batch by batch; add its findings, and yield how far it is after each."""
    with one_finding(display_name(path), lambda crash: findings.add([crash])):
        dataset = open_()
        if dataset.unreadable:
            findings.add(from_unreadable_files([dataset.unreadable], run.standards.base))
            return
        dataset_pass = begin(dataset)
        root = run.workspace.root

        def is_counted(problem: Problem, rows: int) -> bool:
            return not dataset_pass.ignores.may_ignore and findings.count_rows(problem, rows, root)

        for checked in dataset_pass.batches(jobs=run.jobs, is_counted=is_counted):
            findings.add(checked.faults)
            problems: Iterable[Problem] = checked.problems
            if not dataset_pass.ignores.may_ignore:
                problems = findings.uncounted(problems, root)
            findings.add(dataset_pass.to_diagnostics(problems), root)
            so_far = Advance(dataset.file, dataset_pass.count, dataset_pass.progress)
            yield so_far._replace(findings=findings.count, known=dataset_pass.known)
            if findings.is_full:
                break
        else:
            findings.add(dataset_pass.finish(), root)
        outcome.rows += dataset_pass.count
        outcome.ignored += len(dataset_pass.ignores.ignored)
