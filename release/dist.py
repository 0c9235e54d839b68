"""Build the sdist and the wheel of a commit: reproducible, checked, and a release only with a tag.

`python release/dist.py` builds what is committed, not what is changed since. With the tag `vX.Y.Z`
of the package's version at the commit, the files are a release, in `dist/`; without a tag they are
to be tried, in `build/dist/`. Another tag of a version is refused.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
_VERSION = re.compile(r'^__version__ = "(.+)"$', re.MULTILINE)
_VERSION_TAG = re.compile(r"v\d.*")
_LICENSE = "LICENSE"


class RefusedError(Exception):
    """Nothing is built; the message says why."""


class Commit(NamedTuple):
    """A commit of a repository: its version, its tags of versions, and its time since 1970."""

    repository: Path
    version: str
    tags: tuple[str, ...]
    seconds: int

    @property
    def is_release(self) -> bool:
        """Whether the tag of the version is at the commit.

        Raises:
            RefusedError: the tag of another version is.

        """
        others = [tag for tag in self.tags if tag != f"v{self.version}"]
        if others:
            raise RefusedError(
                f"the version is {self.version}, but the commit has the tag {', '.join(others)}: "
                f"change `__version__` and commit, or delete the tag"
            )
        return bool(self.tags)


def head_of(repository: Path) -> Commit:
    """Return the commit that is checked out."""
    module = _git(repository, "show", "HEAD:src/evalcontract/_version.py")
    found = _VERSION.search(module)
    if found is None:
        raise RefusedError("src/evalcontract/_version.py has no `__version__`")
    tags = _git(repository, "tag", "--points-at", "HEAD").split()
    seconds = int(_git(repository, "log", "-1", "--format=%ct"))
    versions = tuple(tag for tag in tags if _VERSION_TAG.fullmatch(tag))
    return Commit(repository, found[1], versions, seconds)


def build(commit: Commit, folder: Path) -> list[Path]:
    """Build the sdist of a commit, and the wheel of the sdist, into an empty folder.

    Raises:
        RefusedError: they cannot be built.

    """
    with TemporaryDirectory() as name:
        tree = Path(name, "tree")
        tree.mkdir()
        archive = subprocess.run(
            ["git", "archive", "HEAD"], cwd=commit.repository, check=True, stdout=subprocess.PIPE
        )
        subprocess.run(["tar", "-x"], cwd=tree, check=True, input=archive.stdout)
        # The same versions of the build system, whenever it is built.
        environment = os.environ | {
            "SOURCE_DATE_EPOCH": str(commit.seconds),
            "PIP_CONSTRAINT": str(tree / "constraints.txt"),
        }
        environment.pop("PYTHONPATH", None)
        command = [sys.executable, "-m", "build", "--outdir", str(folder), str(tree)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RefusedError(f"the build failed:\n{done.stdout}{done.stderr}")
    return sorted(folder.iterdir())


def compare(files: list[Path], again: list[Path]) -> None:
    """Compare two builds of one commit byte by byte.

    Raises:
        RefusedError: they differ.

    """
    if _digests(files) != _digests(again):
        raise RefusedError("two builds of the same commit differ")


def check(files: list[Path], commit: Commit) -> None:
    """Check what is built: its names, its metadata, the licence and the schemas.

    Raises:
        RefusedError: something is wrong.

    """
    wheel_name = f"evalcontract-{commit.version}-py3-none-any.whl"
    sdist_name = f"evalcontract-{commit.version}.tar.gz"
    if [file.name for file in files] != [wheel_name, sdist_name]:
        raise RefusedError(f"built {', '.join(file.name for file in files)}")
    paths = _git(commit.repository, "ls-tree", "-r", "--name-only", "HEAD", "schema").split("\n")
    schemas = [path for path in paths if path]
    info = f"evalcontract-{commit.version}.dist-info"
    with zipfile.ZipFile(files[0]) as wheel:
        missing = {f"{info}/licenses/{_LICENSE}", *(f"evalcontract/{path}" for path in schemas)}
        missing -= set(wheel.namelist())
    with tarfile.open(files[1]) as sdist:
        top = f"evalcontract-{commit.version}"
        missing |= {f"{top}/{path}" for path in (_LICENSE, *schemas)} - set(sdist.getnames())
    if missing or not schemas:
        raise RefusedError(f"missing: {', '.join(sorted(missing)) or 'the schemas'}")
    command = [sys.executable, "-m", "twine", "check", "--strict", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RefusedError(f"twine check failed:\n{done.stdout}{done.stderr}")


def main(repository: Path) -> int:
    """Build the commit that is checked out twice, compare, check, and put the files in place."""
    try:
        commit = head_of(repository)
        target = repository / ("dist" if commit.is_release else "build/dist")
        with TemporaryDirectory() as first, TemporaryDirectory() as second:
            files, again = build(commit, Path(first)), build(commit, Path(second))
            compare(files, again)
            check(files, commit)
            shutil.rmtree(target, ignore_errors=True)
            target.mkdir(parents=True)
            for file in files:
                shutil.copy(file, target)
    except RefusedError as error:
        print(f"nothing was built: {error}", file=sys.stderr)
        return 1
    for name, digest in _digests(sorted(target.iterdir())).items():
        print(f"{digest}  {(target / name).relative_to(repository)}")
    if _git(repository, "status", "--porcelain"):
        print("note: changes that are not committed are not in it")
    if not commit.is_release:
        print(f"not a release: the commit has no tag v{commit.version}")
    return 0


def _digests(files: list[Path]) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def _git(repository: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=repository, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RefusedError(f"git {arguments[0]}: {done.stderr.strip()}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(ROOT))
