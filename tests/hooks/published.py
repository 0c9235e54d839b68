"""The tree as a repository that others clone: what a tag of it would have that hooks need."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from needs import INDEX, missing

import evalcontract
from evalcontract.model.codes import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).parents[2]
TAG = f"v{evalcontract.__version__}"
_FILES = (".pre-commit-hooks.yaml", "action.yml", "pyproject.toml", "README.md", "LICENSE")
_FOLDERS = ("src", "schema", "action", "templates")


def git_environment(published: Path) -> dict[str, str]:
    """Return variables with which git reads no settings, and finds the repository in a folder.

    The address of `REPOSITORY` leads there.
    """
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") and name not in ("PYTHONPATH", "CI")
    }
    return inherited | {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_AUTHOR_NAME": "A",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "A",
        "GIT_COMMITTER_EMAIL": "a@example.org",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{published}.insteadOf",
        "GIT_CONFIG_VALUE_0": REPOSITORY,
        "PIP_NO_COMPILE": "1",  # most of what is installed is never imported
    }


def publish(folder: Path, environment: Mapping[str, str]) -> str:
    """Commit the files of this tree to a repository in a folder, tag it; return the commit."""
    folder.mkdir()
    for name in _FILES:
        shutil.copy(ROOT / name, folder)
    for name in _FOLDERS:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    git(folder, environment, "init", "--quiet")
    git(folder, environment, "add", "--all")
    git(folder, environment, "commit", "--quiet", "--message", "As it stands")
    git(folder, environment, "tag", TAG)
    return git(folder, environment, "rev-parse", "HEAD").strip()


def git(folder: Path, environment: Mapping[str, str], *arguments: str) -> str:
    """Run git in a folder; return what it prints."""
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def need_git() -> None:
    """Skip where there is no git."""
    if shutil.which("git") is None:
        missing("git")


def need_packages(folder: Path) -> None:
    """Skip where pip gets no packages: from an index, or a folder that `PIP_FIND_LINKS` names.

    What is needed is the build system and the dependencies of pyproject.toml.
    """
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--retries=1"]
    command = [*pip, "--dest", str(folder / "probe"), "hatchling"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        missing(INDEX)


def tool(name: str) -> str:
    """Return the path of a command of this environment; skip where it is missing."""
    folder = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return shutil.which(name, path=folder) or missing(name)
