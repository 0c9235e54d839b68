"""One run over one workspace: datasets first, then the rubrics and judges that they refer to."""

from __future__ import annotations

from datetime import UTC, date, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from evalcontract.analysis.pattern_search import PatternSearch
from evalcontract.checks import EvalContext
from evalcontract.checks._searches import Searches
from evalcontract.engine.budget import FindingBudget
from evalcontract.engine.crash import one_finding
from evalcontract.engine.diagnostics import from_source_faults, from_unreadable, to_diagnostics
from evalcontract.engine.gates import SharedGates
from evalcontract.engine.grading import Plans, plan_crash
from evalcontract.engine.run_ignores import RunIgnores
from evalcontract.engine.wrong_kind import other_kind
from evalcontract.library.graph import visit
from evalcontract.model.reference import Kind
from evalcontract.policy import policy_of_target
from evalcontract.source import NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evalcontract.checks._kind import Ask
    from evalcontract.checks.plan import Plan
    from evalcontract.engine.ignores import Ignores
    from evalcontract.engine.target_check import TargetCheck
    from evalcontract.library.artifact import Artifact
    from evalcontract.library.library import Library
    from evalcontract.model.diagnostic import Diagnostic
    from evalcontract.policy import Policy
    from evalcontract.policy.selection import Selection
    from evalcontract.rules._composites import CompositeChecks
    from evalcontract.source import Document, UnreadableFile
    from evalcontract.workspace import Target, Workspace


def today() -> date:
    """Return today's date in UTC, so that a result does not depend on the time zone."""
    return datetime.now(tz=UTC).date()


