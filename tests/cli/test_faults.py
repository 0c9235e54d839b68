"""Commands that write, where that fails: nothing is half written, and nothing is left behind."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from doors import ROOT, command_line
from tables import every_case
from writing import write

posix = pytest.mark.skipif(sys.platform == "win32", reason="limits and signals are those of POSIX")


class Writer(NamedTuple):
    """A command that writes: its arguments, and the files that it makes or replaces."""

    arguments: tuple[str, ...]
    written: tuple[str, ...]


LABELS = ("--labels", "labels.csv", "--split", "test")
OUTPUTS = ("--outputs", "outputs.jsonl")
WRITERS = {
    "grade": Writer(("grade", "datasets/a.json", *OUTPUTS, "--results", "r.jsonl"), ("r.jsonl",)),
    "calibrate-judge": Writer(("calibrate-judge", "judges/j.json", *LABELS, "--write"), ("judges/j.json",)),
    "migrate": Writer(
        ("migrate", "evals.json", "-o", "moved", "--loss-report", "losses.json"),
        ("moved/datasets/evals.yaml", "losses.json"),
    ),
    "init": Writer(("init", "made"), ("made/evalcontract.toml", ".vscode/settings.json")),
    "init --from": Writer(("init", "made", "--from", "evals.json"), ("made/datasets/evals.yaml",)),
    "report": Writer(("report", "datasets", "-o", "new/page.html"), ("new/page.html",)),
    "--write-baseline": Writer(("check", ".", "--write-baseline=known.json"), ("known.json",)),
    "--output": Writer(
        ("check", ".", "--output", "new/a.sarif", "--output", "b.json"), ("new/a.sarif", "b.json")
    ),
    "convert": Writer(
        ("convert", "datasets/a.json", "new/o.jsonl", "--to", "databricks", "--loss-report", "l.json"),
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
    scoring = {"combine": "all_pass"}
    outputs = "".join(json.dumps({"id": row["id"], "output": "no"}) + "\n" for row in rows)
    labels = "".join(f"{at},{at % 2},{at % 3 and 1},test\n" for at in range(MANY))
    template = f"Is {{{{ output }}}} good?{' Think.' * 1000}"
    cases = [{"id": f"c{at}", "prompt": f"p {at}", "must_contain_any": ["a"]} for at in range(MANY)]
    write(
        folder,
        {
            "datasets/a.json": {"questions": [*rows, *faulty]},
            "rubrics/a.json": {"id": "a", "version": "1.0.0", "checks": [check], "scoring": scoring},
            "judges/j.json": {"id": "j", "version": "1.0.0", "template": template},
            "outputs.jsonl": outputs,
            "labels.csv": f"id,human,judge,split\n{labels}",
            "evals.json": {"evals": cases},
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
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "EVALCONTRACT_CACHE_DIR": str(cwd.parent / "cache")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **more,
    )


# What a run of `grade` that fails leaves, so that --resume can go on.
PARTIAL = "r.jsonl.partial"


def unchanged(before: dict[str, bytes | None], folder: Path) -> bool:
    after = contents(folder)
    after.pop(PARTIAL, None)
    return after == before


@posix
@pytest.mark.slow
@every_case("limit", [0, 1000])
@every_case("name", [*WRITERS])
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
    assert unchanged(before, tmp_path)


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


