"""Resolve references to loaded rubrics and judges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.api.findings import Findings
from evalcontract.api.grading import LoadedJudge, LoadedRubric
from evalcontract.api.violations import violation
from evalcontract.checking.artifacts import artifact_findings
from evalcontract.datasets.run import Run
from evalcontract.library.artifact import references_in_row
from evalcontract.library.library import Dangling
from evalcontract.library.references import check_use, provenance_of
from evalcontract.model.diagnostic import Problem, sort_key
from evalcontract.model.reference import Kind

if TYPE_CHECKING:
    from evalcontract.datasets.placing import Locatable
    from evalcontract.library.artifact import Artifact, ReferenceSite
    from evalcontract.model.diagnostic import Path
    from evalcontract.policy import Policy


class Resolver:
    """Gives the rubrics and judges of a workspace, each loaded at most once.

    `policy` is the policy for their findings.
    """

    def __init__(self, run: Run, policy: Policy) -> None:
        self._run = run
        self._policy = policy
        self._loaded: dict[tuple[int, bool], LoadedRubric | LoadedJudge] = {}

    @property
    def declared_kinds(self) -> frozenset[str]:
        """The kinds of checks that only another runner knows."""
        return self._run.workspace.configuration.declared_kinds

    def resolve(self, use: ReferenceSite, source: Locatable) -> LoadedRubric | LoadedJudge:
        """Return what a reference in a source refers to.

        Raises:
            ContractViolation: it does not resolve.

        """
        workspace = self._run.workspace
        target = workspace.library.resolve(use.reference)
        if isinstance(target, Dangling):
            problems = check_use(use, workspace.library, workspace.unreadable_names)
            raise violation(problems, source)
        return self.loaded(target.artifact, pinned=target.pinned)

    def rubric_of(self, row: Any, path: Path, source: Locatable) -> LoadedRubric | None:
        """Return the rubric of a row; None if the row has no `rubric_ref`.

        Raises:
            ContractViolation: the `rubric_ref` is malformed, or does not resolve.

        """
        if not isinstance(row, dict) or "rubric_ref" not in row:
            return None
        for use in references_in_row(row, path):
            resolved = self.resolve(use, source)
            if isinstance(resolved, LoadedRubric):
                return resolved
        message = "`rubric_ref` is not a reference to a rubric"
        advice = "write `rubric/{id}@{version}`, such as `rubric/answers@1.0.0`"
        place = (*path, "rubric_ref")
        raise violation([Problem("dataset/malformed-value", message, place, advice)], source)

    def loaded(self, artifact: Artifact, *, pinned: bool) -> LoadedRubric | LoadedJudge:
        """Return an artifact of the library, checked together with everything it refers to."""
        key = (id(artifact), pinned)
        if key not in self._loaded:
            self._loaded[key] = self._load(artifact, pinned=pinned)
        return self._loaded[key]

    def _load(self, artifact: Artifact, *, pinned: bool) -> LoadedRubric | LoadedJudge:
        run = Run(self._run.workspace, self._run.standards.forced, self._run.today)
        library = run.workspace.library
        run.scheduled.add(artifact, self._policy, library)
        document = artifact.document
        parts: tuple[Any, ...] = (
            artifact.id,
            str(artifact.version),
            artifact.file,
            document.value,
            Findings(sorted(artifact_findings(run), key=sort_key)),
            provenance_of(artifact.file, document.sha256, [(artifact, pinned)], library),
            artifact,
        )
        if artifact.kind is Kind.RUBRIC:
            return LoadedRubric(*(*parts, self))
        return LoadedJudge(*parts)
