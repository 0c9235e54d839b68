"""`--watch`: the real process checks again upon every kind of change, and ends at Ctrl-C."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process"),
]

GOOD = "questions:\n  - {id: a, input: b, expected_facts: [c]}\n"
BAD = "questions:\n  - {id: a, input: b, expected_facts: [c], expecteed_facts: [d]}\n"
# Long enough for the slowest machine; nothing waits for it where the test passes.
_HANG = 60


class Watched:
    """A running process, and what it prints until it waits for changes."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "evalcontract", *arguments, "--watch"],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
        )
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._lines.put(line)

    def until(self, text: str) -> str:
        """Return what is printed until a run has ended whose output has a text."""
        printed = ""
        while True:
            line = self._lines.get(timeout=_HANG)
            printed += line
            if line.startswith("watching"):
                if text in printed:
                    return printed
                printed = ""

    def close(self) -> None:
        """Read what is left, and close the pipe."""
        self._reader.join(_HANG)
        assert self.process.stdout
        self.process.stdout.close()

    def stop(self) -> int:
        """Press Ctrl-C, and return the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(_HANG)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "datasets").mkdir()
    (tmp_path / "datasets/a.yaml").write_text(GOOD, encoding="utf-8")
    return tmp_path


@pytest.fixture(params=[("check",), ("validate-dataset", "datasets")])
def watched(folder: Path, request: pytest.FixtureRequest) -> Iterator[Watched]:
    running = Watched(folder, *request.param)
    yield running
    running.process.kill()
    running.process.wait()
    running.close()


def test_every_change_is_noticed(watched: Watched, folder: Path) -> None:
    path = folder / "datasets/a.yaml"
    assert "\x1b" not in watched.until("no findings")  # no terminal is to be cleared
    path.write_text(BAD, encoding="utf-8")
    assert "dataset/near-miss-key" in watched.until("1 warning")
    saved = folder / "datasets/.a.yaml.swp"  # as editors do
    saved.write_text(GOOD, encoding="utf-8")
    saved.replace(path)
    watched.until("no findings")
    path.write_text("questions:\n  - {id: 'a", encoding="utf-8")
    watched.until("source/syntax")
    path.write_text(BAD, encoding="utf-8")
    watched.until("1 warning")
    (folder / "evalcontract.toml").write_text("strict = true\n", encoding="utf-8")
    watched.until("1 error")
    (folder / "evalcontract.toml").write_text("strict = 1\n", encoding="utf-8")
    watched.until("must be true or false")
    (folder / "evalcontract.toml").unlink()
    watched.until("1 warning")
    path.unlink()
    watched.until("contain")  # there is nothing to check
    (folder / "datasets/b.yaml").write_text(GOOD, encoding="utf-8")
    watched.until("no findings")
    assert watched.stop() == 130


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("validate-dataset", "-"), "cannot watch standard input"),
        (("check", "--write-baseline=a.json"), "`--watch` contradicts `--write-baseline`"),
    ],
)
def test_what_cannot_be_watched(arguments: tuple[str, ...], said: str, folder: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "evalcontract", *arguments, "--watch"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=_HANG,
    )
    assert ended.returncode == 2
    assert said in ended.stderr
