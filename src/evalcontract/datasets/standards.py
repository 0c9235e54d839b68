"""How strictly the files of a workspace are checked, and which keys of rows their runners read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.library.library import visit
from evalcontract.policy import policy_of_target

if TYPE_CHECKING:
    from pathlib import Path

    from evalcontract.library.artifact import Artifact
    from evalcontract.library.library import Library
    from evalcontract.policy import Policy, Selection
    from evalcontract.workspace import Target, Workspace


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
            scheduled = self.policies.get(reached.file)
            joined = scheduled[1].join(policy) if scheduled else policy
            self.policies[reached.file] = (reached, joined)
            return scheduled is None or scheduled[0] is not reached or scheduled[1] != joined

        # What an artifact refers to has at least its policy, unless that has just become stricter.
        visit(artifact, library, is_new)
