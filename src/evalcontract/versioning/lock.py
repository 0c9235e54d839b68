"""Lock workspaces: what their versions mean now, what may not be locked, and what is new."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from evalcontract.checking.artifact_check import bundles_of, schemas_of
from evalcontract.checking.pipeline import check_runs
from evalcontract.datasets.opening import Options
from evalcontract.datasets.placing import from_unreadable, to_diagnostics
from evalcontract.datasets.run import Run
from evalcontract.library.library import Artifact, DanglingReference
from evalcontract.library.references import reach
from evalcontract.meaning import LOCK_NAME
from evalcontract.meaning.changes import changes_of
from evalcontract.meaning.lock import (
    MAX_LOCK_BYTES,
    Lock,
    LockedArtifact,
    LockedDataset,
    LockedLibraries,
    lock_artifact,
    parse_lock,
    reached,
    sides_of,
    view_in_lock,
    write_lock,
)
from evalcontract.meaning.locked import (
    artifact_problems,
    dataset_problems,
    problems_in_library,
    says,
)
from evalcontract.meaning.view import digest_of_json
from evalcontract.model.diagnostic import Diagnostic, Place, Problem, Severity
from evalcontract.model.errors import NothingToCheck, UsageError
from evalcontract.model.reference import Reference
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import clipped, escape_controls, listed, many
from evalcontract.policy import Policy
from evalcontract.source import DISK, Files
from evalcontract.source.writing import write_text, writing_alone
from evalcontract.workspace import Workspace, display_name, find_root
from evalcontract.workspace.writing import write_error

_E = TypeVar("_E")

#: What may not be locked: a version that means something else than it did.
_REFUSED = ("lock/changed-meaning", "lock/version-too-small")
#: What is unknown with one of these findings: which artifact a reference means.
_BLOCKING = (
    "library/not-synced",
    "reference/dangling",
    "rubric/duplicate-version",
    "judge/duplicate-version",
)


class WorkspaceLock(NamedTuple):
    """A lock: its path, its text before and now, and what changes, in a line each.

    `before` is None if there was none. With `refused`, it is not written.
    """

    path: Path
    before: str | None
    text: str
    lock: Lock
    changes: tuple[str, ...] = ()
    refused: tuple[Diagnostic, ...] = ()

    @property
    def is_changed(self) -> bool:
        """Whether the lock that is there says something else, or is written otherwise."""
        return self.before != self.text

    def write(self) -> None:
        """Write it, unless nothing has changed.

        Raises:
            UsageError: it cannot be written, or has changed in the meantime.

        """
        if not self.is_changed or self.refused:
            return
        bound = self.path.parent
        with writing_alone(bound):
            now = _text_at(self.path, DISK) if DISK.is_there(self.path) else None
            if now not in (self.before, self.text):
                fault: str | None = "another process has changed it: run `evalcontract lock` again"
            else:
                fault = write_text(self.path, self.text, bound=bound, replace=True)
        if fault:
            raise write_error(self.path, OSError(None, fault, str(self.path)))


def lock(path: Path, options: Options) -> list[WorkspaceLock]:
    """Return the locks of the workspaces that a check of a folder checks.

    Raises:
        NothingToCheck: there is nothing to lock.

    """
    outcome, runs = check_runs(path, options._replace(is_locking=True, allows_empty=True))
    found = [_lock_of(run, outcome.diagnostics) for run in runs if _has_any(run)]
    if not found:
        raise NothingToCheck(
            f"{display_name(path)} has nothing to lock: no rubric, judge or dataset"
        )
    return found


def update(files: Iterable[Path], options: Options) -> list[WorkspaceLock]:
    """Return the locks of the workspaces of some files, in which only these are as they are now.

    Raises:
        UsageError: a file is no artifact or dataset of a workspace.

    """
    by_root: dict[Path, list[Path]] = {}
    for file in files:
        where = Path() if _is_of_library(file, options.files) else file
        root = options.files.real(options.root or find_root(where, options.files))
        by_root.setdefault(root, []).append(file)
    found = []
    for root, named in by_root.items():
        outcome, runs = check_runs(root, options._replace(is_locking=True, allows_empty=True))
        run = next(run for run in runs if run.workspace.root == root)
        names = {_name_in(run, file) for file in named}
        found.append(_lock_of(run, outcome.diagnostics, names))
    return found


def _is_of_library(file: Path, files: Files) -> bool:
    """Whether a file is named as findings name one of a library: `shared:rubrics/a.yaml`."""
    return ":" in file.parts[0] and not file.is_absolute() and not files.is_there(file)


def _has_any(run: Run) -> bool:
    workspace = run.workspace
    return bool(workspace.library.artifacts or run.uses or workspace.lock_file)


def _name_in(run: Run, file: Path) -> str:
    """Return the name in a lock of a file that the command line names."""
    name = run.workspace.relative_name(str(file))
    artifacts = run.workspace.library.artifacts
    known = {run.workspace.relative_name(artifact.file) for artifact in artifacts}
    if _is_of_library(file, run.workspace.files):
        name, known = file.as_posix(), {*known, *(name for _, name in _artifacts_of(run))}
    if name is None or name not in known | run.uses.keys():
        root = display_name(run.workspace.root)
        raise UsageError(f"{display_name(file)} is no rubric, judge or dataset of {root}")
    return name


def _lock_of(
    run: Run, diagnostics: Iterable[Diagnostic], named: Collection[str] = ()
) -> WorkspaceLock:
    """Return the lock of a workspace; with `named`, only what these files need is new."""
    path = run.workspace.root / LOCK_NAME
    before = _text_of(run.workspace, path)
    olds, faults = _locks_before(run)
    now = _present(run)
    exact = reached(_starts(run, named), run.workspace.library) if named else set()
    needed = _files_needed(run, named, exact) if named else None
    unresolved = _unresolved(run, diagnostics)
    refused = [*faults, *(each for each in unresolved if _is_in(run, each, needed))]
    refused += [each for each in _changed(run, olds, named) if each not in refused]
    old = olds[0] if olds else Lock()
    new = _updated(run, old, now, named, exact=exact) if named else now
    changes = differences(old, new)
    text = write_lock(new, _libraries_before(run))
    return WorkspaceLock(path, before, text, new, tuple(changes), tuple(refused))


def _is_in(run: Run, finding: Diagnostic, needed: Collection[str] | None) -> bool:
    return needed is None or run.workspace.relative_name(finding.place.file) in needed


def _files_needed(run: Run, named: Collection[str], exact: Collection[str]) -> set[str]:
    """Return the names of files, and of those of all artifacts that they reach."""
    return {*named, *(name for artifact, name in _artifacts_of(run) if artifact.name in exact)}


def _starts(run: Run, named: Collection[str]) -> list[Reference]:
    """Return references to the artifacts in some files, and those of datasets."""
    own = [artifact for artifact, name in _artifacts_of(run) if name in named]
    starts = [Reference(each.kind, each.id or "", each.version) for each in own]
    for name in named:
        starts += run.uses[name].references if name in run.uses else ()
    return starts


def _text_of(workspace: Workspace, path: Path) -> str | None:
    return None if workspace.lock_file is None else _text_at(path, workspace.files)


def _text_at(path: Path, files: Files) -> str:
    try:
        data = files.read(path, MAX_LOCK_BYTES)
    except (OSError, ValueError):
        return ""
    return data.decode("utf-8", "replace").replace("\r\n", "\n")


def _locks_before(run: Run) -> tuple[list[Lock], list[Diagnostic]]:
    """Return the lock that is there, or both sides of one with conflicts, and its faults."""
    found = run.workspace.lock_file
    if found is None:
        return [], []
    if found.lock:
        return [found.lock], []
    if found.unreadable and found.unreadable.faults[0].code == "lock/conflict":
        data = run.workspace.files.read(run.workspace.root / LOCK_NAME)
        sides = [parse_lock(side, found.file) for side in sides_of(data)]
        if all(side.lock for side in sides):
            return [side.lock for side in sides if side.lock], []
        found = next(side for side in sides if not side.lock)
    policy = Policy()
    faults = [*from_unreadable(found.unreadable, policy)] if found.unreadable else []
    if found.problems and found.document:
        faults += to_diagnostics(found.problems, found.document, policy)
    return [], faults


def _libraries_before(run: Run) -> LockedLibraries:
    """Return the libraries in the lock that is there, which `sync` writes; of both sides, ours."""
    found = run.workspace.lock_file
    if found is None or not found.unreadable:
        return found.libraries if found else {}
    ours, theirs = (parse_lock(side, found.file).libraries for side in sides_of(found.data))
    return {**theirs, **ours}


def _present(run: Run) -> Lock:
    """Return the lock of what is there now."""
    workspace = run.workspace
    artifacts = {
        artifact.name: lock_artifact(artifact, name, workspace.library)
        for artifact, name in _artifacts_of(run)
    }
    datasets = {
        name: use.locked(workspace.library)
        for name, use in run.uses.items()
        if use.references or use.bundles or use.version is not None
    }
    reading = (artifact for artifact, _ in _artifacts_of(run))
    documents = {**bundles_of(workspace), **schemas_of(workspace, reading)}
    files = {name: digest_of_json(document.value) for name, document in documents.items()}
    for name in {name for use in run.uses.values() for name in use.bundles}:
        if name not in workspace.bundle_files:
            files[f"bundle/{name}"] = digest_of_json(workspace.bundles[name])
    return Lock(artifacts, datasets, files)


def _artifacts_of(run: Run) -> Iterator[tuple[Artifact, str]]:
    """Yield the artifacts with an identity, each with its file relative to the workspace.

    So it does for those of libraries that something of the workspace reaches, with their names.
    """
    library = run.workspace.library
    for artifact in library.artifacts:
        name = run.workspace.relative_name(artifact.file)
        if artifact.id is not None and artifact.version is not None and name is not None:
            yield artifact, name
    if library.shared.artifacts:
        references = {str(each) for use in run.uses.values() for each in use.references}
        own = [(artifact, True) for artifact in library.artifacts]
        for artifact, _ in reach(references, library, own).artifacts:
            if artifact.library is not None:
                yield artifact, artifact.file


def _unresolved(run: Run, diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield what makes it unknown what a file of the workspace means, as errors."""
    workspace, library = run.workspace, run.workspace.library
    nameless = {each.file for each in library.artifacts if None in (each.id, each.version)}
    told = set()
    for finding in diagnostics:
        is_blocking = (
            finding.code in _BLOCKING
            or finding.code.startswith(("source/", "internal/"))
            or finding.place.file in nameless
            or finding.path[-1:] == ("schema_ref",)
        )
        if is_blocking and workspace.relative_name(finding.place.file) is not None:
            told.add(finding.place.file)
            yield finding._replace(severity=Severity.ERROR, severity_source=None)
    for file in sorted(nameless - told):
        yield _error(file, "it has no id and version that can be read")
    if library.shared.settings:
        return  # what they refer to may be there
    sites = [(each.file, [use.reference for use in each.uses]) for each in library.artifacts]
    sites += [(display_name(workspace.root / n), [*use.references]) for n, use in run.uses.items()]
    for file, references in sites:
        for reference in references:
            if isinstance(library.resolve(reference), DanglingReference) and file not in told:
                told.add(file)
                yield _error(file, f"`{reference}` does not resolve")


