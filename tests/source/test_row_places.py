"""Places in JSONL: right everywhere, and looked up without reading all again."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from tables import every_case

from evalcontract.source import jsonl
from evalcontract.source.json import scan
from evalcontract.source.jsonl import RowStream


class Counting(io.BytesIO):
    """Bytes that know how many of them were read."""

    read_so_far = 0

    def read(self, size: int | None = -1, /) -> bytes:
        """Read, and count."""
        data = super().read(size)
        Counting.read_so_far += len(data)
        return data


def stream_of(data: bytes) -> RowStream:
    Counting.read_so_far = 0
    return RowStream("rows.jsonl", lambda: Counting(data), len(data))


@pytest.fixture
def scans(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note each text that is scanned for places."""
    seen: list[str] = []

    def counted(text: str, **more: Any) -> object:
        seen.append(text)
        return scan(text, **more)

    monkeypatch.setattr(jsonl, "scan", counted)
    return seen


@pytest.mark.slow
@every_case("end", ["\n", "\r\n"])
@every_case("mark", [b"", b"\xef\xbb\xbf"])
@every_case("last", ["", "\n", "\n\n"])
@every_case("block", [1, 64, 1 << 20])
def test_places_in_any_order(
    block: int, last: str, mark: bytes, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever block a row is in, and whatever was asked before."""
    monkeypatch.setattr(jsonl, "BLOCK_BYTES", block)
    texts = [f'{{"id": "r{n}", "é": "{"x" * n}", "n": {n}}}' if n % 7 else "" for n in range(40)]
    rows = [n for n, text in enumerate(texts) if text]
    stream = stream_of(mark + (end.join(texts) + last.replace("\n", end)).encode())
    assert sum(len(batch.rows) for batch in stream.batches()) == len(rows)
    for index in [*range(len(rows)), *range(len(rows))[::-1], 0, 30, 1, 29]:
        place = stream.place((index, "n"))
        number = rows[index]
        assert place.span is not None
        assert (place.span.line, place.text) == (number + 1, texts[number])
        assert texts[number][place.span.column - 1 : place.span.end_column - 1] == str(number)


def test_many_findings_in_one_row(scans: list[str]) -> None:
    """A row is scanned once, however many places are asked for."""
    row = json.dumps({"facts": list(range(1000))})
    stream = stream_of(f'{row}\n{{"id": "b"}}\n'.encode())
    list(stream.batches())
    for number in range(1000):
        place = stream.place((0, "facts", number))
        assert place.text == row
        assert stream.place((1, "id")).text == '{"id": "b"}'
    assert len(scans) == 2


@pytest.mark.costly
def test_places_in_blocks_that_are_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that relates to one far away costs two lines, not two blocks."""
    monkeypatch.setattr(jsonl, "BLOCK_BYTES", 10_000)
    count = 2000
    data = "".join(f'{{"id": "r{n}", "input": "{"x" * 80}"}}\n' for n in range(count)).encode()
    stream = stream_of(data)
    list(stream.batches())
    Counting.read_so_far = 0
    for number in range(count):
        other = number * 797 % count
        place = stream.place((other, "id"))
        assert place.span is not None
        assert place.span.line == other + 1
    assert Counting.read_so_far <= 3 * len(data)
