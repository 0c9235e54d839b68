"""Keys without a colon and a value, which only rows in braces have, or after a question mark."""

from __future__ import annotations

import io
import sys

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from needs import yaml_rs
from tables import every_case

from evalcontract.source import Document, read_stream
from evalcontract.source.faults import ParseError
from evalcontract.source.rows import DocumentRows
from evalcontract.source.yaml import reading as exact_reader
from evalcontract.source.yaml.quick import YamlDataset, quick_value

PATH = ("questions",)


def read(text: str) -> Document:
    found = read_stream(io.BytesIO(text.encode()), "data.yaml", quick=True)
    assert isinstance(found, Document)
    return found


def bare_keys(text: str) -> list[str]:
    """Return the keys of rows after which there is no colon."""
    document = exact_reader.parse_yaml(text, "data.yaml", text.encode())
    found: list[str] = []
    for index, row in enumerate(document.value["questions"]):
        for key in row if isinstance(row, dict) else ():
            path = (*PATH, index, key)
            place = document.place(path, on_key=True)
            assert place.text is not None
            assert place.span is not None
            after = place.text[place.span.end_column - 1 :].lstrip()
            if document.raw(path) == "" and not after.startswith(":"):
                found.append(key)
    return found


@every_case(
    "rows",
    [
        "- id: a\n  user name:\n  input: b\n",
        "- id: a\n  input: see {x}, {y z, a}\n  user name:\n",
        "- id: a\n  input: |\n    {a b, c}\n    - {a b, c}\n",
        "- id: a\n  context: {how are you, c}\n",
        "- id: a\n  context:\n    {how are you, c}\n",
        "- id: a\n  context:\n    - {how are you, c}\n",
        '- {"id": "a", "input": "b, how are you", "user name": null}\n',
        '# all\n-\n  # one\n  {"id": "a"}\n- id: b\n',
        "- id: a\n  input: Why? {x}\n",
    ],
)
def test_no_row_has_one(rows: str) -> None:
    yaml_rs()
    text = f"questions:\n{rows}"
    document = read(text)
    assert isinstance(document, YamlDataset)
    assert not DocumentRows(document, PATH).has_bare_keys
    assert bare_keys(text) == []


@every_case(
    "rows",
    [
        "- {id: a, input: Hello, how are you}\n",
        '- {"id": "a", "input": "b", "how are you"}\n',
        "- id: a\n- {id: b, input: Hello,\n    how are you}\n",
        "-\n  {id: a, input: Hello, how are you}\n",
        "- # one\n\n  {id: a, input: Hello, how are you}\n",
        "- id: a\n  ? how are you\n",
        "- ? how are you\n  ? and you\n",
    ],
)
@pytest.mark.parametrize("indent", ["", "  "])
@pytest.mark.parametrize("is_quick", [True, False])
def test_a_row_has_one(
    rows: str,
    indent: str,
    is_quick: bool,  # noqa: FBT001
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not is_quick:
        monkeypatch.setitem(sys.modules, "yaml_rs", None)
    text = "questions:\n" + "".join(f"{indent}{line}\n" for line in rows.splitlines())
    assert DocumentRows(read(text), PATH).has_bare_keys
    assert "how are you" in bare_keys(text)


def test_json_has_none() -> None:
    text = '{"questions": [{"id": "a", "input": "? {b, c}"}]}'
    found = read_stream(io.BytesIO(text.encode()), "data.json", quick=True)
    assert isinstance(found, Document)
    assert not DocumentRows(found, PATH).has_bare_keys


ENTRIES = st.sampled_from(
    [
        "id: a",
        "how are you",
        '"b"',
        '"c": "d, e"',
        "'f': g",
        "? h",
        "i:",
        '"j": {k, l}',
        "m: [n, o]",
    ]
)
INNER = st.sampled_from(["p: '{q, r}'", "s: {t, u}", "v: |\n      {w, x}\n      - {y}", "z: {}"])


@st.composite
def rows(draw: st.DrawFn) -> str:
    if draw(st.booleans()):
        gap = draw(st.sampled_from([" ", "\n    ", " # x\n    "]))
        comma = draw(st.sampled_from([", ", ",\n      ", " , "]))
        end = draw(st.sampled_from(["", " ", " # y, z"]))
        return f"  -{gap}{{{comma.join(draw(st.lists(ENTRIES, max_size=3, unique=True)))}}}{end}\n"
    keys = draw(st.lists(INNER | ENTRIES.filter(lambda one: ":" in one), min_size=1, unique=True))
    return "  - " + "\n    ".join(keys) + "\n"


@examples(500)
@given(st.lists(rows(), min_size=1, max_size=3))
def test_every_bare_key_is_expected(written: list[str]) -> None:
    text = "questions:\n" + "".join(written)
    try:
        found = bare_keys(text)
    except ParseError:
        return
    if found:
        assert DocumentRows(read(text), PATH).has_bare_keys


@every_case(
    ("number", "is_quick"),
    [("1" * 30, True), ("0x" + "f" * 40, True), ("9" * 4000, True), ("9" * 4001, False)],
    ids=lambda value: len(value) if isinstance(value, str) else value,
)
def test_long_integers_are_read_quickly(number: str, is_quick: bool) -> None:  # noqa: FBT001
    yaml_rs()
    text = f"a: {number}\nb: {'x' * 5000}\n"
    assert (quick_value(text, text.encode()) is not None) is is_quick
