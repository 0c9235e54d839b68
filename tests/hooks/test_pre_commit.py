"""The hooks of `.pre-commit-hooks.yaml`, run by pre-commit itself in real git repositories."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Never

import pytest
import yaml
from doors import command_line
from tables import every_case
from writing import write

import evalcontract
from evalcontract.engine.init_project import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).parents[2]
MANIFEST = ROOT / ".pre-commit-hooks.yaml"
FILE_HOOKS = ("validate-dataset", "validate-rubric", "validate-judge")
HOOKS = (*FILE_HOOKS, "evalcontract-check")

JUDGE = """\
id: accuracy
version: "1.0.0"
template: "Is {{ output }} true? PASS or FAIL."
"""
RUBRIC = """\
id: polite
version: "1.0.0"
checks:
  - {id: no_insults, kind: must_not_contain, values: [stupid]}
scoring: {combine: all_pass}
"""
DATASET = """\
questions:
  - {id: hello, input: Hello!, rubric_ref: rubric/polite@1.0.0}
"""
CLEAN = {
    "datasets/smalltalk.yaml": DATASET,
    "judges/accuracy.yaml": JUDGE,
    "rubrics/polite.yaml": RUBRIC,
}
FAULTY = {
    "datasets/smalltalk.yaml": DATASET.replace("input:", "inputt:"),
    "judges/accuracy.yaml": JUDGE.replace("template:", "score_type: binry\ntemplate:"),
    "rubrics/polite.yaml": RUBRIC.replace("all_pass", "all_passs"),
}


@pytest.fixture(scope="module")
def hooks() -> dict[str, dict[str, Any]]:
    """Return the published hooks by id."""
    read = yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))
    return {hook["id"]: hook for hook in read}


def test_every_hook_is_strict(hooks: dict[str, dict[str, Any]]) -> None:
    """A hook that passes is not heard; so no fault may only warn."""
    assert tuple(hooks) == HOOKS
    assert all("--strict" in hook["entry"].split() for hook in hooks.values())


@every_case(
    ("path", "expected"),
    [
        ("datasets/support.yaml", "validate-dataset"),
        ("eval/datasets/de/support.yaml", "validate-dataset"),
        ("datasets/support.jsonl", "validate-dataset"),
        ("datasets/support.ndjson", "validate-dataset"),
        ("datasets/README.md", None),
        ("dataset.yml", "validate-dataset"),
        ("eval/change_dataset.yaml", "validate-dataset"),
        ("eval/dataset_2026-05.json", "validate-dataset"),
        ("schema/dataset.schema.json", None),
        ("datasetting.yaml", None),
        ("rubrics/polite.yaml", "validate-rubric"),
        ("eval/rubrics/polite/1.0.0.json", "validate-rubric"),
        ("rubrics/polite.jsonl", "validate-rubric"),  # a fault that is to be said
        ("rubrics/answer.schema.json", None),
        ("judges/accuracy.yml", "validate-judge"),
        ("prejudges/accuracy.yml", None),
        ("config.yaml", None),
    ],
)
def test_files_are_chosen_by_place_and_name(
    hooks: dict[str, dict[str, Any]], path: str, expected: str | None
) -> None:
    """A file is one hook's or none's."""
    chosen = [name for name in FILE_HOOKS if re.search(hooks[name]["files"], path)]
    assert chosen == ([expected] if expected else [])


@pytest.mark.slow
def test_manifest_is_valid() -> None:
    """Pre-commit itself accepts the manifest."""
    _need_tools()
    done = _pre_commit(ROOT, os.environ, "validate-manifest", str(MANIFEST))
    assert done.returncode == 0, done.stdout


@dataclass(frozen=True)
class Published:
    """A repository of the hooks at one commit, and the environment in which they are installed."""

    folder: Path
    revision: str
    environment: dict[str, str]

    def use(self, folder: Path, files: Mapping[str, str]) -> None:
        """Make a repository that uses the hooks, with files that are added but not committed."""
        repository = {"repo": str(self.folder), "rev": self.revision}
        config = {"repos": [{**repository, "hooks": [{"id": name} for name in HOOKS]}]}
        write(folder, {**files, ".pre-commit-config.yaml": yaml.safe_dump(config)})
        self.git(folder, "init", "--quiet")
        self.git(folder, "add", "--all")

    def git(self, folder: Path, *arguments: str) -> str:
        """Run git with no configuration but its own."""
        return _git(folder, self.environment, *arguments)

    def run(self, folder: Path) -> tuple[int, dict[str, str]]:
        """Run the hooks on what is to be committed; return the exit code, and what each said."""
        done = _pre_commit(folder, self.environment, "run", "--color=never")
        heads = re.compile(r"^(?=validate |check the )", re.MULTILINE)
        parts = [part for part in heads.split(done.stdout) if part.strip()]
        assert len(parts) == len(HOOKS), done.stdout + done.stderr
        return done.returncode, dict(zip(HOOKS, parts, strict=True))


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Published:
    """Publish the hooks of this very tree, and let pre-commit install them once."""
    _need_tools()
    home = tmp_path_factory.mktemp("hooks")
    _need_packages(home)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment = inherited | {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_AUTHOR_NAME": "A",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "A",
        "GIT_COMMITTER_EMAIL": "a@example.org",
        "PRE_COMMIT_HOME": str(home / "cache"),
        # The address that the README names leads to this very tree.
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{home / 'evalcontract'}.insteadOf",
        "GIT_CONFIG_VALUE_0": REPOSITORY,
        "PIP_NO_COMPILE": "1",  # most of what is installed is never imported
    }
    folder = home / "evalcontract"
    folder.mkdir()
    for name in (MANIFEST.name, "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    for name in ("src", "schema"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    _git(folder, environment, "init", "--quiet")
    _git(folder, environment, "add", "--all")
    _git(folder, environment, "commit", "--quiet", "--message", "As it stands")
    _git(folder, environment, "tag", f"v{evalcontract.__version__}")
    revision = _git(folder, environment, "rev-parse", "HEAD").strip()
    made = Published(folder, revision, environment)
    user = home / "installs"
    made.use(user, {})
    done = _pre_commit(user, environment, "install-hooks")
    assert done.returncode == 0, done.stdout + done.stderr
    return made


@pytest.mark.slow
def test_clean_files_pass(published: Published, tmp_path: Path) -> None:
    """Nothing is wrong, and every hook had something to check."""
    published.use(tmp_path, CLEAN)
    status, said = published.run(tmp_path)
    assert status == 0, said
    assert all(part.rstrip().endswith("Passed") for part in said.values()), said


@pytest.mark.slow
def test_faults_are_shown(published: Published, tmp_path: Path) -> None:
    """Each hook fails, and shows the findings of its own kind of file."""
    published.use(tmp_path, FAULTY)
    status, said = published.run(tmp_path)
    assert status == 1
    assert "datasets/smalltalk.yaml:2:17" in said["validate-dataset"]
    assert "did you mean `input`?" in said["validate-dataset"]
    assert "error[rubric/unknown-value]" in said["validate-rubric"]
    assert "rubrics/polite.yaml:5:20" in said["validate-rubric"]
    assert "error[judge/unknown-value]" in said["validate-judge"]
    assert "judges/accuracy.yaml:3:13" in said["validate-judge"]
    for name in FAULTY:
        assert f"{name}:" in said["evalcontract-check"]


@pytest.mark.slow
def test_deleted_rubric_is_noticed(published: Published, tmp_path: Path) -> None:
    """Where a commit only deletes, no file hook runs; the hook for the workspace does."""
    published.use(tmp_path, CLEAN)
    published.git(tmp_path, "commit", "--quiet", "--message", "All is well")
    published.git(tmp_path, "rm", "--quiet", "rubrics/polite.yaml")
    status, said = published.run(tmp_path)
    assert status == 1
    assert all("Skipped" in said[name] for name in FILE_HOOKS), said
    assert "error[reference/dangling]" in said["evalcontract-check"]
    assert "datasets/smalltalk.yaml:2" in said["evalcontract-check"]


@pytest.mark.slow
def test_snippet_of_the_readme(published: Published, tmp_path: Path) -> None:
    """It is used as it is written: its address, its `rev` and its hook."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (snippet,) = re.findall(r"^```yaml\n(repos:\n.*?)^```$", readme, re.DOTALL | re.MULTILINE)
    write(tmp_path, {**CLEAN, ".pre-commit-config.yaml": snippet})
    assert _said_of_all_files(published, tmp_path)[0] == 0
    write(tmp_path, FAULTY)
    status, said = _said_of_all_files(published, tmp_path)
    assert status == 1
    assert "did you mean `input`?" in said


