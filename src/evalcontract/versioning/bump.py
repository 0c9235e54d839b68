"""Raise versions: the version that a change of meaning requires, and the references to it.

Nothing is written here: the result has the new content of every file.
"""

from __future__ import annotations

import io
import os
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any, Self

from evalcontract.datasets.root import Use, every_use
from evalcontract.library.library import Artifact, Library, identity_from_name, read_artifact
from evalcontract.meaning import LOCK_NAME
from evalcontract.meaning.changes import (
    Act,
    Change,
    changes_of,
    next_version,
    rank_of,
    version_fault,
)
from evalcontract.meaning.lock import Lock, LockedArtifact, short_view, view_in_lock
from evalcontract.meaning.locked import free_version, gone_versions, versions_in
from evalcontract.meaning.view import ChangeClass, View, view_and_digest, view_of
from evalcontract.model.diagnostic import Fix, Write
from evalcontract.model.errors import EditError, UsageError
from evalcontract.model.reference import Kind, Reference, Version
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import many
from evalcontract.source import Files, RowSource, format_of, read_file, read_stream
from evalcontract.source.editing import edit_text
from evalcontract.source.external import read_external
from evalcontract.source.files import guess_format
from evalcontract.source.git import GitTree, commit_of, repository_of
from evalcontract.source.setting import with_new_key
from evalcontract.source.writing import read_bytes
from evalcontract.versioning.graph import uses_in_tables
from evalcontract.workspace import Workspace, display_name
from evalcontract.workspace.workspace import configuration_of
from evalcontract.workspace.writing import FileFix, write_error


class Part(StrEnum):
    """The part of a version to raise, where the caller says so."""

    MAJOR = "major"
    MINOR = "minor"
    PATCH = "patch"


#: What a part stands for: the class of changes that raises it.
_RANKS = dict(zip(Part, reversed(ChangeClass), strict=True))


class BumpOptions(NamedTuple):
    """How versions are raised.

    `to` is a part or an exact version, rather than what the changes require. `keeps` the old
    version's file beside the new one; `updates_references` in rubrics and rows, whose versions are
    then raised, too.
    """

    to: Part | Version | None = None
    keeps: bool = False
    updates_references: bool = False


class Before(NamedTuple):
    """What an artifact was: its version, and what its file said.

    The view of a lock has long values by their digests alone, and a dataset has nothing but its
    digest. `read` returns the bytes of its file, or None if they are not known.
    """

    version: Version
    view: View | str
    read: Callable[[], bytes | None]
    is_of_lock: bool = False


class Baseline(ABC):
    """What versions are compared with. A context manager."""

    name: str

    @abstractmethod
    def before(self, artifact: Artifact) -> Before | None:
        """Return what an artifact was; None if it is new."""

    def why_none(self, artifact: Artifact) -> str:  # noqa: ARG002 - a lock needs it
        """Say why it has nothing of an artifact."""
        return "it is new"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:  # noqa: B027 - a lock is read already
        """End what reads it."""


class Revision(Baseline):
    """The artifacts of a workspace at a commit."""

    def __init__(self, root: Path, revision: str) -> None:
        repository = repository_of(root)
        self.name = revision
        self._files = GitTree(repository, commit_of(repository, revision))
        self._root = self._files.real(root)

    def __exit__(self, *_: object) -> None:
        self._files.close()

    @cached_property
    def _library(self) -> Library:
        if not self._files.is_folder(self._root):
            return Library()
        configuration = configuration_of(self._root, self._files)
        return Workspace(self._root, configuration, files=self._files).library

    def before(self, artifact: Artifact) -> Before | None:
        """Return what an artifact was at the commit."""
        was = self._artifact(artifact)
        if was is None or was.version is None:
            return None
        path = Path(was.file).absolute()
        view, _ = view_and_digest(was.kind, was.document)
        return Before(was.version, view, lambda: self._files.read(path))

    def why_none(self, artifact: Artifact) -> str:
        """Say why it has nothing of an artifact: it is new, or was none yet."""
        was_there = self._files.is_file(Path(artifact.file).absolute())
        return f"what {self.name} has of it has no version" if was_there else "it is new"

    def _artifact(self, artifact: Artifact) -> Artifact | None:
        """Return what was in the file of an artifact, or else the nearest version of its id."""
        kind, version = artifact.kind, artifact.version
        if kind is Kind.DATASET:
            return dataset_in(Path(artifact.file), self._files)
        was = self._library.in_file(kind, artifact.file)
        if was is not None or artifact.id is None or version is None:
            return was
        versions = self._library.versions(kind, artifact.id)
        below = [each for each in versions if each <= version]
        return versions[max(below)][0] if below else None


