"""Files as a git repository has them at a commit, read by git itself; nothing is checked out."""

from __future__ import annotations

import os
import subprocess
from functools import cached_property, partial
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO, Self

from evalcontract.model.errors import UsageError
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import clipped
from evalcontract.source.faults import MAX_DOCUMENT_BYTES
from evalcontract.source.filesystem import (
    DANGLING,
    DISK,
    FILE,
    FOLDER,
    NOTHING,
    OTHER,
    Entry,
    Files,
    Stream,
    TooLargeError,
    is_listed,
)

# Nothing that a repository configures is run, and nothing is fetched.
_SAFE = (
    "-c",
    "protocol.allow=never",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
)
_ENVIRONMENT = {
    "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C", "GIT_DEFAULT_HASH": "sha1",
}  # fmt: skip
# What git says where ssh, in a line before, says why.
_NOT_READ = "fatal: Could not read from remote repository."
# What tells an empty repository that its objects are named by SHA-256.
_DIGITS = 64
# What git says where the objects of a repository have such names, by version of its protocol.
_OTHER_NAMES = ("mismatched algorithms", "does not support this repository's object format")
_SHA_256 = (("core.repositoryFormatVersion", "1"), ("extensions.objectFormat", "sha256"))
# Whatever the settings of the user allow besides: an address must not be a command.
_ALLOWED = "GIT_ALLOW_PROTOCOL"
_PROTOCOLS = ("https", "ssh", "file")
# A hook of git sets these, for the repository that it runs in.
_OF_REPOSITORY = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_PREFIX", "GIT_SHALLOW_FILE", "GIT_NAMESPACE",
)  # fmt: skip
_POINTER = b"version https://git-lfs.github.com/spec/"
_LINK, _MODULE = "120000", "160000"
_MAX_LINKS = 40


class GitError(UsageError):
    """Git cannot do what is asked, such as find a revision."""


def run_git(*arguments: str, folder: Path, fetches: bool = False) -> bytes:
    """Run git in a folder and return what it prints. Only if it `fetches`, it may use the network.

    Raises:
        GitError: git is not installed, or fails; the message is the first line of its own.

    """
    environment = _environment()
    if fetches:
        allowed = os.environ.get(_ALLOWED, ":".join(_PROTOCOLS)).split(":")
        environment[_ALLOWED] = ":".join(each for each in _PROTOCOLS if each in allowed)
    try:
        done = subprocess.run(  # noqa: S603 - the arguments are a list, and no shell reads them
            _command(folder, *arguments), capture_output=True, check=False, env=environment
        )
    except OSError as error:
        raise _not_run(error) from error
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        told = [line for line in lines if line.startswith(("fatal: ", "error: "))]
        told = lines if told[:1] == [_NOT_READ] else told
        first = next(iter((*told, *lines)), "git failed without a message")
        raise GitError(clipped(first.removeprefix("fatal: ").removeprefix("error: "), 200))
    return done.stdout


def fetch(repository: Path, address: str, reference: str) -> str:
    """Fetch one commit of another repository into a new one; return the commit.

    `reference` is a commit, or the full name of a tag, which may be annotated. Nothing is checked
    out, and no submodule is fetched.

    Raises:
        GitError: there is no such commit, or it cannot be fetched.

    """
    run_git("init", "--quiet", "--bare", "--template=", folder=repository)
    is_named_by_sha_256 = len(reference) == _DIGITS and "/" not in reference
    if not is_named_by_sha_256:
        try:
            _fetch(repository, address, reference)
        except GitError as error:
            if not any(each in str(error) for each in _OTHER_NAMES):
                raise
            is_named_by_sha_256 = True
    if is_named_by_sha_256:
        for key, value in _SHA_256:
            run_git("config", key, value, folder=repository)
        _fetch(repository, address, reference)
    return commit_of(repository, "FETCH_HEAD")


def _fetch(repository: Path, address: str, reference: str) -> None:
    run_git(
        "-c", "fetch.recurseSubmodules=false", "-c", "core.symlinks=false", "-c", "gc.auto=0",
        "fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--",
        address, reference,
        folder=repository, fetches=True,
    )  # fmt: skip


def commit_at(folder: Path, address: str, tag: str) -> str | None:
    """Return the commit that a tag of another repository leads to; None if there is no such tag.

    Raises:
        GitError: the repository cannot be asked.

    """
    names = (f"refs/tags/{tag}", f"refs/tags/{tag}^{{}}")
    listed = run_git("ls-remote", "--quiet", "--", address, *names, folder=folder, fetches=True)
    pairs = (line.split("\t") for line in listed.decode("utf-8", "replace").splitlines())
    commits = {name: commit for commit, name in pairs}
    return commits.get(names[1]) or commits.get(names[0])  # an annotated tag has both


