"""Two revisions of files: where each is read from, and the workspaces that they have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path, PurePosixPath

from evalcontract.model.errors import NothingToCheck, UsageError
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import clipped, listed
from evalcontract.source import DISK, FOLDER, Files, RowSource
from evalcontract.source.git import GitError, GitTree, commit_of, repository_of, run_git
from evalcontract.workspace import (
    NEAREST,
    ChosenConfiguration,
    Configuration,
    Workspace,
    display_name,
    find_root,
)
from evalcontract.workspace.listing import Listing
from evalcontract.workspace.roots import find_workspaces, nested_workspaces
from evalcontract.workspace.workspace import configuration_of

#: `A..B`, or `A...B` from the merge base; without one of the two, it is HEAD.
_RANGE = lazy_pattern(
    r"(?P<old>(?:(?!\.\.).)*)\.\.(?P<base>\.?)(?P<new>(?!/)(?:(?!\.\.).)*)", re.DOTALL
)
_CHUNK = 1 << 20


class FileRevision(NamedTuple):
    """One of the two: its title for people, the top folder of its files, and what reads them.

    `modules` are folders below the top whose files belong to other repositories.
    """

    title: str
    top: Path
    files: Files = DISK
    modules: tuple[Path, ...] = ()


class Revisions(NamedTuple):
    """What is compared: files of `old` with those of `new`.

    `scope` has the files and folders to report on, relative to the top; all if it is empty.
    `are_folders` is whether the tops are the workspaces themselves.
    """

    old: FileRevision
    new: FileRevision
    scope: tuple[PurePosixPath, ...] = ()
    are_folders: bool = False

    def includes(self, path: Path, revision: FileRevision) -> bool:
        """Whether a file of a revision is to be reported on."""
        if not self.scope:
            return True
        name = PurePosixPath(path.relative_to(revision.top).as_posix())
        return any(name.is_relative_to(part) for part in self.scope)

    def close(self) -> None:
        """End the processes of git."""
        for revision in (self.old, self.new):
            if isinstance(revision.files, GitTree):
                revision.files.close()


def split_range(text: str) -> tuple[str, str, bool] | None:
    """Return both revisions of `A..B`, and whether the first is the merge base; None if it is none.

    What begins with `../` is a path.
    """
    match = _RANGE.fullmatch(text)
    if match is None:
        return None
    return match["old"] or "HEAD", match["new"] or "HEAD", bool(match["base"])


def of_folders(old: Path, new: Path) -> Revisions:
    """Return two folders to be compared, as the workspaces that they are."""
    one, two = (FileRevision(display_name(path), DISK.real(path)) for path in (old, new))
    return Revisions(one, two, are_folders=True)


def of_git(
    old: str, new: str | None, paths: Iterable[Path], *, from_merge_base: bool = False
) -> Revisions:
    """Return a commit, and another one or the files now, to be compared.

    Raises:
        GitError: there is no repository, or no such revision.
        NothingToCheck: a path is in neither of both.
        UsageError: a path is outside of the repository.

    """
    wanted = [*paths]
    repository = _repository(wanted)
    commits = {name: commit_of(repository, name) for name in (old, new) if name is not None}
    base = commits[old]
    if from_merge_base and new is not None:
        base = _merge_base(repository, base, commits[new])
    title = f"{clipped(old, 40)} ({base[:7]})"
    if base != commits[old]:
        title = f"the merge base of {clipped(old, 40)} and {clipped(str(new), 40)} ({base[:7]})"
    tree = GitTree(repository, base)
    before = FileRevision(title, repository, tree, tuple(tree.modules))
    if new is None:
        modules = {*tree.modules, *_modules_now(repository)}
        after = FileRevision("the files now", repository, DISK, tuple(sorted(modules)))
    else:
        other = GitTree(repository, commits[new])
        after = FileRevision(
            f"{clipped(new, 40)} ({commits[new][:7]})", repository, other, tuple(other.modules)
        )
    scope = tuple(_inside(path, before, after) for path in wanted)
    return Revisions(before, after, () if PurePosixPath() in scope else scope)


def _repository(paths: Iterable[Path]) -> Path:
    """Return the repository of the first path that is there, or else of the current folder."""
    first = next((path for path in paths if DISK.is_there(path)), Path())
    try:
        return DISK.real(repository_of(first if DISK.is_folder(first) else first.parent))
    except GitError:
        if first == Path():
            raise
    here = repository_of(Path())
    raise UsageError(f"{first} is outside of the repository {here}")


def _merge_base(repository: Path, one: str, two: str) -> str:
    try:
        found = run_git("merge-base", one, two, folder=repository)
    except GitError:
        raise GitError("the two revisions have no commit in common") from None
    return found.decode("ascii").split("\n", 1)[0]


def _modules_now(repository: Path) -> Iterator[Path]:
    """Yield the submodules in the index, whether their files are there or not."""
    listed_files = run_git("ls-files", "--stage", "-z", folder=repository)
    for line in listed_files.split(b"\0"):
        facts, _, name = line.partition(b"\t")
        if facts.startswith(b"160000"):
            yield repository / name.decode("utf-8", "surrogateescape")


def _inside(path: Path, before: FileRevision, after: FileRevision) -> PurePosixPath:
    """Return a path relative to the repository; it must be in one of the revisions."""
    whole = DISK.real(path)
    if not whole.is_relative_to(before.top):
        raise UsageError(f"{path} is outside of the repository {before.top}")
    if not any(each.files.is_there(whole) for each in (before, after)):
        raise NothingToCheck(f"there is no file or folder {path}, now or then")
    return PurePosixPath(whole.relative_to(before.top).as_posix())


class WorkspacePair(NamedTuple):
    """A workspace in both revisions, or in one of them: then the other is empty."""

    name: str
    old: RevisedWorkspace
    new: RevisedWorkspace


class RevisedWorkspace(Workspace):
    """A workspace of one revision, which keeps what it has read.

    What the `twin`, the same workspace of the other revision, has read with the same bytes is not
    read again: it is then the same object.
    """

    def __init__(
        self,
        root: Path,
        revision: FileRevision,
        choice: ChosenConfiguration,
        nested: tuple[Path, ...] = (),
        twin: RevisedWorkspace | None = None,
    ) -> None:
        files = revision.files
        configuration = configuration_of(root, files, choice)
        nested = (*nested, *revision.modules)
        super().__init__(root, configuration, nested, files=files)
        self.revision = revision
        shared = twin.listing if twin and isinstance(twin.listing, _SharedListing) else None
        self.listing: _SharedListing = _SharedListing(
            root, configuration, nested, files=files, twin=shared
        )

    @cached_property
    def datasets(self) -> list[tuple[Path, RowSource]]:
        """The datasets of the workspace, with their paths."""
        return [(path, source) for path, source in self.scan() if source is not None]

    def place_of(self, file: str) -> str:
        """Return the path of a file that was read, by its name in findings, from the root."""
        return self.listing.places.get(file, file)

    def path_of(self, file: str) -> Path:
        """Return the whole path of a file that was read, by its name in findings."""
        return self.root / self.place_of(file)


class _SharedListing(Listing):
    """A listing that reads a file as its twin has read it, if it has the same bytes there."""

    def __init__(
        self,
        root: Path,
        configuration: Configuration,
        nested: tuple[Path, ...],
        files: Files,
        twin: _SharedListing | None,
    ) -> None:
        super().__init__(root, configuration, nested, files)
        self._twin = twin
        self._known: dict[str, tuple[Path, RowSource]] = {}
        self.places: dict[str, str] = {}

    def read(self, path: Path, *, quick: bool = False) -> RowSource:
        """Read a file of the workspace, or return what the twin has read."""
        place = path.relative_to(self._root).as_posix()
        self.places[display_name(path)] = place
        if place in self._known:
            return self._known[place][1]
        source = self._shared(path, place) or super().read(path, quick=quick)
        self.places[source.file] = place
        self._known[place] = (path, source)
        return source

    def _shared(self, path: Path, place: str) -> RowSource | None:
        twin = self._twin
        known = twin._known.get(place) if twin else None  # noqa: SLF001 - of the same class
        if twin is None or known is None or known[1].unreadable:
            return None
        is_same = same_bytes(self._files, path, twin._files, known[0])  # noqa: SLF001 - the same
        return known[1] if is_same else None


def same_bytes(files: Files, path: Path, others: Files, other: Path) -> bool:
    """Whether two files have the same bytes."""
    try:
        one, two = files.stream(path), others.stream(other)
        if one.size != two.size:
            return False
        with one.open_() as first, two.open_() as second:
            while data := first.read(_CHUNK):
                if data != second.read(_CHUNK):
                    return False
            return not second.read(1)
    except (OSError, ValueError):
        return False


def open_workspaces(
    revisions: Revisions, choice: ChosenConfiguration = NEAREST
) -> list[WorkspacePair]:
    """Return the workspaces of both revisions, by their places; of those alone, a pair each.

    Raises:
        ConfigurationError: the configuration of one cannot be used.

    """
    olds, news = (_roots(revisions, each) for each in (revisions.old, revisions.new))
    alone = [name for name in olds if name not in news], [name for name in news if name not in olds]
    renamed = dict(zip(*alone, strict=True)) if [*map(len, alone)] == [1, 1] else {}
    pairs = []
    for name in dict.fromkeys([*news, *(name for name in olds if name not in renamed)]):
        before = next((old for old, new in renamed.items() if new == name), name)
        new_root = news.get(name, (revisions.new.top / name, ()))
        old_root = olds.get(before, (revisions.old.top / before, ()))
        new = RevisedWorkspace(new_root[0], revisions.new, choice, new_root[1])
        old = RevisedWorkspace(old_root[0], revisions.old, choice, old_root[1], twin=new)
        pairs.append(WorkspacePair(name, old, new))
    return pairs


def _roots(
    revisions: Revisions, revision: FileRevision
) -> dict[str, tuple[Path, tuple[Path, ...]]]:
    """Return the workspaces of a revision by place, each with those inside of it."""
    files, top = revision.files, revision.top
    found: list[Path] = [top] if revisions.are_folders else []
    for path in [top / part for part in revisions.scope or (PurePosixPath(),)]:
        if files.kind(path) == FOLDER:
            found += find_workspaces(path, files)
        elif files.is_there(path):
            found.append(find_root(path, files))
    roots = [
        root
        for root in dict.fromkeys(found)
        if root.is_relative_to(top) and not any(root.is_relative_to(m) for m in revision.modules)
    ]
    nested = nested_workspaces(sorted(roots))
    return {root.relative_to(top).as_posix(): (root, inner) for root, inner in nested.items()}


def remarks_on(revisions: Revisions) -> Iterator[str]:
    """Yield what is not compared, and why."""
    modules = dict.fromkeys((*revisions.old.modules, *revisions.new.modules))
    names = [f"`{clipped(display_name(path))}`" for path in modules if _touches(revisions, path)]
    if names:
        are = "are those of another repository" if len(names) == 1 else "are of other repositories"
        yield f"the files of {listed(names)} {are} (submodules): they are not compared"


def _touches(revisions: Revisions, module: Path) -> bool:
    name = PurePosixPath(module.relative_to(revisions.old.top).as_posix())
    parts = revisions.scope or (PurePosixPath(),)
    return any(name.is_relative_to(part) or part.is_relative_to(name) for part in parts)
