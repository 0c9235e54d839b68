"""Every character of a text is found where its author wrote it, whatever the notation."""

from __future__ import annotations

import io
import json

import yaml
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case

from evalcontract.model.diagnostic import Within
from evalcontract.source import Document, read_stream

PIECES = st.sampled_from(
    ["a", "bc", "{{", "}}", " ", "\n", "'", '"', "\\", "#", ": ", "é", "\U0001f600", "\u2028",
     "\x85", "\xa0", "\t", "/", "\x07", "- ", "%", "\ufeff"]
)  # fmt: skip
TEXTS = st.lists(PIECES, min_size=1, max_size=30).map("".join).filter(str.strip)
STYLES = ["json", "json, ascii", "", "'", '"', "|", ">", "anchored"]
BLANKS = " \t\n\r"


def source_of(text: str, style: str) -> tuple[str, str]:
    """Write a text under the key `k`; return the name of a file and what stands in it."""
    if style.startswith("json"):
        return "a.json", json.dumps({"k": text}, indent=1, ensure_ascii="ascii" in style)
    if style == "anchored":
        return "a.yaml", f"k: &t !!str {json.dumps(text, ensure_ascii=False)}\n"
    return "a.yaml", yaml.dump({"k": text}, default_style=style, width=12, allow_unicode=True)


@examples(300)
@given(TEXTS, st.sampled_from(STYLES))
def test_each_character_is_found(text: str, style: str) -> None:
    name, source = source_of(text, style)
    document = read_stream(io.BytesIO(source.encode()), name)
    if not isinstance(document, Document) or document.value.get("k") != text:
        return  # not what this notation can hold
    last = (0, 0)
    for index, character in enumerate(text):
        if character in BLANKS:
            continue
        within = Within(character, text.count(character, 0, index))
        span = document.place(("k",), within=within).span
        assert span is not None
        assert (span.line, span.column) > last
        last = (span.line, span.column)
        shown = document.lines[span.line - 1][span.column - 1 : span.end_column - 1]
        if shown != character:
            assert shown == "''" or shown[0] == "\\"
            assert yaml.safe_load(f'"{shown}"') in (character, "''") or "\\ud" in shown


SOURCES = {
    "an escape hides the first": ('k: "\\x7b{ a }} {{ b }} {{ c }}"', "{{ b }}", (1, 16, 23)),
    "a line break in the braces": ('k: "{\\\n  { a }} {{ b }}"', "{{ b }}", (2, 10, 17)),
    "a comment at the head": ("k: | # {{ b }}\n  {{ b }}\n", "{{ b }}", (2, 3, 10)),
    "the indicator of an indentation": ("k: |2-\n    {{ b }}\n", "{{ b }}", (2, 5, 12)),
    "empty lines before": ("k: >\n\n\n  a\n\n  {{ b }}\n", "{{ b }}", (6, 3, 10)),
    "a surrogate pair": ('{"k": "\\ud83d\\ude00 {{ b }}"}', "{{ b }}", (1, 21, 28)),
    "over two lines": ("k: >\n  a {{\n  b }} c\n", "{{ b }}", (2, 5, 7)),
    "in a list": ("k:\n  - |\n    {{ b }}\n", "", None),
    "plain, over lines": ("k: a\n  {{ b }}\n  c\n", "{{ b }}", (2, 3, 10)),
    "escaped blanks": ('k: "\\ \\t\\n{{ b }}\\\n  c"', "{{ b }}", (1, 11, 18)),
    "quotes": ("k: 'it''s ''{{ b }}'''", "{{ b }}", (1, 13, 20)),
    "CRLF": ("k: |\r\n  a\r\n  {{ b }}\r\n", "{{ b }}", (3, 3, 10)),
    "a document's mark": ("\ufeffk: '{{ b }}'", "{{ b }}", (1, 5, 12)),
}


@every_case(("source", "part", "expected"), SOURCES.values(), ids=SOURCES)
def test_a_part(source: str, part: str, expected: tuple[int, int, int] | None) -> None:
    name = "a.json" if source.startswith("{") else "a.yaml"
    document = read_stream(io.BytesIO(source.encode()), name)
    assert isinstance(document, Document)
    if expected is None:
        assert document.place(("k",), within=Within("{{")).span == document.place(("k",)).span
        return
    text = document.value["k"]
    within = Within("{{", text.count("{{", 0, text.index(part)), part)
    span = document.place(("k",), within=within).span
    assert span is not None
    assert (span.line, span.column, span.end_column) == expected
    assert span.end_line == span.line


def test_what_is_not_there_is_the_whole() -> None:
    document = read_stream(io.BytesIO(b"k: some text\n"), "a.yaml")
    assert isinstance(document, Document)
    whole = document.place(("k",)).span
    for within in (Within("other"), Within("e", 5), Within(""), Within(" ")):
        assert document.place(("k",), within=within).span == whole