def _command(folder: Path, *arguments: str) -> list[str]:
    return ["git", "-C", os.fspath(folder), "--no-optional-locks", *_SAFE, *arguments]


def _environment() -> dict[str, str]:
    inherited = {key: value for key, value in os.environ.items() if key not in _OF_REPOSITORY}
    return {**inherited, **_ENVIRONMENT}


def _not_run(error: OSError) -> GitError:
    is_missing = isinstance(error, FileNotFoundError)
    reason = "it is not installed" if is_missing else (error.strerror or str(error)).lower()
    return GitError(f"git cannot be run: {reason}")


def repository_of(folder: Path) -> Path:
    """Return the top folder of the repository that a folder is in.

    Raises:
        GitError: it is in none, or git does not trust it.

    """
    try:
        top = run_git("rev-parse", "--show-toplevel", folder=folder)
    except GitError as error:
        if "not a git repository" in str(error):
            raise GitError("the folder is in no git repository") from None
        raise
    return Path(os.fsdecode(top.removesuffix(b"\n")))


def commit_of(repository: Path, revision: str) -> str:
    """Return the commit that a revision names, as a hexadecimal digest.

    Raises:
        GitError: there is no such commit.

    """
    try:
        found = run_git(
            "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}",
            folder=repository,
        )  # fmt: skip
    except GitError:
        raise GitError(_why_not(repository, revision)) from None
    return found.decode("ascii").strip()


def _why_not(repository: Path, revision: str) -> str:
    message = f"git knows no revision `{clipped(revision)}`"
    if not run_git("rev-list", "--all", "--max-count=1", folder=repository):
        return f"{message}: the repository has no commits"
    if run_git("rev-parse", "--is-shallow-repository", folder=repository) == b"true\n":
        return f"{message}: the clone is shallow (`git fetch --unshallow` gets the rest)"
    return message


class _Object(NamedTuple):
    """What a commit has under a path: the mode of git, the name of the object, its size."""

    mode: str
    name: str
    size: int


