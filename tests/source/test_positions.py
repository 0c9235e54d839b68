"""Whatever is written, however it is written: the value comes back, and every place is right."""

from __future__ import annotations

import hashlib
import io
import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from examples import examples
from hypothesis import assume, given
from hypothesis import strategies as st
from ruamel.yaml import YAML
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString
from source_texts import at, document, fragment, parts, stream, value
from tables import every_case

from evalcontract.source import jsonl
from evalcontract.source.json import not_jsonl_fault
from evalcontract.source.yaml.scalars import resolve_plain

if TYPE_CHECKING:
    from collections.abc import Callable

PROPERTY = examples(120)

# What no YAML reader takes raw, or what a YAML 1.1 writer writes as a break of lines.
_NOT_RAW = [
    chr(code) for code in (0x7F, *range(0x80, 0x85), *range(0x86, 0xA0), 0xFEFF, 0xFFFE, 0xFFFF)
]
_CHARACTERS = st.one_of(
    st.sampled_from("ab:#-?'\"\\{}[],&*!|>%@` \t\n\r\x85\u2028\u2029é😀\ue00001.~"),
    st.characters(exclude_categories=["Cs"], exclude_characters=_NOT_RAW),
)
_TEXTS = st.one_of(
    st.text(_CHARACTERS, max_size=12),
    st.sampled_from(
        ["1", "1.0", "true", "null", "~", "", "yes", "2026-05-08", "0o14", ".5e3", "<<", "=", "1_0"]
    ),
)


def nested(integers: st.SearchStrategy[int]) -> st.SearchStrategy[Any]:
    """Generate plain values."""
    leaves = st.one_of(st.none(), st.booleans(), integers, _TEXTS)
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.lists(inner, max_size=4), st.dictionaries(_TEXTS, inner, max_size=4)
        ),
        max_leaves=12,
    )


VALUES = nested(st.integers())
JSON_VALUES = nested(st.integers(-(2**63), 2**64 - 1))


