"""A second check: the same to the byte, and done anew as soon as anything may differ."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from doors import Options, command_line
from examples import a_few, some
from tables import every_case
from texts import facts
from writing import write_dedented

import evalcontract
from evalcontract import EvalContractError
from evalcontract.cache import Cache
from evalcontract.cache import checks as installation
from evalcontract.cache.checks import MAX_STREAM_BYTES
from evalcontract.checking import pipeline
from evalcontract.datasets.workers import MIN_PART_BYTES
from evalcontract.source import DISK, Files
from evalcontract.workspace.catalogue import rules_in_use

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]
# The package has a function of the same name.
validate: Any = import_module("evalcontract.checking.pipeline")
WORKSPACES = [*sorted(each for each in (ROOT / "fixtures/workspaces").iterdir() if each.is_dir())]
WORKSPACES += [ROOT / "demo"]

posix = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes are of POSIX")

FILES = {
    "evalcontract.toml": "exclude = ['left']\n",
    "rubrics/polite.yaml": """
        id: polite
        version: "1.0.0"
        checks:
          - {id: shape, kind: json_schema, schema_ref: shapes/answer.txt}
          - {id: right, kind: llm_judge, judge_prompt_ref: judge/right@1.0.0, threshold: 70}
        scoring: {combine: all_pass}
        """,
    "judges/right.yaml": """
        id: right
        version: "1.0.0"
        template: "Is it right? {{ output }}"
        """,
    "shapes/answer.txt": '{"type": "object", "required": ["answer"]}\n',
    "bundles/short.schema.json": '{"properties": {"top_k": {"type": "integer"}}}\n',
    "targets/nightly.yaml": "dataset: datasets/first.yaml\nstrict_validation: false\n",
    "datasets/first.yaml": """
        questions:
          - {id: a, input: Where?, rubric_ref: rubric/polite@1.0.0, bundle: short, top_k: 3}
        """,
    "datasets/second.jsonl": '{"id": "a", "input": "Where?", "criteria": "Here"}\n',
    "more/third.yaml": "questions: []\n",
    "notes.json": "{}\n",
    "left/out.yaml": "questions: [\n",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a workspace, and make it the current folder."""
    top = tmp_path / "workspace"
    write_dedented(top, FILES)
    monkeypatch.chdir(top)
    return top


