"""Folders as they are: workspaces in workspaces, what may not be read, what is no file."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from doors import ROOT, Options, Printed, check_workspaces, command_line, command_lines
from writing import write

from evalcontract import DatasetLoader
from evalcontract.source import FOLDER, Entry, Files
from evalcontract.workspace import data_files, find_root, find_workspaces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.diagnostic import RunOutcome

RUBRIC = """\
id: polite
version: "1.0.0"
checks:
  - {id: no_insults, kind: must_not_contain, values: [stupid]}
scoring: {combine: all_pass}
"""
GOOD = "questions:\n  - {id: a, input: b, rubric_ref: rubric/polite@1.0.0}\n"
FAULTY = "questions:\n  - {id: a, input: b, criteria: c, expecteed_facts: [d]}\n"
HANGS = 120  # seconds: what opens a pipe waits for ever


def check(path: Path) -> RunOutcome:
    return check_workspaces(path, Options())


def found(outcome: RunOutcome) -> list[tuple[str, str]]:
    return [(each.place.file, each.code) for each in outcome.diagnostics]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with a small library the current one."""
    write(tmp_path, {"rubrics/polite.yaml": RUBRIC})
    monkeypatch.chdir(tmp_path)
    return tmp_path


# Workspaces in workspaces


def test_each_file_belongs_to_the_nearest_workspace(place: Path) -> None:
    """A check of the outer one checks the inner ones too, each by its own library."""
    inner = RUBRIC.replace("polite", "inner")
    own = GOOD.replace("polite", "inner")
    write(place, {"sub/ws/rubrics/inner.yaml": inner, "sub/ws/data/a.yaml": own})
    write(place, {"sub/ws/deep/er/judges/j.yaml": "id: [\n", "sub/ws/deep/er/a.yaml": own})
    write(place, {"a.yaml": own, "sub/b.yaml": GOOD})
    outcome = check(place)
    assert find_workspaces(place) == [place, place / "sub/ws", place / "sub/ws/deep/er"]
    assert found(outcome) == [
        ("sub/ws/deep/er/judges/j.yaml", "source/syntax"),
        ("a.yaml", "reference/dangling"),
        ("sub/ws/deep/er/a.yaml", "reference/dangling"),
    ]
    assert outcome.files == {"dataset": 4, "rubric": 2, "unreadable": 1}
    assert outcome.left_out == []


def test_a_configuration_holds_for_the_workspaces_below_it(place: Path) -> None:
    """Its patterns begin where it stands; a configuration of their own stands above it."""
    write(place, {"evalcontract.toml": "strict = true\nexclude = ['top/evals/old/*']\n"})
    write(place, {"top/evals/rubrics/polite.yaml": RUBRIC, "top/evals/sets/a.yaml": FAULTY})
    write(place, {"top/evals/old/b.yaml": FAULTY, "own/rubrics/polite.yaml": RUBRIC})
    write(place, {"own/evalcontract.toml": "strict = false\n", "own/c.yaml": FAULTY})
    severities = [(each.place.file, str(each.severity)) for each in check(place).diagnostics]
    assert severities == [("own/c.yaml", "warning"), ("top/evals/sets/a.yaml", "error")]
    assert find_root(place / "top/evals/sets/a.yaml") == place / "top/evals"


def test_a_pattern_may_match_in_an_inner_workspace_only(place: Path) -> None:
    write(place, {"evalcontract.toml": "datasets = ['evals/sets/*.yaml']\n"})
    write(place, {"evals/rubrics/polite.yaml": RUBRIC, "evals/sets/a.yaml": FAULTY})
    assert found(check(place)) == [("evals/sets/a.yaml", "dataset/near-miss-key")]
    assert found(check(place / "evals")) == [("evals/sets/a.yaml", "dataset/near-miss-key")]