class Locked(Baseline):
    """The artifacts that a lock has; `revision` knows the rest, such as what files held."""

    def __init__(self, lock: Lock, workspace: Workspace, revision: Revision | None) -> None:
        self.name = LOCK_NAME
        self._lock = lock
        self._workspace = workspace
        self._revision = revision

    def __exit__(self, *_: object) -> None:
        if self._revision is not None:
            self._revision.__exit__()

    def before(self, artifact: Artifact) -> Before | None:
        """Return what the lock has of an artifact, in its version or the nearest lower one.

        A higher one that was in its file, and is nowhere now, went down.
        """
        if artifact.kind is Kind.DATASET:
            return self._dataset(artifact)
        names = versions_in(self._lock, artifact.kind, str(artifact.id))
        file = self._workspace.relative_name(artifact.file) or ""
        gone = gone_versions(self._lock, artifact, self._workspace.library, file)
        below = [each for each in names if artifact.version and each <= artifact.version]
        if not (below or gone):
            return None
        old = max([*gone, *below] if artifact.version not in below else below)
        name = names[old]
        locked = self._lock.artifacts[name]
        view = view_in_lock(name, locked)
        return Before(old, view, lambda: self._content(artifact, locked), is_of_lock=True)

    def why_none(self, artifact: Artifact) -> str:
        """Say why it has nothing of an artifact: of a dataset, it may have the digest alone."""
        name = self._workspace.relative_name(artifact.file) or ""
        if artifact.kind is not Kind.DATASET or name not in self._lock.datasets:
            return self._revision.why_none(artifact) if self._revision else "it is new"
        return f"{self.name} has no rows: to know what has changed, name a revision with --against"

    def _dataset(self, artifact: Artifact) -> Before | None:
        """Return what a dataset was: of the lock, as the revision has it if that is the same."""
        was = self._revision.before(artifact) if self._revision else None
        locked = self._lock.datasets.get(self._workspace.relative_name(artifact.file) or "")
        version = Version.parse(locked.version) if locked and locked.version else None
        if locked is None or locked.sha256 is None or version is None:
            return was
        if was is not None and _digest(was.view) == locked.sha256:
            return was._replace(version=version)
        if artifact.version and artifact.version > version:
            return was  # what has changed, and so whether that is enough, is not known
        return Before(version, locked.sha256, lambda: None)

    def _content(self, artifact: Artifact, locked: LockedArtifact) -> bytes | None:
        """Return what the file held, if it or the revision still has what was locked."""
        if view_and_digest(artifact.kind, artifact.document)[1] == locked.sha256:
            return read_bytes(Path(artifact.file))
        was = self._revision.before(artifact) if self._revision else None
        return was.read() if was and _digest(was.view) == locked.sha256 else None


class Bump(NamedTuple):
    """The new version of an artifact, and why: the changes since the old version."""

    artifact: Artifact
    file: str
    old: Version
    new: Version
    changes: tuple[Change, ...] = ()
    kept: str | None = None


class UpdatedReferences(NamedTuple):
    """The number of references of a file to an artifact that have its new version."""

    file: str
    reference: str
    number: int


class BumpResult(NamedTuple):
    """What was raised, what was not and why, and the content of every file that changes.

    `new` are files that do not exist yet. `left` counts the references that still name a version
    which no file has any more, by that name. `unknown` says of files why they were not compared.
    """

    bumps: tuple[Bump, ...]
    unchanged: tuple[tuple[str, str], ...]
    files: tuple[FileFix, ...]
    new: tuple[tuple[Path, bytes], ...]
    updated: tuple[UpdatedReferences, ...]
    left: Counter[str]
    unknown: Mapping[str, str] = {}


def bump(
    workspace: Workspace,
    artifacts: Iterable[Artifact],
    since: Baseline | None,
    options: BumpOptions,
) -> BumpResult:
    """Raise the versions of artifacts; `since` is None if nobody knows what they were before.

    Raises:
        UsageError: a version cannot be raised, or a file cannot be edited without another change.

    """
    return _Bumping(workspace, since, options).result([*artifacts])


