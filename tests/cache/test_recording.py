"""Files that take notes answer as others do, and a changed answer is seen."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from evalcontract.cache import RecordingFiles
from evalcontract.cache import checks as recording
from evalcontract.source import DISK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from evalcontract.source import Files

    Change = Callable[[Path], object]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes are of POSIX")

ENDINGS = (".yaml", ".jsonl")


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """Write a folder with links in it, to it and out of it."""
    top = tmp_path / "top"
    (top / "folder/inner").mkdir(parents=True)
    (tmp_path / "away.yaml").write_text("away")
    (top / "folder/a.yaml").write_text("a")
    (top / "folder/other.txt").write_text("other")
    (top / "b.jsonl").write_text('{"id": "b"}\n')
    os.mkfifo(top / "pipe.yaml")
    for name, to in {
        "file.yaml": "folder/a.yaml",
        "out.yaml": "../away.yaml",
        "dir": "folder",
        "folder/up": "..",
        "folder/gone": "nowhere",
        "gone.yaml": "nowhere",
        "loop.yaml": "loop.yaml",
    }.items():
        (top / name).symlink_to(to)
    return top


def paths(top: Path) -> Iterator[Path]:
    yield top
    yield from sorted(top.rglob("*"))
    for name in ("missing", "folder/../b.jsonl", "dir/a.yaml", "dir/up/file.yaml", "b.jsonl/x"):
        yield top / name


def answers(files: Files, path: Path) -> Iterator[object]:
    yield files.kind(path)
    yield files.real(path)
    for ask in (lambda: files.entries(path, *ENDINGS), lambda: files.read(path)):
        try:
            yield ask()
        except OSError as error:
            yield repr(error)


@pytest.mark.parametrize("listed", [False, True])
def test_the_answers_are_those_of_the_disk(top: Path, *, listed: bool) -> None:
    files = RecordingFiles()
    for path in [top, *top.rglob("*")] if listed else []:
        if path.is_dir():
            files.entries(path, *ENDINGS)
    for path in paths(top):
        assert list(answers(files, path)) == list(answers(DISK, path)), path
    assert files.is_cacheable
    assert RecordingFiles().replay(list(files.results)) == list(files.results.values())


def test_what_a_listing_tells_is_not_asked_again(top: Path) -> None:
    files = RecordingFiles()
    files.entries(top / "folder", *ENDINGS)
    known = len(files.results)
    assert files.kind(top / "folder/a.yaml") == "file"
    assert files.is_folder(top / "folder/inner")
    assert len(files.results) == known
    assert files.is_file(top / "folder/other.txt")
    assert len(files.results) == known + 1


def put(name: str, to: str) -> Change:
    def change(top: Path) -> None:
        (top / name).unlink()
        (top / name).symlink_to(to)

    return change


@pytest.mark.parametrize(
    ("ask", "change"),
    [
        (lambda files, top: files.read(top / "b.jsonl"), lambda top: (top / "b.jsonl").unlink()),
        (
            lambda files, top: files.read(top / "b.jsonl"),
            lambda top: (top / "b.jsonl").write_text('{"id": "c"}\n'),
        ),
        (
            lambda files, top: files.stream(top / "b.jsonl"),
            lambda top: (top / "b.jsonl").write_text('{"id": "c"}\n'),
        ),
        (
            lambda files, top: files.read(top / "out.yaml"),
            lambda top: (top.parent / "away.yaml").write_text("b"),
        ),
        (lambda files, top: files.real(top / "file.yaml"), put("file.yaml", "b.jsonl")),
        (lambda files, top: files.kind(top / "file.yaml"), put("file.yaml", "folder")),
        (lambda files, top: files.kind(top / "missing"), lambda top: (top / "missing").mkdir()),
        (lambda files, top: files.entries(top), lambda top: (top / "new").mkdir()),
        (lambda files, top: files.entries(top), put("dir", "b.jsonl")),
        (
            lambda files, top: files.entries(top, ".yaml"),
            lambda top: (top / "new.yaml").write_text(""),
        ),
        (
            lambda files, top: files.entries(top / "dir", ".yaml"),
            lambda top: (top / "folder/a.yaml").unlink(),
        ),
        (
            lambda files, top: files.entries(top / "folder", ".yaml"),
            lambda top: shutil.rmtree(top / "folder"),
        ),
        (
            lambda files, top: files.record_code([str(top / "folder")]),
            lambda top: (top / "folder/inner/new.txt").write_text(""),
        ),
        (
            lambda files, top: files.record_code([str(top / "folder")]),
            lambda top: (top / "folder/a.yaml").write_text("longer"),
        ),
        (
            lambda files, top: files.record_code([str(top / "b.jsonl")]),
            lambda top: os.utime(top / "b.jsonl", (5, 5)),
        ),
    ],
)
def test_another_answer_is_seen(
    top: Path, ask: Callable[[RecordingFiles, Path], object], change: Change
) -> None:
    files = RecordingFiles()
    ask(files, top)
    questions = list(files.results)
    assert RecordingFiles().replay(questions) == list(files.results.values())
    change(top)
    assert RecordingFiles().replay(questions) != list(files.results.values())


def test_two_answers_to_one_question_are_none(top: Path) -> None:
    files = RecordingFiles()
    files.read(top / "b.jsonl")
    (top / "b.jsonl").write_text("other")
    files.read(top / "b.jsonl")
    assert not files.is_cacheable


def test_a_large_stream_is_not_held(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "MAX_STREAM_BYTES", 11)
    files = RecordingFiles()
    with files.stream(top / "b.jsonl").open_() as stream:
        assert stream.read() == b'{"id": "b"}\n'
    assert not files.is_cacheable


def test_what_is_held_is_what_was_noted(top: Path) -> None:
    stream = RecordingFiles().stream(top / "b.jsonl")
    (top / "b.jsonl").write_text("other")
    for _ in range(2):
        assert stream.open_().read() == b'{"id": "b"}\n'


def test_what_can_be_read_once_is_not_asked_again() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"rows")
    os.close(writing)
    files = RecordingFiles()
    assert files.read(f"/dev/fd/{reading}") == b"rows"
    os.close(reading)
    assert not files.is_cacheable


@pytest.mark.parametrize("name", ["missing.py", "b.jsonl/in_an_archive.py"])
def test_code_that_cannot_be_looked_at_is_not_known(top: Path, name: str) -> None:
    files = RecordingFiles()
    files.record_code([str(top / name)])
    assert not files.is_cacheable


def test_code_that_changes_while_it_runs_is_not_known(top: Path) -> None:
    files = RecordingFiles()
    later = files._started + 10**9  # noqa: SLF001 - the time that others are compared with
    os.utime(top / "b.jsonl", ns=(later, later))
    files.record_code([str(top / "b.jsonl")])
    assert not files.is_cacheable
