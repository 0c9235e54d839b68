"""Rubrics and judges as a runner needs them: resolved references, and defaults filled in."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from evalcontract.api.loaded import LoadedArtifact
from evalcontract.api.violations import violation
from evalcontract.model.codes import GUESSES
from evalcontract.model.diagnostic import Problem
from evalcontract.model.reference import Kind
from evalcontract.structure.schemas import with_defaults
from evalcontract.structure.validator import structure_of, valid_parts, without_declared

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcontract.api.resolving import Resolver
    from evalcontract.library.artifact import Artifact, ReferenceSite
    from evalcontract.types import Judge, Rubric

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
