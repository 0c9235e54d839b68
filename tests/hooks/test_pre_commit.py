"""The hooks of `.pre-commit-hooks.yaml`, run by pre-commit itself in real git repositories."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from doors import command_line, printed_by
from needs import INDEX, missing
from published import (
    ROOT,
    TAG,
    git,
    git_environment,
    need_git,
    need_packages,
    publish,
)
from tables import every_case
from writing import write

from evalcontract.starting.init import project_files

if TYPE_CHECKING:
    from collections.abc import Mapping

MANIFEST = ROOT / ".pre-commit-hooks.yaml"
FILE_HOOKS = ("validate-dataset", "validate-rubric", "validate-judge", "validate-target")
REPORTING = (*FILE_HOOKS, "evalcontract-check")
FIX = "evalcontract-fix"

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
TARGET = "dataset: datasets/smalltalk.yaml\n"
CLEAN = {
    "datasets/smalltalk.yaml": DATASET,
    "judges/accuracy.yaml": JUDGE,
    "rubrics/polite.yaml": RUBRIC,
    "targets/nightly.yaml": TARGET,
}
FAULTY_DATASET = DATASET.replace("input:", "inputt:")
FAULTY = {
    "datasets/smalltalk.yaml": FAULTY_DATASET,
    "judges/accuracy.yaml": JUDGE.replace("template:", "score_type: binry\ntemplate:"),
    "rubrics/polite.yaml": RUBRIC.replace("all_pass", "all_passs"),
    "targets/nightly.yaml": TARGET + "strict_validatoin: true\n",
}


@pytest.fixture(scope="module")
def hooks() -> dict[str, dict[str, Any]]:
    """Return the published hooks by id."""
    read = yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))
    return {hook["id"]: hook for hook in read}


def test_every_hook_is_strict(hooks: dict[str, dict[str, Any]]) -> None:
    """A hook that passes is not heard; so no fault may only warn. One fixes."""
    assert hooks.keys() == {*REPORTING, FIX}
    assert all("--strict" in hooks[name]["entry"].split() for name in REPORTING)


def test_every_command_sees_all_files_at_once(hooks: dict[str, dict[str, Any]]) -> None:
    """Files refer to each other, and two processes must not fix one file."""
    assert all(hooks[name]["require_serial"] for name in (*FILE_HOOKS, FIX))


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
        ("targets/nightly.yaml", "validate-target"),
        ("eval/targets/nightly.json", "validate-target"),
        ("targets.yaml", None),
        ("config.yaml", None),
    ],
)
def test_files_are_chosen_by_place_and_name(
    hooks: dict[str, dict[str, Any]], path: str, expected: str | None
) -> None:
    """A file is one hook's or none's."""
    chosen = [name for name in FILE_HOOKS if re.search(hooks[name]["files"], path)]
    assert chosen == ([expected] if expected else [])
    assert bool(re.search(hooks[FIX]["files"], path)) == bool(expected)


@pytest.mark.parametrize("files", [CLEAN, FAULTY], ids=["clean", "faulty"])
def test_its_commands_check_the_files_of_their_hooks(
    hooks: dict[str, dict[str, Any]], files: dict[str, str], tmp_path: Path
) -> None:
    """Pre-commit itself runs them in `make thorough`."""
    write(tmp_path, files)
    for name in REPORTING:
        chosen = [each for each in files if re.search(hooks[name].get("files", ""), each)]
        given = chosen if hooks[name].get("pass_filenames", True) else []
        command, *arguments = hooks[name]["entry"].split()
        ended = printed_by(*arguments, *given, cwd=tmp_path)
        assert (command, ended.code) == ("evalcontract", int(files is FAULTY)), ended
        assert [each for each in chosen if files is FAULTY and each not in ended.out] == []
        assert len(chosen) == (1 if name in FILE_HOOKS else 4)


@pytest.mark.slow
def test_manifest_is_valid() -> None:
    """Pre-commit itself accepts the manifest."""
    _need_tools()
    done = _pre_commit(ROOT, os.environ, "validate-manifest", str(MANIFEST))
    assert done.returncode == 0, done.stdout


@dataclass(frozen=True)
class Published:
    """A repository of the hooks, and the environment in which pre-commit installs them once."""

    folder: Path
    environment: dict[str, str]

    def use(self, folder: Path, files: Mapping[str, str]) -> None:
        """Make a repository that uses the hooks, with files that are added but not committed."""
        repository = {"repo": str(self.folder), "rev": TAG}
        config = {"repos": [{**repository, "hooks": [{"id": name} for name in REPORTING]}]}
        write(folder, {**files, ".pre-commit-config.yaml": yaml.safe_dump(config)})
        self.git(folder, "init", "--quiet")
        self.git(folder, "add", "--all")

    def git(self, folder: Path, *arguments: str) -> str:
        """Run git with no configuration but its own."""
        return git(folder, self.environment, *arguments)

    def run(self, folder: Path) -> tuple[int, dict[str, str]]:
        """Run the hooks on what is to be committed; return the exit code, and what each said."""
        done = _pre_commit(folder, self.environment, "run", "--color=never")
        heads = re.compile(r"^(?=validate |check the )", re.MULTILINE)
        parts = [part for part in heads.split(done.stdout) if part.strip()]
        assert len(parts) == len(REPORTING), done.stdout + done.stderr
        return done.returncode, dict(zip(REPORTING, parts, strict=True))


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Published:
    """Publish the hooks of this very tree, and let pre-commit install them once."""
    _need_tools()
    home = tmp_path_factory.mktemp("hooks")
    need_packages(home)
    folder = home / "evalcontract"
    environment = git_environment(folder) | {"PRE_COMMIT_HOME": str(home / "cache")}
    publish(folder, environment)
    made = Published(folder, environment)
    user = home / "installs"
    made.use(user, {})
    done = _pre_commit(user, environment, "install-hooks")
    assert done.returncode == 0, done.stdout + done.stderr
    return made


@pytest.mark.thorough
def test_clean_files_pass(published: Published, tmp_path: Path) -> None:
    """Nothing is wrong, and every hook had something to check."""
    published.use(tmp_path, CLEAN)
    status, said = published.run(tmp_path)
    assert status == 0, said
    assert all(part.rstrip().endswith("Passed") for part in said.values()), said


@pytest.mark.thorough
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
    assert "did you mean `strict_validation`?" in said["validate-target"]
    assert "targets/nightly.yaml:2:1" in said["validate-target"]
    for name in FAULTY:
        assert f"{name}:" in said["evalcontract-check"]


@pytest.mark.thorough
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


@pytest.mark.thorough
def test_a_pinned_configuration(published: Published, tmp_path: Path) -> None:
    """Several files in one call, JSON Lines too; `--soft` takes the strictness back."""
    hook = {"id": "validate-dataset", "verbose": True}
    files = {
        **CLEAN,
        "datasets/lines.jsonl": '{"id": "a", "inputt": "A?", "criteria": "B"}\n',
        **{f"datasets/d{number}.yaml": DATASET for number in range(30)},
    }
    for args, status in (([], 1), (["--soft"], 0)):
        repository = {"repo": str(published.folder), "rev": TAG, "hooks": [hook | {"args": args}]}
        configuration = {".pre-commit-config.yaml": yaml.safe_dump({"repos": [repository]})}
        write(tmp_path, files | configuration)
        ended, said = _said_of_all_files(published, tmp_path)
        assert ended == status, said
        assert "datasets/lines.jsonl:1:13" in said
        assert f"{'warning' if args else 'error'}[dataset/near-miss-key]" in said
        assert said.count("32 datasets (32 rows)") == 1


@pytest.mark.thorough
def test_fixes(published: Published, tmp_path: Path) -> None:
    """The hook changes files, so that pre-commit fails; then there is nothing left to change."""
    repository = {"repo": str(published.folder), "rev": TAG, "hooks": [{"id": FIX}]}
    configuration = {".pre-commit-config.yaml": yaml.safe_dump({"repos": [repository]})}
    write(tmp_path, CLEAN | configuration | {"datasets/smalltalk.yaml": FAULTY_DATASET})
    status, said = _said_of_all_files(published, tmp_path)
    assert status == 1
    assert "files were modified by this hook" in said
    assert "`inputt` is now `input`" in said
    assert (tmp_path / "datasets/smalltalk.yaml").read_text(encoding="utf-8") == DATASET
    assert _said_of_all_files(published, tmp_path)[0] == 0


@pytest.mark.thorough
def test_try_repo(published: Published, tmp_path: Path) -> None:
    """What somebody types who only wants to see what the hook says."""
    published.git(tmp_path, "init", "--quiet")
    for files, status in ((CLEAN, 0), (FAULTY, 1)):
        write(tmp_path, files)
        published.git(tmp_path, "add", "--all")
        arguments = ("try-repo", str(published.folder), "validate-rubric", "--all-files")
        done = _pre_commit(tmp_path, published.environment, *arguments)
        assert done.returncode == status, done.stdout + done.stderr
        assert ("rubrics/polite.yaml:5:20" in done.stdout) == bool(status)


@pytest.mark.thorough
def test_prek(published: Published, tmp_path: Path) -> None:
    """Another runner of the same hooks, which makes their environments with uv."""
    home = published.folder.parent / "prek"
    venv.create(home)
    pip = [sys.executable, "-m", "pip", "--python", str(home), "install", "--quiet"]
    got = subprocess.run([*pip, "prek", "uv"], capture_output=True, text=True, check=False)
    if got.returncode:
        missing(INDEX)
    published.use(tmp_path, FAULTY)
    scripts = home / ("Scripts" if os.name == "nt" else "bin")
    paths = os.pathsep.join([str(scripts), str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        [scripts / "prek", "run", "--all-files", "--color=never"],
        cwd=tmp_path,
        env=published.environment | {"PATH": paths, "PREK_HOME": str(home / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    for name in FAULTY:
        assert f"{name}:" in done.stdout, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.thorough
def test_snippet_of_the_readme(published: Published, tmp_path: Path) -> None:
    """It is used as it is written, with the command of this environment."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (snippet,) = re.findall(r"^```yaml\n(repos:\n.*?)^```$", readme, re.DOTALL | re.MULTILINE)
    write(tmp_path, {**CLEAN, ".pre-commit-config.yaml": snippet})
    assert _said_of_all_files(published, tmp_path)[0] == 0
    write(tmp_path, FAULTY)
    status, said = _said_of_all_files(published, tmp_path)
    assert status == 1
    assert "did you mean `input`?" in said


