"""Check a rubric, a judge, a bundle or a target: its structure, its rules and its references.

Also what a lock has of them: it is checked last, against the bundles and files of schemas.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcontract.datasets.kinds import other_kind, wrong_kind
from evalcontract.datasets.placing import from_unreadable, guarded, to_diagnostics
from evalcontract.datasets.plans import row_schema
from evalcontract.datasets.run import Run
from evalcontract.library.library import Artifact, Library, UnreadableNames, file_uses
from evalcontract.library.references import check_cycles, check_depth, check_use
from evalcontract.meaning import LOCK_NAME
from evalcontract.model.diagnostic import Diagnostic, Problem, Related
from evalcontract.model.diagnostic import Path as ValuePath
from evalcontract.model.reference import Kind
from evalcontract.model.values import listed
from evalcontract.rules._rule import Context, Subject
from evalcontract.source import Document, read_file
from evalcontract.structure.authored import SchemaAnalyses
from evalcontract.structure.schema_keywords import refusal
from evalcontract.structure.schemas import properties
from evalcontract.structure.validator import declared_kind, structure_of, valid_parts
from evalcontract.workspace import Target, Workspace
from evalcontract.workspace.catalogue import rules_in_use
from evalcontract.workspace.configuration import GRADED, meant_row_key

if TYPE_CHECKING:
    from evalcontract.analysis.ambiguity import PatternSearch
    from evalcontract.meaning.lock import Lock, LockFile


def check_artifact(
    artifact: Artifact,
    context: Context,
    unreadable: UnreadableNames,
    declared: frozenset[str] = frozenset(),
) -> Iterator[Problem]:
    """Yield the problems of one artifact of a library.

    `declared` are the kinds of checks that only another runner knows.
    """
    document = artifact.document
    other = other_kind(artifact.kind, document.value)
    if other is not None:
        yield wrong_kind(artifact.kind, other)
        return
    problems = structure_of(artifact.kind).check(document.value, (), document.raw)
    if problems:
        from evalcontract.datasets.kinds import problem_of_root  # both are slow to import

        if isinstance(document.value, dict) and (
            foreign := problem_of_root(artifact.kind, document.value)
        ):
            yield foreign
            return
        from evalcontract.library.references import with_advice

        advised = with_advice(problems, document.value, context.library)
        yield from _without_executor(advised, document.value, declared)
    if not isinstance(document.value, dict):
        return
    valid_value, checks = valid_parts(document.value, problems)
    subject = Subject(
        artifact, valid_value, checks, _misspelled_keys(artifact) if problems else frozenset()
    )
    for rule in rules_in_use().on(artifact.kind):
        yield from guarded(rule.code, rule.check, subject, context)
    for site in artifact.uses:
        yield from check_use(site, context.library, unreadable)
    yield from _shadowed(artifact, context.library)
    if artifact.kind is Kind.RUBRIC:
        yield from guarded("rubric/cycle", check_cycles, artifact, context.library)
        yield from guarded("rubric/nested-composite", check_depth, artifact, context.library)


def _shadowed(artifact: Artifact, library: Library) -> Iterator[Problem]:
    """Yield a problem if a library has an artifact of the same name that says something else."""
    other = library.shadowed_by(artifact)
    if other is None:
        return
    from evalcontract.workspace.libraries import same_meaning  # only with libraries

    if not same_meaning(artifact, other):
        message = f"{artifact.name} is used instead of that of {other.file}, which differs"
        advice = "give it another version or id, or delete it to use that of the library"
        related = (Related("that of the library", ("version",), other.file),)
        yield Problem("library/shadowed", message, ("version",), advice, related=related)


def _without_executor(
    problems: Iterable[Problem], value: Any, declared: frozenset[str]
) -> Iterator[Problem]:
    """Yield problems, with a warning in place of the fault of a kind that is declared."""
    for problem in problems:
        kind = declared_kind(problem, value, declared)
        if kind is None:
            yield problem
            continue
        message = f"nothing here runs checks of the kind `{kind}`"
        advice = "install a package that brings it, or use a runner that knows it"
        yield Problem("rubric/no-executor", message, problem.path, advice)


def _misspelled_keys(artifact: Artifact) -> frozenset[ValuePath]:
    """Return the paths of misspelled keys; each of these is a fault of structure, too."""
    from evalcontract.structure.keys.mismatches import meant_paths  # slow to import

    return meant_paths(artifact.document.value, structure_of(artifact.kind).schema)


def check_bundles(run: Run) -> Iterator[Diagnostic]:
    """Check the files of `bundles/`: each must be a JSON Schema."""
    policy = run.standards.base
    for source in run.workspace.bundle_files.values():
        if source.unreadable:
            yield from from_unreadable(source.unreadable, policy)
        if document := source.document:
            problems = check_bundle(document.value, run.patterns, run.workspace.schemas)
            findings = to_diagnostics(problems, document, policy)
            yield from run.ignores.without_ignored(document, policy, findings)


def check_bundle(schema: Any, search: PatternSearch, schemas: SchemaAnalyses) -> Iterator[Problem]:
    """Yield the problems of the schema of a bundle; if it is invalid, only the reasons."""
    faults = schemas.faults(schema)
    for fault in faults:
        related = tuple(Related(message, path) for message, path in fault.also)
        text = f"the schema is invalid: {fault.message}"
        yield Problem(
            "bundle/invalid-schema", text, fault.path, fault.help, fault.on_key, related=related
        )
    if not faults:
        unsatisfiable = list(_unsatisfiable(schema))
        yield from unsatisfiable
        yield from _slow(schema, search)
        from evalcontract.structure.schema_keywords import remarks  # slow to import

        for remark in remarks(schema, properties(row_schema())):
            if remark.path not in [problem.path for problem in unsatisfiable]:
                code = f"bundle/{remark.fault}"
                yield Problem(
                    code, remark.message, remark.path, remark.help, remark.on_key, fix=remark.fix
                )


def _unsatisfiable(schema: Any) -> Iterator[Problem]:
    """Yield a problem if no row can be valid by the schema."""
    code = "bundle/unsatisfiable-schema"
    if not isinstance(schema, dict):
        if schema is False:
            advice = "describe the keys of its rows, or write `true` to accept every row"
            yield Problem(code, "no row can be valid by this schema", (), advice)
        return
    type_ = schema.get("type", "object")
    if "object" not in (type_ if isinstance(type_, list) else [type_]):
        advice = "a bundle describes one row, and every row is a mapping: write `type: object`"
        yield Problem(code, "no row can be valid by this schema", ("type",), advice)
        return
    # The schema of a bundle does not have to define the keys that every row has.
    known = {**dict.fromkeys(properties(row_schema()), True), **schema.get("properties", {})}
    place = refusal({**schema, "type": "object", "properties": known})
    if place is not None:
        advice = "no row can satisfy this"
        yield Problem(code, "no row can be valid by this schema", place, advice)


def _slow(schema: Any, search: PatternSearch) -> Iterator[Problem]:
    from evalcontract.rules._schemas import UNSEARCHED, slow_patterns, unsearched  # slow to import

    left: list[Problem] = []
    for path, attack, on_key in slow_patterns(schema, search):
        if attack is None:
            left.append(Problem("bundle/slow-regex", UNSEARCHED, path, None, on_key))
            continue
        message = f"the pattern backtracks exponentially on {attack.describe()}"
        advice = "make the pattern unambiguous: `a+` for `(a+)+`"
        yield Problem("bundle/slow-regex", message, path, advice, on_key)
    yield from unsearched(left)


_DATASET = ("dataset",)
_FOLDERS = (
    "a folder is a dataset if all data in it is Parquet, or if Delta or Hugging Face `datasets` "
    "wrote it"
)


def check_targets(run: Run) -> Iterator[Diagnostic]:
    """Check the files of `targets/`."""
    for target in run.workspace.targets:
        yield from findings_of_target(run, target)


def findings_of_target(run: Run, target: Target) -> Iterator[Diagnostic]:
    """Check one target."""
    document, policy = target.document, run.standards.base
    findings = to_diagnostics(_problems(run.workspace, target), document, policy)
    of_schema = run.schema_reference(Kind.TARGET, document, document.value, policy=policy)
    yield from run.ignores.without_ignored(document, policy, findings, of_schema)


def _problems(workspace: Workspace, target: Target) -> list[Problem]:
    document = target.document
    value = document.value if isinstance(document.value, dict) else {}
    problems = structure_of("target").check(document.value, (), document.raw)
    name = value.get("dataset")
    if isinstance(name, str) and not any("dataset" in problem.path for problem in problems):
        problems += _dataset_problems(workspace, target.dataset, name)
    return [*problems, *_graded_key_problems(document)]


def _dataset_problems(workspace: Workspace, path: Path | None, name: str) -> Iterator[Problem]:
    """Yield a problem if the path in a target is not a dataset; None is outside."""
    if path is None:
        message = f"`{name}` is outside of the workspace"
        advice = _suggestion(workspace, name)
        yield Problem("target/missing-dataset", message, _DATASET, advice)
    elif not workspace.has_dataset(path):
        yield _missing_dataset(workspace, path, name)
    elif workspace.is_artifact(path):
        message = f"`{name}` is not a dataset: it has no `questions`"
        advice = "name the dataset to run; its rows refer to rubrics, and these to judges"
        yield Problem("target/wrong-kind", message, _DATASET, advice)


def _missing_dataset(workspace: Workspace, path: Path, name: str) -> Problem:
    files = workspace.files
    unreadable = read_file(path, name, files).unreadable
    reason = unreadable.faults[0].message if unreadable else "is not a file"
    message: str = f"`{name}` {reason}"
    advice: str | None = None
    if not files.is_there(path):
        message, advice = f"there is no file `{name}`", _suggestion(workspace, name)
    elif files.is_folder(path):
        from evalcontract.source.tables.arrow import saved_in  # rarely needed

        advice = _FOLDERS
        if splits := saved_in(path, files):
            names = listed((f"`{each.name}`" for each in splits), most=3)
            message, advice = f"`{name}` has a dataset for each split: {names}", "name one of them"
    return Problem("target/missing-dataset", message, _DATASET, advice)


def _suggestion(workspace: Workspace, name: str) -> str:
    """Return a suggestion: a file with the same or a similar name in the likely folders."""
    folder, _, base = name.rpartition("/")
    for candidate in dict.fromkeys((folder, "datasets", folder.removeprefix("../"))):
        names = workspace.file_names(candidate)
        if names and (meant := names.meant_by(base)):
            return f"did you mean `{f'{candidate}/{meant}'.removeprefix('/')}`?"
    return "paths are relative to the workspace root"


def _graded_key_problems(document: Document) -> Iterator[Problem]:
    """Yield a problem for each misspelled key of rows in a target."""
    value = document.value if isinstance(document.value, dict) else {}
    keys = value.get(GRADED)
    for index, key in enumerate(keys if isinstance(keys, list) else ()):
        near = meant_row_key(key) if isinstance(key, str) else None
        if near:
            message, advice = f"rows have no key `{key}`", f"did you mean `{near}`?"
            yield Problem("target/misspelled-row-key", message, (GRADED, index), advice)


def check_lock(
    run: Run, found: LockFile, *, is_whole: bool, has_bundles: bool
) -> Iterator[Diagnostic]:
    """Yield the findings on a lock, and on files of which it has the digests.

    What it has and nothing in the workspace is known only if `is_whole`.
    """
    from evalcontract.meaning.locked import unused_entries  # only with a lock

    policy = run.standards.base
    if found.unreadable:
        yield from from_unreadable(found.unreadable, policy)
    if found.problems and found.document:
        yield from to_diagnostics(found.problems, found.document, policy)
    if found.lock is None:
        return
    yield from _changed_files(run, found, found.lock, has_bundles=has_bundles)
    if is_whole:
        workspace = run.workspace
        paths = (*workspace.data_files, *workspace.tables())
        names = [workspace.relative_name(str(path)) for path in paths]
        library = workspace.library
        artifacts = (*library.artifacts, *library.shared.artifacts)
        every = {**bundles_of(workspace), **schemas_of(workspace, artifacts)}
        bundles = {f"bundle/{name}" for name in workspace.bundles}
        there = {**every, **dict.fromkeys(bundles)}
        problems = [*unused_entries(found.lock, library, filter(None, names), there)]
        if problems and found.document:
            yield from to_diagnostics(problems, found.document, policy)


def _changed_files(
    run: Run, found: LockFile, lock: Lock, *, has_bundles: bool
) -> Iterator[Diagnostic]:
    from evalcontract.meaning.view import digest_of_json  # only with a lock

    workspace = run.workspace
    artifacts = [artifact for artifact, _ in run.scheduled.policies.values()]
    artifacts += (
        artifact
        for name, each in lock.artifacts.items()
        if each.is_of_library and (artifact := workspace.library.artifact_of(name))
    )
    bundles = bundles_of(workspace) if has_bundles else {}
    for name, file in {**bundles, **schemas_of(workspace, artifacts)}.items():
        locked = lock.files.get(name)
        if locked is not None and locked != digest_of_json(file.value):
            message = f"{name} means something else than in {LOCK_NAME}"
            advice = "give what uses it a new version, then run `evalcontract lock`"
            problem = Problem("lock/changed-file", message, (), advice)
        elif locked is None:
            problem = Problem("lock/missing-entry", f"{name} is not in {LOCK_NAME}", (), _RUN)
        else:
            continue
        yield from to_diagnostics([problem], file, run.standards.base)
    for name, locked in lock.files.items() if has_bundles else ():
        schema = workspace.bundles.get(name.removeprefix("bundle/"))
        if not name.startswith("bundle/") or schema is None:
            continue
        if digest_of_json(schema) != locked and found.document:
            path: ValuePath = ("files", name)
            message = f"the bundle of another package is another than in {LOCK_NAME}"
            problem = Problem("lock/changed-file", message, path, _RUN)
            yield from to_diagnostics([problem], found.document, run.standards.base)


_RUN = "run `evalcontract lock`"


def bundles_of(workspace: Workspace) -> dict[str, Document]:
    """Return the bundles of a workspace that can be read, by their names in a lock."""
    found: dict[str, Document] = {}
    for source in workspace.bundle_files.values():
        name = workspace.relative_name(source.file)
        if name is not None and source.document:
            found[name] = source.document
    return found


def schemas_of(workspace: Workspace, artifacts: Iterable[Artifact]) -> dict[str, Document]:
    """Return the files that checks name and that can be read, by their names in a lock."""
    found: dict[str, Document] = {}
    for artifact in artifacts:
        if artifact.kind is not Kind.RUBRIC:
            continue
        for _, name in file_uses(artifact):
            document = workspace.json_document(name)
            if document is not None:
                found.setdefault(posixpath.normpath(name), document)
    return found
