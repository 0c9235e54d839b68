"""What `Files` answers, of all kinds of things that a path may lead to."""

from __future__ import annotations

import os
import socket
import sys
from typing import TYPE_CHECKING

import pytest

from evalcontract.source import DISK
from evalcontract.source.filesystem import TooLargeError

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes are of POSIX")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a folder with a thing of each kind."""
    top = tmp_path / "top"
    (top / "folder").mkdir(parents=True)
    (top / ".hidden").mkdir()
    (top / "b.yaml").write_text("b")
    (top / "a.YAML").write_text("a")
    (top / "other.txt").write_text("o")
    (top / ".c.yaml").write_text("c")
    os.mkfifo(top / "pipe.yaml")
    for name, to in {
        "file.yaml": "b.yaml",
        "dir.yaml": "folder",
        "gone.yaml": "nowhere",
        "loop.yaml": "loop.yaml",
        "self.yaml": "pipe.yaml",
    }.items():
        (top / name).symlink_to(to)
    monkeypatch.chdir(top)
    return top


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("b.yaml", "file"),
        ("folder", "folder"),
        ("pipe.yaml", "other"),
        ("/dev/null", "other"),
        ("file.yaml", "file"),
        ("dir.yaml", "folder"),
        ("gone.yaml", "dangling"),
        ("loop.yaml", "dangling"),
        ("self.yaml", "other"),
        ("nothing", "nothing"),
        ("b.yaml/below", "nothing"),
        ("nul\0", "nothing"),
        pytest.param("x" * 5000, "nothing", id="long"),
    ],
)
def test_a_path_leads_to_one_kind_of_thing(folder: Path, name: str, kind: str) -> None:
    path = folder / name
    assert DISK.kind(path) == kind
    assert DISK.is_file(path) is (kind == "file")
    assert DISK.is_folder(path) is (kind == "folder")
    assert DISK.is_there(path) is (kind != "nothing")


def test_a_folder_is_listed_without_what_is_hidden_or_not_wanted(folder: Path) -> None:
    assert DISK.entries(folder, ".yaml") == (
        ("a.YAML", "file", False),
        ("b.yaml", "file", False),
        ("dir.yaml", "folder", True),
        ("file.yaml", "file", True),
        ("folder", "folder", False),
        ("gone.yaml", "dangling", True),
        ("loop.yaml", "dangling", True),
        ("pipe.yaml", "other", False),
        ("self.yaml", "other", True),
    )
    assert [each.name for each in DISK.entries(folder, "b.yaml", ".txt")] == [
        *("b.yaml", "dir.yaml", "folder", "other.txt")
    ]
    with pytest.raises(NotADirectoryError):
        DISK.entries(folder / "b.yaml", ".yaml")


def test_links_are_followed(folder: Path) -> None:
    assert DISK.real("file.yaml") == DISK.real(folder) / "b.yaml"
    assert DISK.real("gone.yaml") == DISK.real(folder) / "nowhere"
    assert DISK.real("loop.yaml") == DISK.real(folder) / "loop.yaml"


def test_a_file_is_read_whole_or_not_at_all(folder: Path) -> None:
    (folder / "b.yaml").write_bytes(b"12345")
    assert DISK.read("b.yaml") == DISK.read("b.yaml", 5) == b"12345"
    with pytest.raises(TooLargeError) as caught:
        DISK.read("b.yaml", 4)
    assert caught.value.size == 5


def test_a_stream_begins_anew(folder: Path) -> None:
    stream = DISK.stream(folder / "b.yaml")
    assert stream.size == 1
    for _ in range(2):
        with stream.open_() as file:
            assert file.read() == b"b"


@pytest.mark.parametrize("name", ["pipe.yaml", "self.yaml", "folder", "/dev/null", "socket", "no"])
def test_what_is_no_file_is_never_opened(folder: Path, name: str) -> None:
    """It would wait for ever."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        for ask in (DISK.read, DISK.stream):
            with pytest.raises(OSError, match=r"^it is a|No such file"):
                ask(folder / name)


def test_a_stream_that_was_given_is_read_to_its_limit() -> None:
    for text, limit in ((b"12345", 5), (b"123456", 5)):
        reading, writing = os.pipe()
        os.write(writing, text)
        os.close(writing)
        try:
            if len(text) > limit:
                with pytest.raises(TooLargeError):
                    DISK.read(f"/dev/fd/{reading}", limit)
            else:
                assert DISK.read(f"/dev/fd/{reading}", limit) == text
        finally:
            os.close(reading)
