"""Entries of the cache: what was put comes back, and nothing else does."""

from __future__ import annotations

import os
import sys
import time
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import pytest
from tables import every_case

from evalcontract.cache import FOLDER_VARIABLE, Cache, cache_folder, store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

KEY, OTHER = "a" * 64, "b" * 64
VALUE = b'{"text": "Gr\xc3\xb6\xc3\x9fe"}\n\x00\xff\n'

FILLING = b"x" * 10_000

posix = pytest.mark.skipif(sys.platform == "win32", reason="modes are of POSIX")


def entries(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/*"))


def test_what_was_put_comes_back(tmp_path: Path) -> None:
    Cache(tmp_path).put(KEY, VALUE)
    assert Cache(tmp_path).get(KEY) == VALUE
    assert Cache(tmp_path).get(OTHER) is None


def test_nothing_is_made_by_asking(tmp_path: Path) -> None:
    assert Cache(tmp_path / "new").get(KEY) is None
    assert not (tmp_path / "new").exists()


def _flip(data: bytes) -> bytes:
    return data[:-2] + bytes([data[-2] ^ 1]) + data[-1:]


@every_case(
    "change",
    [
        pytest.param(lambda data: data[:-1], id="cut off"),
        pytest.param(lambda _: b"", id="empty"),
        pytest.param(_flip, id="one bit"),
        pytest.param(lambda data: data + b" ", id="longer"),
        pytest.param(lambda data: data.partition(b"\n")[2], id="without its digest"),
        pytest.param(lambda _: b"{}", id="foreign JSON"),
        pytest.param(lambda _: b"\x80\x04K\x01.", id="a pickle"),
        pytest.param(lambda _: bytes(range(256)), id="no text"),
    ],
)
def test_a_changed_entry_is_none(tmp_path: Path, change: Callable[[bytes], bytes]) -> None:
    Cache(tmp_path).put(KEY, VALUE)
    (path,) = entries(tmp_path)
    path.write_bytes(change(path.read_bytes()))
    assert Cache(tmp_path).get(KEY) is None


def test_an_entry_answers_to_its_own_key_only(tmp_path: Path) -> None:
    Cache(tmp_path).put(KEY, VALUE)
    (path,) = entries(tmp_path)
    path.with_name(OTHER).write_bytes(path.read_bytes())
    assert Cache(tmp_path).get(OTHER) is None


@posix
@pytest.mark.parametrize("what", ["folder", "link", "pipe"])
def test_what_is_no_file_is_no_entry(tmp_path: Path, what: str) -> None:
    Cache(tmp_path).put(KEY, VALUE)
    (path,) = entries(tmp_path)
    aside = path.rename(tmp_path / "aside")
    if what == "folder":
        path.mkdir()
    elif what == "link":
        path.symlink_to(aside)
    else:
        os.mkfifo(path)
    assert Cache(tmp_path).get(KEY) is None


@posix
def test_entries_are_for_their_user_alone(tmp_path: Path) -> None:
    Cache(tmp_path).put(KEY, VALUE)
    (path,) = entries(tmp_path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


@posix
def test_a_folder_that_others_may_write_to_is_not_trusted(tmp_path: Path) -> None:
    Cache(tmp_path).put(KEY, VALUE)
    (path,) = entries(tmp_path)
    path.parent.chmod(0o770)
    assert Cache(tmp_path).get(KEY) is None
    Cache(tmp_path).put(OTHER, VALUE)
    assert entries(tmp_path) == [path]


@posix
@every_case("name", ["results-3", "answers"])
def test_a_folder_that_a_link_leads_to_is_left_alone(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Old entries are removed, and those in it may be anybody's files."""
    monkeypatch.setattr(store, "MAX_BYTES", 10)
    Cache(tmp_path, "aside").put(KEY, VALUE)
    (tmp_path / "aside" / ".new-old").write_text("mine")
    os.utime(tmp_path / "aside" / ".new-old", (0, 0))
    before = {path: path.read_bytes() for path in entries(tmp_path)}
    (tmp_path / name).symlink_to("aside")
    assert Cache(tmp_path, name).get(KEY) is None
    Cache(tmp_path, name).put(OTHER, VALUE)
    (tmp_path / name).unlink()
    assert {path: path.read_bytes() for path in entries(tmp_path)} == before


@posix
@pytest.mark.skipif(getattr(os, "getuid", int)() != 0, reason="only root can give a folder away")
def test_a_folder_of_somebody_else_is_not_trusted(tmp_path: Path) -> None:
    Cache(tmp_path).put(KEY, VALUE)
    (path,) = entries(tmp_path)
    os.chown(path.parent, 65534, 65534)
    assert Cache(tmp_path).get(KEY) is None


def test_what_is_too_large_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MAX_ENTRY_BYTES", 10)
    Cache(tmp_path).put(KEY, b"x" * 20)
    assert entries(tmp_path) == []


def test_a_file_where_the_folder_should_be_is_no_cache(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    Cache(tmp_path / "taken").put(KEY, VALUE)
    assert Cache(tmp_path / "taken").get(KEY) is None


def test_what_was_used_longest_ago_goes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = [letter * 64 for letter in "cdef"]
    for age, key in enumerate(keys):
        Cache(tmp_path).put(key, b"x" * 1000)
        entry = next(each for each in entries(tmp_path) if each.name == key)
        os.utime(entry, (1000 - age, 1000 - age))
    assert Cache(tmp_path).get(keys[3]) == b"x" * 1000  # so it was used just now

    monkeypatch.setattr(store, "MAX_BYTES", 3500)
    Cache(tmp_path).put(KEY, b"x" * 1000)

    assert [each.name[0] for each in entries(tmp_path)] == ["a", "c", "f"]


def test_old_entries_may_go_after_several_new_ones_in_a_folder_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "MAX_BYTES", 1500)
    Cache(tmp_path).put(KEY, b"x" * 1000)
    cache = Cache(tmp_path, "others", trim_every=3)
    left = []
    for letter in "abcdefg":
        cache.put(letter * 64, b"x" * 1000)
        left.append(len(list((tmp_path / "others").iterdir())))
    assert left == [1, 2, 3, 1, 2, 3, 1]
    assert Cache(tmp_path).get(KEY) is not None


def test_what_was_used_in_the_future_goes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise it would stay for years once the clock is set back, and nothing else would fit."""
    for number, letter in enumerate("cde"):
        Cache(tmp_path).put(letter * 64, b"x" * 1000)
        os.utime(entries(tmp_path)[-1], (4e9 + number, 4e9 + number))
    monkeypatch.setattr(store, "MAX_BYTES", 2500)
    for letter in "ab":
        Cache(tmp_path).put(letter * 64, b"x" * 1000)
    assert [entry.name[0] for entry in entries(tmp_path)] == ["a", "b"]


def test_what_was_never_finished_goes_in_time(tmp_path: Path) -> None:
    Cache(tmp_path).put(KEY, VALUE)
    folder = entries(tmp_path)[0].parent
    (folder / ".new-old").write_text("half")
    (folder / ".new-young").write_text("half")
    (folder / ".new-ahead").write_text("half")  # by a clock that has been set back since
    for name, hours in ((".new-old", -2), (".new-ahead", 2)):
        then = time.time() + hours * 3600
        os.utime(folder / name, (then, then))

    Cache(tmp_path).put(OTHER, VALUE)

    assert {each.name for each in folder.iterdir()} == {KEY, OTHER, ".new-young"}


def _put_and_get(folder: Path, start: Any, number: int) -> None:
    start.wait()
    for turn in range(100):
        Cache(folder).put(KEY, b"%d %d " % (number, turn) + FILLING)
        found = Cache(folder).get(KEY)
        assert found is None or found.endswith(FILLING)


@pytest.mark.slow
def test_processes_write_at_once(tmp_path: Path) -> None:
    context = get_context("spawn")
    start = context.Barrier(3)
    workers = [
        context.Process(target=_put_and_get, args=(tmp_path, start, number)) for number in range(3)
    ]
    for each in workers:
        each.start()
    for each in workers:
        each.join(60)
    assert [each.exitcode for each in workers] == [0, 0, 0]
    assert (Cache(tmp_path).get(KEY) or b"").endswith(FILLING)
    assert [each.name for each in entries(tmp_path)] == [KEY]


def test_the_folder_is_where_the_system_has_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FOLDER_VARIABLE)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/ada")
    assert str(cache_folder()) == "/var/ada/evalcontract"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # which counts as none
    assert str(cache_folder()) == "/home/ada/.cache/evalcontract"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert str(cache_folder()) == "/home/ada/Library/Caches/evalcontract"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", "/Users/ada/Local")
    assert str(cache_folder()) == "/Users/ada/Local/evalcontract"
    monkeypatch.delenv("LOCALAPPDATA")
    assert cache_folder() is None