class Run:
    """The shared state of one run over a workspace.

    `forced` is the mode that the command line or the caller sets: True for strict, False for soft,
    None to let targets and configuration decide. `jobs` is the maximum number of processes for one
    dataset, `max_findings` the number of findings after which it is not checked further (0: none),
    `has_php` whether checks that need PHP can run, `ask` what asks judges, if anything does,
    `selection` the codes that the caller wants to be reported, None for all, `ignores` what files
    ignore, if another run has begun to count it, `runs_rules` whether rules are run on rows.
    `artifact_policies` has the policy of each scheduled artifact, joined from the datasets that use
    it; `external_policies` those of targets of other workspaces for datasets of this one, and
    `external_graded` the row keys that their runners grade. `scheduled` has the files of the
    artifacts that were scheduled, in order; `files_of_checks` the names of the JSON files that
    checks refer to; `schemas_of_files` whether each schema that a file names for editors is
    missing, by its path.
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
    ) -> None:
        self.workspace = workspace
        self.selection = selection
        self.forced = forced
        self.today = today
        self.jobs = jobs
        self.max_findings = max_findings
        self._has_php = has_php
        self._ask = ask
        self.artifact_policies: dict[str, tuple[Artifact, Policy]] = {}
        self.external_policies: dict[Path, list[Policy]] = {}
        self.external_graded: dict[Path, list[frozenset[str]]] = {}
        self.scheduled: list[str] = []
        self.files_of_checks: set[str] = set()
        self.schemas_of_files: dict[Path, bool] = {}
        self.ignores: RunIgnores = ignores or RunIgnores(workspace)
        self.runs_rules = runs_rules
        self._patterns = PatternSearch()

    @cached_property
    def _composites(self) -> CompositeChecks:
        from evalcontract.rules._composites import CompositeChecks  # only needed for artifacts

        return CompositeChecks()

    @property
    def base_policy(self) -> Policy:
        """The policy for datasets without a target."""
        policy = self.workspace.configuration.policy
        return policy.forced(self.forced).narrowed(self.selection)

    def policy_for(self, path: Path | None) -> Policy:
        """Return the policy for a dataset: the strictest of the targets that run it."""
        targets = self.workspace.targets_of(path) if path else []
        external = self._external_policies_of(path) if path and self.external_policies else []
        policies = [*(self.policy_of(target) for target in targets), *external]
        if not policies:
            return self.base_policy
        joined = policies[0]
        for policy in policies[1:]:
            joined = joined.join(policy)
        return joined

    def _external_policies_of(self, path: Path) -> list[Policy]:
        return self.external_policies.get(self.workspace.files.real(path), [])

    def policy_of(self, target: Target) -> Policy:
        """Return the policy of a target."""
        document = target.document
        value = document.value if isinstance(document.value, dict) else {}
        return policy_of_target(value, document.file, self.base_policy, forced=self.forced)

    def graded_for(self, path: Path | None) -> frozenset[str]:
        """Return the keys of rows that the graders of every runner of a dataset read."""
        if path is None:
            return self._graded
        others = self.external_graded.get(self.workspace.files.real(path), [])
        runners = [*map(self.graded_by, self.workspace.targets_of(path)), *others]
        return frozenset.intersection(*runners) if runners else self._graded

    def graded_by(self, target: Target) -> frozenset[str]:
        """Return the keys of rows that the graders of a target read."""
        return self._graded | target.row_keys_graded

    @property
    def _graded(self) -> frozenset[str]:
        return self.workspace.configuration.row_keys_graded

    @cached_property
    def documents(self) -> dict[str, Document]:
        """The documents of the library by file name."""
        return {artifact.file: artifact.document for artifact in self.workspace.library.artifacts}

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
            return None, list(to_diagnostics([crashed], rubric.document, self.base_policy, {}))
        return plan, []

    def schedule(self, artifact: Artifact, policy: Policy, library: Library) -> None:
        """Schedule the check of an artifact and of all artifacts that it refers to."""
        self.scheduled.append(artifact.file)

        def is_new(reached: Artifact) -> bool:
            scheduled = self.artifact_policies.get(reached.file)
            joined = scheduled[1].join(policy) if scheduled else policy
            self.artifact_policies[reached.file] = (reached, joined)
            return scheduled is None or scheduled[0] is not reached or scheduled[1] != joined

        # What an artifact refers to has at least its policy, unless that has just become stricter.
        visit(artifact, library, is_new)

    def artifacts(self, library: Library | None = None) -> Iterator[Diagnostic]:
        """Check the scheduled artifacts."""
        library = library or self.workspace.library
        documents = {**self.documents, **{each.file: each.document for each in library.artifacts}}
        for artifact, policy in self.artifact_policies.values():
            from evalcontract.engine.artifact_check import check_artifact  # not for rows alone
            from evalcontract.rules._rule import Context

            context = Context(
                library,
                self.today,
                policy.max_age_days,
                self.read_json,
                self.workspace.schemas,
                self._patterns,
                self._composites,
                library.used,
                policy.age_from,
            )
            kinds = self.workspace.configuration.declared_kinds
            document = artifact.document
            told: list[Diagnostic] = []
            with one_finding(artifact.file, told.append):
                problems = check_artifact(artifact, context, self.workspace.unreadable_names, kinds)
                found = to_diagnostics(problems, document, policy, documents)
                of_schema = self.schema_reference(artifact.kind, document, document.value, policy)
                told += self.ignores.without_ignored(document, policy, found, of_schema)
            yield from told

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
            from evalcontract.workspace.schema_references import check_schema_reference

            root = self.workspace.root
            faults = check_schema_reference(kind, document, value, root, self.is_schema_missing)
            yield from from_source_faults(faults, document, policy)

    def is_schema_missing(self, path: Path) -> bool:
        """Whether there is no file at the path of a schema that a file names for editors."""
        self.schemas_of_files[path] = self.workspace.files.kind(path) == NOTHING
        return self.schemas_of_files[path]

    @cached_property
    def _target_check(self) -> TargetCheck:
        from evalcontract.engine.target_check import TargetCheck  # only for targets

        return TargetCheck(self.workspace)

    def targets(self) -> Iterator[Diagnostic]:
        """Check the files of `targets/`."""
        for target in self.workspace.targets:
            yield from self.target(target)

    def target(self, target: Target) -> Iterator[Diagnostic]:
        """Check one target."""
        document = target.document
        problems = self._target_check.problems(target)
        policy = self.base_policy
        found = to_diagnostics(problems, document, policy, {})
        of_schema = self.schema_reference(Kind.TARGET, document, document.value, policy)
        yield from self.ignores.without_ignored(document, policy, found, of_schema)

    def bundles(self) -> Iterator[Diagnostic]:
        """Check the files of `bundles/`: each must be a JSON Schema."""
        for source in self.workspace.bundle_files.values():
            if source.unreadable:
                yield from from_unreadable(source.unreadable, self.base_policy)
            if document := source.document:
                from evalcontract.engine.bundle_check import check_bundle  # slow to import

                problems = check_bundle(document.value, self._patterns, self.workspace.schemas)
                found = to_diagnostics(problems, document, self.base_policy, {})
                yield from self.ignores.without_ignored(document, self.base_policy, found)

    def unreadable(
        self, files: Iterator[UnreadableFile] | list[UnreadableFile]
    ) -> Iterator[Diagnostic]:
        """Yield the findings for files that cannot be read."""
        for file in files:
            yield from from_unreadable(file, self.base_policy)

    def listing_errors(self) -> Iterator[Diagnostic]:
        """Yield the findings for folders that could not be listed."""
        yield from self.unreadable([*self.workspace.unreadable_dirs.values()])

    def unread(self) -> Iterator[Diagnostic]:
        """Yield the findings for files in the folders of the workspace that are not read."""
        yield from self.unreadable(self.workspace.listing.unread())

    def configuration_findings(self) -> Iterator[Diagnostic]:
        """Yield the finding on settings that are not read, since others are beside them."""
        shadowed = self.workspace.configuration.shadowed
        yield from self.unreadable([shadowed] if shadowed else [])

    def read_json(self, name: str) -> Any:
        """Return the value of a JSON or YAML file; see `Workspace.read_json`."""
        self.files_of_checks.add(name)
        return self.workspace.read_json(name)
