"""Revisions of a real git repository: which files of which commit, and what git cannot do."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from doors import ROOT, printed_by
from repositories import commit, git, needs_git
from repositories import repository as made
from tables import every_case
from writing import write

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_git


def rubric(pattern: str, version: str = "1.0.0") -> str:
    return (
        f'id: tone\nversion: "{version}"\nchecks:\n- {{id: a, kind: regex, pattern: "{pattern}"}}\n'
        "scoring: {combine: all_pass}\n"
    )


ROWS = "questions: [{id: a, input: x, rubric_ref: rubric/tone@1.0.0}]\n"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Make a repository with two commits on main, and one on a branch from the first."""
    top = made(tmp_path / "top")
    write(top, {"evals/rubrics/tone.yaml": rubric("a"), "evals/datasets/d.yaml": ROWS})
    commit(top)
    git(top, "checkout", "--quiet", "-b", "branch")
    write(top, {"evals/rubrics/tone.yaml": rubric("b", "2.0.0")})
    commit(top, "branch")
    git(top, "checkout", "--quiet", "main")
    write(top, {"evals/rubrics/other.yaml": rubric("c").replace("tone", "other")})
    commit(top, "two")
    return top


def diff(folder: Path, *arguments: str) -> tuple[int, Any, str]:
    code, out, err = printed_by("diff", "--output-format", "json", *arguments, cwd=folder)
    return code, json.loads(out) if out else {}, err


def names(found: Any) -> list[tuple[str, str]]:
    return [(each["name"], each["act"]) for each in found["artifacts"]]


TONE, OTHER = ("rubric/tone", "changed"), ("rubric/other", "removed")


@pytest.mark.costly
@every_case(
    "arguments, expected",
    [
        (["main..branch", "evals"], [OTHER, TONE]),
        (["main...branch", "evals"], [TONE]),
        (["branch..main", "evals"], [("rubric/other", "added"), TONE]),
        (["main..", "evals"], []),
        (["..branch", "evals"], [OTHER, TONE]),
        (["main..branch", "evals/rubrics/tone.yaml"], [TONE]),
        (["main..branch", "evals/rubrics/other.yaml"], [OTHER]),
        (["--against", "HEAD", "evals"], []),
        (["--against", "branch", "evals/rubrics/tone.yaml"], [TONE]),
        (["--against", "HEAD~1"], [("rubric/other", "added")]),
    ],
)
def test_revisions_of_git(
    repository: Path, arguments: list[str], expected: list[tuple[str, str]]
) -> None:
    _, found, err = diff(repository, *arguments)
    assert sorted(names(found)) == sorted(expected), err
    assert not git(repository, "status", "--porcelain")  # nothing is checked out or written


@pytest.mark.costly
def test_the_workspace_of_the_current_folder_is_the_default(repository: Path) -> None:
    write(repository, {"evals/rubrics/tone.yaml": rubric("z"), "more/rubrics/b.yaml": rubric("a")})
    code, found, _ = diff(repository / "evals", "--against", "HEAD")
    assert (code, names(found)) == (1, [TONE])
    assert found["artifacts"][0]["file"] == "rubrics/tone.yaml"
    assert [each["file"] for each in found["affected"]] == ["datasets/d.yaml"]
    code, found, _ = diff(repository / "evals" / "datasets", "--against", "HEAD")
    assert (code, names(found)) == (1, [TONE])


@pytest.mark.costly
@every_case(
    "arguments, message",
    [
        (["--against", "nowhere"], "git knows no revision `nowhere`"),
        (["--against=--output=x"], "git knows no revision `--output=x`"),
        (["--", "--output=x..HEAD"], "git knows no revision `--output=x`"),
        (["--against", "HEAD\n"], "git knows no revision"),
        (["--against", "HEAD", "../outside.yaml"], "is outside of the repository"),
        (["--against", "HEAD", "evals/none.yaml"], "there is no file or folder evals/none.yaml"),
        (["evals"], "name two files or two folders"),
        ([], "name two files or two folders"),
        (["../nothing"], "there is no file or folder ../nothing"),
        (["evals", "evals/rubrics/tone.yaml"], "are a file and a folder"),
        (["--ask", "--against", "HEAD"], "--ask needs --outputs"),
    ],
)
def test_wrong_calls(repository: Path, arguments: list[str], message: str) -> None:
    write(repository.parent, {"outside.yaml": "a: 1\n"})
    code, _, err = diff(repository, *arguments)
    assert code == 2
    assert message in err.replace(str(repository.parent), "..")
    assert not (repository / "x").exists()


def test_a_folder_without_a_repository_and_one_without_commits(tmp_path: Path) -> None:
    write(tmp_path, {"rubrics/tone.yaml": rubric("a")})
    assert diff(tmp_path, "--against", "HEAD")[2] == "error: the folder is in no git repository\n"
    git(tmp_path, "init", "--quiet")
    code, _, err = diff(tmp_path, "--against", "HEAD")
    assert (code, "the repository has no commits" in err) == (2, True)