def _error(file: str, message: str) -> Diagnostic:
    return Diagnostic("reference/dangling", Severity.ERROR, message, Place(file))


def _changed(run: Run, olds: list[Lock], named: Collection[str]) -> Iterator[Diagnostic]:
    """Yield the versions that mean something else than in every lock before, but for `named`."""
    library, policy = run.workspace.library, Policy()
    for artifact, name in _artifacts_of(run) if olds else ():
        each = [
            [*artifact_problems(artifact, old, library, name)]
            if artifact.library is None
            else [*problems_in_library(artifact, old, library)]
            for old in olds
        ]
        problems = _in_all(each) if name not in named else []
        yield from to_diagnostics(problems, artifact.document, policy)
    for name, use in run.uses.items() if olds else ():
        each = [[*dataset_problems(use, old, library, name, lambda _: ())] for old in olds]
        for problem in _in_all(each) if name not in named else ():
            place = Place(display_name(run.workspace.root / name))
            yield Diagnostic(problem.code, Severity.ERROR, problem.message, place, (), problem.help)


def _in_all(each: list[list[Problem]]) -> list[Problem]:
    """Return the problems by the first of some locks, if every one of them has some."""
    refused = [[one for one in problems if one.code in _REFUSED] for problems in each]
    return refused[0] if all(refused) else []


