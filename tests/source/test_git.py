"""Files of a commit, read by the real git."""

from __future__ import annotations

from pathlib import Path

import pytest
from repositories import git, needs_git

from evalcontract.source.filesystem import DANGLING, FILE, FOLDER, NOTHING, TooLargeError
from evalcontract.source.git import GitError, GitTree, commit_of, repository_of
from evalcontract.workspace.workspace import Workspace, configuration_of

pytestmark = needs_git

RUBRIC = b'id: tone\nversion: "1.0.0"\n'


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    top = tmp_path / "top"
    (top / "evals" / "rubrics").mkdir(parents=True)
    git(top, "init", "--quiet", "--initial-branch=main")
    (top / "evals" / "rubrics" / "tone.yaml").write_bytes(RUBRIC)
    (top / "evals" / "ü b.yaml").write_bytes(b"a: 1\r\n")
    (top / "evals" / ".hidden.yaml").write_bytes(b"a: 1\n")
    (top / "evals" / "big.json").write_bytes(b"[" + b" " * 50 + b"]")
    (top / "evals" / "lfs.yaml").write_bytes(b"version https://git-lfs.github.com/spec/v1\noid x\n")
    (top / "link.yaml").symlink_to("evals/rubrics/tone.yaml")
    (top / "folder").symlink_to("evals/rubrics")
    (top / "out.yaml").symlink_to("../secret.yaml")
    (top / "absolute.yaml").symlink_to("/etc/hostname")
    (top / "circle.yaml").symlink_to("circle.yaml")
    (top / "nowhere.yaml").symlink_to("none.yaml")
    (tmp_path / "secret.yaml").write_bytes(b"secret: 1\n")
    git(top, "add", "--all")
    git(top, "commit", "--quiet", "--message=one")
    (top / "evals" / "rubrics" / "tone.yaml").write_bytes(b"other: 1\n")
    (top / "new.yaml").write_bytes(b"new: 1\n")
    return top


@pytest.fixture
def tree(repository: Path) -> GitTree:
    return GitTree(repository, commit_of(repository, "HEAD"))


def test_files_are_as_they_were(tree: GitTree) -> None:
    top = tree.repository
    assert tree.read(top / "evals" / "rubrics" / "tone.yaml") == RUBRIC
    assert tree.read(top / "link.yaml") == tree.read(top / "folder" / "tone.yaml") == RUBRIC
    assert tree.real(top / "folder" / "tone.yaml") == top / "evals" / "rubrics" / "tone.yaml"
    assert tree.read(top / "evals" / "ü b.yaml") == b"a: 1\r\n"
    with tree.stream(top / "link.yaml").open_() as stream:
        assert stream.read() == RUBRIC
    names = [entry.name for entry in tree.entries(top / "evals", ".yaml")]
    assert names == ["lfs.yaml", "rubrics", "ü b.yaml"]
    assert ".hidden.yaml" in [entry.name for entry in tree.entries(top / "evals", "*")]
    with pytest.raises(TooLargeError):
        tree.read(top / "evals" / "big.json", limit=10)
    with pytest.raises(OSError, match="Git LFS"):
        tree.read(top / "evals" / "lfs.yaml")
    tree.close()


def test_kinds_of_paths(tree: GitTree, tmp_path: Path) -> None:
    kinds = {
        "evals": FOLDER,
        "folder": FOLDER,
        "link.yaml": FILE,
        "evals/../link.yaml": FILE,
        "new.yaml": NOTHING,
        "evals/none.yaml": NOTHING,
        "nowhere.yaml": DANGLING,
        "out.yaml": DANGLING,
        "absolute.yaml": DANGLING,
        "circle.yaml": DANGLING,
        "../secret.yaml": NOTHING,
        ".": FOLDER,
    }
    assert {name: tree.kind(tree.repository / name) for name in kinds} == kinds
    for name in ("out.yaml", "absolute.yaml", "new.yaml", "circle.yaml"):
        with pytest.raises(FileNotFoundError):
            tree.read(tree.repository / name)
    with pytest.raises(FileNotFoundError):
        tree.read(tmp_path / "secret.yaml")
    with pytest.raises(FileNotFoundError):
        tree.entries(tree.repository / "none")
    tree.close()


def test_a_workspace_is_opened_at_a_commit(tree: GitTree) -> None:
    root = tree.repository / "evals"
    with tree:
        workspace = Workspace(root, configuration_of(root, tree), files=tree)
        (rubric,) = workspace.library.artifacts
    assert (rubric.name, rubric.file) == ("rubric/tone@1.0.0", rubric.document.file)
    assert rubric.document.value == {"id": "tone", "version": "1.0.0"}


@pytest.mark.costly
def test_a_folder_that_is_a_submodule_has_no_files(repository: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "--quiet")
    (other / "a.yaml").write_bytes(b"a: 1\n")
    git(other, "add", "--all")
    git(other, "commit", "--quiet", "--message=one")
    git(
        repository,
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        str(other),
        "module",
    )
    git(repository, "commit", "--quiet", "--message=two")
    with GitTree(repository, commit_of(repository, "main")) as tree:
        assert tree.modules == [tree.repository / "module"]
        assert tree.kind(tree.repository / "module") == FOLDER
        assert tree.entries(tree.repository / "module", "*") == ()


@pytest.mark.parametrize(
    "revision", ["none", "--help", "HEAD~9", "", "a b", "x\0y"[:1], "main:link.yaml"]
)
def test_there_is_no_such_revision(repository: Path, revision: str) -> None:
    with pytest.raises(GitError, match="git knows no revision"):
        commit_of(repository, revision)


def test_a_repository_without_commits_and_a_shallow_clone_say_so(
    repository: Path, tmp_path: Path
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(GitError, match="in no git repository"):
        repository_of(empty)
    git(empty, "init", "--quiet")
    with pytest.raises(GitError, match="has no commits"):
        commit_of(empty, "HEAD")
    git(repository, "commit", "--quiet", "--all", "--message=two")
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{repository}", str(shallow))
    with pytest.raises(GitError, match="is shallow"):
        commit_of(shallow, "HEAD~1")


def test_git_is_not_installed(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert repository_of(repository / "evals") == repository
    monkeypatch.setenv("PATH", "")
    with pytest.raises(GitError, match="it is not installed"):
        repository_of(repository)


def test_nothing_that_a_repository_configures_is_run(repository: Path, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {mark}\n", encoding="utf-8")
    script.chmod(0o700)
    for key in ("core.fsmonitor", "core.pager", "diff.external", "filter.x.smudge"):
        git(repository, "config", key, str(script))
    (repository / ".gitattributes").write_text("* filter=x diff=x\n", encoding="utf-8")
    with GitTree(repository_of(repository), commit_of(repository, "HEAD")) as tree:
        assert tree.read(repository / "link.yaml") == RUBRIC
    assert not mark.exists()