@pytest.mark.slow
@pytest.mark.thorough
def test_configuration_of_init(
    published: Published, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What `init` writes is used in a clone of the repository, by `git commit` itself."""
    begun, clone = tmp_path / "begun", tmp_path / "clone"
    begun.mkdir()
    published.git(begun, "init", "--quiet")
    monkeypatch.chdir(begun)
    assert command_line("init", "evals") == 0
    published.git(begun, "add", "--all")
    published.git(begun, "commit", "--quiet", "--message", "Begin")
    published.git(tmp_path, "clone", "--quiet", str(begun), str(clone))
    done = _pre_commit(clone, published.environment, "install")
    assert done.returncode == 0, done.stdout + done.stderr
    for right, wrong, status in (("Where", "When", 0), ("expected_facts:", "expecteed_facts:", 1)):
        _replace(clone / "evals" / "datasets" / "example.yaml", right, wrong)
        command = ["git", "commit", "--all", "--message", "Change"]
        done = subprocess.run(
            command, cwd=clone, env=_with_commands(published.environment),
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == status, done.stdout + done.stderr
    assert "did you mean `expected_facts`?" in done.stdout + done.stderr


def test_the_hook_of_init_is_the_published_one(hooks: dict[str, dict[str, Any]]) -> None:
    """It is written again as a local one; so are those of the README and of docs/ci.md."""
    published = hooks["evalcontract-check"]
    shown = [
        text
        for name in ("README.md", "docs/ci.md")
        for text in re.findall(
            r"^```yaml\n((?:#[^\n]*\n)?repos:\n.*?)^```$",
            (ROOT / name).read_text(encoding="utf-8"),
            re.DOTALL | re.MULTILINE,
        )
    ]
    (written,) = (
        file.text for file in project_files("evals", None, None) if "pre-commit" in file.path
    )
    assert written in shown
    local = [
        hook
        for text in shown
        for repository in yaml.safe_load(text)["repos"]
        for hook in repository["hooks"]
        if repository["repo"] == "local"
    ]
    assert len(local) == 2
    for hook in local:
        for key in ("id", "name", "entry", "always_run", "pass_filenames"):
            assert hook[key] == published[key]


def _replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def _with_commands(environment: Mapping[str, str]) -> dict[str, str]:
    """Return variables with which the commands of this environment are on the PATH."""
    paths = os.pathsep.join([str(Path(sys.executable).parent), environment["PATH"]])
    return {**environment, "PATH": paths}


def _said_of_all_files(published: Published, folder: Path) -> tuple[int, str]:
    published.git(folder, "init", "--quiet")
    published.git(folder, "add", "--all")
    done = _pre_commit(folder, published.environment, "run", "--all-files", "--color=never")
    return done.returncode, done.stdout + done.stderr


def _pre_commit(
    folder: Path, environment: Mapping[str, str], *arguments: str
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pre_commit", *arguments]
    return subprocess.run(
        command,
        cwd=folder,
        env=_with_commands(environment),
        capture_output=True,
        text=True,
        check=False,
    )


def _need_tools() -> None:
    if find_spec("pre_commit") is None:
        missing("pre-commit")
    need_git()
