"""One run over one workspace: datasets first, then the rubrics and judges that they reach."""

from __future__ import annotations

from datetime import UTC, date, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from evalcontract.checks import EvalContext
from evalcontract.engine.artifact_check import check_artifact
from evalcontract.engine.diagnostics import from_unreadable, to_diagnostics
from evalcontract.engine.gates import SharedGates
from evalcontract.engine.grading import Plans, plan_crash
from evalcontract.library.graph import reach
from evalcontract.model.diagnostic import Problem
from evalcontract.model.nearest import nearest
from evalcontract.policy import policy_of_target
from evalcontract.rules._rule import Context
from evalcontract.source import FILE, read_file
from evalcontract.structure.validator import structure_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evalcontract.checks.plan import Plan
    from evalcontract.library.artifact import Artifact
    from evalcontract.library.library import Library
    from evalcontract.model.diagnostic import Diagnostic
    from evalcontract.policy import Policy
    from evalcontract.source import Document, UnreadableFile
    from evalcontract.workspace import Target, Workspace


def today() -> date:
    """Return the day in UTC, so that a verdict does not depend on where it is made."""
    return datetime.now(tz=UTC).date()


class Run:
    """What one run shares: the workspace, the mode that was asked for, and today.

    `forced` is the mode of a command line or a call: True, False, or None for what targets and
    configuration say. `jobs` is how many processes may look at one dataset, `has_php` whether
    checks that need PHP can run. `artifact_policies` collects how strictly each artifact is to be
    judged, from the datasets that reach it, `named_by_others` what the targets of other
    workspaces ask for a dataset of this one.
    """

    def __init__(
        self,
        workspace: Workspace,
        forced: bool | None,  # noqa: FBT001 - a mode, or none
        today: date,
        jobs: int = 1,
        *,
        has_php: bool = True,
    ) -> None:
        self.workspace = workspace
        self.forced = forced
        self.today = today
        self.jobs = jobs
        self._has_php = has_php
        self.artifact_policies: dict[str, tuple[Artifact, Policy]] = {}
        self.named_by_others: dict[Path, list[Policy]] = {}

    @property
    def base_policy(self) -> Policy:
        """The policy where no target says otherwise."""
        policy = self.workspace.configuration.policy
        return policy if self.forced is None else policy._replace(strict=self.forced)

    def policy_for(self, path: Path | None) -> Policy:
        """Return the policy for a dataset: the strictest of the targets that run it."""
        targets = self.workspace.targets_of(path) if path else []
        others = self.named_by_others.get(self.workspace.files.real(path), []) if path else []
        policies = [*(self.policy_of(each) for each in targets), *others]
        if not policies:
            return self.base_policy
        joined = policies[0]
        for policy in policies[1:]:
            joined = joined.join(policy)
        return joined

    def policy_of(self, target: Target) -> Policy:
        """Return the policy that a target asks for."""
        document = target.document
        value = document.value if isinstance(document.value, dict) else {}
        return policy_of_target(value, document.file, self.base_policy, forced=self.forced)

    @cached_property
    def documents(self) -> dict[str, Document]:
        """The documents of the library by file name."""
        return {each.file: each.document for each in self.workspace.library.artifacts}

    @cached_property
    def plans(self) -> Plans:
        """What every rubric does with rows, the same for all datasets of the run."""
        workspace = self.workspace
        around = EvalContext(
            workspace.library, has_php=self._has_php, read_json=workspace.read_json
        )
        return Plans(around)

    @cached_property
    def gates(self) -> SharedGates:
        """What the gates of all datasets share."""
        return SharedGates()

    def plan(self, rubric: Artifact) -> tuple[Plan | None, list[Diagnostic]]:
        """Return what a rubric does with rows; None and a finding where that crashed."""
        plan = self.plans.of(rubric)
        if isinstance(plan, Exception):
            crashed = plan_crash(rubric, plan)
            return None, list(to_diagnostics([crashed], rubric.document, self.base_policy, {}))
        return plan, []

    def want(self, artifact: Artifact, policy: Policy, library: Library) -> None:
        """Ask for the check of an artifact, and of all that it reaches."""
        for each in reach([artifact], library):
            known = self.artifact_policies.get(each.file)
            joined = known[1].join(policy) if known else policy
            self.artifact_policies[each.file] = (each, joined)

    def artifacts(self, library: Library | None = None) -> Iterator[Diagnostic]:
        """Check the artifacts that were asked for."""
        library = library or self.workspace.library
        others = {**self.documents, **{each.file: each.document for each in library.artifacts}}
        for artifact, policy in self.artifact_policies.values():
            limit, of_whom = policy.max_age_days, policy.age_from
            context = Context(library, self.today, limit, self._read_json, library.used, of_whom)
            problems = check_artifact(artifact, context, self.workspace.unreadable_names)
            yield from to_diagnostics(problems, artifact.document, policy, others)

    def targets(self) -> Iterator[Diagnostic]:
        """Check the files of `targets/`."""
        structure = structure_of("target")
        for target in self.workspace.targets:
            document = target.document
            problems = structure.check(document.value, (), document.raw)
            if target.dataset and not any("dataset" in each.path for each in problems):
                problems += self._fault_of_dataset(target.dataset, document.value["dataset"])
            yield from to_diagnostics(problems, document, self.base_policy, {})

    def _fault_of_dataset(self, path: Path, name: str) -> Iterator[Problem]:
        """Say why what a target names is no dataset that can be run."""
        where = ("dataset",)
        files = self.workspace.files
        if not files.is_file(path):
            unreadable = read_file(path, name, files).unreadable
            fault = unreadable.faults[0].message if unreadable else "is no file"
            there = files.is_there(path)
            message = f"`{name}` {fault}" if there else f"there is no file `{name}`"
            advice = None if there else self._advice_of_dataset(name)
            yield Problem("target/missing-dataset", message, where, advice)
        elif self.workspace.is_no_dataset(path):
            message = f"`{name}` is no dataset: it has no `questions`"
            advice = "name the dataset to run; rubrics and judges are reached through its rows"
            yield Problem("target/wrong-kind", message, where, advice)

    def _advice_of_dataset(self, name: str) -> str:
        """Say which file a target means: one that is called so, or nearly, where it looks."""
        folder, _, base = name.rpartition("/")
        root = self.workspace.root
        for place in dict.fromkeys((folder, "datasets", folder.removeprefix("../"))):
            try:
                entries = self.workspace.files.entries(root / place, "")
            except (OSError, ValueError):
                continue
            names = [each.name for each in entries if each.kind == FILE]
            meant = base if base in names else nearest(base, names)
            if meant:
                return f"did you mean `{f'{place}/{meant}'.removeprefix('/')}`?"
        return "paths begin at the workspace's root"

    def bundles(self) -> Iterator[Diagnostic]:
        """Check the files of `bundles/`: each must be a JSON Schema."""
        for source in self.workspace.bundle_files.values():
            if source.unreadable:
                yield from from_unreadable(source.unreadable, self.base_policy)
            if document := source.document:
                from evalcontract.engine.bundle_check import check_bundle  # slow to import

                problems = check_bundle(document.value)
                yield from to_diagnostics(problems, document, self.base_policy, {})

    def unreadable(
        self, files: Iterator[UnreadableFile] | list[UnreadableFile]
    ) -> Iterator[Diagnostic]:
        """Say why files give no value."""
        for each in files:
            yield from from_unreadable(each, self.base_policy)

    def unlisted(self) -> Iterator[Diagnostic]:
        """Say which folders of the library, of bundles and of targets could not be listed."""
        yield from self.unreadable(list(self.workspace.unlisted.values()))

    def _read_json(self, name: str) -> Any:
        return self.workspace.read_json(name)
