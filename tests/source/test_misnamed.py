"""A file of another format than its name says is one fault, and what is one row is none."""

from __future__ import annotations

import io
import json

import pytest
from tables import every_case

from evalcontract.source import SourceProblem, UnreadableFile, read_stream
from evalcontract.source.jsonl import RowStream

ROWS = [{"id": f"r{n}", "input": "b", "criteria": "c"} for n in range(40)]
YAML = "questions:\n" + "".join(f"  - {{id: r{n}, input: b}}\n" for n in range(40))
CSV = "id,input\n" + "".join(f"r{n},b\n" for n in range(40))
LINES = "".join(json.dumps(row) + "\n" for row in ROWS)


def faults_of(name: str, text: str) -> list[tuple[SourceProblem, str]]:
    source = read_stream(io.BytesIO(text.encode()), name)
    if isinstance(source, UnreadableFile):
        return [(fault, source.lines[fault.span.line - 1]) for fault in source.faults if fault.span]
    if isinstance(source, RowStream):
        return [pair for batch in source.batches() for pair in batch.faults]
    return []


@every_case(
    ("name", "text", "message", "advice"),
    [
        ("a.jsonl", json.dumps(ROWS, indent=1), "one JSON document over many lines", "`.json`"),
        ("a.jsonl", json.dumps(ROWS, indent=None), "one JSON document on one line", "`.json`"),
        (
            "a.jsonl",
            json.dumps({"questions": ROWS}, indent=2).replace("\n", "\r\n"),
            "one JSON document over many lines",
            "`.json`",
        ),
        ("a.jsonl", json.dumps({"questions": ROWS}), "one JSON document on one line", "`.json`"),
        ("a.jsonl", "\n\n" + json.dumps(ROWS[0], indent=1) + "\n" + LINES, "over many", "each row"),
        ("a.jsonl", "[\n" + LINES.replace("}\n", "},\n"), "over many lines", "`.json`"),
        ("a.jsonl", "[" + LINES.replace("}\n", "},\n"), "over many lines", "`.json`"),
        ("a.jsonl", YAML, "this looks like YAML", "`.yaml`"),
        ("a.jsonl", f"# a comment\n{YAML}", "this looks like YAML", "`.yaml`"),
        ("a.jsonl", f"---\n{YAML}", "this looks like YAML", "`.yaml`"),
        ("a.ndjson", CSV, "this looks like CSV", "each row on its own line"),
        ("a.jsonl", CSV.replace(",", "\t"), "this looks like CSV", "each row on its own line"),
        ("a.jsonl", "Hello there\nWhat is this\n" * 9, "no line begins with `{`", "each row"),
        ("a.json", YAML, "the extension says JSON, but the content looks like YAML", "`.yaml`"),
        ("a.json", LINES, "the extension says JSON, but the content looks like JSONL", "`.jsonl`"),
        ("a.yaml", LINES, "the extension says YAML, but the content looks like JSONL", "`.jsonl`"),
    ],
)  # fmt: skip
def test_one_fault(name: str, text: str, message: str, advice: str) -> None:
    ((fault, line),) = faults_of(name, text)
    assert fault.code == "source/syntax"
    assert message in fault.message
    assert advice in (fault.help or "")
    assert fault.span is not None
    number = next(n for n, each in enumerate(text.splitlines(), 1) if each.strip())
    assert fault.span.line == number
    assert line == text.splitlines()[number - 1]


@every_case(
    ("name", "text", "lines"),
    [
        # Rows with faults of their own: each is told at its place.
        ("a.jsonl", '{"id": "a"\n' + LINES, [1]),
        ("a.jsonl", '{"id": "a",\n{"id": "b",\n{"id": "c"}\n', [1, 2]),
        ("a.jsonl", "{'id': 'a'}\n{'id': 'b'}\n", [1, 2]),
        ("a.jsonl", "# a comment\n" + LINES, [1]),
        ("a.jsonl", "id,input\n" + LINES, [1]),
        ("a.jsonl", "hello\n", [1]),
        ("a.jsonl", LINES + json.dumps(ROWS[:1], indent=1), [41, 42, 43, 44, 45, 46, 47]),
        # No fault of the text at all; whether it is a row is told elsewhere.
        ("a.jsonl", '{"id": "a", "input": "b", "questions": []}\n', []),
        ("a.jsonl", '"text"\n"text"\n', []),
        ("a.jsonl", "[1, 2]\n[3, 4]\n", []),
        ("a.yaml", json.dumps(ROWS, indent=1), []),
        ("a.json", '{"a": }', [1]),
        ("a", YAML, []),
        ("a", LINES, []),
    ],
)  # fmt: skip
def test_faults_of_lines(name: str, text: str, lines: list[int]) -> None:
    assert [fault.span and fault.span.line for fault, _ in faults_of(name, text)] == lines


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.yaml"])
def test_text_that_is_not_utf8(name: str) -> None:
    """The line of a wrong byte is shown as far as it can be; one of UTF-16 cannot."""
    line = '{"id": "café", "input": "b"}'
    source = read_stream(io.BytesIO(line.encode("latin-1")), name)
    if isinstance(source, RowStream):
        ((fault, shown),) = (pair for batch in source.batches() for pair in batch.faults)
    else:
        assert isinstance(source, UnreadableFile)
        (fault,), (shown,) = source.faults, source.lines
    assert shown == line.replace("é", "\N{REPLACEMENT CHARACTER}")
    assert fault.span is not None
    assert shown[fault.span.column - 1] == "\N{REPLACEMENT CHARACTER}"

    source = read_stream(io.BytesIO(line.encode("utf-16")), name)
    if isinstance(source, RowStream):
        ((fault, _),) = (pair for batch in source.batches() for pair in batch.faults)
    else:
        assert isinstance(source, UnreadableFile)
        (fault,) = source.faults
    assert (fault.code, fault.span) == ("source/encoding", None)