@pytest.mark.parametrize("folder", ["datasets/judges", "datasets/rubrics", "rubrics/judges"])
def test_a_part_of_a_workspace_is_none(folder: str, place: Path) -> None:
    """A folder of datasets about judges is no library of a workspace called `datasets`."""
    text = RUBRIC.replace("polite", "other") if folder.startswith("rubrics") else GOOD
    write(place, {f"{folder}/other.yaml": text})
    outcome = check(place)
    assert found(outcome) == []
    assert find_workspaces(place) == [place]
    assert find_root(place / folder / "other.yaml") == place


@pytest.mark.parametrize("more", ["judges/j.yaml", "evalcontract.toml"])
def test_a_part_with_more_is_a_workspace(more: str, place: Path) -> None:
    write(place, {"datasets/own/rubrics/polite.yaml": RUBRIC, f"datasets/own/{more}": ""})
    assert find_root(place / "datasets/own/a.yaml") == place / "datasets/own"


def test_a_folder_argument_leads_into_inner_workspaces(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place, {"a.yaml": GOOD, "sub/judges/j.yaml": "id: [\n", "sub/b.yaml": GOOD})
    assert command_line("validate-dataset", ".") == 0
    out = capsys.readouterr().out
    assert "sub/b.yaml:2" in out  # its own library has no rubric
    assert "a.yaml:2" not in out.replace("sub/b.yaml", "")
    assert "2 datasets" in out


def test_a_target_may_name_a_dataset_of_an_inner_workspace(place: Path) -> None:
    """It is checked where it belongs, as strictly as the target asks."""
    inner = RUBRIC.replace("polite", "inner")
    write(place, {"sub/rubrics/inner.yaml": inner, "sub/quiet.data": GOOD})
    write(place, {"targets/t.yaml": "dataset: sub/quiet.data\nstrict_validation: true\n"})
    (one,) = check(place).diagnostics
    assert (one.place.file, one.code, str(one.severity)) == (
        "sub/quiet.data",
        "reference/dangling",
        "error",
    )
    assert found(check(place / "sub")) == []
    write(place, {"targets/t.yaml": "dataset: sub/rubrics/inner.yaml\n"})
    assert found(check(place)) == [("targets/t.yaml", "target/wrong-kind")]


def test_a_target_names_no_dataset_outside(place: Path) -> None:
    write(place, {"ws/rubrics/own.yaml": RUBRIC.replace("polite", "own"), "out/a.data": FAULTY})
    write(place, {"ws/targets/t.yaml": "dataset: ../out/a.data\n", "broken.yaml": "questions: [\n"})
    outside = ("ws/targets/t.yaml", "target/missing-dataset")
    assert found(check(place / "ws")) == [outside]
    assert found(check(place)) == [("broken.yaml", "source/syntax"), outside]


def test_a_target_may_name_a_dataset_of_a_workspace_inside(place: Path) -> None:
    write(place, {"ws/rubrics/own.yaml": RUBRIC.replace("polite", "own"), "ws/a.data": FAULTY})
    write(place, {"rubrics/polite.yaml": RUBRIC, "targets/t.yaml": "dataset: ws/a.data\n"})
    assert found(check(place)) == [("ws/a.data", "dataset/near-miss-key")]


# What may not be looked at


@pytest.fixture
def locked() -> Iterator[Path]:
    """Close folders and a file in a workspace for whoever is not root."""
    modes = {
        "data/closed": 0,
        "rubrics/closed": 0,
        "c.jsonl": 0,
        "inside/closed": 0o111,
        "listed": 0o444,
    }
    with tempfile.TemporaryDirectory() as top:  # anybody may pass where it stands
        place = Path(top)
        place.chmod(0o755)
        write(place, {"rubrics/polite.yaml": RUBRIC, "a.yaml": GOOD, "data/closed/b.yaml": GOOD})
        write(place, {"c.jsonl": '{"input": "x"}\n', "rubrics/closed/d.yaml": RUBRIC})
        write(place, {"inside/closed/x/e.yaml": GOOD, "listed/f.yaml": GOOD})
        for name, mode in modes.items():
            (place / name).chmod(mode)
        yield place
        for name in modes:
            (place / name).chmod(0o755)


