"""Files that cannot be read, or not as text: each is a diagnostic, none is a traceback."""

from __future__ import annotations

import builtins
import errno
import io
import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from source_texts import at, faults, read, stream
from tables import every_case

from evalcontract.source import Document, UnreadableFile, format_of, read_file, read_text
from evalcontract.source import files as files_module
from evalcontract.source.jsonl import RowStream

if TYPE_CHECKING:
    from evalcontract.source import SourceProblem

MARK = b"\xef\xbb\xbf"


def unreadable(path: Path) -> SourceProblem:
    """Read a file that must be refused with one fault of the whole file."""
    found = read_file(path, "the name")
    assert isinstance(found, UnreadableFile)
    assert found.file == "the name"
    (fault,) = found.faults
    assert fault.code == "source/unreadable"
    assert fault.span is None
    return fault


@pytest.mark.parametrize("name", ["a.yaml", "a.json", "a.jsonl", "a"])
def test_missing(tmp_path: Path, name: str) -> None:
    assert unreadable(tmp_path / name).message == "cannot be read: no such file"


@pytest.mark.parametrize("name", ["a.yaml", "a.json", "a.jsonl", "a"])
def test_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    assert unreadable(tmp_path / name).message == "cannot be read: it is a folder"


@pytest.mark.parametrize("name", ["a.yaml", "a.json", "a.jsonl", "a"])
def test_below_a_file(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("a: 1")
    assert unreadable(tmp_path / "file" / name).message == "cannot be read: not a directory"


@pytest.mark.parametrize("name", ["a\0.yaml", "a" * 5000 + ".yaml", "\udcff.yaml"])
def test_a_name_that_no_file_has(tmp_path: Path, name: str) -> None:
    unreadable(tmp_path / name)


def test_a_link_to_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").symlink_to(tmp_path / "b.yaml")
    assert unreadable(tmp_path / "a.yaml").message == "cannot be read: no such file"


def test_a_link_to_itself(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").symlink_to(tmp_path / "a.yaml")
    unreadable(tmp_path / "a.yaml")


def opens(patch: pytest.MonkeyPatch, path: Path, result: OSError | io.BytesIO) -> None:
    """Let every way to open a path raise an error, or give a stream."""
    opened = io.open

    def fake(file: Any, *rest: Any, **options: Any) -> Any:
        if isinstance(file, int) or Path(file) != path:
            return opened(file, *rest, **options)
        if isinstance(result, OSError):
            raise result
        return result

    patch.setattr(builtins, "open", fake)
    patch.setattr(io, "open", fake)  # what `Path.open` calls


# (what opening it raises, the message); root may open anything, so it is raised by hand
_OPENINGS = [
    (PermissionError(errno.EACCES, "Permission denied"), "cannot be read: permission denied"),
    (OSError(errno.EIO, "Input/output error"), "cannot be read: input/output error"),
    (OSError("strange"), "cannot be read: strange"),
]


@every_case("name", ["a.yaml", "a.json", "a.jsonl", "a"])
@every_case(("error", "message"), _OPENINGS)
def test_refused_by_the_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, error: OSError, message: str
) -> None:
    (tmp_path / name).write_text("{}")
    opens(monkeypatch, tmp_path / name, error)
    assert unreadable(tmp_path / name).message == message


def test_without_permission(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a: 1")
    path.chmod(0)
    user = os.geteuid()
    try:
        if user == 0:
            os.seteuid(65534)  # root may read every file
        assert unreadable(path).message == "cannot be read: permission denied"
    finally:
        os.seteuid(user)


class _Failing(io.BytesIO):
    """A stream whose disk fails."""

    def read(self, size: int | None = -1, /) -> bytes:
        raise OSError(errno.EIO, "Input/output error", size)

    def readlines(self, size: int | None = -1, /) -> list[bytes]:
        raise OSError(errno.EIO, "Input/output error", size)


@pytest.mark.parametrize("name", ["a.yaml", "a.json"])
def test_a_disk_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    (tmp_path / name).write_text("{}")
    opens(monkeypatch, tmp_path / name, _Failing())
    assert unreadable(tmp_path / name).message == "cannot be read: input/output error"


def test_a_disk_that_fails_while_rows_stream() -> None:
    found = RowStream("a.jsonl", _Failing, 10)
    shown = [fault for batch in found.batches() for fault, _ in batch.faults]
    assert [fault.code for fault in shown] == ["source/unreadable"]


@pytest.mark.slow
def test_a_row_file_that_is_gone_when_a_place_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": 1}\n' * 200_000)
    found = read_file(path, "a.jsonl")
    assert isinstance(found, RowStream)
    rows = sum(len(batch.rows) for batch in found.batches())
    assert rows == 200_000
    path.unlink()
    place = found.place((0, "a"))
    assert (place.file, place.span) == ("a.jsonl", None)


def test_a_row_file_that_is_gone_before_it_streams(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": 1}\n')
    found = read_file(path, "a.jsonl")
    assert isinstance(found, RowStream)
    path.unlink()
    shown = [fault for batch in found.batches() for fault, _ in batch.faults]
    assert [fault.code for fault in shown] == ["source/unreadable"]


@pytest.mark.slow
@pytest.mark.parametrize("after", [b"", b"\xff\xfe", b"\n" * 3_000_000, b"\xff" * 3_000_000])
def test_a_row_file_that_changed_gives_places_without_a_line(tmp_path: Path, after: bytes) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": 1}\n' * 200_000)
    found = read_file(path, "a.jsonl")
    assert isinstance(found, RowStream)
    list(found.batches())
    path.write_bytes(after)
    assert found.place((0, "a")).span is None


@every_case("size", [11, 12])
@every_case("name", ["a.yaml", "a.json", "a"])
def test_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, size: int) -> None:
    monkeypatch.setattr(files_module, "MAX_DOCUMENT_BYTES", 11)
    (tmp_path / name).write_bytes(b'"' + b"a" * (size - 2) + b'"')
    found = read_file(tmp_path / name, name)
    if size == 11:
        assert isinstance(found, Document)
        return
    assert isinstance(found, UnreadableFile)
    (fault,) = found.faults
    assert (fault.code, fault.span) == ("source/limit-exceeded", None)
    assert "12 bytes" in fault.message


def test_rows_have_no_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files_module, "MAX_DOCUMENT_BYTES", 11)
    (tmp_path / "a.jsonl").write_bytes(b'{"a": 1}\n' * 9)
    found = read_file(tmp_path / "a.jsonl", "a.jsonl")
    assert isinstance(found, RowStream)
    assert sum(len(batch.rows) for batch in found.batches()) == 9


@pytest.mark.parametrize("name", ["a.yaml", "a.json", "a.jsonl", "a"])
def test_a_pipe_with_a_name_is_never_opened(tmp_path: Path, name: str) -> None:
    """Nobody may ever write into it."""
    os.mkfifo(tmp_path / name)
    message = "cannot be read: it is a named pipe; pipe into `-` instead"
    assert unreadable(tmp_path / name).message == message


def test_a_socket_is_never_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the name of a socket may be short only
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("a.yaml")
        assert unreadable(Path("a.yaml")).message == "cannot be read: it is a socket"


def test_a_device_is_never_opened(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").symlink_to("/dev/zero")
    assert unreadable(tmp_path / "a.yaml").message == "cannot be read: it is a device"


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no /dev/fd here")
@pytest.mark.parametrize("name", ["a.yaml", "a.json", "a.jsonl", "a"])
def test_a_pipe_without_a_name(name: str) -> None:
    reading, writing = os.pipe()
    try:
        os.write(writing, b'{"a": 1}\n')
        os.close(writing)
        found = read_file(Path(f"/dev/fd/{reading}"), name)
    finally:
        os.close(reading)
    assert isinstance(found, Document | RowStream)


@every_case(
    ("name", "expected"),
    [
        ("a.yaml", "yaml"),
        ("a.yml", "yaml"),
        ("A.YAML", "yaml"),
        ("a.json", "json"),
        ("a.jsonl", "jsonl"),
        ("a.ndjson", "jsonl"),
        ("a.b/c.json.yaml", "yaml"),
        ("a.yaml/b", None),
        ("a.txt", None),
        (".yaml", None),
        ("-", None),
        ("", None),
    ],
)
def test_the_format_of_a_name(name: str, expected: str | None) -> None:
    assert format_of(name) == expected


# (the bytes of something without a name, the format they are read as)
GUESSES = [
    (b"a: 1\n", "yaml"),
    (b"- 1\n", "yaml"),
    (b"# {\na: 1\n", "yaml"),
    (b"abc", "yaml"),
    (b'{"a": 1}', "json"),
    (b'[{"a": 1}]', "json"),
    (b'\n {"a": 1}\n', "json"),
    (b'{\n "a": 1\n}\n', "json"),
    (b'[\n {"a": 1},\n {"a": 2}\n]\n', "json"),
    (b'{"a": 1}\n{"a": 2}\n', "jsonl"),
    (b'{"a": 1}\r\n\r\n{"a": 2}', "jsonl"),
    (MARK + b'{"a": 1}', "json"),
    (MARK + b'{"a": 1}\n{"a": 2}\n', "jsonl"),
    (MARK + b"a: 1\n", "yaml"),
]


@every_case(("data", "expected"), GUESSES)
def test_guess(data: bytes, expected: str) -> None:
    found = read(data, "-")
    assert not isinstance(found, UnreadableFile), found.faults
    assert isinstance(found, RowStream) == (expected == "jsonl")
    if isinstance(found, RowStream):
        assert [row for batch in found.batches() for row in batch.rows] == [{"a": 1}, {"a": 2}]


_UTF16 = 'a: "é"\n'
FOREIGN = [
    (_UTF16.encode("utf-16"), "UTF-16"),
    (b"\xfe\xff" + _UTF16.encode("utf-16-be"), "UTF-16"),
    (b"\xff\xfe" + _UTF16.encode("utf-16-le"), "UTF-16"),
    (_UTF16.encode("utf-32"), "UTF-32"),
    (b"\x00\x00\xfe\xff" + _UTF16.encode("utf-32-be"), "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
]


@every_case("name", ["a.yaml", "a.json", "a"])
@every_case(("data", "encoding"), FOREIGN)
def test_a_mark_of_another_encoding(name: str, data: bytes, encoding: str) -> None:
    (fault,) = faults(data, name)
    assert (fault.code, fault.span) == ("source/encoding", None)
    assert encoding in fault.message


@every_case(("data", "encoding"), FOREIGN)
def test_a_mark_of_another_encoding_in_rows(data: bytes, encoding: str) -> None:
    (batch,) = stream(data).batches()
    ((fault, _),) = batch.faults
    assert (fault.code, fault.span, batch.rows) == ("source/encoding", None, [])
    assert encoding in fault.message


# (the bytes, the byte's offset and value, where); all offsets count from the file's first byte
INVALID = [
    (b"\xff", "byte 0 (0xFF)", "1:1"),
    (b'{"a": "\xff"}', "byte 7 (0xFF)", "1:8"),
    (MARK + b'{"a": "\xff"}', "byte 10 (0xFF)", "1:8"),
    ('{"😀é": "'.encode() + b'\xe9"}', "byte 12 (0xE9)", "1:9"),
    (b'{"a": "\xc3', "byte 7 (0xC3)", "1:8"),
    (b'{"a": "\xc0\x80"}', "byte 7 (0xC0)", "1:8"),
    (b'{"a": "\xed\xa0\x80"}', "byte 7 (0xED)", "1:8"),
    (b'{"a": "\xf4\x90\x80\x80"}', "byte 7 (0xF4)", "1:8"),
    (b'{"a": "\x80"}', "byte 7 (0x80)", "1:8"),
]
# the same below other lines, whose ends and characters count
LATER = [
    (b'\n{"a": "\xff"}\n', "byte 8 (0xFF)", "2:8"),
    (b'{"a": 1}\n{"a": "\xff"}\n', "byte 16 (0xFF)", "2:8"),
    (b'{"a": 1}\r\n\r\n{"a": "\xff"}\r\n', "byte 19 (0xFF)", "3:8"),
    (MARK + '{"é": 1}\n{"😀": "'.encode() + b"\xff", "byte 23 (0xFF)", "2:8"),
    ('{"\u2028": 1}\n'.encode() + b'"\xff"', "byte 12 (0xFF)", "2:2"),
]


@every_case("name", ["a.yaml", "a.json"])
@every_case(("data", "message", "where"), [*INVALID, *LATER])
def test_not_utf8(name: str, data: bytes, message: str, where: str) -> None:
    (fault,) = faults(data, name)
    assert (fault.code, at(fault.span)) == ("source/encoding", where)
    assert fault.message == f"{message} is not UTF-8"


@every_case("size", [1, 7, 1 << 20])
@every_case(("data", "message", "where"), [*INVALID, *LATER])
def test_not_utf8_in_rows(
    monkeypatch: pytest.MonkeyPatch, data: bytes, message: str, where: str, size: int
) -> None:
    monkeypatch.setattr("evalcontract.source.jsonl.BLOCK_BYTES", size)
    (fault,) = [fault for batch in stream(data).batches() for fault, _ in batch.faults]
    assert (fault.code, at(fault.span)) == ("source/encoding", where)
    assert fault.message == f"{message} is not UTF-8"


@every_case("name", ["a.yaml", "a.json", "a"])
@every_case("data", [b"\x7fELF\0\0", b"PAR1\0\0", b"a: 1\0", "a: 1".encode("utf-16-le")])
def test_binary(name: str, data: bytes) -> None:
    (fault,) = faults(data, name)
    assert fault.code == "source/binary"
    assert f"byte {data.index(0)} is NUL" in fault.message


@every_case("data", [b"\x89PNG\r\n\x1a\n", b"PK\x03\x04\xff", bytes(range(1, 256))])
@every_case("name", ["a.yaml", "a.json", "a"])
def test_binary_without_nul(name: str, data: bytes) -> None:
    (fault,) = faults(data, name)
    assert fault.code == "source/encoding"


@pytest.mark.parametrize("data", [b"\x7fELF\0\0", '{"a": 1}\n'.encode("utf-16-le"), b"\0" * 50])
def test_binary_rows(data: bytes) -> None:
    shown = [fault for batch in stream(data).batches() for fault, _ in batch.faults]
    assert [fault.code for fault in shown] == ["source/binary"]


EMPTY = [b"", MARK, b"\n", b"\r\n\r\n", b" \t\n", MARK + b"\n\n"]


@every_case("name", ["a.yaml", "a.yml", "a.json", "a"])
@every_case("data", EMPTY)
def test_empty(name: str, data: bytes) -> None:
    (fault,) = faults(data, name)
    assert (fault.code, fault.span) == ("source/empty", None)


@every_case("data", EMPTY)
def test_empty_rows(data: bytes) -> None:
    (fault,) = [fault for batch in stream(data).batches() for fault, _ in batch.faults]
    assert (fault.code, fault.span) == ("source/empty", None)


@every_case("data", EMPTY)
def test_an_empty_text_is_an_empty_text(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.toml").write_bytes(data)
    found = read_text(tmp_path / "a.toml", "a.toml")
    assert isinstance(found, str)
    assert not found.strip()


@pytest.mark.parametrize("name", ["missing", ".", "a\0", "a" * 5000])
def test_a_text_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    found = read_text(tmp_path / name, "a.toml")
    assert isinstance(found, UnreadableFile)
    assert [fault.code for fault in found.faults] == ["source/unreadable"]


@pytest.mark.parametrize(
    ("data", "code"), [(b"a\xff", "source/encoding"), (b"a\0", "source/binary")]
)
def test_a_text_that_is_none(tmp_path: Path, data: bytes, code: str) -> None:
    (tmp_path / "a.toml").write_bytes(data)
    found = read_text(tmp_path / "a.toml", "a.toml")
    assert isinstance(found, UnreadableFile)
    assert [fault.code for fault in found.faults] == [code]