@pytest.mark.slow
def test_configuration_of_init(
    published: Published, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What `init` writes is used as it is written, in a repository with a workspace in it."""
    published.git(tmp_path, "init", "--quiet")
    monkeypatch.chdir(tmp_path)
    assert command_line("init", "evals") == 0
    assert _said_of_all_files(published, tmp_path)[0] == 0
    dataset = tmp_path / "evals" / "datasets" / "example.yaml"
    text = dataset.read_text(encoding="utf-8")
    dataset.write_text(text.replace(" expected_facts:", " expecteed_facts:"), encoding="utf-8")
    status, said = _said_of_all_files(published, tmp_path)
    assert status == 1
    assert "did you mean `expected_facts`?" in said


def _said_of_all_files(published: Published, folder: Path) -> tuple[int, str]:
    published.git(folder, "init", "--quiet")
    published.git(folder, "add", "--all")
    done = _pre_commit(folder, published.environment, "run", "--all-files", "--color=never")
    return done.returncode, done.stdout + done.stderr


def _git(folder: Path, environment: Mapping[str, str], *arguments: str) -> str:
    command = ["git", *arguments]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _pre_commit(
    folder: Path, environment: Mapping[str, str], *arguments: str
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pre_commit", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def _need_tools() -> None:
    if find_spec("pre_commit") is None:
        _absent("pre-commit is not installed")
    if shutil.which("git") is None:
        _absent("git is not installed")


def _need_packages(folder: Path) -> None:
    """Leave where pip reaches no index: pre-commit could not install the hooks either."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--retries=1"]
    command = [*pip, "--dest", str(folder / "probe"), "hatchling"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        _absent(f"the package index cannot be reached: {done.stderr.strip()[-300:]}")


def _absent(reason: str) -> Never:
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
