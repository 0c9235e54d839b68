"""Rubrics and judges: what is loaded of them, and their loaders, by id or by reference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from evalcontract.api.findings import LOG, Findings, Loader, settle
from evalcontract.checking.artifacts import artifact_findings, listing_errors, lock_findings
from evalcontract.datasets.placing import Locatable, from_unreadable_files, to_diagnostics
from evalcontract.datasets.provenance import Provenance, provenance_of
from evalcontract.datasets.run import Run, with_libraries
from evalcontract.library.library import (
    Artifact,
    DanglingReference,
    ReferenceSite,
    Resolution,
    references_in_row,
)
from evalcontract.library.references import advise, check_use, says
from evalcontract.model.codes import GUESSES
from evalcontract.model.diagnostic import Path, Problem, sort_key
from evalcontract.model.errors import ContractViolation, UsageError
from evalcontract.model.reference import IDENTIFIER, Kind, Reference, Version
from evalcontract.policy import Policy
from evalcontract.source import UnreadableFile
from evalcontract.structure.schemas import with_defaults
from evalcontract.structure.validator import structure_of, valid_parts, without_declared

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.types import Judge, Rubric

_MAX_SHOWN = 80  # characters of an argument that a message quotes


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


class _ArtifactLoader(Loader):
    """Loads artifacts of one kind."""

    _kind: Kind

    def _load(self, name: str, version: str | None) -> LoadedRubric | LoadedJudge:
        run = self._run()
        library = run.workspace.library
        reference = self._reference(name, version)
        resolved = library.resolve(reference)
        # A file that cannot be read may contain the artifact, or a later version of it.
        unreadable = (
            []
            if isinstance(resolved, Resolution) and resolved.pinned
            else list(from_unreadable_files(_candidate_files(run, reference), run.standards.base))
        )
        if isinstance(resolved, DanglingReference):
            if unreadable:
                raise ContractViolation(unreadable)
            advice = advise(resolved, library, run.workspace.unreadable_names)
            if "/" not in name:
                advice = advice.replace(f"`{self._kind}/", "`")  # an id was asked for
            raise UsageError(f"{says(resolved, library)}; {advice}")
        if fault := library.fault_of(resolved.artifact):
            raise UsageError(f"{resolved.artifact.name} cannot be used: {fault}")
        policy = run.standards.base
        artifact = Resolver(run, policy).loaded(resolved.artifact, pinned=resolved.pinned)
        found = [*artifact.diagnostics, *unreadable, *listing_errors(run)]
        diagnostics = with_libraries(run, found)
        is_wrong_kind = any(
            diagnostic.code in (f"{self._kind}/wrong-kind", f"{self._kind}/other-tool")
            and diagnostic.place.file == artifact.file
            for diagnostic in diagnostics
        )
        diagnostics.sort(key=sort_key)
        settled = settle(diagnostics, strict=policy.strict, loaded=not is_wrong_kind)
        for diagnostic in settled:
            LOG.warning("%s", diagnostic)
        return replace(artifact, diagnostics=settled)

    def _reference(self, name: str, version: str | None) -> Reference:
        """Return the reference that the arguments of `load` mean."""
        example = f"`{self._kind}/{{id}}@{{version}}`"
        parsed = Version.parse(version) if version is not None else None
        if version is not None and parsed is None:
            raise UsageError(f"`{version[:_MAX_SHOWN]}` is not a version such as 1.0.0")
        if IDENTIFIER.fullmatch(name):
            return Reference(self._kind, name, parsed)
        shown = name[:_MAX_SHOWN]
        reference = Reference.parse(name)
        if reference is None:
            raise UsageError(f"`{shown}` is neither an id nor a reference of the form {example}")
        if reference.kind is not self._kind:
            loader = _LOADERS[reference.kind].__name__
            raise UsageError(f"`{shown}` refers to a {reference.kind}: load it with `{loader}`")
        if parsed is not None and reference.is_pinned:
            raise UsageError(f"`{shown}` has a version: do not give `version` as well")
        return reference._replace(version=reference.version or parsed)


def _candidate_files(run: Run, reference: Reference) -> list[UnreadableFile]:
    """Return the unreadable files whose names match a reference."""
    names = run.workspace.unreadable_names.get(f"{reference.kind}/{reference.id}", ())
    expected = reference.version
    files = {file for version, file in names if expected is None or version in (None, expected)}
    return [unreadable for unreadable in run.workspace.unreadable if unreadable.file in files]


class RubricLoader(_ArtifactLoader):
    """Loads rubrics. See `Loader` for the parameters."""

    _kind = Kind.RUBRIC

    def load(
        self,
        id: str,  # noqa: A002 - the key of the rubric
        version: str | None = None,
    ) -> LoadedRubric:
        """Load a rubric of the workspace.

        `id` is its id or a reference: `load("answers", "1.0.0")` is
        `load("rubric/answers@1.0.0")`. Versions are exact; without one, the newest is loaded.
        Soft mode logs one warning per finding in the rubric and in what it refers to.

        Raises:
            UsageError: there is no such rubric (the message names the known ones), or `id` or
                `version` is malformed.
            ContractViolation: in strict mode, there is an error; in both modes, the file cannot
                be read or contains another kind.
            ConfigurationError: the configuration of the workspace cannot be used.

        """
        return cast("LoadedRubric", self._load(id, version))


class JudgePromptLoader(_ArtifactLoader):
    """Loads judges. See `Loader` for the parameters."""

    _kind = Kind.JUDGE

    def load(
        self,
        id: str,  # noqa: A002 - the key of the judge
        version: str | None = None,
    ) -> LoadedJudge:
        """Load a judge of the workspace, as `RubricLoader.load` loads a rubric."""
        return cast("LoadedJudge", self._load(id, version))


_LOADERS: dict[Kind, type[Loader]] = {Kind.RUBRIC: RubricLoader, Kind.JUDGE: JudgePromptLoader}