def changed_artifacts(
    workspace: Workspace, since: Baseline
) -> tuple[list[Artifact], dict[str, str]]:
    """Return what has a version, and is not what it was: rubrics, judges and datasets.

    Also return the files that cannot be compared, each with the reason.
    """
    scanned = [source for _, source in workspace.scan() if source]
    broken = [*workspace.unreadable, *filter(None, (source.unreadable for source in scanned))]
    unknown = {each.file: "it cannot be read" for each in broken}
    for path in workspace.tables():
        name = display_name(path)
        if read_external(path, name, workspace.files).unreadable:
            unknown[name] = "it cannot be read"
    known = []
    for artifact in workspace.library.artifacts:
        if artifact.id and artifact.version:
            known.append(artifact)
        else:
            unknown[artifact.file] = "it has no valid id and version"
    datasets = (_dataset_of(source) for source in scanned)
    changed = [each for each in [*known, *filter(None, datasets)] if _has_changed(each, since)]
    return changed, unknown


def _has_changed(artifact: Artifact, since: Baseline) -> bool:
    was = since.before(artifact)
    if was is None or (artifact.version and artifact.version < was.version):
        return True
    return bool(_changes(was, artifact.kind, artifact.document.value))


def _changes(was: Before, kind: Kind, value: Any) -> list[Change]:
    view = view_of(kind, value)
    if isinstance(was.view, str):
        rows = ("questions",)
        changed = Change(
            rows[0], Act.CHANGED, ChangeClass.BREAKING, None, None, rows, old_path=rows
        )
        return [changed] if view.digest != was.view else []
    return changes_of(was.view, short_view(view) if was.is_of_lock else view)


def _digest(view: View | str) -> str:
    return view if isinstance(view, str) else view.digest


def dataset_in(path: Path, files: Files) -> Artifact | None:
    """Return the dataset in a file, if it has a version; its id is None."""
    return _dataset_of(read_file(path, display_name(path), files)) if files.is_file(path) else None


def _dataset_of(source: RowSource) -> Artifact | None:
    document = source.document
    value = document.quick if document else None
    if document is None or not (isinstance(value, dict) and {"questions", "version"} <= {*value}):
        return None
    dataset = read_artifact(Kind.DATASET, document)
    return dataset if dataset.version else None


