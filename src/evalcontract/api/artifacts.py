"""The loaders of rubrics and judges, by id or by reference, and the rendering of templates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from evalcontract.analysis.template import scan
from evalcontract.api.findings import LOG, Loader, settle
from evalcontract.api.loaded import LoadedJudge, LoadedRow, LoadedRubric, Resolver
from evalcontract.checking.artifacts import listing_errors
from evalcontract.datasets.placing import from_unreadable_files
from evalcontract.datasets.run import Run, with_libraries
from evalcontract.judging.prompt import render_template
from evalcontract.library.library import DanglingReference, Resolution
from evalcontract.library.references import advise, says
from evalcontract.model.diagnostic import Problem, sort_key
from evalcontract.model.errors import ContractViolation, UsageError
from evalcontract.model.reference import IDENTIFIER, Kind, Reference, Version
from evalcontract.source import UnreadableFile
from evalcontract.source.rows import NotPlainError, plain

_MAX_SHOWN = 80  # characters of an argument that a message quotes


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


#: The keys of a row that templates may use.
FROM_ROW = ("input", "criteria", "expected", "context")


def render(judge: LoadedJudge, row: LoadedRow[Any] | Mapping[str, Any], output: str) -> str:
    """Return the prompt of a judge for the output of a model on a row.

    The variables are `output` and the row's `input`, `criteria`, `expected` and `context`, with
    dotted names below them (`expected.facts.0` is the first item of a list). Nothing is escaped.
    A string is inserted as it is, any other value as one line of JSON, and nothing for a missing
    name or null. A section is left out if its value is missing, null, false or empty (`""`, `[]`,
    `{}`); the number 0 is a value. A section over a list is repeated for each item, `{{ . }}`.

    `row` may be a mapping, for a row with other values than those of the file.

    Raises:
        ContractViolation: the template has a fault, such as an unknown variable.
        UsageError: the row is not a mapping, `output` is not a string, or the prompt exceeds
            10,000,000 characters.

    """
    value = row.value if isinstance(row, LoadedRow) else row
    if not isinstance(value, Mapping):
        raise UsageError(f"a row must be a mapping, not `{type(value).__name__}`")
    if not isinstance(output, str):
        raise UsageError(f"the output must be a string, not `{type(output).__name__}`")
    faults = scan(judge.template).faults
    if faults:
        codes = ("judge/template-tag", "judge/template-json")
        problems = [
            Problem(
                codes[fault.is_json], fault.message, ("template",), fault.help, within=fault.within
            )
            for fault in faults
        ]
        raise judge.violation_of(problems)
    variables = {key: value[key] for key in FROM_ROW if key in value}
    if not isinstance(row, LoadedRow):
        try:
            variables = plain(variables, as_python=True)
        except NotPlainError as error:
            raise UsageError(f"the row cannot be rendered: {error}") from None
    return render_template(judge.template, {**variables, "output": output})