def _updated(
    run: Run, old: Lock, now: Lock, named: Collection[str], exact: Collection[str]
) -> Lock:
    """Return the old lock with what the named files need as it is now.

    `exact` are the names of all artifacts that they reach.
    """
    workspace = run.workspace
    names = {artifact.name for artifact, name in _artifacts_of(run) if name in named}
    artifacts = {
        name: entry
        for name, entry in old.artifacts.items()
        if entry.file not in named or name in exact
    }
    artifacts |= {
        name: entry
        for name, entry in now.artifacts.items()
        if name in names or (name in exact and name not in artifacts)
    }
    bundles = {name for each in named if each in run.uses for name in run.uses[each].bundles}
    sources = (
        workspace.bundle_files[each].file for each in bundles & workspace.bundle_files.keys()
    )
    needed = {f"bundle/{name}" for name in bundles}
    needed |= {workspace.relative_name(file) or "" for file in sources}
    reading = [each for each, _ in _artifacts_of(run) if each.name in exact]
    needed |= schemas_of(workspace, reading).keys()
    datasets = {name: entry for name, entry in now.datasets.items() if name in named}
    files = {name: digest for name, digest in now.files.items() if name in needed}
    return Lock(artifacts, {**old.datasets, **datasets}, {**old.files, **files})


