"""What differs from a lock: changed meanings, versions that are too small, other resolutions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from evalcontract.library.library import Artifact, Library, visit
from evalcontract.library.references import VERB
from evalcontract.meaning import LOCK_NAME
from evalcontract.meaning.changes import (
    Act,
    Change,
    VersionFault,
    changes_of,
    next_version,
    rank_of,
    version_fault,
)
from evalcontract.meaning.lock import (
    Lock,
    LockedArtifact,
    LockedDataset,
    reached,
    resolved_unpinned,
    short_view,
    view_in_lock,
)
from evalcontract.meaning.view import ChangeClass, View, view_and_digest, view_of
from evalcontract.model.diagnostic import Cause, Fix, Path, Problem, Write
from evalcontract.model.reference import Kind, Reference, Version
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import SHOWN, clipped, escape_controls, listed, many
from evalcontract.source.encoding import canonical

_VERSION: Path = ("version",)
_RUN = "run `evalcontract lock`"


class DatasetUse(NamedTuple):
    """What a dataset uses: its references to rubrics and the names of its bundles.

    `value` is the whole dataset if it has a `version`; None otherwise.
    """

    references: frozenset[Reference] = frozenset()
    bundles: frozenset[str] = frozenset()
    version: Version | None = None
    value: Any = None

    def locked(self, library: Library) -> LockedDataset:
        """Return what a lock has of the dataset now."""
        names = reached(self.references, library) | {f"bundle/{name}" for name in self.bundles}
        entry = LockedDataset(tuple(sorted(names)), resolved_unpinned(self.references, library))
        if self.version is None:
            return entry
        return entry._replace(version=str(self.version), sha256=self.digest)

    @property
    def digest(self) -> str:
        """The digest of what the dataset means."""
        return view_of(Kind.DATASET, self.value).digest


def artifact_problems(
    artifact: Artifact, lock: Lock, library: Library, file: str
) -> Iterator[Problem]:
    """Yield what is wrong with an artifact by a lock; `file` is relative to the workspace."""
    if artifact.id is None or artifact.version is None:
        return
    same = library.versions(artifact.kind, artifact.id).get(artifact.version, [artifact])
    if same[0] is not artifact:
        return  # a fault by itself: another file has this version, too
    view, digest = view_and_digest(artifact.kind, artifact.document)
    locked = lock.artifacts.get(artifact.name)
    if locked is None:
        yield _unlocked(artifact, artifact.version, view, lock, library=library, file=file)
        return
    if digest != locked.sha256:
        changes = changes_since(artifact.name, locked, view)
        yield from _changed(artifact, artifact.version, changes, library)
    for use in artifact.uses:
        if not use.reference.is_pinned:
            locked_name = locked.unpinned.get(str(use.reference))
            yield from _resolution(use.reference, locked_name, library, path=use.path, noun="check")


def library_problems(
    uses: Iterable[tuple[Reference, Path]],
    lock: Lock,
    library: Library,
    known: dict[str, list[Problem]],
) -> Iterator[Problem]:
    """Yield what is wrong by a lock with what references reach of libraries, where they stand.

    It is followed to what the workspace has, which has findings of its own. `known` has the
    problems of those that were compared before, by their names.
    """
    found: dict[str, tuple[Artifact, Path]] = {}
    for reference, path in uses:

        def is_new(artifact: Artifact, path: Path = path) -> bool:
            is_first = artifact.library is not None and artifact.name not in found
            if is_first:
                found[artifact.name] = artifact, path
            return is_first

        start = library.artifact_of(str(reference))
        if start is not None:
            visit(start, library, is_new)
    for name, (artifact, path) in found.items():
        if name not in known:
            known[name] = [*problems_in_library(artifact, lock, library)]
        for problem in known[name]:
            cause = Cause(problem.message, VERB, noun="file")
            yield problem._replace(path=path, cause=cause)


def problems_in_library(artifact: Artifact, lock: Lock, library: Library) -> Iterator[Problem]:
    """Yield what is wrong with an artifact of a library by a lock; nobody here can edit it."""
    whose = f"{artifact.name} of the library `{artifact.library}`"
    if artifact.name not in lock.artifacts:
        yield Problem("lock/missing-entry", f"{whose} is not in {LOCK_NAME}", _VERSION, _RUN)
        return
    update = f"`evalcontract lock --update {artifact.file}`"
    for problem in artifact_problems(artifact, lock, library, artifact.file):
        advice = f"{_RUN} to use it"
        if problem.code == "lock/changed-meaning":
            advice = f"use a version of the library without the change, or accept it: {update}"
        message = f"{whose}: {problem.message}"
        yield problem._replace(message=message, help=advice, fix=None, cause=None)


def changes_since(name: str, locked: LockedArtifact, now: View) -> list[Change]:
    """Return what changed in meaning since a lock, the gravest changes first."""
    return changes_of(view_in_lock(name, locked), short_view(now))


def _changed(
    artifact: Artifact, version: Version, changes: list[Change], library: Library
) -> Iterator[Problem]:
    code, still = "lock/changed-meaning", f"but the version is still {version}"
    new = free_version(artifact, version, rank_of(changes) or ChangeClass.BREAKING, library)
    update = f"if the lock is wrong: `evalcontract lock --update {artifact.file}`"
    advice, fix = f"{_to(artifact, new)}; {update}", _fix(new)
    if not changes:
        message = f"the meaning is another than in {LOCK_NAME}, {still}"
        yield Problem(code, message, _VERSION, advice, fix=fix)
    for number, change in enumerate(changes[:SHOWN], 1):
        rest = len(changes) - number if number == SHOWN else 0
        more = f" ({many(rest, 'more change')} of this file)" if rest else ""
        yield Problem(code, f"{says(change)}, {still}{more}", change.path, advice, fix=fix)


def _fix(version: Version) -> Fix:
    """Return the fix of a version, which leaves the references to it to the author."""
    return Fix(_VERSION, Write(str(version)), safe=False)


def free_version(artifact: Artifact, old: Version, rank: ChangeClass, library: Library) -> Version:
    """Return the lowest version for a change that no other file has."""
    # The id of a dataset is nobody's reference.
    versions = library.versions(artifact.kind, artifact.id) if artifact.id else {}
    version = next_version(old, rank)
    while version in versions and version != artifact.version:
        version = next_version(version, rank)
    return version


def _to(artifact: Artifact, version: Version) -> str:
    return f"set the version to {version}: `evalcontract bump {artifact.file}`"


def _unlocked(
    artifact: Artifact, version: Version, view: View, lock: Lock, *, library: Library, file: str
) -> Problem:
    """Return the problem of an artifact that a lock does not have."""
    others = versions_in(lock, artifact.kind, artifact.id or "")
    gone = gone_versions(lock, artifact, library, file)
    lower = [each for each in others if each < version]
    code = "lock/version-too-small"

    def changes_from(old: Version) -> list[Change]:
        return changes_since(others[old], lock.artifacts[others[old]], view)

    if gone and max(gone) > version:
        old = max(gone)
        rank = rank_of(changes_from(old)) or ChangeClass.WORDING
        message = f"the version went down from {old} to {version}"
        new = free_version(artifact, old, rank, library)
        return Problem(code, message, _VERSION, _to(artifact, new), fix=_fix(new))
    if lower:
        old = max(lower)
        changes = changes_from(old)
        rank = rank_of(changes) or ChangeClass.WORDING
        if version_fault(old, version, rank) is VersionFault.TOO_SMALL:
            message = f"{version} is too small a step from {old}: {says(changes[0])}"
            new = free_version(artifact, old, rank, library)
            advice = f"this is {rank.title}: {_to(artifact, new)}"
            return Problem(code, message, _VERSION, advice, fix=_fix(new))
    message = f"{artifact.name} is not in {LOCK_NAME}"
    return Problem("lock/missing-entry", message, _VERSION, _RUN)


def versions_in(lock: Lock, kind: Kind, id_: str) -> dict[Version, str]:
    """Return the versions that a lock has of an id of the workspace, each with its exact name."""
    head = f"{kind}/{id_}@"
    found = {
        name: Version.parse(name[len(head) :])
        for name, locked in lock.artifacts.items()
        if name.startswith(head) and not locked.is_of_library
    }
    return {version: name for name, version in found.items() if version is not None}


def gone_versions(lock: Lock, artifact: Artifact, library: Library, file: str) -> list[Version]:
    """Return the versions that a lock has of an artifact in its file, and that nothing has now."""
    return [
        version
        for version, name in versions_in(lock, artifact.kind, artifact.id or "").items()
        if lock.artifacts[name].file == file and library.artifact_of(name) is None
    ]


def _resolution(
    reference: Reference, locked: str | None, library: Library, path: Path, noun: str
) -> Iterator[Problem]:
    """Yield what is wrong with a reference without a version, given what it stood for."""
    target = library.artifact_of(str(reference))
    if target is None or target.name == locked:
        return
    cause = Cause(f"{noun}:{reference} is {target.name}, not {locked}", VERB, noun=noun)
    if locked is None:
        message = f"what `{reference}` resolves to is not in {LOCK_NAME}"
        yield Problem("lock/missing-entry", message, path, _RUN, cause=cause)
        return
    now = target.version
    message = f"`{reference}` resolves to {now} now, but to `{locked}` in {LOCK_NAME}"
    pin = f"pin it: `{locked}`; or " if library.artifact_of(locked) else ""
    advice = f"{pin}{_RUN} to use {now}"
    yield Problem("lock/resolves-elsewhere", message, path, advice, cause=cause)


def dataset_problems(
    use: DatasetUse,
    lock: Lock,
    library: Library,
    file: str,
    path_of: Callable[[Reference], Path],
) -> Iterator[Problem]:
    """Yield what is wrong with a dataset by a lock; `file` is relative to the workspace.

    `path_of` returns the path of the first row with a reference.
    """
    locked = lock.datasets.get(file)
    if locked is None:
        if use.references or use.bundles or use.version is not None:
            yield Problem("lock/missing-entry", f"{file} is not in {LOCK_NAME}", (), _RUN)
        return
    reaches = {*locked.reaches}
    names = {str(reference): reference for reference in use.references}
    for name in sorted(names.keys() - reaches):
        reference = names[name]
        target = library.artifact_of(name)
        if not reference.is_pinned:
            locked_name = locked.unpinned.get(name)
            path = path_of(reference)
            yield from _resolution(reference, locked_name, library, path=path, noun="dataset")
        elif target is not None:
            message = f"the entry of {file} in {LOCK_NAME} lacks {target.name}"
            # Where nobody has locked the artifact, that is the finding, in its file.
            where = None if target.name in lock.artifacts else target.file
            cause = Cause(target.name, VERB, where, noun="dataset")
            yield Problem("lock/missing-entry", message, path_of(reference), _RUN, cause=cause)
    new = sorted(name for name in use.bundles if f"bundle/{name}" not in reaches)
    if new:
        message = f"the entry of {file} in {LOCK_NAME} lacks the bundle {listed(new)}"
        yield Problem("lock/missing-entry", message, (), _RUN)
    if use.version is not None:
        yield from _dataset_version(use, use.version, locked, file)


def _dataset_version(
    use: DatasetUse, version: Version, locked: LockedDataset, file: str
) -> Iterator[Problem]:
    old = locked.version and Version.parse(locked.version)
    if not old or old < version:
        message = f"version {version} of {file} is not in {LOCK_NAME}"
        yield Problem("lock/missing-entry", message, _VERSION, _RUN)
    elif version < old:
        message = f"the version went down from {old} to {version}"
        new = next_version(old, ChangeClass.WORDING)
        advice = f"set the version to `{new}`, or a higher one"
        yield Problem("lock/version-too-small", message, _VERSION, advice, fix=_fix(new))
    elif use.digest != locked.sha256:
        message = f"the rows are others than in {LOCK_NAME}, but the version is still {version}"
        update = f"if the lock is wrong: `evalcontract lock --update {file}`"
        new = next_version(old, ChangeClass.BREAKING)
        advice = f"set the version to `{new}`; {update}"
        yield Problem("lock/changed-meaning", message, _VERSION, advice, fix=_fix(new))


def says(change: Change) -> str:
    """Say what changed, with the old and the new value."""
    name = escape_controls(clipped(change.name, _NAME))
    match change.act:
        case Act.RENAMED:
            return f"the check `{change.old}` is called `{change.new}` now"
        case Act.ADDED if _is_check(change.name, change.path):
            return f"the check `{name.removeprefix('checks.')}` was added"
        case Act.REMOVED if _is_check(change.name, change.old_path):
            return f"the check `{name.removeprefix('checks.')}` was removed"
        case Act.ADDED:
            return f"`{name}` was added: {_shown(change.new)}"
        case Act.REMOVED:
            return f"`{name}` was removed, which was {_shown(change.old)}"
        case _:
            return f"`{name}` changed from {_shown(change.old)} to {_shown(change.new)}"


_NAME = 80


def _is_check(name: str, path: Path) -> bool:
    return name.startswith("checks.") and len(path) == len(("checks", 0))


def _shown(value: Any) -> str:
    match value:
        case {"length": int(length), "sha256": str(digest), **rest} if not rest:
            return f"{many(length, 'character')} ({digest[:8]})"
    return escape_controls(clipped(canonical(value)))


def unused_entries(
    lock: Lock, library: Library, datasets: Iterable[str], files: Mapping[str, object]
) -> Iterator[Problem]:
    """Yield the entries of a lock that no file of the workspace has; the files are those it has."""
    there = {artifact.name for artifact in (*library.artifacts, *library.shared.artifacts)}
    parts = (
        ("artifacts", lock.artifacts, there),
        ("datasets", lock.datasets, {*datasets}),
        ("files", lock.files, {*files}),
    )
    for section, entries, known in parts:
        for name in entries:
            if name not in known:
                message = f"nothing has {escape_controls(clipped(name, _NAME))} any more"
                path = (section, name)
                yield Problem("lock/unused-entry", message, path, f"{_RUN} to remove it", True)
