"""`make dist`: which commits are releases, and what the files that it builds are."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml
from needs import missing
from tables import every_case

import evalcontract
from evalcontract.model.codes import REPOSITORY, SITE, is_published

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parents[2]
VERSION = evalcontract.__version__
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def _loaded(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "release" / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


dist, pythons = _loaded("dist"), _loaded("pythons")


# The metadata


def test_addresses_are_those_of_the_site() -> None:
    assert {"Homepage", "Documentation", "Changelog", "Issues", "Source"} <= PROJECT["urls"].keys()
    assert PROJECT["urls"]["Source"] == REPOSITORY
    assert all(url.startswith(SITE) for url in PROJECT["urls"].values())
    form = (ROOT / ".github/ISSUE_TEMPLATE/config.yml").read_text(encoding="utf-8")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["url"] == SITE
    assert re.findall(r"https://[^/\s]+", form) == [SITE]


#: Pages that name the address, and why.
NAMES_IT = {"docs/decisions.md": "as a name that is reserved"}
# What asks an index for evalcontract; `./evalcontract` does not.
FROM_AN_INDEX = re.compile(
    r"""(?:pip|pipx|tool) install\s+["']?evalcontract\b|uvx evalcontract|evalcontract=="""
)


def test_nobody_is_sent_to_what_is_not_published() -> None:
    """Pages, templates and extensions say what works today; a release changes SITE, and these."""
    assert not is_published()
    folders = ("docs", "templates", "editors/vscode/src", "src/evalcontract/templates")
    below = [path for folder in folders for path in sorted((ROOT / folder).rglob("*"))]
    names = ("README.md", "action.yml", ".pre-commit-hooks.yaml", "editors/vscode/README.md")
    pages = [ROOT / name for name in names] + [path for path in below if path.is_file()]
    assert len(pages) > 60
    wrong = {
        path.relative_to(ROOT).as_posix(): found
        for path in pages
        if path.suffix in (".md", ".yml", ".yaml", ".ts", "", ".toml", ".jsonl")
        if (text := path.read_text(encoding="utf-8"))
        if (found := [SITE] * (SITE in text) + FROM_AN_INDEX.findall(text))
    }
    assert wrong == {name: [SITE] for name in NAMES_IT}


def test_versions_agree() -> None:
    """What names the version beside `__version__`: the citation, the hooks, the changelog."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == VERSION
    assert citation["repository-code"] == REPOSITORY
    assert [citation["license"]] == [PROJECT["license"]]
    assert [author["name"] for author in PROJECT["authors"]] == [
        author["name"] for author in citation["authors"]
    ]
    named = [
        version
        for name in ("docs/ci.md", "docs/guides/ci.md")
        for version in re.findall(
            r"evalcontract-(\S+?)-py3|(?<=rev: v)(\S+)", (ROOT / name).read_text(encoding="utf-8")
        )
    ]
    assert len(named) >= 5
    assert {"".join(each) for each in named} == {VERSION}
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\S+)", changelog, re.MULTILINE)[0] == VERSION


def test_every_extra_for_users_is_in_the_readme() -> None:
    ours = {"dev", "fuzz", "mutate", "audit", "docs"}
    assert ours <= PROJECT["optional-dependencies"].keys()
    section = README.partition("| extra | what for |")[2].partition("\n\n")[0]
    told = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    assert set(told) == PROJECT["optional-dependencies"].keys() - ours


def test_the_lowest_python_is_the_first_of_the_classifiers() -> None:
    assert pythons.versions() == ["3.11", "3.12", "3.13", "3.14"]
    assert PROJECT["requires-python"] == f">={pythons.versions()[0]}"


def test_issue_forms_have_what_github_requires() -> None:
    forms = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
    assert len(forms) >= 3
    for form in forms:
        read = yaml.safe_load(form.read_text(encoding="utf-8"))
        if form.name == "config.yml":
            assert all({"name", "url", "about"} == link.keys() for link in read["contact_links"])
            continue
        assert {"name", "description", "body"} <= read.keys()
        assert len({part["id"] for part in read["body"]}) == len(read["body"])
        assert all(part["attributes"]["label"] for part in read["body"])


# Which commits are built, and as what


def _repository(folder: Path, version: str, *tags: str) -> Path:
    folder.mkdir()
    module = folder / "src" / "evalcontract" / "_version.py"
    module.parent.mkdir(parents=True)
    module.write_text(f'__version__ = "{version}"\n', encoding="utf-8")
    _git(folder, "init", "--quiet")
    _git(folder, "add", "--all")
    _git(folder, "commit", "--quiet", "--message", "As it stands")
    for tag in tags:
        _git(folder, "tag", tag)
    return folder


def _git(folder: Path, *arguments: str) -> str:
    identity = {f"GIT_{who}_{what}": "a@example.org"
                for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}  # fmt: skip
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment = clean | identity | {"GIT_CONFIG_GLOBAL": os.devnull}
    command = ["git", *arguments]
    done = subprocess.run(
        command, cwd=folder, env=environment, check=True, capture_output=True, text=True
    )
    return done.stdout


@pytest.mark.costly
@every_case(
    ("tags", "is_release"),
    [
        ((), False),
        (("v1.2.3",), True),
        (("nightly",), False),
        (("nightly", "v1.2.3"), True),
        (("v1.2.4",), None),
        (("v1.2.3", "v1.2.4"), None),
        (("v1.2",), None),
    ],
)
def test_a_release_has_the_tag_of_its_version(
    tags: tuple[str, ...], is_release: object, tmp_path: Path
) -> None:
    commit = dist.head_of(_repository(tmp_path / "repository", "1.2.3", *tags))
    assert commit.version == "1.2.3"
    if is_release is None:
        with pytest.raises(dist.RefusedError, match=r"the version is 1\.2\.3, but .* v1\.2"):
            _ = commit.is_release
    else:
        assert commit.is_release is is_release


def test_a_wrong_tag_builds_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository = _repository(tmp_path / "repository", "1.2.3", "v1.2.4")
    assert dist.main(repository) == 1
    assert "nothing was built: the version is 1.2.3" in capsys.readouterr().err
    assert {path.name for path in repository.iterdir()} == {".git", "src"}


def test_builds_that_differ_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    count = iter("ab")

    def build(_: object, folder: Path) -> list[Path]:
        (folder / "x.whl").write_text(next(count), encoding="utf-8")
        return [folder / "x.whl"]

    monkeypatch.setattr(dist, "build", build)
    assert dist.main(_repository(tmp_path / "repository", "1.2.3", "v1.2.3")) == 1
    assert "two builds of the same commit differ" in capsys.readouterr().err


# Other Pythons


def test_an_interpreter_that_does_not_run_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shim of pyenv is on the PATH for versions that nobody chose."""
    shims, others = tmp_path / "shims", tmp_path / "versions" / "3.99.1" / "bin"
    for folder, code in ((shims, 127), (others, 0)):
        folder.mkdir(parents=True)
        path = folder / "python3.99"
        path.write_text(f"#!/bin/sh\necho 3.99\nexit {code}\n", encoding="utf-8")
        path.chmod(0o755)
    monkeypatch.setenv("PATH", str(shims))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "nowhere"))
    assert pythons.find("3.99") is None
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert pythons.find("3.99") == others / "python3.99"
    monkeypatch.setenv("PATH", str(others))
    assert pythons.find("3.98") is None


