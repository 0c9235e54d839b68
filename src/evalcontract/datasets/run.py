"""What the checks of one workspace share in one run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, date, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcontract.checks import EvalContext
from evalcontract.checks._time_limit import Searches
from evalcontract.checks.plan import Plan
from evalcontract.datasets.gates import SharedGates
from evalcontract.datasets.ignores import Ignores, RunIgnores
from evalcontract.datasets.kinds import other_kind
from evalcontract.datasets.placing import from_source_faults, from_unreadable_files, to_diagnostics
from evalcontract.datasets.plans import Plans, plan_crash
from evalcontract.datasets.workers import BatchResult
from evalcontract.library.library import Artifact, Library, visit
from evalcontract.model.diagnostic import Diagnostic, Problem
from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple
from evalcontract.policy import Policy, Selection, policy_of_target
from evalcontract.source import NOTHING, Document
from evalcontract.workspace import Target, Workspace

if TYPE_CHECKING:
    from evalcontract.analysis.ambiguity import PatternSearch
    from evalcontract.checks._kind import Ask
    from evalcontract.datasets.known_rows import KnownRows
    from evalcontract.meaning.lock import Lock
    from evalcontract.meaning.locked import DatasetUse


class Standards:
    """The policies of the datasets of a workspace, and the keys of rows that are graded.

    `forced` is the mode that the command line or the caller sets: True for strict, False for soft,
    None to let targets and configuration decide. `selection` has the codes that the caller wants to
    be reported, None for all. `external_policies` has the policies of targets of other workspaces
    for datasets of this one, by their real paths, and `external_graded` the row keys that their
    runners grade.
    """

    def __init__(
        self,
        workspace: Workspace,
        forced: bool | None = None,  # noqa: FBT001 - a mode, or None
        selection: Selection | None = None,
    ) -> None:
        self._workspace = workspace
        self.forced = forced
        self.selection = selection
        self.external_policies: dict[Path, list[Policy]] = {}
        self.external_graded: dict[Path, list[frozenset[str]]] = {}

    @property
    def base(self) -> Policy:
        """The policy for datasets without a target."""
        policy = self._workspace.configuration.policy
        return policy.forced(self.forced).narrowed(self.selection)

    def policy_for(self, path: Path | None) -> Policy:
        """Return the policy for a dataset: the strictest of the targets that run it."""
        targets = self._workspace.targets_of(path) if path else []
        external = self._external_policies_of(path) if path and self.external_policies else []
        policies = [*(self.policy_of(target) for target in targets), *external]
        if not policies:
            return self.base
        joined = policies[0]
        for policy in policies[1:]:
            joined = joined.join(policy)
        return joined

    def _external_policies_of(self, path: Path) -> list[Policy]:
        return self.external_policies.get(self._workspace.files.real(path), [])

    def policy_of(self, target: Target) -> Policy:
        """Return the policy of a target."""
        document = target.document
        value = document.value if isinstance(document.value, dict) else {}
        return policy_of_target(value, document.file, self.base, forced=self.forced)

    def graded_for(self, path: Path | None) -> frozenset[str]:
        """Return the keys of rows that the graders of every runner of a dataset read."""
        if path is None:
            return self._graded
        others = self.external_graded.get(self._workspace.files.real(path), [])
        runners = [*map(self.graded_by, self._workspace.targets_of(path)), *others]
        return frozenset.intersection(*runners) if runners else self._graded

    def graded_by(self, target: Target) -> frozenset[str]:
        """Return the keys of rows that the graders of a target read."""
        return self._graded | target.row_keys_graded

    @property
    def _graded(self) -> frozenset[str]:
        return self._workspace.configuration.row_keys_graded

    def add_external(self, dataset: Path, policy: Policy, graded: frozenset[str]) -> bool:
        """Add what a target of another workspace demands; return whether it is the first."""
        is_first = dataset not in self.external_policies
        self.external_policies.setdefault(dataset, []).append(policy)
        self.external_graded.setdefault(dataset, []).append(graded)
        return is_first


class ScheduledArtifacts:
    """The artifacts to check.

    `policies` has each artifact by its file, with its policy, joined from the datasets that use it.
    `files` has the files of those that were added, in order.
    """

    def __init__(self) -> None:
        self.policies: dict[str, tuple[Artifact, Policy]] = {}
        self.files: list[str] = []

    def add(self, artifact: Artifact, policy: Policy, library: Library) -> None:
        """Add an artifact, and all artifacts that it refers to."""
        self.files.append(artifact.file)

        def is_new(reached: Artifact) -> bool:
            if reached.library is not None:  # somebody else's, who checks it
                return True
            scheduled = self.policies.get(reached.file)
            joined = scheduled[1].join(policy) if scheduled else policy
            self.policies[reached.file] = (reached, joined)
            return scheduled is None or scheduled[0] is not reached or scheduled[1] != joined

        # What an artifact refers to has at least its policy, unless that has just become stricter.
        visit(artifact, library, is_new)


class FindingBudget(NamedTuple):
    """At most so many findings, 0 for any number; `policy` says what becomes a finding.

    Findings with a cause that others may have, too, do not count: they become one. Neither do those
    with `ignored` codes, and those of rows that ignore some.
    """

    limit: int = 0
    policy: Policy = Policy()
    ignored: Collection[str] = ()

    def spending(self, ignoring: Collection[int] = ()) -> Spending:
        """Begin to spend it; `ignoring` are the rows whose problems do not count."""
        return Spending(self, ignoring)

    def counts(self, problem: Problem, ignoring: Collection[int]) -> bool:
        """Whether a problem counts; `ignoring` are rows whose problems do not."""
        if problem.cause is not None or problem.row_index in ignoring:
            return False
        from evalcontract.policy import is_chosen  # neither is needed for clean rows
        from evalcontract.workspace.catalogue import code_named

        is_reported = self.policy.severity_of(code_named(problem.code)) is not None
        return is_reported and not is_chosen(problem.code, self.ignored)


class Spending:
    """What is left of a budget, in the order in which problems are found."""

    def __init__(self, budget: FindingBudget, ignoring: Collection[int]) -> None:
        self._budget = budget
        self._ignoring = ignoring
        self._left = budget.limit
        # Whether they count is asked when there are more of them than are left.
        self._asked: list[tuple[Problem, Collection[int]]] = []

    @property
    def is_spent(self) -> bool:
        """Whether more problems than the limit count."""
        if len(self._asked) > self._left:
            self._left -= sum(self._budget.counts(*each) for each in self._asked)
            self._asked.clear()
        return self._left < 0

    def add(self, problem: Problem) -> None:
        """Count a problem."""
        if self._budget.limit:
            self._asked.append((problem, self._ignoring))

    def add_batch(self, result: BatchResult) -> None:
        """Count the problems and faults of a batch, of which those of some rows do not count."""
        if self._budget.limit:
            ignoring = {row.row_index for row in result.ignoring}
            self._asked += [(problem, ignoring) for problem in result.problems]
            self._left -= len(result.batch.faults)


#: The number of rows of a dataset that cannot be used, for commands that need the rows: after
#: these, the others are not looked at.
MAX_REJECTED = 10_000


def today() -> date:
    """Return today's date in UTC, so that a result does not depend on the time zone."""
    return datetime.now(tz=UTC).date()