def as_nobody(*calls: list[str], cwd: Path) -> list[Printed]:
    """Run `evalcontract` as somebody who is not root."""
    before: list[str] = []
    if os.getuid() == 0:
        setpriv = shutil.which("setpriv")
        if setpriv is None:
            pytest.skip("root may look at everything, and there is no setpriv here")
        before = [setpriv, "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        tried = [*before, sys.executable, "-c", "import evalcontract.cli.command"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        if subprocess.run(tried, cwd=cwd, env=environment, check=False).returncode:
            pytest.skip("nobody else may run this checkout")
    return command_lines(calls, cwd=cwd, before=before, timeout=HANGS)


@pytest.mark.slow
def test_closed_folders_and_files_are_findings(locked: Path) -> None:
    (done,) = as_nobody(["check", "."], cwd=locked)
    assert done.err == ""
    assert done.code == 1
    for name in ("data/closed", "rubrics/closed", "inside/closed", "c.jsonl", "listed/f.yaml"):
        assert f"--> {name}\n" in done.out
    assert done.out.count("error[source/unreadable]") == 5


@pytest.mark.slow
def test_closed_arguments_are_no_traceback(locked: Path) -> None:
    calls = [
        ["validate-dataset", "data/closed/b.yaml"],
        ["validate-dataset", "data/closed"],
        ["validate-dataset", "data"],
        ["validate-rubric", "rubrics"],
        ["check", "data/closed"],
        ["coverage", "data/closed/b.yaml"],
    ]
    for call, done in zip(calls, as_nobody(*calls, cwd=locked), strict=True):
        assert done.code in (1, 2), call
        assert "Traceback" not in done.err, call
        assert "closed" in done.out + done.err, call


def refuse(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let the system refuse to list a folder."""
    scandir = os.scandir

    def fake(path: str | Path = ".") -> object:
        if Path(path) == folder:
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    patch.setattr(os, "scandir", fake)


@pytest.mark.parametrize("name", ["data/closed", "rubrics/closed", "rubrics", "targets", "x.yaml"])
def test_a_folder_that_cannot_be_listed(
    name: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(place, {"a.yaml": "questions: []\n", f"{name}/b.yaml": RUBRIC})
    refuse(monkeypatch, place / name)
    outcome = check(place)
    assert (name, "source/unreadable") in found(outcome)
    assert found(outcome).count((name, "source/unreadable")) == 1


def test_a_closed_library_is_told_by_every_command(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else all that one learns is that there is no such rubric."""
    write(place, {"a.yaml": GOOD})
    refuse(monkeypatch, place / "rubrics")
    assert command_line("validate-dataset", "a.yaml") == 1
    assert "--> rubrics\n" in capsys.readouterr().out
    loaded = DatasetLoader(strict=False).load("a.yaml")
    assert [each.code for each in loaded.diagnostics] == ["reference/dangling", "source/unreadable"]


@pytest.mark.parametrize("pattern", ["data/closed", "data/closed/", "data", "data/*", "./data/*"])
def test_a_closed_folder_that_is_excluded_is_silent(
    pattern: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(place, {"a.yaml": GOOD, "data/closed/b.yaml": GOOD})
    write(place, {"evalcontract.toml": f"exclude = ['{pattern}']\n"})
    refuse(monkeypatch, place / "data/closed")
    assert found(check(place)) == []


def test_what_the_system_makes_up_is_not_entered() -> None:
    """A check of `/` looks at no process and no device."""
    listed = []

    class Root(Files):
        """Files of which the folders in the root alone are known."""

        def entries(self, folder: str | Path, *_: str) -> tuple[Entry, ...]:
            listed.append(str(folder))
            names = ["dev", "etc", "proc", "sys"] if folder == Path("/") else []
            return tuple(Entry(name, FOLDER, is_link=False) for name in names)

    assert data_files(Path("/"), files=Root()) == []
    assert listed == ["/", "/etc"]


def test_each_folder_is_listed_a_few_times_only(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the number of workspaces in a folder is, and however deep they stand."""
    for n in range(6):
        write(place, {f"{'deep/' * n}ws{n}/rubrics/polite.yaml": RUBRIC})
    scandir, calls = os.scandir, []

    def counted(path: str | Path = ".") -> object:
        calls.append(str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", counted)
    check(place)
    assert max(calls.count(each) for each in calls) <= 3


# What is no file


def test_links_and_loops(place: Path) -> None:
    """None is followed in circles; one to nothing is not taken for a dataset."""
    write(place, {"a.yaml": GOOD, "folder.yaml/b.yaml": FAULTY})
    (place / "loop.yaml").symlink_to("loop.yaml")
    (place / "one.yaml").symlink_to("two.yaml")
    (place / "two.yaml").symlink_to("one.yaml")
    (place / "nothing.yaml").symlink_to("nowhere.yaml")
    (place / "up").symlink_to("..")
    (place / "here").symlink_to(".")
    (place / "rubrics/loop.yaml").symlink_to("loop.yaml")
    write(place, {"targets/t.yaml": "dataset: a.yaml\n"})
    outcome = check(place)
    assert found(outcome) == [
        ("rubrics/loop.yaml", "source/unreadable"),
        ("folder.yaml/b.yaml", "dataset/near-miss-key"),
    ]
    assert outcome.left_out == ["loop.yaml", "nothing.yaml", "one.yaml", "two.yaml"]


def test_a_loop_that_is_named(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "loop.yaml").symlink_to("loop.yaml")
    (place / "folder.yaml").mkdir()
    for command in ("validate-dataset", "validate-rubric"):
        assert command_line(command, "loop.yaml") == 1
        assert "source/unreadable" in capsys.readouterr().out
    assert command_line("validate-dataset", "folder.yaml") == 2
    assert "contains no dataset" in capsys.readouterr().err


@pytest.mark.slow
def test_no_pipe_is_waited_for(place: Path) -> None:
    write(place, {"a.yaml": GOOD, "datasets/a.yaml": GOOD})
    for name in ("p.yaml", "p.jsonl", "datasets/p.yaml", "rubrics/p.yaml", "evalcontract.toml"):
        os.mkfifo(place / name)
    calls = [
        ["check"],
        ["validate-dataset", "."],
        ["validate-dataset", "datasets/p.yaml"],
        ["validate-dataset", "p.jsonl"],
        ["validate-dataset", "*.jsonl"],
        ["validate-rubric", "rubrics"],
        ["validate-judge", "socket.json"],
        ["coverage", "p.yaml"],
    ]
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket.json")
        for call, done in zip(calls, command_lines(calls, cwd=place, timeout=HANGS), strict=True):
            assert done.code in (1, 2), call
            assert "source/unreadable" in done.out + done.err, call
            assert "Traceback" not in done.err, call


@pytest.mark.slow
def test_streams_that_a_shell_gives(place: Path) -> None:
    """Standard input by its name, and `<(command)`."""
    for argument in ("/dev/stdin", "/dev/fd/0", "-"):
        done = subprocess.run(
            [sys.executable, "-m", "evalcontract", "validate-dataset", argument, "--root", "."],
            cwd=place,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
            input=GOOD,
            capture_output=True,
            text=True,
            check=False,
            timeout=HANGS,
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert "1 dataset (1 row)" in done.stdout


def test_the_progress_counts_the_files_of_all_workspaces(tmp_path: Path) -> None:
    for number, name in enumerate(("one", "two/inner", "two")):
        rows = {f"datasets/{n}.jsonl": '{"id": "a", "input": "b"}\n' for n in range(number + 1)}
        others = {"rubrics/r.yaml": "id: r\n", "evalcontract.toml": "", "notes.json": "{}"}
        write(tmp_path / name, {**others, **rows})
    seen: list[Any] = []
    check_workspaces(tmp_path, Options(progress=lambda at: seen.append(at.files)))
    numbers, totals = zip(*seen, strict=True)
    assert len(seen) == 6
    assert set(totals) == {12}
    assert list(numbers) == sorted(numbers)
    assert numbers[-1] > numbers[0] > 0