class _Dumper(yaml.SafeDumper):
    """PyYAML writes for YAML 1.1; what 1.2 reads as no text, or as no break, is quoted here."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


def _ambiguous(text: str) -> bool:
    return not isinstance(resolve_plain(text), str) or any(c in text for c in "\x85\u2028\u2029")


_Dumper.add_representer(
    str,
    lambda dumper, text: dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, style='"' if _ambiguous(text) else None
    ),
)


def _for_ruamel(data: Any) -> Any:
    if isinstance(data, dict):
        return {_for_ruamel(key): _for_ruamel(part) for key, part in data.items()}
    if isinstance(data, list):
        return [_for_ruamel(part) for part in data]
    if isinstance(data, str) and _ambiguous(data):
        return DoubleQuotedScalarString(data)
    return data


def by_ruamel(data: Any, *, flow: bool = False) -> str:
    writer = YAML(typ="rt", pure=True)
    writer.default_flow_style = flow
    writer.width = 60
    writer.representer.ignore_aliases = lambda _: True
    out = io.StringIO()
    writer.dump(_for_ruamel(data), out)
    return out.getvalue()


def by_pyyaml(data: Any, **options: Any) -> str:
    text = yaml.dump(data, Dumper=_Dumper, allow_unicode=True, sort_keys=False, **options)
    assert isinstance(text, str)
    return text


WRITERS: dict[str, Callable[[Any], str]] = {
    "ruamel block": by_ruamel,
    "ruamel flow": lambda data: by_ruamel(data, flow=True),
    "pyyaml block": lambda data: by_pyyaml(data, default_flow_style=False, width=60),
    "pyyaml flow": lambda data: by_pyyaml(data, default_flow_style=True, width=60),
    "pyyaml quoted": lambda data: by_pyyaml(data, default_style='"', width=30),
    "json": lambda data: json.dumps(data, ensure_ascii=False),
    "json indented": lambda data: json.dumps(data, indent=2, ensure_ascii=False),
}


@pytest.mark.slow
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("writer", WRITERS)
@given(data=VALUES)
@examples(60)
def test_yaml(writer: str, end: str, data: Any) -> None:
    text = WRITERS[writer](data).replace("\n", end)
    found = document(text)
    assert repr(found.value) == repr(data)
    for path, part in parts(data):
        place = found.place(path)
        assert place.span is not None
        cut = fragment(text, place.span)
        if "block" in writer or "quoted" in writer:
            _check_yaml_part(cut, place.span.column, part)
        else:
            assert repr(value(f"[{cut}\n]")) == repr([part] if cut.strip() else [])
        if path and isinstance(path[-1], str):
            key = found.place(path, on_key=True)
            assert key.span is not None
            _check_yaml_key(fragment(text, key.span), path[-1])


def _check_yaml_key(cut: str, key: str) -> None:
    """Read a key alone; in quotes it may have lines, for which only brackets have room."""
    alone = f"{{? {cut} }}" if cut[0] in "\"'" else f"? {cut}\n"
    assert value(alone) == {key: None}


def _check_yaml_part(cut: str, column: int, part: object) -> None:
    """Read a part alone, where it stood; tags and anchors are not part of what is written."""
    if cut.strip() == "":
        assert part is None
        return
    assert repr(value(" " * (column - 1) + cut)) == repr(part)


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
@given(data=st.dictionaries(st.text("abc", min_size=1), st.text("ab é😀#:-\n", max_size=30)))
@PROPERTY
def test_blocks_of_text(end: str, data: dict[str, str]) -> None:
    out = io.StringIO()
    YAML(typ="rt", pure=True).dump(
        {key: LiteralScalarString(text) for key, text in data.items()}, out
    )
    text = out.getvalue().replace("\n", end)
    found = document(text)
    assert found.value == data
    for key in data:
        span = found.place((key,), on_key=True).span
        assert span is not None
        assert fragment(text, span) == key
        span = found.place((key,)).span
        assert span is not None
        assert fragment(text, span)[:1] in ('"', "'", "|")


@pytest.mark.slow
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
@pytest.mark.parametrize("ascii_only", [True, False], ids=["ascii", "unicode"])
@pytest.mark.parametrize("indent", [None, 2], ids=["tight", "indented"])
@given(data=JSON_VALUES)
@examples(60)
def test_json(indent: int | None, ascii_only: bool, end: str, data: Any) -> None:  # noqa: FBT001
    text = json.dumps(data, indent=indent, ensure_ascii=ascii_only).replace("\n", end)
    found = document(text, "x.json")
    assert repr(found.value) == repr(data)
    for path, part in parts(data):
        span = found.place(path).span
        assert span is not None
        assert repr(json.loads(fragment(text, span))) == repr(part)
        if path and isinstance(path[-1], str):
            span = found.place(path, on_key=True).span
            assert span is not None
            assert json.loads(fragment(text, span)) == path[-1]


# A line of a JSONL file: a row (True and its value), or one that gives none (False, and its code)
_ROWS = st.dictionaries(_TEXTS, JSON_VALUES, max_size=3).map(lambda row: (True, row))
_NO_ROWS = st.sampled_from(
    [
        (b"", ""),
        (b"  ", ""),
        (b"{", "source/syntax"),
        (b"nul", "source/syntax"),
        (b'{"a": 1,}', "source/syntax"),
        (b'{"a": 1} {"b": 2}', "source/syntax"),
        (b'{"a": 1, "a": 2}', "source/duplicate-key"),
        (b'{"a": "\xff"}', "source/encoding"),
        (b"[" * 200, "source/limit-exceeded"),
    ]
).map(lambda line: (False, line))


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 7, 64, 1 << 20])
@given(
    lines=st.lists(st.one_of(_ROWS, _NO_ROWS), max_size=8),
    end=st.sampled_from([b"\n", b"\r\n"]),
    last=st.booleans(),
    mark=st.booleans(),
    ascii_only=st.booleans(),
)
@examples(30)
def test_jsonl(
    size: int,
    lines: list[tuple[bool, Any]],
    end: bytes,
    last: bool,  # noqa: FBT001
    mark: bool,  # noqa: FBT001
    ascii_only: bool,  # noqa: FBT001
) -> None:
    texts = [
        json.dumps(line, ensure_ascii=ascii_only).encode() if good else line[0]
        for good, line in lines
    ]
    # A file that begins as no JSONL does is one fault, wherever its first block ends.
    assume(all(not_jsonl_fault(texts[:count]) is None for count in range(len(texts) + 1)))
    data = (b"\xef\xbb\xbf" if mark else b"") + end.join(texts) + (end if last else b"")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonl, "BLOCK_BYTES", size)
        found = stream(data)
        batches = list(found.batches())
        rows = [row for batch in batches for row in batch.rows]
        assert repr(rows) == repr([line for good, line in lines if good])
        starts = [batch.first_index for batch in batches]
        assert starts == [sum(len(b.rows) for b in batches[:n]) for n in range(len(batches))]
        shown = [
            (fault.code, fault.span and fault.span.line)
            for batch in batches
            for fault, _ in batch.faults
        ]
        if data.removeprefix(b"\xef\xbb\xbf").strip():
            assert shown == [
                (line[1], number)
                for number, (good, line) in enumerate(lines, 1)
                if not good and line[1]
            ]
        else:
            assert shown == [("source/empty", None)]
        assert found.sha256 == hashlib.sha256(data).hexdigest()
        assert found.done == found.size == len(data)
        numbers = [number for number, (good, _) in enumerate(lines) if good]
        for index, number in reversed(list(enumerate(numbers))):
            text = texts[number].decode()
            for path, part in parts(lines[number][1], (index,)):
                place = found.place(path)
                assert place.span is not None
                assert place.span.line == place.span.end_line == number + 1
                assert place.text == text
                cut = text[place.span.column - 1 : place.span.end_column - 1]
                assert repr(json.loads(cut)) == repr(part)
                if isinstance(path[-1], str):
                    key = found.place(path, on_key=True).span
                    assert key is not None
                    assert json.loads(text[key.column - 1 : key.end_column - 1]) == path[-1]
        assert found.place((len(rows) + 1,)).span is None


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_a_jsonl_stream_can_be_read_twice(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(jsonl, "BLOCK_BYTES", size)
    found = stream(b'{"a": 1}\n\n{"a": 2}\n')
    first = list(found.batches())
    digest = found.sha256
    assert list(found.batches()) == first
    assert found.sha256 == digest
    assert at(found.place((1, "a")).span) == "3:7"


@every_case(
    ("text", "path", "on_key", "where"),
    [
        ('{"a": 1, "b": 2}\n', (0, "c"), False, "1:2"),
        ('{"a": 1}\n{"b": 2}\n', (1, "c"), False, "2:2"),
        ('{"a": {"b": 1}}\n', (0, "a", "c"), False, "1:2"),
        ('{"a": 1}\n', (0,), True, "1:2"),
        ("[1, 2]\n", (0, "a"), False, "1:1"),
        ("5\n", (0, "a"), False, "1:1"),
        ("\n\n5\n", (0,), False, "3:1"),
        ('{"a": 1}\n', (), False, ""),
        ('{"a": 1}\n', ("a",), False, ""),
    ],
)
def test_jsonl_what_is_missing(
    text: str,
    path: tuple[str | int, ...],
    on_key: bool,  # noqa: FBT001
    where: str,
) -> None:
    found = stream(text)
    list(found.batches())
    assert at(found.place(path, on_key=on_key).span) == where


@every_case("row", ['\r{"a": 1}', '{"a":\r1}', "\r[1,\r2]", "[\r1]"])
@every_case("on_key", [False, True])
def test_jsonl_with_a_lone_return_inside_of_a_row(row: str, on_key: bool) -> None:  # noqa: FBT001
    found = stream(row + "\n")
    (batch,) = found.batches()
    assert batch.rows == [json.loads(row)]
    for path in [(0,), (0, "zz"), (0, "a"), (0, 0)]:
        assert found.place(path, on_key=on_key).span is not None


def test_a_lone_return_in_jsonl_ends_no_line() -> None:
    found = stream('{"a":\r1}\n{"a": 2}\n{\n')
    batches = list(found.batches())
    spans = [found.place((index, "a")).span for index in range(2)]
    assert [(span.line, span.column) for span in spans if span] == [(1, 7), (2, 7)]
    assert [at(fault.span) for batch in batches for fault, _ in batch.faults] == ["3:2"]
