"""Check a lock, and what it has besides artifacts and datasets: bundles and files of schemas."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator

from evalcontract.datasets.placing import from_unreadable, to_diagnostics
from evalcontract.datasets.run import Run
from evalcontract.library.library import Artifact, file_uses
from evalcontract.meaning import LOCK_NAME
from evalcontract.meaning.lock import Lock, LockFile
from evalcontract.meaning.locked import unused_entries
from evalcontract.meaning.view import digest_of_json
from evalcontract.model.diagnostic import Diagnostic, Path, Problem
from evalcontract.model.reference import Kind
from evalcontract.source import Document
from evalcontract.workspace import Workspace


def check_lock(
    run: Run, found: LockFile, *, is_whole: bool, has_bundles: bool
) -> Iterator[Diagnostic]:
    """Yield the findings on a lock, and on files of which it has the digests.

    What it has and nothing in the workspace is known only if `is_whole`.
    """
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
            path: Path = ("files", name)
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