class Run:
    """The shared state of one run over a workspace.

    `standards` has the policies of its files; `forced` and `selection` are those of `Standards`.
    `scheduled` has the artifacts that are still to be checked. `jobs` is the maximum number of
    processes for one dataset, `max_findings` the number of findings after which it is not checked
    further (0: none), `has_php` whether checks that need PHP can run, `ask` what asks judges, if
    anything does, `ignores` what files ignore, if another run has begun to count it, `runs_rules`
    whether rules are run on rows, `max_rejected` the number of rows that cannot be used after which
    the others of a dataset are not looked at (0: none). With `is_part`, the rows are a part of a
    dataset, and what only the whole shows is not looked for. With `is_locking`, the files are not
    compared with the lock, and `uses` has what each dataset uses, by its file; otherwise,
    `problems_in_libraries` has what is wrong by the lock with artifacts of libraries, by name.
    `known_rows` are those of an earlier check of the only dataset.
    `files_of_checks` has the names of the JSON files that checks refer to; `schemas_of_files`
    whether each schema that a file names for editors is missing, by its path.
    """

    def __init__(
        self,
        workspace: Workspace,
        forced: bool | None,  # noqa: FBT001 - a mode, or None
        today: date,
        jobs: int = 1,
        *,
        max_findings: int = 0,
        has_php: bool = True,
        ask: Ask | None = None,
        selection: Selection | None = None,
        ignores: RunIgnores | None = None,
        runs_rules: bool = True,
        max_rejected: int = 0,
        is_locking: bool = False,
        is_part: bool = False,
        known_rows: KnownRows | None = None,
    ) -> None:
        self.known_rows = known_rows
        self.workspace = workspace
        self.standards = Standards(workspace, forced, selection)
        self.scheduled = ScheduledArtifacts()
        self.today = today
        self.jobs = jobs
        self.max_findings = max_findings
        self._has_php = has_php
        self._ask = ask
        self.files_of_checks: set[str] = set()
        self.schemas_of_files: dict[Path, bool] = {}
        self.ignores: RunIgnores = ignores or RunIgnores(workspace)
        self.runs_rules = runs_rules
        self.max_rejected = max_rejected
        self.is_locking = is_locking
        self.is_part = is_part
        self.uses: dict[str, DatasetUse] = {}
        self.problems_in_libraries: dict[str, list[Problem]] = {}

    @property
    def lock(self) -> Lock | None:
        """The lock that the files are compared with; None if there is none that can be used."""
        found = None if self.is_locking else self.workspace.lock_file
        return found.lock if found else None

    @cached_property
    def patterns(self) -> PatternSearch:
        """The searches for texts on which patterns backtrack; they share a limit on their time."""
        from evalcontract.analysis.ambiguity import PatternSearch  # only for artifacts

        return PatternSearch()

    @cached_property
    def documents(self) -> dict[str, Document]:
        """The documents of the library by file name, with those of other libraries."""
        library = self.workspace.library
        every = (*library.artifacts, *library.shared.artifacts)
        return {artifact.file: artifact.document for artifact in every}

    @cached_property
    def plans(self) -> Plans:
        """The plans of rubrics, shared by all datasets of the run."""
        workspace = self.workspace
        return Plans(
            EvalContext(
                workspace.library,
                self._has_php,
                self.read_json,
                workspace.schemas,
                self._ask,
                workspace.configuration.declared_kinds,
                Searches(),
            )
        )

    @cached_property
    def gates(self) -> SharedGates:
        """The state that the gates of all datasets share."""
        return SharedGates()

    def plan(self, rubric: Artifact) -> tuple[Plan | None, list[Diagnostic]]:
        """Return the plan of a rubric, or None and a finding if making it crashed."""
        plan = self.plans.of(rubric)
        if isinstance(plan, Exception):
            crashed = plan_crash(rubric, plan)
            return None, list(to_diagnostics([crashed], rubric.document, self.standards.base))
        return plan, []

    def budget(self, ignores: Ignores, policy: Policy) -> FindingBudget:
        """Return the number of findings after which a dataset is not checked further."""
        # What comments ignore is known only when findings have their lines.
        limit = 0 if ignores.are_inline else self.max_findings
        return FindingBudget(limit, policy, ignores.codes)

    def schema_reference(
        self, kind: Kind, document: Document, value: Any, policy: Policy
    ) -> Iterator[Diagnostic]:
        """Check the schema that a file names for editors; `value` has the keys of its root."""
        has_key = isinstance(value, dict) and "$schema" in value
        names_schema = has_key or "yaml-language-server" in document.head
        # A file of another kind is reported as that alone: which kind is meant, nobody knows.
        if names_schema and other_kind(kind, document.quick) is None:
            from evalcontract.workspace.recognition import check_schema_reference

            root = self.workspace.root
            faults = check_schema_reference(
                kind, document, value, root=root, is_missing=self.is_schema_missing
            )
            yield from from_source_faults(faults, document, policy)

    def is_schema_missing(self, path: Path) -> bool:
        """Whether there is no file at the path of a schema that a file names for editors."""
        self.schemas_of_files[path] = self.workspace.files.kind(path) == NOTHING
        return self.schemas_of_files[path]

    def read_json(self, name: str) -> Any:
        """Return the value of a JSON or YAML file; see `Workspace.read_json`."""
        self.files_of_checks.add(name)
        return self.workspace.read_json(name)


def library_findings(run: Run) -> Iterator[Diagnostic]:
    """Yield the findings on the libraries in the settings of a workspace."""
    yield from from_unreadable_files(run.workspace.faults_of_libraries, run.standards.base)


def with_libraries(run: Run, diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return findings with those on libraries, without the references that may lead to these."""
    settings, told = run.workspace.library.shared.settings, [*library_findings(run)]
    absent = settings if told else None
    return [*told, *(each for each in diagnostics if not (absent and _hangs_on(each, absent)))]


def _hangs_on(diagnostic: Diagnostic, settings: str) -> bool:
    return diagnostic.cause is not None and diagnostic.cause.file == settings