@every_case(("passes", "status", "word"), [(True, 0, "passed"), (False, 1, "FAILED")])
def test_what_was_not_tested_is_named(
    passes: object,
    status: int,
    word: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    own = "{}.{}".format(*sys.version_info)
    monkeypatch.setattr(pythons, "versions", lambda: [own, "3.98", "3.99"])
    monkeypatch.setattr(pythons, "find", {"3.98": Path("/x/python3.98")}.get)
    monkeypatch.setattr(pythons, "test", lambda *_: passes)
    monkeypatch.setattr(pythons, "is_installable", lambda _: True)
    assert pythons.main() == status
    first, second, third = capsys.readouterr().out.splitlines()
    assert first.startswith(f"Python {own}: this one")
    assert second == f"Python 3.98: {word} (/x/python3.98)"
    assert third.startswith("Python 3.99: NOT TESTED")


@pytest.mark.thorough
def test_a_tagged_commit_is_built(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a copy of this tree, with a change that is not committed."""
    for name in ("build", "twine"):
        if find_spec(name) is None:
            missing(f"the package `{name}`")
    repository = tmp_path / "repository"
    repository.mkdir()
    for name in ("src", "schema"):
        shutil.copytree(
            ROOT / name, repository / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    for name in ("pyproject.toml", "constraints.txt", "README.md", "CHANGELOG.md", "LICENSE"):
        shutil.copy(ROOT / name, repository)
    (repository / ".gitignore").write_text("dist/\n", encoding="utf-8")
    _git(repository, "init", "--quiet")
    _git(repository, "add", "--all")
    _git(repository, "commit", "--quiet", "--message", "As it stands")
    _git(repository, "tag", f"v{VERSION}")
    (repository / "LICENSE").write_text("Changed.", encoding="utf-8")

    assert dist.main(repository) == 0, capsys.readouterr().err
    assert "note: changes that are not committed are not in it" in capsys.readouterr().out
    wheel = repository / "dist" / f"evalcontract-{VERSION}-py3-none-any.whl"
    sdist = repository / "dist" / f"evalcontract-{VERSION}.tar.gz"
    assert sorted((repository / "dist").iterdir()) == [wheel, sdist]
    with zipfile.ZipFile(wheel) as archive:
        info = f"evalcontract-{VERSION}.dist-info"
        assert b"MIT License" in archive.read(f"{info}/licenses/LICENSE")
        assert "evalcontract/schema/rubric.schema.json" in archive.namelist()
        assert "evalcontract/templates/workspace/evalcontract.toml" in archive.namelist()
        metadata = archive.read(f"{info}/METADATA").decode()
    with tarfile.open(sdist) as sources:
        assert f"evalcontract-{VERSION}/schema/rubric.schema.json" in sources.getnames()
    links = re.findall(r"\]\(([^)]+)\)", metadata)
    assert [link for link in links if not re.match(r"https?://|#", link)] == []
    assert f"{SITE}/source/v{VERSION}/docs/formats.md" in links
