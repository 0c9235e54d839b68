"""Commands that write, where that fails: nothing is half written, and nothing is left behind."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from doors import ROOT, command_line
from examples import some
from tables import every_case
from work import let_work
from writing import write

from evalcontract.cache import FOLDER_VARIABLE
from evalcontract.calibrating.calibrate import CalibrationOutcome
from evalcontract.grading.runner import RubricRunner
from evalcontract.source.writing import StagedFiles

if TYPE_CHECKING:
    from pathlib import Path

posix = pytest.mark.skipif(sys.platform == "win32", reason="limits and signals are those of POSIX")


class Writer(NamedTuple):
    """A command that writes: its arguments, and the files that it makes or replaces."""

    arguments: tuple[str, ...]
    written: tuple[str, ...]


LABELS = ("--labels", "labels.csv", "--split", "test")
OUTPUTS = ("--outputs", "outputs.jsonl")
RECORD = (
    *("--format", "every_eval_ever", "--model", "acme/m", "--organization", "Org"),
    *("--relationship", "other"),
)
CONVERT = ("convert", "datasets/a.json", "new/o.jsonl")
WRITERS = {
    "grade": Writer(("grade", "datasets/a.json", *OUTPUTS, "--results", "r.jsonl"), ("r.jsonl",)),
    "calibrate-judge": Writer(
        ("calibrate-judge", "judges/j.json", *LABELS, "--write"), ("judges/j.json",)
    ),
    "migrate": Writer(
        ("migrate", "old/evals.json", "-o", "moved", "--loss-report", "losses.json"),
        ("moved/datasets/old.yaml", "losses.json"),
    ),
    "init": Writer(("init", "made"), ("made/evalcontract.toml", ".vscode/settings.json")),
    "init --from": Writer(
        ("init", "made", "--from", "old/evals.json"), ("made/datasets/old.yaml",)
    ),
    "manifest": Writer(
        ("manifest", "datasets/a.json", "--soft", "--output", "new/m.json", *RECORD),
        ("new/m.json",),
    ),
    "report": Writer(("report", "datasets", "-o", "new/page.html"), ("new/page.html",)),
    "--write-baseline": Writer(("check", ".", "--write-baseline=known.json"), ("known.json",)),
    "--output": Writer(
        ("check", ".", "--output", "new/a.sarif", "--output", "b.json"), ("new/a.sarif", "b.json")
    ),
    "convert": Writer(
        (
            "convert",
            "datasets/a.json",
            "new/o.jsonl",
            "--to",
            "databricks",
            "--loss-report",
            "l.json",
        ),
        ("new/o.jsonl", "l.json"),
    ),
    "fix": Writer(("fix", "datasets/a.json"), ("datasets/a.json",)),
}
MANY = 400


def workspace(folder: Path) -> None:
    """Write what all these commands read, large enough that a disk is full in the midst of it."""
    ref = "rubric/a@1.0.0"
    rows = [{"id": f"r{at}", "input": f"b {at}", "rubric_ref": ref} for at in range(MANY)]
    faulty = [{**rows[0], "id": f"z{at}", f"tags{at}": ["t"]} for at in range(20)]
    check = {"id": "x", "kind": "must_contain_any", "values": ["yes"]}
    rubric = {"version": "1.0.0", "checks": [check], "scoring": {"combine": "all_pass"}}
    outputs = "".join(json.dumps({"id": row["id"], "output": "no"}) + "\n" for row in rows)
    labels = "".join(f"{at},{at % 2},{at % 3 and 1},test\n" for at in range(MANY))
    template = f"Is {{{{ output }}}} good?{' Think.' * 1000}"
    cases = [{"id": f"c{at}", "prompt": f"p {at}", "must_contain_any": ["a"]} for at in range(MANY)]
    write(
        folder,
        {
            "datasets/a.json": {"questions": [*rows, *faulty]},
            "rubrics/a.json": {"id": "a", **rubric},
            "judges/j.json": {"id": "j", "version": "1.0.0", "template": template},
            "outputs.jsonl": outputs,
            "labels.csv": f"id,human,judge,split\n{labels}",
            "old/evals.json": {"evals": cases},
        },
    )


def contents(folder: Path) -> dict[str, bytes | None]:
    """Return all files below a folder by name; folders have None."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


