"""The results of the loaders: rows with their findings, datasets, rubrics and judges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, cast

from evalcontract.api.findings import NO_FINDINGS, Findings
from evalcontract.checking.artifacts import artifact_findings, lock_findings
from evalcontract.datasets.placing import Locatable, to_diagnostics
from evalcontract.datasets.provenance import Provenance, provenance_of
from evalcontract.datasets.run import Run
from evalcontract.library.library import (
    Artifact,
    DanglingReference,
    ReferenceSite,
    references_in_row,
)
from evalcontract.library.references import check_use
from evalcontract.model.codes import GUESSES, ILL_FORMED
from evalcontract.model.diagnostic import Diagnostic, Path, Problem, sort_key
from evalcontract.model.errors import ContractViolation, UsageError
from evalcontract.model.reference import Kind
from evalcontract.policy import Policy
from evalcontract.structure.schemas import with_defaults
from evalcontract.structure.validator import structure_of, valid_parts, without_declared

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    from evalcontract.checks.coverage import RowCoverage
    from evalcontract.types import Judge, Row, Rubric

    #: The rows of a dataset: of evalcontract, unless its loader has the dialect of another system.
    RowT = TypeVar("RowT", default=Row)
else:
    from typing import TypeVar

    RowT = TypeVar("RowT")  # Python knows no defaults before 3.13


@dataclass(frozen=True, slots=True)
class LoadedRow(Generic[RowT]):
    """One row of a dataset, with its findings.

    `index` counts the rows from 0. `value` has the type of well-formed rows; that of an ill-formed
    one may be anything. `diagnostics` are the findings in the row.
    """

    index: int
    value: RowT
    diagnostics: Findings = NO_FINDINGS
    _rubric_of: Callable[[LoadedRow[RowT]], LoadedRubric | None] | None = field(
        default=None, repr=False, compare=False
    )

    def __reduce__(self) -> tuple[Any, ...]:
        # The workspace stays behind when a row is sent to another process.
        return LoadedRow, (self.index, self.value, self.diagnostics)

    @property
    def ok(self) -> bool:
        """Whether the row has no findings."""
        return not self.diagnostics

    @property
    def fault(self) -> Diagnostic | None:
        """The finding because of which the row is not valid, so that nothing grades it.

        None if it is valid; then other findings do not keep its output from being graded. What the
        loader of another system rejects is not valid.
        """
        if not self.diagnostics:
            return None
        from evalcontract.workspace.catalogue import is_rejection

        for diagnostic in self.diagnostics:
            if diagnostic.code in ILL_FORMED or is_rejection(diagnostic.code):
                return diagnostic
        return None

    @property
    def rubric(self) -> LoadedRubric | None:
        """The rubric that grades the row; None if the row has no `rubric_ref`.

        Rows of other systems have none.

        Raises:
            ContractViolation: the `rubric_ref` is malformed, or does not resolve.
            UsageError: the row was copied or unpickled, and has lost its workspace.

        """
        if self._rubric_of is None:
            raise UsageError("the rubric of a copied row is unknown: ask the row that was loaded")
        return self._rubric_of(self)


@dataclass(frozen=True)
class LoadedDataset(Generic[RowT]):
    """A dataset with all rows in order, including those with faults.

    `file` is the name of the file, or of the rows in memory. `diagnostics` are all findings,
    sorted by place, including those of the rubrics and judges that the rows refer to.
    """

    file: str
    rows: tuple[LoadedRow[RowT], ...]
    diagnostics: Findings
    _provenance: Callable[[Iterable[tuple[Any, bool]]], Provenance] = field(
        repr=False, compare=False
    )
    _cover: Callable[[tuple[LoadedRow[RowT], ...]], tuple[RowCoverage, ...]] = field(
        repr=False, compare=False
    )

    @cached_property
    def coverage(self) -> tuple[RowCoverage, ...]:
        """The coverage of each row: which checks will run on it, in order of the rows.

        For a dataset of another system, which of that system's own graders will run.
        """
        return self._cover(self.rows)

    @cached_property
    def provenance(self) -> Provenance:
        """What its results depend on: digests and exact versions of all that the dataset reaches.

        `provenance.to_dict()` is what `evalcontract manifest` prints.
        """
        return self._provenance((row.value, row.fault is None) for row in self.rows)

    def __iter__(self) -> Iterator[LoadedRow[RowT]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class LoadedArtifact:
    """A rubric or a judge: its content, its exact version and its findings.

    `value` is the content of `file`. `diagnostics` are the findings in it and in everything that
    it refers to, sorted by place.
    """

    id: str
    version: str
    file: str
    value: Mapping[str, Any]
    diagnostics: Findings
    provenance: Provenance = field(repr=False)


def violation(problems: Iterable[Problem], source: Locatable) -> ContractViolation:
    """Return the exception for problems that prevent the use of what they are about.

    They are errors whatever the mode is, since the caller asks for what does not exist.
    """
    return ContractViolation(tuple(to_diagnostics(problems, source, Policy(strict=True))))


#: The keys of a check that are not parameters.
_OTHER_KEYS = frozenset({"id", "kind", "label", "description", "metadata"})
#: The ways to combine scores in which a threshold of the rubric has no meaning.
_BOOLEAN = ("all_pass", "any_pass")


@dataclass(frozen=True)
class LoadedJudge(LoadedArtifact):
    """A judge; see `render` to fill in its template."""

    value: Judge
    _artifact: Artifact = field(repr=False, compare=False)

    @property
    def template(self) -> str:
        """The template of the prompt.

        Raises:
            ContractViolation: there is none, or it is not a string.

        """
        template = self.value.get("template")
        if isinstance(template, str):
            return template
        problem = Problem("judge/missing-key", "the template is missing or not a string", ())
        raise violation([problem], self._artifact.document)

    def violation_of(self, problems: list[Problem]) -> Exception:
        """Return the exception for faults of the judge, with their places in its file."""
        return violation(problems, self._artifact.document)


@dataclass(frozen=True)
class LoadedCheck:
    """One check of a rubric.

    `id` is `KIND[INDEX]` for a check without one. `parameters` has what the rubric says and the
    schema's defaults for the rest; a parameter without either is missing: then the check reads
    the row (`expected_facts`, …) or does without. `weight` is its weight in the average: 1 unless
    the rubric's `combine` is `weighted_avg` and its `weights` say otherwise.
    """

    id: str
    kind: str
    parameters: Mapping[str, Any]
    weight: float
    _uses: tuple[ReferenceSite, ...] = field(repr=False, compare=False)
    _resolver: Resolver = field(repr=False, compare=False)
    _artifact: Artifact = field(repr=False, compare=False)

    @property
    def threshold(self) -> float | None:
        """The score from 0 to 1 that passes the check; None if its own verdict decides."""
        threshold: float | None = self.parameters.get("threshold")
        return threshold

    @cached_property
    def judges(self) -> tuple[LoadedJudge, ...]:
        """The judges of the check, in the order of its jury; empty if it has none.

        The weights of a jury are in `parameters["jury"]["judges"]`, in the same order.

        Raises:
            ContractViolation: a reference does not resolve.

        """
        resolved = self._resolve(Kind.JUDGE)
        return tuple(judge for judge in resolved if isinstance(judge, LoadedJudge))

    @cached_property
    def rubric(self) -> LoadedRubric | None:
        """The other rubric of a `composite` check; None for other kinds.

        Raises:
            ContractViolation: the reference does not resolve.

        """
        resolved = self._resolve(Kind.RUBRIC)
        return next((rubric for rubric in resolved if isinstance(rubric, LoadedRubric)), None)

    def _resolve(self, kind: Kind) -> list[LoadedRubric | LoadedJudge]:
        uses = [use for use in self._uses if use.reference.kind is kind]
        return [self._resolver.resolve(use, self._artifact.document) for use in uses]


@dataclass(frozen=True)
class LoadedRubric(LoadedArtifact):
    """A rubric; `value` is its file as it is written, the properties have the defaults."""

    value: Rubric
    _artifact: Artifact = field(repr=False, compare=False)
    _resolver: Resolver = field(repr=False, compare=False)

    @property
    def combine(self) -> str:
        """How the scores of the checks become one, such as `weighted_avg`.

        Raises:
            ContractViolation: as for `checks`.

        """
        combine: str = self._scoring["combine"]
        return combine

    @property
    def threshold(self) -> float | None:
        """The score from 0 to 1 that passes the rubric; None if there is none.

        With the combinations `all_pass` and `any_pass` it has no meaning, and is None.

        Raises:
            ContractViolation: as for `checks`.

        """
        threshold: float | None = self._scoring.get("threshold")
        return None if self.combine in _BOOLEAN else threshold

    @cached_property
    def checks(self) -> tuple[LoadedCheck, ...]:
        """The checks in order.

        Raises:
            ContractViolation: a check or `scoring` is malformed. Its other checks alone would give
                another score without notice.

        """
        weights = self._scoring.get("weights", {}) if self.combine == "weighted_avg" else {}
        checks = []
        for index, check in enumerate(self._valid["checks"]):
            filled = with_defaults(check)
            id_ = check.get("id")
            id_ = id_ if isinstance(id_, str) else None
            path = ("checks", index)
            checks.append(
                LoadedCheck(
                    id_ or f"{check['kind']}[{index}]",
                    check["kind"],
                    {key: part for key, part in filled.items() if key not in _OTHER_KEYS},
                    float(weights.get(id_, 1)),
                    tuple(use for use in self._artifact.uses if use.path[:2] == path),
                    self._resolver,
                    self._artifact,
                )
            )
        return tuple(checks)

    @property
    def _scoring(self) -> dict[str, Any]:
        scoring: dict[str, Any] = self._valid["scoring"]
        return scoring

    @cached_property
    def _valid(self) -> dict[str, Any]:
        """The content, if its checks and `scoring` are well-formed."""
        document = self._artifact.document
        value = cast("dict[str, Any]", self.value)
        problems = list(structure_of("rubric").check(value, (), document.raw))
        problems = without_declared(problems, value, self._resolver.declared_kinds)
        valid, checks = valid_parts(value, problems)
        written = valid.get("checks")
        if written and len(checks) == len(written) and "scoring" in valid:
            return valid
        faults = [problem for problem in problems if not problem.code.endswith(GUESSES)]
        raise violation(faults or problems, document)


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
        library = workspace.library
        if isinstance(target, DanglingReference) or library.fault_of(target.artifact):
            problems = check_use(use, library, workspace.unreadable_names)
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
        findings = [*artifact_findings(run), *lock_findings(run, has_bundles=False)]
        parts: tuple[Any, ...] = (
            artifact.id,
            str(artifact.version),
            artifact.file,
            document.value,
            Findings(sorted(findings, key=sort_key)),
            _provenance_of(run, artifact, pinned=pinned),
            artifact,
        )
        if artifact.kind is Kind.RUBRIC:
            return LoadedRubric(*(*parts, self))
        return LoadedJudge(*parts)


def _provenance_of(run: Run, artifact: Artifact, *, pinned: bool) -> Provenance:
    """Return what an artifact reaches, and itself: it is pinned where the reference to it is."""
    source = artifact.file, artifact.document.sha256
    return provenance_of(run, source, (), artifacts=[(artifact, pinned)])
