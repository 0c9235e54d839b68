"""Git repositories for tests, made by the real git."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

#: For tests that ask git.
needs_git = pytest.mark.skipif(not shutil.which("git"), reason="needs git")
_IDENTITY = {
    f"GIT_{who}_{what}": "a@b.example"
    for who in ("AUTHOR", "COMMITTER")
    for what in ("NAME", "EMAIL")
}


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder, without the settings of this machine; return what it prints."""
    done = subprocess.run(
        ["git", "-C", folder, *arguments],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, **_IDENTITY, "GIT_CONFIG_GLOBAL": os.devnull},
    )
    return done.stdout.strip()


def repository(folder: Path) -> Path:
    """Make a folder a repository without commits."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet", "--initial-branch=main", "--template=")
    return folder


def commit(folder: Path, message: str = "change") -> str:
    """Commit all files of a repository; return the commit."""
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", f"--message={message}")
    return git(folder, "rev-parse", "HEAD")


def write(folder: Path, files: dict[str, str]) -> None:
    """Write files below a folder, by their relative names."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")


def commit_files(folder: Path, files: dict[str, str], tag: str | None = None) -> str:
    """Commit files to the repository of a folder, which is made if needed; return the commit."""
    write(folder, files)
    if not (folder / ".git").exists():
        repository(folder)
    done = commit(folder)
    if tag is not None:
        git(folder, "tag", "--force", tag)
    return done