@pytest.mark.costly
def test_a_shallow_clone_says_so(repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--depth=1", repository.as_uri(), "shallow")
    code, found, _ = diff(tmp_path / "shallow", "--against", "HEAD", "evals")
    assert (code, names(found)) == (0, [])
    code, _, err = diff(tmp_path / "shallow", "--against", "HEAD~1", "evals")
    assert (code, "the clone is shallow" in err) == (2, True)


@pytest.mark.costly
def test_branches_without_a_common_commit(repository: Path) -> None:
    git(repository, "checkout", "--quiet", "--orphan", "alone")
    commit(repository, "alone")
    code, _, err = diff(repository, "main...alone", "evals")
    assert (code, "no commit in common" in err) == (2, True)


def test_what_was_not_there_is_new(repository: Path) -> None:
    write(repository, {"fresh/rubrics/tone.yaml": rubric("a"), "fresh/datasets/d.yaml": ROWS})
    code, found, _ = diff(repository, "--against", "HEAD", "fresh")
    assert (code, names(found)) == (
        0, [("rubric/tone", "added"), ("fresh/datasets/d.yaml", "added")],
    )  # fmt: skip


@pytest.mark.costly
def test_what_is_gone_is_removed(repository: Path) -> None:
    shutil.rmtree(repository / "evals" / "datasets")
    (repository / "evals" / "rubrics" / "tone.yaml").unlink()
    _, found, _ = diff(repository, "--against", "HEAD", "evals")
    short = git(repository, "rev-parse", "--short=7", "HEAD")
    assert [(each["file"], each["act"]) for each in found["artifacts"]] == [
        (f"{short}:evals/rubrics/tone.yaml", "removed"),
        (f"{short}:evals/datasets/d.yaml", "removed"),
    ]


@pytest.mark.costly
def test_the_files_of_a_submodule_are_not_compared_and_that_is_said(
    repository: Path, tmp_path: Path
) -> None:
    other = made(tmp_path / "other")
    write(other, {"rubrics/shared.yaml": rubric("a").replace("tone", "shared")})
    commit(other)
    git(repository, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add",
        other.as_uri(), "evals/datasets/shared")  # fmt: skip
    for _ in range(2):  # in the index alone, and in the commit
        write(repository, {"evals/datasets/shared/d.yaml": ROWS})
        code, found, _ = diff(repository, "--against", "HEAD", "evals")
        assert (code, names(found)) == (0, [])
        (remark,) = found["remarks"]
        assert remark.startswith("the files of `evals/datasets/shared` are those of another")
        commit(repository, "submodule")


@pytest.mark.costly
def test_a_file_that_cannot_be_read_in_a_commit_has_its_name_there(repository: Path) -> None:
    write(repository, {"evals/rubrics/tone.yaml": "id: [\n"})
    broken = commit(repository, "broken")
    write(repository, {"evals/rubrics/tone.yaml": rubric("a")})
    code, found, err = diff(repository, "--against", "HEAD", "evals")
    assert code == 1
    assert f"--> {broken[:7]}:evals/rubrics/tone.yaml:2:1" in err
    assert len(found["findings"]) == 1


def test_two_files_and_other_formats(repository: Path) -> None:
    folder = repository / "evals"
    other = {"id": "tone", "version": "1.0.0", "checks": [{"kind": "regex", "pattern": "b"}]}
    write(folder, {"tone.json": other, "a.csv": "id,input\na,x\n", "b.csv": "id,input\na,y\n"})
    code, found, _ = diff(folder, "rubrics/tone.yaml", "tone.json")
    assert (code, names(found)) == (1, [TONE])
    code, found, _ = diff(folder, "a.csv", "b.csv")
    assert [each["row"] for each in found["artifacts"][0]["changed_rows"]] == ["a"]
    code, _, err = diff(folder, "rubrics/tone.yaml", "datasets/d.yaml")
    assert (code, "is a rubric, and datasets/d.yaml is a dataset" in err) == (2, True)


@pytest.mark.costly
def test_the_page_shows_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    folder = made(tmp_path / "evals")
    assert printed_by("init", "--bare", ".", cwd=folder).code == 0
    revision = commit(folder)
    for file, old, new in (
        ("rubrics/example.yaml", "threshold: 0.7", "threshold: 0.6"),
        ("judges/accuracy.yaml", "a detail is imprecise", "one detail is wrong"),
        ("datasets/example.yaml", "id: order_status", "id: order_state"),
    ):
        text = (folder / file).read_text(encoding="utf-8")
        assert old in text
        write(folder, {file: text.replace(old, new)})
    page = (ROOT / "docs" / "versions.md").read_text(encoding="utf-8")
    shown = page.partition("```text\n")[2].partition("```")[0]
    out = printed_by("diff", "--against", "HEAD", cwd=folder).out
    assert out.replace(revision[:7], "1a2b3c4") == shown