def differences(old: Lock, new: Lock) -> Iterator[str]:
    """Yield what is new in a lock, one line each."""
    yield from _of_entries(old.artifacts, new.artifacts, _of_artifact)
    yield from _of_entries(old.datasets, new.datasets, _of_dataset)
    yield from _of_entries(old.files, new.files, _of_file)


def _of_entries(
    old: Mapping[str, _E], new: Mapping[str, _E], of_both: Callable[[str, _E, _E], Iterator[str]]
) -> Iterator[str]:
    """Yield what is new in a section; `of_both` says it of an entry that was there before."""
    for name in sorted(old.keys() | new.keys()):
        if name not in old or name not in new:
            yield f"{'removed' if name in old else 'added'} {_shown(name)}"
        else:
            yield from of_both(name, old[name], new[name])


def _of_file(name: str, before: str, now: str) -> Iterator[str]:
    if before != now:
        yield f"changed {_shown(name)}"


def _of_artifact(name: str, before: LockedArtifact, now: LockedArtifact) -> Iterator[str]:
    if before.file != now.file:
        yield f"moved {_shown(name)} to {_shown(now.file)}"
    if before.sha256 != now.sha256:
        changes = changes_of(view_in_lock(name, before), view_in_lock(name, now))
        said = listed((says(change) for change in changes), most=3)
        yield f"changed {_shown(name)}: {said or 'its digest'}"
    yield from _resolutions(name, before.unpinned, now.unpinned)


def _of_dataset(name: str, before: LockedDataset, now: LockedDataset) -> Iterator[str]:
    if before.version != now.version:
        yield f"changed {_shown(name)}: version {now.version or 'removed'}"
    elif before.sha256 != now.sha256:
        yield f"changed {_shown(name)}: its rows"
    more = sorted({*now.reaches} - {*before.reaches})
    fewer = sorted({*before.reaches} - {*now.reaches})
    if more:
        yield f"changed {_shown(name)}: it reaches {listed(more)}"
    if fewer:
        yield f"changed {_shown(name)}: it no longer reaches {listed(map(_shown, fewer))}"
    yield from _resolutions(name, before.unpinned, now.unpinned)


def _resolutions(name: str, before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    for reference, target in now.items():
        if before.get(reference) != target:
            yield f"changed {_shown(name)}: `{reference}` is {target}"


def _shown(name: str) -> str:
    """Return a name that a lock has, which may be hostile, to be printed."""
    return escape_controls(clipped(name, 200))


def summary(done: WorkspaceLock) -> str:
    """Return what a lock has, in numbers."""
    counts = (
        (len(done.lock.artifacts), "artifact"),
        (len(done.lock.datasets), "dataset"),
        (len(done.lock.files), "file"),
    )
    return ", ".join(many(count, noun) for count, noun in counts if count) or "nothing"
