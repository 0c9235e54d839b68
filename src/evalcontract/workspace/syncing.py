"""Fetch the libraries of a workspace and lock them; nothing else uses the network for them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from evalcontract.cache.store import digest_of_files, keep
from evalcontract.meaning import LOCK_NAME
from evalcontract.meaning.lock import LockFile, parse_lock, read_lock, sides_of, write_lock
from evalcontract.model.errors import ConfigurationError, UsageError
from evalcontract.model.nearest import nearest
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import listed
from evalcontract.source import DISK, read_text
from evalcontract.source.git import GitError, GitTree, commit_at, fetch
from evalcontract.source.writing import write_text, writing_alone
from evalcontract.workspace.configuration import LibrarySource
from evalcontract.workspace.libraries import (
    Contents,
    LockedLibrary,
    UnusableLibraryError,
    locked_libraries,
    open_library,
    other_sources,
    read_contents,
)
from evalcontract.workspace.roots import display_name
from evalcontract.workspace.workspace import Workspace


class SyncedLibrary(NamedTuple):
    """What was done for a library: what is locked now, and what was before, if it is another.

    `fault` says why nothing could be done; `left_out` has the names of files that are not used.
    """

    source: LibrarySource
    locked: LockedLibrary | None = None
    before: LockedLibrary | None = None
    is_changed: bool = False
    counts: Mapping[str, int] = {}
    left_out: tuple[str, ...] = ()
    fault: str | None = None


class Syncing:
    """The libraries of a workspace, all or those with some `names`.

    Raises:
        UsageError: no library has one of the names, or there are none.
        ConfigurationError: the lock cannot be read.

    """

    def __init__(self, workspace: Workspace, names: Iterable[str] = ()) -> None:
        configuration = workspace.configuration
        self._root = workspace.root
        self._every = other_sources(workspace.root, configuration, DISK)
        self._base = configuration.folder or workspace.root
        known = {source.name: source for source in self._every}
        for name in names:
            if name not in known:
                near = nearest(name, known)
                advice = f"did you mean `{near}`?" if near else f"they are {listed(known)}"
                raise UsageError(f"the settings name no library `{name}`; {advice}")
        self._sources = [known[name] for name in dict.fromkeys(names)] or [*self._every]
        self._locked = _known(self._read())

    def _read(self) -> LockFile | None:
        """Return the lock as it is now; of one of libraries alone with a conflict, both sides.

        Raises:
            ConfigurationError: it cannot be used.

        """
        path = self._root / LOCK_NAME
        if not DISK.is_there(path):
            return None
        name = display_name(path)
        found = read_lock(path, name, DISK, is_inside=DISK.real(path).is_relative_to(self._root))
        if found.unreadable and found.unreadable.faults[0].code == "lock/conflict":
            sides = [parse_lock(side, name) for side in sides_of(DISK.read(path))]
            if not any(side.unreadable or side.problems or side.lock for side in sides):
                ours, theirs = (side.libraries for side in sides)
                return LockFile(name, libraries={**theirs, **ours})
        if found.unreadable or found.problems:
            faults = found.unreadable.faults if found.unreadable else found.problems
            advice = f"; {faults[0].help}" if faults[0].help else ""
            raise ConfigurationError(f"{name}: {faults[0].message}{advice}")
        return found

    def check(self) -> Iterator[SyncedLibrary]:
        """Yield each library; `fault` says what differs from the lock, here or where it is from."""
        for source in self._sources:
            locked = self._locked.get(source.name)
            try:
                opened = open_library(source, locked, self._base, DISK)
                self._check_tag(source, locked)
            except (UnusableLibraryError, GitError) as error:
                yield SyncedLibrary(source, locked, fault=str(error))
            else:
                yield SyncedLibrary(source, locked, counts=_counts(opened.contents))

    def _check_tag(self, source: LibrarySource, locked: LockedLibrary | None) -> None:
        if source.git is None or source.tag is None or locked is None:
            return
        commit = commit_at(self._base, self._address(source), source.tag)
        if commit is None:
            raise UnusableLibraryError(_no_tag(source))
        if commit != locked.commit:
            raise UnusableLibraryError(_moved(source, locked, commit))

    def run(self, *, update: bool = False) -> Iterator[SyncedLibrary]:
        """Fetch what is not there, and yield each library; with `update`, take what has moved.

        The lock is written at the end.

        Raises:
            ConfigurationError: the lock cannot be written.

        """
        done = []
        for source in self._sources:
            before = self._locked.get(source.name)
            try:
                result = self._sync(source, before, update=update)
            except (UnusableLibraryError, GitError) as error:
                result = SyncedLibrary(source, before, fault=str(error))
            except OSError as error:
                why = (error.strerror or str(error)).lower()
                result = SyncedLibrary(source, before, fault=f"it cannot be kept: {why}")
            done.append(result)
            yield result
        self._write({each.source.name: each.locked for each in done if each.locked})

    def _sync(
        self, source: LibrarySource, before: LockedLibrary | None, *, update: bool
    ) -> SyncedLibrary:
        if before and not (update and source.git):
            try:
                opened = open_library(source, before, self._base, DISK)
            except UnusableLibraryError:
                pass  # which is why it is synced
            else:
                return SyncedLibrary(source, before, before, counts=_counts(opened.contents))
        commit, contents = self._fetched(source)
        locked = LockedLibrary(source.settings, commit, digest_of_files(contents.files))
        if before and before.settings == source.settings and source.git and not update:
            if commit != before.commit:
                raise UnusableLibraryError(_moved(source, before, str(commit)))
            if locked.sha256 != before.sha256:
                raise UnusableLibraryError(
                    f"commit {str(commit)[:12]} has other files than {LOCK_NAME}"
                )
        if source.git and keep(contents.files) is None:
            raise UnusableLibraryError("there is no cache folder: set EVALCONTRACT_CACHE_DIR")
        is_changed = locked != before
        counts = _counts(contents.files)
        return SyncedLibrary(source, locked, before, is_changed, counts, contents.left_out)

    def _fetched(self, source: LibrarySource) -> tuple[str | None, Contents]:
        """Return the commit of a library and its files."""
        if source.git is None:
            return None, read_contents(self._base / str(source.path), DISK)
        with tempfile.TemporaryDirectory(
            prefix="evalcontract-", ignore_cleanup_errors=True
        ) as name:
            repository = Path(name)
            reference = source.rev or f"refs/tags/{source.tag}"
            try:
                commit = fetch(repository, self._address(source), reference)
            except GitError as error:
                if "find remote ref" in str(error) or "not our ref" in str(error):
                    raise UnusableLibraryError(_no_tag(source)) from None
                raise
            with GitTree(repository, commit) as tree:
                top = tree.repository / (source.path or ".")
                if tree.real(top) != top:
                    raise UnusableLibraryError(f"`{source.path}` is, or is below, a symbolic link")
                return commit, read_contents(top, tree)

    def _address(self, source: LibrarySource) -> str:
        """Return the address of a repository; a path is relative to the folder of the settings."""
        git = str(source.git)
        return str((self._base / git).absolute()) if git.startswith(".") else git

    def _write(self, new: Mapping[str, LockedLibrary]) -> None:
        """Write the lock, with what another process has written to it in the meantime."""
        with writing_alone(self._root):
            self._write_alone(new)

    def _write_alone(self, new: Mapping[str, LockedLibrary]) -> None:
        found = self._read()
        known = {source.name for source in self._every}
        kept = {name: each for name, each in _known(found).items() if name in known}
        entries = {name: each.entry for name, each in {**kept, **new}.items()}
        text = write_lock(found.lock if found else None, entries)
        path = self._root / LOCK_NAME
        if found is None and not entries:
            return
        if DISK.is_there(path) and read_text(path, LOCK_NAME) == text:
            return
        if error := write_text(path, text, bound=self._root, replace=True):
            raise ConfigurationError(f"{display_name(path)} cannot be written: {error}")


def _known(found: LockFile | None) -> dict[str, LockedLibrary]:
    try:
        return locked_libraries(found)
    except UnusableLibraryError as error:
        raise ConfigurationError(str(error)) from None


def _moved(source: LibrarySource, locked: LockedLibrary, commit: str) -> str:
    was, now = str(locked.commit)[:12], commit[:12]
    return (
        f"the tag {source.tag} has moved from commit {was} to {now}; "
        f"`evalcontract sync --update {source.name}` takes it"
    )


def _no_tag(source: LibrarySource) -> str:
    return f"{source.git} has no {'tag' if source.tag else 'commit'} {source.tag or source.rev}"


def _counts(contents: Iterable[str]) -> dict[str, int]:
    """Return the number of rubrics, judges and bundles among the names of files."""
    folders = [name.partition("/")[0] for name in contents]
    return {kind: folders.count(f"{kind}s") for kind in ("rubric", "judge", "bundle")}