class _EditedFile:
    """A file that is edited: its bytes and its text so far."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = display_name(path)
        try:
            self.before = read_bytes(path)
            self.text = self.before.decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise write_error(path, error) from None
        self._form = format_of(self.name) or guess_format(self.before)

    def write(self, fixes: list[Fix]) -> None:
        """Replace values."""
        edited = edit_text(self.text, self._form, fixes)
        if len(edited.made) < len(fixes):
            raise UsageError(
                f"{self.name} cannot be edited without another change: edit it by hand"
            )
        self.text = edited.text

    def add(self, above: str, key: str, value: Any) -> None:
        """Add a key to a mapping."""
        try:
            self.text = with_new_key(self.text, self._form, key, values={(above,): value})
        except EditError as error:
            raise UsageError(f"{self.name}: `{above}.{key}` cannot be set: {error}") from None

    def value(self) -> Any:
        """Return what the text says now."""
        document = read_stream(io.BytesIO(self.text.encode()), self.name).document
        return document.value if document else None

    @property
    def is_changed(self) -> bool:
        return self.text.encode() != self.before


class _Bumping:
    def __init__(self, workspace: Workspace, since: Baseline | None, options: BumpOptions) -> None:
        self._workspace = workspace
        self._library = workspace.library
        self._since = since
        self._options = options
        self._files: dict[Path, _EditedFile] = {}
        self._fixes: list[FileFix] = []
        self._new: dict[Path, bytes] = {}
        self._bumps: list[Bump] = []
        self._unchanged: list[tuple[str, str]] = []
        self._updated: Counter[tuple[str, str]] = Counter()
        self._left: Counter[str] = Counter()

    def result(self, artifacts: list[Artifact]) -> BumpResult:
        """Raise the versions of artifacts, and of those that refer to them if that is asked for."""
        chosen = {each.file for each in artifacts}
        pending = {each.file: each for each in artifacts}
        for artifact in [*self._inner_first(), *(each for each in artifacts if each.id is None)]:
            if artifact.file in pending:
                raised = self._raise(artifact, is_chosen=artifact.file in chosen)
                pending |= {each.file: each for each in self._refer(raised)} if raised else {}
        for artifact in pending.values():
            if artifact.kind is Kind.DATASET and artifact.file not in chosen:
                self._raise(artifact, is_chosen=False)
        changed = [file for file in self._files.values() if file.is_changed]
        fixes = [FileFix(each.path, each.before, each.text.encode(), ()) for each in changed]
        return BumpResult(
            tuple(self._bumps),
            tuple(self._unchanged),
            files=(*self._fixes, *fixes),
            new=tuple(self._new.items()),
            updated=tuple(
                UpdatedReferences(file, reference, number)
                for (file, reference), number in self._updated.items()
            ),
            left=self._left,
        )

    def _inner_first(self) -> list[Artifact]:
        """Return the rubrics and judges, those that others refer to before them."""
        artifacts = self._library.artifacts
        numbers = {id(each): number for number, each in enumerate(artifacts)}
        targets = {
            number: [
                numbers[id(target)]
                for _, target in self._library.resolved_uses(each)
                if target.library is None
            ]
            for number, each in enumerate(artifacts)
        }
        try:
            return [artifacts[number] for number in TopologicalSorter(targets).static_order()]
        except CycleError:  # checks report it
            return [*artifacts]

    def _file(self, path: Path) -> _EditedFile:
        path = Path(os.path.realpath(path))
        if path not in self._files:
            self._files[path] = _EditedFile(path)
        return self._files[path]

    def _raise(self, artifact: Artifact, *, is_chosen: bool) -> Bump | None:
        """Raise the version of one artifact, unless it has the one that it needs."""
        if artifact.version is None or (artifact.id is None and artifact.kind is not Kind.DATASET):
            raise UsageError(f"{artifact.file} has no valid id and version")
        path = Path(artifact.file)
        if not self._workspace.contains(path):
            raise UsageError(f"{artifact.file} leads out of the workspace")
        file = self._file(path)
        was = self._since.before(artifact) if self._since else None
        if was is None and not file.is_changed and (self._options.to is None or not is_chosen):
            why = self._since.why_none(artifact) if self._since else "it is new"
            self._unchanged.append((artifact.file, why))
            return None
        if was is None:
            view, _ = view_and_digest(artifact.kind, artifact.document)
            was = Before(artifact.version, view, lambda: None)
        old, changes = was.version, _changes(was, artifact.kind, file.value())
        new = self._version(artifact, old, changes=changes, is_chosen=is_chosen)
        if new is None:
            self._unchanged.append((artifact.file, self._why_not(artifact, changes)))
            return None
        is_broken = rank_of(changes) is ChangeClass.BREAKING
        if artifact.kind is Kind.JUDGE and is_broken:
            self._mark_validation(file, old)
        is_short = str(artifact.document.value.get("version")).count(".") == 1
        written = new.short if is_short else None
        file.write([Fix(("version",), Write(written or str(new)))])
        name, kept = self._keep(file, artifact, was, new=new)
        bump = Bump(artifact, name, old, new, tuple(changes), kept)
        self._bumps.append(bump)
        return bump

    def _version(
        self, artifact: Artifact, old: Version, changes: list[Change], *, is_chosen: bool
    ) -> Version | None:
        """Return the version that an artifact gets; None if it has the one that it needs."""
        current, to = artifact.version or old, self._options.to
        rank = rank_of(changes)
        if is_chosen and to is not None:
            new = to if isinstance(to, Version) else next_version(current, _RANKS[to])
            if new <= current:
                raise UsageError(f"{artifact.file} has version {current}, and {new} is not later")
            if version_fault(old, new, rank):
                needed = next_version(old, rank or ChangeClass.WORDING)
                raise UsageError(f"{artifact.file} needs version {needed}: {new} is too small")
            self._check_free(artifact, new)
            return new
        fault = version_fault(old, current, rank)
        if fault is None and (rank is not ChangeClass.WORDING or current != old):
            return None
        return free_version(artifact, old, rank or ChangeClass.WORDING, self._library)

    def _why_not(self, artifact: Artifact, changes: list[Change]) -> str:
        since = self._since.name if self._since else "the file"
        if not changes:
            return f"nothing has changed since {since}"
        return f"{artifact.version} is enough for what has changed since {since}"

    def _check_free(self, artifact: Artifact, new: Version) -> None:
        if artifact.id is None:
            return
        others = self._library.versions(artifact.kind, artifact.id).get(new, ())
        taken = [each.file for each in others if each.file != artifact.file]
        if taken:
            raise UsageError(
                f"{artifact.file} needs version {new}, which {taken[0]} has: "
                "choose another with --to, or undo the change"
            )

    def _mark_validation(self, file: _EditedFile, old: Version) -> None:
        """Note which version a validation is of, so that checks say that it holds no more."""
        value = file.value()
        validation = value.get("validation") if isinstance(value, dict) else None
        if isinstance(validation, dict) and validation and "judge_version" not in validation:
            file.add("validation", "judge_version", str(old))

    def _keep(
        self, file: _EditedFile, artifact: Artifact, was: Before, new: Version
    ) -> tuple[str, str | None]:
        """Keep the old version beside the new one; return the names of the new and the old file.

        A file that is named after its version becomes the old one again.
        """
        named = identity_from_name(artifact.file, artifact.kind)[1]
        if artifact.kind is Kind.DATASET or (named is None and not self._options.keeps):
            return file.name, None
        content = was.read()
        if content is None:
            raise UsageError(
                f"the old content of {artifact.file} is not known: name a revision with --against"
            )
        path = file.path
        if named is not None and named == was.version:
            stem = str(new) if path.stem == str(named) or "@" not in path.stem else ""
            name = stem or f"{path.stem.partition('@')[0]}@{new}"
            moved = path.with_name(f"{name}{path.suffix}")
            self._add(moved, file.text.encode())
            del self._files[path]
            if content != file.before:
                self._fixes.append(FileFix(path, file.before, content, ()))
            return display_name(moved), file.name
        if not self._options.keeps:
            return file.name, None
        kept = path.with_name(f"{artifact.id}@{was.version}{path.suffix}")
        self._add(kept, content)
        return file.name, display_name(kept)

    def _add(self, path: Path, data: bytes) -> None:
        if path.exists() or path in self._new:
            raise UsageError(f"{display_name(path)} already exists")
        self._new[path] = data

    @cached_property
    def _in_tables(self) -> dict[Reference, Counter[str]]:
        """How often each table has a reference; tables are not edited."""
        return uses_in_tables(self._workspace)

    @cached_property
    def _uses(self) -> dict[tuple[Kind, str], list[tuple[Use, Reference]]]:
        uses: dict[tuple[Kind, str], list[tuple[Use, Reference]]] = {}
        for use, reference in every_use(self._workspace):
            uses.setdefault((reference.kind, reference.id), []).append((use, reference))
        return uses

    def _refer(self, bump: Bump) -> Iterator[Artifact]:
        """Update the references to a version that was raised; yield the rubrics that change."""
        artifact = bump.artifact
        name = f"{artifact.kind}/{artifact.id}"
        by_file: dict[str, list[Use]] = {}
        for use, reference in self._uses.get((artifact.kind, str(artifact.id)), ()):
            if reference.version == artifact.version:
                by_file.setdefault(use.document.file, []).append(use)
        reference = Reference(artifact.kind, str(artifact.id), artifact.version)
        in_tables = self._in_tables.get(reference, Counter())
        if not self._options.updates_references:
            count = sum(map(len, by_file.values())) + in_tables.total()
            if count and bump.kept is None:
                self._left[artifact.name] = count  # of two files with this name, too
            return
        for file, number in in_tables.items():
            left = f"{many(number, 'reference')} to {artifact.name}"
            self._unchanged.append((file, f"a table is not edited: it still has {left}"))
        for file, uses in by_file.items():
            text = Write(f"{name}@{bump.new}")
            self._file(Path(file)).write([Fix(use.path_in_text, text) for use in uses])
            self._updated[file, f"{name}@{bump.new}"] += len(uses)
            rubric = self._library.in_file(Kind.RUBRIC, file)
            if user := rubric or dataset_in(Path(file), self._workspace.files):
                yield user


def artifact_at(workspace: Workspace, path: Path) -> Artifact:
    """Return the rubric, the judge or the dataset with a version that is in a file.

    Raises:
        UsageError: it is none, or cannot be read.

    """
    real = os.path.realpath(path)
    artifacts = (
        each for each in workspace.library.artifacts if os.path.realpath(each.file) == real
    )
    found = next(artifacts, None) or dataset_in(path, workspace.files)
    if found is None:
        what = "rubric, judge or dataset with a version"
        raise UsageError(f"{display_name(path)} is no {what}, or cannot be read")
    return found