def started(arguments: tuple[str, ...], cwd: Path, **more: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "evalcontract", *arguments],
        cwd=cwd,
        # Bytecode that is cut short by a limit would be imported by other processes.
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT / "src"),
            FOLDER_VARIABLE: str(cwd.parent / "c"),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **more,
    )


# What a run of `grade` that is interrupted leaves, so that --resume can go on.
PARTIAL = "r.jsonl.partial"


@posix
@pytest.mark.slow
@every_case(("name", "limit"), some(product(WRITERS, [0, 1000]), times=4))
def test_a_disk_that_is_full(name: str, limit: int, tmp_path: Path) -> None:
    """The kernel refuses to write more than so many bytes to a file; a line says to which."""
    import resource

    workspace(tmp_path)
    before = contents(tmp_path)
    running = started(
        WRITERS[name].arguments,
        tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    _, error = running.communicate(timeout=120)
    said = error.decode()
    assert running.returncode == 2
    assert said.startswith("error: ")
    assert "Traceback" not in said
    if "no usable temporary directory" not in said:
        assert said.endswith(" cannot be written: file too large\n")
    assert contents(tmp_path) == before


def readonly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the calls of the operating system fail that make files and folders."""
    opened = os.open

    def refused(path: Any, flags: int, *more: Any, **keys: Any) -> int:
        if flags & os.O_CREAT:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))
        return opened(path, flags, *more, **keys)

    def made(path: Any, *_: Any, **__: Any) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    monkeypatch.setattr(os, "open", refused)
    monkeypatch.setattr(os, "mkdir", made)


@pytest.mark.slow
@every_case("name", [name for name in WRITERS if not name.startswith("init")])
def test_a_file_system_that_is_read_only(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace(tmp_path)
    monkeypatch.chdir(tmp_path)
    before = contents(tmp_path)
    with monkeypatch.context() as patch:
        readonly(patch)
        assert command_line(*WRITERS[name].arguments) == 2
    said = capsys.readouterr().err
    assert "cannot be written: read-only file system\n" in said
    assert ".evalcontract." not in said
    assert contents(tmp_path) == before


@posix
@pytest.mark.slow
@every_case(("name", "number"), some(product(WRITERS, [signal.SIGINT, signal.SIGTERM]), times=4))
def test_a_signal_at_any_time(name: str, number: signal.Signals, tmp_path: Path) -> None:
    """The files are there as a whole, or not at all; nobody sees a traceback."""
    for at, delay in enumerate((0.3, 0.6)):
        folder = tmp_path / str(at)
        workspace(folder)
        before = contents(folder)
        running = started(WRITERS[name].arguments, folder)
        let_work(running, delay)
        running.send_signal(number)
        _, error = running.communicate(timeout=120)
        assert b"evalcontract" not in error or b"Traceback" not in error  # Python's own start
        after = contents(folder)
        after.pop(PARTIAL, None)
        assert not [file for file in after if ".evalcontract." in file]
        assert after == before or all(after.get(file) for file in WRITERS[name].written)


@posix
@pytest.mark.slow
@every_case("name", some(WRITERS, times=4))
def test_a_reader_that_goes_away(name: str, tmp_path: Path) -> None:
    """As with `| head -1`: nothing is said, and the files are written as a whole."""
    workspace(tmp_path)
    with started(WRITERS[name].arguments, tmp_path) as running:
        assert running.stdout
        assert running.stderr
        running.stdout.close()
        error = running.stderr.read()
    assert running.returncode in (0, 1, 2)
    assert b"Traceback" not in error
    after = contents(tmp_path)
    assert not [file for file in after if ".evalcontract." in file]
    assert PARTIAL not in after
    for file in WRITERS[name].written:
        assert after[file]


@posix
@pytest.mark.slow
def test_the_files_of_a_killed_process_are_gone_after_the_next(tmp_path: Path) -> None:
    """Those of another machine, of a process that runs, and what is no file stay."""
    workspace(tmp_path)
    before = contents(tmp_path)
    program = (
        "import os, pathlib, signal, sys\n"
        "pathlib.Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "from evalcontract.cli import start\n"
        "sys.argv = ['evalcontract', 'fix', 'datasets/a.json']\n"
        "sys.exit(start.evalcontract())\n"
    )
    killed = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=False)
    assert killed.returncode == -signal.SIGKILL
    (left,) = sorted(contents(tmp_path).keys() - before.keys())
    assert left.startswith("datasets/.evalcontract.")
    machine, process, _ = left.removeprefix("datasets/.evalcontract.").split("-")
    other = f"{int(machine, 16) ^ 1:08x}"
    others = [
        f".evalcontract.{machine}-{os.getpid()}-{'a' * 16}",
        f".evalcontract.{other}-{process}-{'a' * 16}",
        f".evalcontract.{machine}-{process}-{'a' * 15}",
        f".evalcontract.{machine}-{process}-mine",
    ]
    for name in others:
        (tmp_path / "datasets" / name).write_text("mine")
    (tmp_path / "datasets" / f".evalcontract.{machine}-{process}-{'b' * 16}").mkdir()
    others.append(f".evalcontract.{machine}-{process}-{'b' * 16}")
    (tmp_path / "datasets" / f".evalcontract.{machine}-{process}-{'c' * 16}").symlink_to("a.json")
    others.append(f".evalcontract.{machine}-{process}-{'c' * 16}")
    with started(("fix", "datasets/a.json"), tmp_path) as running:
        running.communicate(timeout=120)
    new = {name.removeprefix("datasets/") for name in contents(tmp_path).keys() - before.keys()}
    assert new == {*others}


@posix
def test_abandoned_files_are_gone_where_nothing_is_left_to_fix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A day after the last write, no process goes on with them, on whatever machine it was."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"datasets/a.yaml": "questions:\n  - {id: a, input: b}\n"})
    with StagedFiles() as staged:
        staged.write(tmp_path / "datasets" / "b.yaml", b"")
        (own,) = (each.name for each in (tmp_path / "datasets").glob(".evalcontract.*"))
    machine, process, number = own.removeprefix(".evalcontract.").split("-")
    other = f"{int(machine, 16) ^ 1:08x}"
    another = f"{int(number[:8], 16) ^ 1:08x}{number[8:]}"
    parent = os.getppid()
    day = 24 * 60 * 60
    ages = {
        f".evalcontract.{machine}-{process}-{number}": 0,
        f".evalcontract.{other}-{process}-{number}": day - 600,
        f".evalcontract.{machine}-{parent}-{number}": day - 600,
        f".evalcontract.{machine}-{process}-{another}": 0,
        f".evalcontract.{other}-{process}-{another}": day + 600,
        f".evalcontract.{machine}-{parent}-{another}": day + 600,
    }
    for name, age in ages.items():
        (tmp_path / "datasets" / name).touch()
        os.utime(tmp_path / "datasets" / name, (time.time() - age,) * 2)
    before = {*contents(tmp_path)}
    assert command_line("fix", "--diff", ".") == 0
    assert {*contents(tmp_path)} == before
    assert command_line("fix", ".") == 0
    assert {*contents(tmp_path)} == before - {f"datasets/{name}" for name in [*ages][3:]}


@posix
def test_a_signal_while_files_get_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waits until all of them have: no run leaves the new text of one and the old of another."""
    files = [tmp_path / name for name in "abc"]
    rename = os.replace

    def interrupted(*arguments: Any) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        rename(*arguments)

    monkeypatch.setattr(os, "replace", interrupted)
    with StagedFiles() as staged:
        for file in files:
            staged.open(file).write(b"new")
        with pytest.raises(KeyboardInterrupt):
            staged.put()
    assert sorted(tmp_path.iterdir()) == files


@pytest.mark.costly
@every_case("changed", ["datasets/a.json", "outputs.jsonl"])
def test_what_changes_while_it_is_graded(
    changed: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The results would name a file that they are not of."""
    workspace(tmp_path)
    monkeypatch.chdir(tmp_path)
    grade = RubricRunner.grade

    def late(self: RubricRunner, *arguments: Any) -> Any:
        (tmp_path / changed).write_bytes((tmp_path / changed).read_bytes() + b"\n")
        return grade(self, *arguments)

    monkeypatch.setattr(RubricRunner, "grade", late)
    assert command_line(*WRITERS["grade"].arguments, "--jobs", "1") == 2
    assert "changed while they were graded" in capsys.readouterr().err
    assert not (tmp_path / "r.jsonl").exists()


@pytest.mark.slow
def test_a_judge_that_changes_while_it_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What somebody else wrote meanwhile is not replaced."""
    workspace(tmp_path)
    monkeypatch.chdir(tmp_path)
    judge = tmp_path / "judges/j.json"
    changed = judge.read_bytes() + b"\n"

    written = CalibrationOutcome.write

    def late(self: CalibrationOutcome) -> None:
        judge.write_bytes(changed)
        written(self)

    monkeypatch.setattr(CalibrationOutcome, "write", late)
    assert command_line(*WRITERS["calibrate-judge"].arguments) == 2
    said = "judges/j.json cannot be written: the file changed in the meantime"
    assert said in capsys.readouterr().err
    assert judge.read_bytes() == changed


@pytest.mark.slow
@every_case(
    ("name", "file"),
    [
        ("init", "made/evalcontract.toml"),
        ("migrate", "moved/datasets/old.yaml"),
        ("migrate", "losses.json"),
        ("report", "new/page.html"),
        ("convert", "new/o.jsonl"),
    ],
)
def test_a_file_that_appears_meanwhile_is_kept(
    name: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace(tmp_path)
    monkeypatch.chdir(tmp_path)
    put = StagedFiles.put

    def late(self: StagedFiles) -> None:
        (tmp_path / file).write_bytes(b"theirs")
        put(self)

    before = contents(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(StagedFiles, "put", late)
        assert command_line(*WRITERS[name].arguments) == 2
    after = contents(tmp_path)
    assert after.pop(file) == b"theirs"
    assert {each for each in after if after[each] is not None} == {
        each for each in before if before[each] is not None
    }


INIT, MIGRATE = ("init",), ("migrate", "old/evals.json", "-o")
GRADE = ("grade", "datasets/a.json", *OUTPUTS, "--force", "--results")
REPORT = ("report", "datasets", "--force", "-o")


@pytest.mark.costly
@every_case(
    ("arguments", "said"),
    [
        ((*INIT, ".git/new"), "it belongs to git"),
        ((*MIGRATE, ".git/new"), "it belongs to git"),
        ((*MIGRATE, "moved", "--force", "--loss-report", ".git/config"), "it belongs to git"),
        ((*MIGRATE, "moved", "--force", "--loss-report", "pyproject.toml"), "has settings"),
        ((*GRADE, ".git/config"), "it belongs to git"),
        ((*GRADE, ".GIT/new"), "it belongs to git"),
        ((*GRADE, "evalcontract.toml"), "has settings"),
        ((*REPORT, ".git/hooks/pre-commit"), "it belongs to git"),
        ((*REPORT, "pyproject.toml"), "has settings"),
        (("convert", "datasets/a.json", ".git/o.jsonl"), "it belongs to git"),
        (("check", ".", "--write-baseline=.git/known.json"), "it belongs to git"),
        (("check", ".", "--write-baseline=k.json", "-o", "k.json"), "would be written twice"),
        (
            ("check", ".", "--baseline", "known.json", "-o", "known.json"),
            "would replace known.json",
        ),
    ],
)
def test_what_no_option_may_replace(
    arguments: tuple[str, ...],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Settings, and what git runs commands from."""
    workspace(tmp_path)
    known = {"known.json": {"version": 1, "findings": []}}
    settings = {"pyproject.toml": "", "evalcontract.toml": "", ".git/config": "theirs"}
    write(tmp_path, {**known, **settings})
    monkeypatch.chdir(tmp_path)
    before = contents(tmp_path)
    assert command_line(*arguments) == 2
    assert said in capsys.readouterr().err
    assert contents(tmp_path) == before


def test_two_writers_of_one_file(tmp_path: Path) -> None:
    """Who is last wins; there is never a mixture of both."""
    file = tmp_path / "a"
    with StagedFiles() as one, StagedFiles() as other:
        first, second = one.open(file, replace=True), other.open(file, replace=True)
        for _ in range(3000):
            first.write(b"1" * 10)
            second.write(b"2" * 9)
        one.put()
        assert file.read_bytes() == b"1" * 30_000
        other.put()
    assert file.read_bytes() == b"2" * 27_000
    assert [*tmp_path.iterdir()] == [file]


def test_a_module_that_is_cut_short_is_no_interruption(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Python raises what click takes for the end of somebody's input."""

    def cut(*_: Any, **__: Any) -> Any:
        raise EOFError("marshal data too short")

    workspace(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("evalcontract.cli.convert.convert", cut)
    assert command_line("convert", "datasets/a.json", "o.jsonl", "--to", "mlflow") == 3
    assert "marshal data too short" in capsys.readouterr().err