class Checks:
    """Runs checks with a cache, and tells which were done and not remembered."""

    def __init__(self, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.done = 0
        self.day = date(2026, 5, 8)
        self._cache = Cache(cache)
        check_all = validate._check_all  # noqa: SLF001 - what is spared is counted there

        def counted(path: Path, options: Options) -> Any:
            self.done += 1
            return check_all(path, options)

        monkeypatch.setattr(validate, "_check_all", counted)

    def __call__(self, path: Path | str = ".", **options: Any) -> Any:
        """Check with the cache; the outcome is held against one without."""
        asked: dict[str, Any] = {"today": self.day, **options}
        outcome = validate.check_workspaces(Path(path), Options(**asked, cache=self._cache))
        done = self.done
        assert outcome == validate.check_workspaces(Path(path), Options(**asked))
        self.done = done
        return outcome

    def was_done(self, path: Path | str = ".", **options: Any) -> bool:
        """Whether a check was done now."""
        before = self.done
        self(path, **options)
        return self.done > before


@pytest.fixture
def checks(folder: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Checks:
    """Check the workspace `folder`, or others."""
    assert Path.cwd() == folder
    return Checks(own_cache, monkeypatch)


def codes(outcome: Any) -> set[str]:
    return {each.code for each in outcome.diagnostics}


# The same to the byte


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "style", "mode"),
    [
        *some(((path, "text", None) for path in WORKSPACES), times=4),
        *some(((path, "text", "--strict") for path in WORKSPACES), times=2),
        *some(((path, "json", "--soft") for path in [ROOT / "fixtures", *WORKSPACES]), times=2),
    ],
    ids=lambda value: value.name if isinstance(value, Path) else value,
)
def test_the_second_check_prints_the_same(
    path: Path,
    style: str,
    mode: str | None,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    asked = ["check", str(path.relative_to(ROOT)), "--output-format", style, "--verbose"]
    asked += [mode] if mode else []

    def printed(*more: str) -> tuple[int, str, str]:
        return (command_line(*asked, *more), *capfd.readouterr())

    anew = printed("--no-cache")
    assert printed() == anew
    with monkeypatch.context() as patch:
        patch.setattr(validate, "_check_all", refuse)
        assert printed() == anew


def refuse(*asked: Any) -> Any:
    raise AssertionError(f"this was not to be asked: {asked}")


@pytest.mark.costly
def test_an_unchanged_workspace_is_not_checked_again(folder: Path, checks: Checks) -> None:
    assert checks.was_done()
    assert not checks.was_done()
    assert not checks.was_done(folder)
    assert not checks.was_done(folder / "datasets")  # which is of the same workspace


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variables", "arguments", "is_used"),
    [
        ({}, [], True),
        ({"CI": ""}, [], True),
        ({"CI": "true"}, [], False),
        ({"CI": "true"}, ["--cache"], True),
        ({"CI": "true", "EVALCONTRACT_CACHE_DIR": "own"}, [], True),
        ({"CI": "true", "EVALCONTRACT_CACHE_DIR": "own"}, ["--no-cache"], False),
        ({"EVALCONTRACT_CACHE_DIR": "own"}, [], True),
    ],
)
def test_ci_has_no_cache_unless_asked(
    variables: dict[str, str],
    arguments: list[str],
    *,
    is_used: bool,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("CI", "EVALCONTRACT_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    given = {
        name: str(tmp_path / text) if text == "own" else text for name, text in variables.items()
    }
    for name, text in {
        **given,
        "XDG_CACHE_HOME": str(tmp_path / "xdg"),
        "HOME": str(tmp_path),
    }.items():
        monkeypatch.setenv(name, text)
    assert command_line("check", str(folder), *arguments) == 0
    made = [path for path in tmp_path.rglob("results-*") if path.is_dir()]
    assert bool(made) is is_used


def test_the_loaders_know_no_cache(folder: Path, own_cache: Path) -> None:
    evalcontract.DatasetLoader().load(folder / "datasets/first.yaml")
    validate.check_workspaces(folder, Options())
    assert not own_cache.exists()


@pytest.mark.costly
def test_no_cache_writes_and_reads_nothing(
    folder: Path, own_cache: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert command_line("check", str(folder), "--no-cache") == 0
    assert not own_cache.exists()
    assert command_line("check", str(folder)) == 0
    assert len(list(own_cache.glob("*/*"))) == 4
    assert len(list(folder.rglob("*"))) == len(FILES) + 8  # and nothing was added
    capfd.readouterr()


# Whatever a verdict depends on


def change(name: str, text: str) -> Callable[[Path], None]:
    return lambda folder: write_dedented(folder, {name: text})


def rename(name: str, new: str) -> Callable[[Path], None]:
    def renamed(folder: Path) -> None:
        (folder / new).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).rename(folder / new)

    return renamed


CHANGES: dict[str, Callable[[Path], None]] = {
    "a dataset": change("datasets/first.yaml", "questions: [{id: a, input: b, criteria: c}]\n"),
    "a row of JSONL": change("datasets/second.jsonl", '{"id": "a", "input": "b"}\n'),
    "the name of a dataset": rename("datasets/second.jsonl", "datasets/third.jsonl"),
    "a rubric": change("rubrics/polite.yaml", "id: polite\n"),
    "the name of a rubric": rename("rubrics/polite.yaml", "rubrics/kind.yaml"),
    "a judge": change("judges/right.yaml", "id: right\n"),
    "a bundle": change("bundles/short.schema.json", '{"required": ["top_k", "documents"]}\n'),
    "a target": change("targets/nightly.yaml", "dataset: datasets/first.yaml\n"),
    "the configuration": change("evalcontract.toml", "strict = true\n"),
    "a schema of a check": change("shapes/answer.txt", '{"type": "objct"}\n'),
    "a file that was no dataset": change("notes.json", '{"questions": []}\n'),
    "a new dataset": change("more/new.yaml", "questions: [{id: a, input: b}]\n"),
    "a new rubric": change("rubrics/new.yaml", "id: new\n"),
    "a new workspace in it": change("inner/evalcontract.toml", "strict = true\n"),
    "a removed dataset": lambda folder: (folder / "datasets/second.jsonl").unlink(),
    "a removed judge": lambda folder: (folder / "judges/right.yaml").unlink(),
    "a removed schema": lambda folder: (folder / "shapes/answer.txt").unlink(),
    "no configuration": lambda folder: (folder / "evalcontract.toml").unlink(),
    "a virtual environment": change("more/pyvenv.cfg", ""),
    "a configuration further up": rename("evalcontract.toml", "../evalcontract.toml"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", a_few(CHANGES))
def test_a_change_is_seen(folder: Path, checks: Checks, name: str) -> None:
    checks()
    CHANGES[name](folder)
    assert checks.was_done()
    assert not checks.was_done()


@pytest.mark.costly
def test_contents_that_change_places_are_seen(folder: Path, checks: Checks) -> None:
    first, third = (folder / "datasets/first.yaml"), (folder / "more/third.yaml")
    checks()
    texts = first.read_text(), third.read_text()
    third.write_text(texts[0])
    first.write_text(texts[1])
    assert checks.was_done()


def test_other_files_make_no_difference(folder: Path, checks: Checks) -> None:
    checks()
    write_dedented(folder, {"README.md": "x", "datasets/.first.yaml.swp": "x", ".git/HEAD": "x"})
    write_dedented(folder.parent, {"beside.yaml": "x"})
    assert not checks.was_done()


@pytest.mark.slow
def test_what_was_there_before_is_remembered(folder: Path, checks: Checks) -> None:
    """Somebody goes from one branch to another, and back."""
    first = FILES["datasets/first.yaml"]
    checks()
    change("datasets/first.yaml", "questions: [{id: a, input: b}]\n")(folder)
    assert checks.was_done()
    write_dedented(folder, {"datasets/first.yaml": first})
    assert not checks.was_done()


@pytest.mark.slow
def test_branches_are_remembered_side_by_side(folder: Path, checks: Checks) -> None:
    """Each has other files, so that another list of questions is asked."""
    branches = [{f"rubrics/r{n}.yaml": f"id: r{n}\n" for n in range(m)} for m in range(4)]
    for expected in (True, False):
        for branch in branches:
            for path in folder.glob("rubrics/r?.yaml"):
                path.unlink()
            write_dedented(folder, branch)
            assert checks.was_done() is expected


def test_the_same_content_elsewhere_shows_its_own_name(
    folder: Path, checks: Checks, tmp_path: Path
) -> None:
    write_dedented(folder, {"datasets/first.yaml": "questions: [{id: a}]\n"})
    checks()
    shutil.copytree(folder, tmp_path / "copy")
    outcome = checks(tmp_path / "copy")
    assert {Path(each.place.file).parts[-4] for each in outcome.diagnostics} == {tmp_path.name}


def test_the_current_folder_names_the_files(
    folder: Path, checks: Checks, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_dedented(folder, {"datasets/first.yaml": "questions: [{id: a}]\n"})
    checks(folder)
    monkeypatch.chdir(folder / "datasets")
    assert checks.was_done(folder)


@pytest.mark.slow
def test_the_mode_and_the_root_are_seen(folder: Path, checks: Checks) -> None:
    checks()
    assert checks.was_done(strict=True)
    assert checks.was_done(strict=False)
    assert checks.was_done(root=folder)
    assert not checks.was_done(strict=True)


VALIDATED = """
    id: right
    version: "1.0.0"
    template: "Is it right? {{ output }}"
    validation:
      validated_at: 2026-05-01
      judge_version: "1.0.0"
    """


@pytest.mark.costly
def test_the_day_is_seen(folder: Path, checks: Checks) -> None:
    write_dedented(folder, {"judges/right.yaml": VALIDATED})
    before = codes(checks())
    assert not checks.was_done()
    checks.day += timedelta(days=400)
    after = codes(checks())
    assert after - before == {"judge/stale-validation"}


def test_the_day_is_today_by_default(checks: Checks) -> None:
    checks(today=None)
    assert not checks.was_done(today=datetime.now(tz=UTC).date())


@pytest.mark.costly
def test_the_version_is_seen(checks: Checks, monkeypatch: pytest.MonkeyPatch) -> None:
    checks()
    monkeypatch.setattr(pipeline, "__version__", "99.0.0")
    assert checks.was_done()


@pytest.mark.costly
def test_the_interpreter_is_seen(checks: Checks, monkeypatch: pytest.MonkeyPatch) -> None:
    checks()
    monkeypatch.setattr(sys, "version", "4.0")
    assert checks.was_done()


@pytest.mark.slow
def test_code_of_ours_that_changes_without_a_version_is_seen(
    checks: Checks, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = tmp_path / "own" / "evalcontract"
    write_dedented(package, {"cache/checks.py": "", "rules/one.py": "1"})
    monkeypatch.setattr(installation, "__file__", str(package / "cache/checks.py"))
    checks()
    assert not checks.was_done()
    write_dedented(package, {"rules/one.py": "12"})
    assert checks.was_done()


RULE = """
    from evalcontract.model.codes import Code
    from evalcontract.model.diagnostic import Problem
    from evalcontract.rules._rule import row_rule

    PAGE = '''
    A row shouts.

    Why: Nobody likes it.

    Bad:
        questions:
          - {id: a, input: HELLO, criteria: c}

    Good:
        questions:
          - {id: a, input: Hello, criteria: c}
    '''

    CODE = Code("dataset/shouting", page=PAGE)

    @row_rule(CODE)
    def RULE(subject):
        if subject.row["input"] == "Where?":
            yield Problem(CODE, "this row shouts", (*subject.path, "input"))
    """


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Put a folder for packages on the path."""
    site = tmp_path / "site-packages"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))
    rules_in_use.cache_clear()
    yield site
    rules_in_use.cache_clear()
    sys.modules.pop("shouting", None)


def install(site: Path, version: str, code: Path) -> None:
    write_dedented(code, {"shouting/__init__.py": RULE})
    info = f"shouting-{version}.dist-info"
    points = "[evalcontract.rules]\nshout = shouting:RULE\n"
    metadata = f"Metadata-Version: 2.1\nName: shouting\nVersion: {version}\n"
    write_dedented(site, {f"{info}/METADATA": metadata, f"{info}/entry_points.txt": points})
    rules_in_use.cache_clear()


@pytest.mark.slow
def test_a_package_with_rules_is_seen(checks: Checks, site: Path) -> None:
    assert "dataset/shouting" not in codes(checks())
    install(site, "1.0", site)
    assert "dataset/shouting" in codes(checks())
    assert not checks.was_done()
    (site / "shouting-1.0.dist-info").rename(site / "shouting-2.0.dist-info")
    assert checks.was_done()


@pytest.mark.slow
def test_code_of_a_package_that_is_worked_on_is_seen(
    checks: Checks, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path / "work"))
    install(site, "1.0", tmp_path / "work")
    checks()
    assert not checks.was_done()
    write_dedented(tmp_path / "work", {"shouting/words.py": "NEW = True\n"})
    assert checks.was_done()


@pytest.mark.costly
def test_a_dependency_of_another_version_is_seen(checks: Checks, site: Path) -> None:
    (site / "jsonschema-0.1.dist-info").mkdir()
    checks()
    (site / "jsonschema-0.1.dist-info").rename(site / "jsonschema-0.2.dist-info")
    assert checks.was_done()


@pytest.mark.costly
def test_where_it_is_unknown_what_is_installed_nothing_is_remembered(
    checks: Checks, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Finder:
        """Finds packages where nobody can look."""

        def find_spec(self, *_: Any) -> None:
            return None

        def find_distributions(self, *_: Any) -> list[Any]:
            return []

    assert installation.installation_fingerprint() is not None
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
    assert installation.installation_fingerprint() is None
    checks()
    assert checks.was_done()


# What is beyond the folder, or no file


@pytest.mark.slow
def test_a_dataset_of_elsewhere_is_seen_with_all_that_it_reaches(
    folder: Path, checks: Checks, tmp_path: Path
) -> None:
    write_dedented(folder, {"targets/nightly.yaml": "dataset: other/data.yaml\n"})
    checks()
    assert not checks.was_done()  # there is none yet
    data = "questions: [{id: a, input: b, rubric_ref: rubric/a@1.0.0}]\n"
    write_dedented(folder / "other", {"data.yaml": data, "rubrics/a.yaml": "id: a\n"})
    assert checks.was_done()
    assert not checks.was_done()
    write_dedented(folder / "other", {"data.yaml": "questions: [{id: a, input: b, criteria: c}]\n"})
    assert checks.was_done()
    write_dedented(folder / "other", {"data.yaml": data})
    assert not checks.was_done()
    write_dedented(folder / "other", {"rubrics/a.yaml": "id: b\n"})
    assert checks.was_done()
    write_dedented(folder / "other", {"evalcontract.toml": "strict = true\n"})
    assert checks.was_done()
    write_dedented(folder / "other", {"rubrics/more/new.yaml": "id: c\n"})
    assert checks.was_done()
    write_dedented(tmp_path, {"evalcontract.toml": "strict = true\n"})
    assert checks.was_done()
    assert not checks.was_done()


@pytest.mark.costly
def test_a_hidden_dataset_is_seen(folder: Path, checks: Checks) -> None:
    write_dedented(folder, {"targets/nightly.yaml": "dataset: .kept/data.txt\n"})
    checks()
    write_dedented(folder, {".kept/data.txt": "questions: [{id: a}]\n"})
    assert checks.was_done()
    write_dedented(folder, {".kept/data.txt": "questions: [{id: a, input: b, criteria: c}]\n"})
    assert checks.was_done()


def test_what_patterns_of_a_configuration_further_up_mean_is_seen(
    folder: Path, checks: Checks
) -> None:
    (folder / "evalcontract.toml").unlink()
    above = "datasets = ['workspace/datasets/*.yaml', 'beside.yaml']\n"
    write_dedented(folder.parent, {"evalcontract.toml": above, "beside.yaml": "questions: []\n"})
    checks(root=folder)
    assert not checks.was_done(root=folder)
    (folder.parent / "beside.yaml").unlink()
    with pytest.raises(EvalContractError, match="matches no"):
        checks(root=folder)


@pytest.mark.costly
def test_what_a_missing_dataset_may_mean_is_seen(folder: Path, checks: Checks) -> None:
    write_dedented(
        folder, {"targets/nightly.yaml": "dataset: kept/frist.txt\n", "kept/other.txt": ""}
    )
    checks()
    assert not checks.was_done()
    (folder / "kept/other.txt").rename(folder / "kept/first.txt")
    outcome = checks()
    (found,) = [each for each in outcome.diagnostics if each.code == "target/missing-dataset"]
    assert facts(found.help) == ["kept/first.txt"]


@pytest.mark.slow
@posix
def test_what_links_lead_to_is_seen(folder: Path, checks: Checks) -> None:
    away = folder / "kept/away.txt"
    away.parent.mkdir()
    (folder / "datasets/linked.yaml").symlink_to(away)
    checks()
    assert not checks.was_done()  # it leads nowhere
    away.write_text("questions: [{id: a}]\n")
    assert checks.was_done()
    assert not checks.was_done()
    away.write_text("questions: [{id: a, input: b, criteria: c}]\n")
    assert checks.was_done()


@pytest.mark.slow
@posix
def test_folders_of_artifacts_behind_links_are_seen(folder: Path, checks: Checks) -> None:
    (folder / "rubrics").rename(folder / "elsewhere")
    (folder / "rubrics").symlink_to(folder / "elsewhere")
    checks()
    assert not checks.was_done()
    write_dedented(folder, {"elsewhere/polite.yaml": "id: polite\n"})
    assert checks.was_done()
    write_dedented(folder, {"elsewhere/more/new.yaml": "id: new\n"})
    assert checks.was_done()
    shutil.copytree(folder / "elsewhere", folder / "third")
    (folder / "rubrics").unlink()
    (folder / "rubrics").symlink_to(folder / "third")
    checks()
    assert not checks.was_done()
    write_dedented(folder, {"third/polite.yaml": "id: kind\n"})
    assert checks.was_done()


@pytest.mark.costly
@posix
def test_a_schema_behind_a_link_is_seen(folder: Path, checks: Checks) -> None:
    write_dedented(folder, {"shapes/other.txt": '{"type": "objct"}\n'})
    checks()
    (folder / "shapes/answer.txt").unlink()
    (folder / "shapes/answer.txt").symlink_to("other.txt")
    assert checks.was_done()


@pytest.mark.slow
@posix
def test_what_may_not_be_read_is_seen(folder: Path, checks: Checks) -> None:
    pipe = folder / "datasets/pipe.yaml"
    os.mkfifo(pipe)
    checks()
    assert not checks.was_done()
    pipe.unlink()
    pipe.mkdir()
    assert checks.was_done()
    pipe.rmdir()
    write_dedented(folder, {"datasets/pipe.yaml": "questions: [{id: a, input: b, criteria: c}]\n"})
    assert checks.was_done()
    assert not checks.was_done()


@posix
@pytest.mark.skipif(getattr(os, "getuid", int)() == 0, reason="root may read everything")
@pytest.mark.parametrize("name", ["datasets/first.yaml", "datasets", "rubrics"])
def test_what_may_be_read_again_is_seen(folder: Path, checks: Checks, name: str) -> None:
    mode = (folder / name).stat().st_mode
    (folder / name).chmod(0)
    checks()
    (folder / name).chmod(mode)
    assert checks.was_done()


@pytest.mark.costly
def test_a_large_stream_is_not_remembered(checks: Checks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evalcontract.cache.checks.MAX_STREAM_BYTES", 10)
    checks()
    assert checks.was_done()


@pytest.mark.slow
def test_how_many_processes_look_makes_no_difference(
    folder: Path, checks: Checks, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = '{{"id": "r{}", "input": "Where?", "rubric_ref": "rubric/polite@1.0.0"}}\n'
    write_dedented(folder, {"datasets/second.jsonl": "".join(map(row.format, range(100)))})
    checks(jobs=1)
    assert not checks.was_done(jobs=2)  # since the verdict is the same
    monkeypatch.setattr("evalcontract.datasets.row_check.MIN_PART_BYTES", 1000)
    monkeypatch.setattr("evalcontract.cache.checks.MAX_STREAM_BYTES", 1000)
    write_dedented(folder, {"datasets/second.jsonl": "".join(map(row.format, range(101)))})
    checks(jobs=2)
    assert checks.was_done(jobs=2)


def test_what_several_processes_look_at_is_too_large_to_be_remembered() -> None:
    """Nobody notes what the other processes ask."""
    assert MIN_PART_BYTES >= MAX_STREAM_BYTES


def test_a_file_that_changes_meanwhile_is_not_remembered(
    folder: Path, checks: Checks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever was read of it: the outcome is that of the bytes that were read."""
    check_all = validate._check_all  # noqa: SLF001

    def changing(path: Path, options: Options) -> Any:
        outcome = check_all(path, options)
        write_dedented(folder, {"datasets/first.yaml": "questions: [{id: a}]\n"})
        return outcome

    with monkeypatch.context() as patch:
        patch.setattr(validate, "_check_all", changing)
        validate.check_workspaces(folder, Options(cache=checks._cache, today=checks.day))  # noqa: SLF001
    assert checks.was_done()


def test_names_that_change_meanwhile_are_not_remembered(
    folder: Path, checks: Checks, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_all = validate._check_all  # noqa: SLF001

    def changing(path: Path, options: Options) -> Any:
        write_dedented(folder, {"datasets/new.yaml": "questions: [{id: a}]\n"})
        return check_all(path, options)

    with monkeypatch.context() as patch:
        patch.setattr(validate, "_check_all", changing)
        validate.check_workspaces(folder, Options(cache=checks._cache, today=checks.day))  # noqa: SLF001
    (folder / "datasets/new.yaml").unlink()
    assert checks.was_done()


@pytest.mark.costly
def test_a_crash_of_ours_is_not_remembered(checks: Checks, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: Any) -> Any:
        raise ValueError("boom")

    monkeypatch.setattr("evalcontract.checking.artifact_check.check_cycles", crash)
    assert "internal/rule-crashed" in codes(checks())
    assert checks.was_done()


def test_a_failure_is_not_remembered(folder: Path, checks: Checks) -> None:
    write_dedented(folder, {"evalcontract.toml": "strct = true\n"})
    for _ in range(2):
        with pytest.raises(EvalContractError, match="did you mean `strict`"):
            checks()


# The cache itself


BREAK: dict[str, Callable[[Path], Any]] = {
    "cut off": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "empty": lambda path: path.write_bytes(b""),
    "foreign": lambda path: path.write_bytes(b'{"diagnostics": []}'),
    "no file": lambda path: path.rename(path.with_name("aside")).parent.joinpath(path.name).mkdir(),
    "gone": lambda path: path.unlink(),
}


@pytest.mark.slow
@pytest.mark.parametrize("break_", BREAK.values(), ids=BREAK)
def test_broken_entries_are_none(
    checks: Checks, own_cache: Path, break_: Callable[[Path], Any]
) -> None:
    checks()
    for path in own_cache.glob("*/*"):
        break_(path)
    assert checks.was_done()


OTHER_FORMS = [
    *(b"", b"\xff", b"x", b"null", b"[]", b"{}", b"7", b'"x"', b"[[]]", b"[7]", b"[[[]]]"),
    *(b'[["read"]]', b'[["other", "/"]]', b'[["read", "/", "x"]]', b'[["read", "/", 1, 2]]'),
    *(b"[[], [], 0, []]", b"[[[1]], [], 0, []]", b'[[["a", 9]], [], 0, []]'),
]


@pytest.mark.slow
def test_entries_of_another_form_are_none(checks: Checks, monkeypatch: pytest.MonkeyPatch) -> None:
    """They bear the right digest: somebody's version wrote them."""
    checks()
    taken = []
    for value in a_few(OTHER_FORMS):
        monkeypatch.setattr(Cache, "get", lambda *_, value=value: value)
        if not checks.was_done():
            taken.append(value)
    assert taken == []


@pytest.mark.slow
@pytest.mark.parametrize("where", ["/proc/nowhere", "relative/\x01", "/dev/null"])
def test_without_a_folder_there_is_no_cache(
    folder: Path, where: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EVALCONTRACT_CACHE_DIR", where)
    with suppress(OSError):
        shutil.rmtree(folder / "relative")
    assert command_line("check", str(folder)) == 0
    assert command_line("check", str(folder)) == 0
    assert "error" not in capfd.readouterr().err


@pytest.mark.slow  # processes that write one cache: `test_processes_write_at_once`
def test_checks_at_once_agree(folder: Path, own_cache: Path) -> None:
    command = [sys.executable, "-m", "evalcontract", "check", "--output-format", "json"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    running = [
        subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE)
        for _ in range(3)
    ]
    printed = {each.communicate()[0] for each in running}
    assert len(printed) == 1
    assert b'"findings"' in printed.pop()
    assert all(each.returncode == 0 for each in running)
    # One that finds a part of what another has kept keeps the whole under a name of its own.
    kept = [file.name for file in own_cache.glob("*/*")]
    assert 4 <= len(kept) <= 3 * 4
    assert all(re.fullmatch("[0-9a-f]{64}", name) for name in kept), "no temporary file is left"


def test_a_cache_in_the_workspace_is_no_data(folder: Path, checks: Checks) -> None:
    own = Options(cache=Cache(folder / "cache"), today=checks.day)
    first = validate.check_workspaces(folder, own)
    assert first == validate.check_workspaces(folder, own)
    before = checks.done
    assert first == validate.check_workspaces(folder, own)
    assert checks.done == before


@pytest.mark.slow
@every_case("path", some(WORKSPACES, times=4), ids=lambda path: path.name)
def test_a_check_asks_nobody_but_the_files_it_was_given(
    path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What it asks of others is not noted."""
    options = Options(today=date(2026, 5, 8))
    expected = validate.check_workspaces(path, options)
    for name in ("kind", "real", "entries", "read", "stream"):
        monkeypatch.setattr(DISK, name, refuse)
    options = options._replace(files=Files())
    assert validate.check_workspaces(path, options) == expected
    cached = options._replace(cache=Cache(tmp_path))
    assert validate.check_workspaces(path, cached) == expected