class GitTree(Files):
    """The files of a commit, under the paths that they would have if it was checked out.

    Nothing outside of the repository is there. A submodule is a folder without files; `modules` has
    their paths. A link is followed inside of the commit.
    """

    def __init__(self, repository: Path, commit: str) -> None:
        self.repository = Path(os.path.realpath(repository))
        self.commit = commit
        self._reader: subprocess.Popen[bytes] | None = None
        self._places: dict[str, PurePosixPath | None] = {}
        self._last: tuple[str, bytes] = ("", b"")  # a file is compared before it is read

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.commit[:12]})"

    @property
    def of_machine(self) -> Files:
        return DISK

    @cached_property
    def _objects(self) -> dict[PurePosixPath, _Object]:
        listed = run_git(
            "ls-tree", "-r", "-t", "-z", "--long", "--full-tree", self.commit,
            folder=self.repository,
        )  # fmt: skip
        objects = {PurePosixPath(): _Object("040000", self.commit, 0)}
        for line in listed.split(b"\0")[:-1]:
            facts, _, name = line.partition(b"\t")
            mode, _, digest, size = facts.decode("ascii").split()
            number = int(size) if size.isdigit() else 0
            objects[PurePosixPath(os.fsdecode(name))] = _Object(mode, digest, number)
        return objects

    @cached_property
    def _names(self) -> dict[PurePosixPath, list[str]]:
        names: dict[PurePosixPath, list[str]] = {}
        for path in self._objects:
            if path.parts:
                names.setdefault(path.parent, []).append(path.name)
        return names

    @property
    def modules(self) -> list[Path]:
        """The submodules, whose files belong to other repositories."""
        found = (path for path, each in self._objects.items() if each.mode == _MODULE)
        return [self.repository / path for path in found]

    def _inside(self, path: str | Path) -> PurePosixPath | None:
        """Return a path relative to the repository; None if it is outside."""
        whole = os.path.normpath(os.path.join(os.getcwd(), path))  # noqa: PTH109, PTH118 - as given
        top = os.fspath(self.repository)
        if whole == top:
            return PurePosixPath()
        above = top if top.endswith(os.sep) else f"{top}{os.sep}"
        inside = whole[len(above) :].replace(os.sep, "/")
        return PurePosixPath(inside) if whole.startswith(above) else None

    def _resolved(self, path: str | Path) -> PurePosixPath | None:
        """Return a path without links; None if it leads out of the repository, or in circles."""
        given = os.path.join(os.getcwd(), path)  # noqa: PTH109, PTH118 - as `_inside`
        if given not in self._places:
            self._places[given] = self._without_links(given)
        return self._places[given]

    def _without_links(self, path: str) -> PurePosixPath | None:
        inside = self._inside(path)
        if inside is None:
            return None
        rest, found = [*reversed(inside.parts)], PurePosixPath()
        links = 0
        while rest:
            step = rest.pop()
            if step == "..":
                if not found.parts:
                    return None
                found = found.parent
                continue
            found /= step
            each = self._objects.get(found)
            if each and each.mode == _LINK:
                target = PurePosixPath(os.fsdecode(self._content(each)))
                links += 1
                if target.is_absolute() or links > _MAX_LINKS:
                    return None
                found = found.parent
                rest += [part for part in reversed(target.parts) if part != "."]
        return found

    def kind(self, path: str | Path) -> str:
        inside = self._inside(path)
        if inside is None:
            return NOTHING
        resolved = self._resolved(path)
        each = self._objects.get(resolved) if resolved is not None else None
        if each is None:
            return DANGLING if inside in self._objects else NOTHING
        return _kind_of(each.mode)

    def real(self, path: str | Path) -> Path:
        resolved = self._resolved(path)
        if resolved is None:
            return Path(os.path.normpath(os.path.join(os.getcwd(), path)))  # noqa: PTH109, PTH118
        return self.repository / resolved

    def owner(self, path: str | Path) -> int | None:
        return None

    def entries(self, folder: str | Path, *endings: str) -> tuple[Entry, ...]:
        inside = self._resolved(folder)
        if inside is None or self.kind(folder) != FOLDER:
            raise FileNotFoundError(2, "No such file or directory", str(folder))
        found = []
        for name in self._names.get(inside, ()):
            mode = self._objects[inside / name].mode
            is_link = mode == _LINK
            kind = self.kind(self.repository / inside / name) if is_link else _kind_of(mode)
            found.append(Entry(name, kind, is_link))
        return tuple(sorted(entry for entry in found if is_listed(entry, endings)))

    def read(self, path: str | Path, limit: int = MAX_DOCUMENT_BYTES) -> bytes:
        resolved = self._resolved(path)
        each = self._objects.get(resolved) if resolved is not None else None
        if each is None:
            raise FileNotFoundError(2, "No such file or directory", str(path))
        if not each.mode.startswith("100"):
            raise OSError("it is a folder")
        if each.size > limit:
            raise TooLargeError(each.size)
        data = self._content(each)
        if data.startswith(_POINTER):
            raise OSError("it is a pointer of Git LFS, whose content is not in the repository")
        return data

    def stream(self, path: str | Path) -> Stream:
        data = self.read(path, limit=1 << 62)
        return Stream(partial(BytesIO, data), len(data))

    def _content(self, each: _Object) -> bytes:
        """Return the bytes of an object, from one process of git for all of them."""
        if each.name != self._last[0]:
            self._last = each.name, self._asked(each)
        return self._last[1]

    def _asked(self, each: _Object) -> bytes:
        reader = self._reader
        if reader is None:
            try:
                reader = self._reader = subprocess.Popen(  # noqa: S603 - as in `run_git`
                    _command(self.repository, "cat-file", "--batch"),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=_environment(),
                )
            except OSError as error:
                raise _not_run(error) from error
        asked, told = _pipes(reader)
        try:
            asked.write(f"{each.name}\n".encode())
            asked.flush()
            header = told.readline().split()
            if len(header) != 3:  # noqa: PLR2004 - name, type and size
                raise OSError("git does not have it; a partial clone has to fetch it first")
            data = told.read(int(header[2]))
            told.read(1)
        except BrokenPipeError:
            raise OSError("git ended early") from None
        return data

    def close(self) -> None:
        """End the process of git."""
        reader, self._reader = self._reader, None
        if reader is not None:
            for pipe in _pipes(reader):
                pipe.close()
            reader.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _kind_of(mode: str) -> str:
    """Return what a mode of git stands for, which is not that of a link."""
    if mode in ("040000", _MODULE):
        return FOLDER
    return FILE if mode.startswith("100") else OTHER


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    if process.stdin is None or process.stdout is None:
        raise OSError("git has no pipes")
    return process.stdin, process.stdout
