"""The gate that reads YAML is sound: what it lets through is valid, and read as it is meant."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_typed_gate import DEFINITIONS, SCHEMA, SCHEMAS, VALUES

from evalcontract.source import place_rows
from evalcontract.source.yaml import read_piece
from evalcontract.structure import yaml_gate
from evalcontract.structure.applied import UnfitError
from evalcontract.structure.engine import native_for
from evalcontract.structure.yaml_gate import YamlGate

Row = dict[str, Any]


class _Wide(yaml.SafeDumper):
    """Writes lists below a key as most people do: two columns to the right."""

    def increase_indent(self, *_: Any, **__: Any) -> None:
        super().increase_indent(flow=False, indentless=False)


DUMPERS: list[Any] = [yaml.SafeDumper, _Wide]


def text_of(row: Row, dumper: Any = _Wide, **style: Any) -> str:
    dumped = yaml.dump([row], Dumper=dumper, sort_keys=False, allow_unicode=True, **style)
    return "".join(f"  {line}" if line.strip() else line for line in dumped.splitlines(True))


def passes(gate: YamlGate, text: str) -> bool:
    """Whether a row passes, both at the end of a text and with another one behind it."""
    _, _, end = gate.take(text, 0)
    ids, _, _ = gate.take(text + "  - id: next\n", 0)
    assert bool(end) == bool(ids)
    return end == len(text)


@pytest.mark.parametrize("dumper", DUMPERS)
@pytest.mark.parametrize(("schema", "examples"), SCHEMAS, ids=[str(each[0]) for each in SCHEMAS])
def test_what_passes_is_accepted_by_the_schema(
    schema: Any, examples: list[Any], dumper: Any
) -> None:
    whole = {**SCHEMA, "properties": {**SCHEMA["properties"], "v": schema}, "$defs": DEFINITIONS}
    rows = [{"id": "a", "v": each} for each in examples]
    try:
        gate = YamlGate(whole, rows, [text_of(row, dumper) for row in rows])
    except UnfitError:
        return  # refused: such rows take the other way
    exact = native_for(whole)

    @settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
    @given(VALUES, st.sampled_from([{}, {"default_style": "'"}, {"default_flow_style": True}]))
    def sound(value: Any, style: dict[str, Any]) -> None:
        text = text_of({"id": "a", "v": value}, dumper, **style)
        if passes(gate, text):
            (row,), _ = read_piece(text)
            assert exact.is_valid(row)

    sound()


#: Schemas of numbers and texts with limits, and values on both sides of each.
RANGES = [(0, 2), (1, 5), (-3, 3), (0, 999), (7, 12345), (2, 10**6), (12, 10**15)]
LIMITS: list[tuple[Any, list[Any]]] = [
    *(({"type": "integer", "minimum": low, "maximum": high}, [low + 1]) for low, high in RANGES),
    *(({"minimum": low, "maximum": high}, [low + 1, low + 0.5]) for low, high in RANGES),
]
LIMITS += [
    ({"exclusiveMinimum": 0}, [1, 0.5]),
    ({"exclusiveMaximum": 0}, [-1, -0.5]),
    ({"maximum": 0}, [-1, 0]),
    ({"maximum": 10}, [1, 0.5]),
    ({"minimum": 100}, [1000, 100.5]),
    ({"minLength": 3}, ["abcd"]),
    ({"maxLength": 3}, ["ab"]),
    ({"minLength": 2, "maxLength": 3}, ["ab"]),
    ({"minLength": 1}, ["ab"]),
    ({"pattern": r"\S"}, ["ab"]),
]
EDGES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 99, 100, 101, 999, 1000, 12345, 12346, 10**6]
PIECES = [
    *map(str, EDGES), *(f"-{each}" for each in EDGES), *(f"{each}.5" for each in EDGES), "1000001",
    "9999999", "999999999999999", "1000000000000000", "1000000000000001", "123456789012345678",
    "1234567890123456789", "12345678901234567890", "-0", "0.0", "-0.5", "2.0", "2.00001", "01",
    "1.", "a", "ab", "abc", "abcd", "'a'", "'ab'", '"abcd"', '""', "''", "' '", '"\\u00a0"', "é",
    "ééé", "éééé", "ab\n      cd", "'ab\n      cd'", "|\n      abcd", "|\n      ", "ab ", "a  b",
    "\u3000",
]  # fmt: skip


@pytest.mark.parametrize(("schema", "examples"), LIMITS, ids=[str(each[0]) for each in LIMITS])
def test_limits_are_kept(schema: Any, examples: list[Any]) -> None:
    whole = {**SCHEMA, "properties": {**SCHEMA["properties"], "v": schema}}
    rows = [{"id": "a", "v": each} for each in examples]
    texts = [f"  - id: a\n    v: {each}\n" for each in examples]
    if isinstance(examples[0], str):
        styles = ["'ab'", '"ab"', "ab\n      cd", "|\n      ab"]
        more = [each for each in styles if native_for(schema).is_valid(read_piece(each)[0])]
        texts += [f"  - id: a\n    v: {each}\n" for each in more]
        rows += [{"id": "a", "v": "abc"[: schema.get("maxLength", 3)]}] * len(more)
    try:
        gate = YamlGate(whole, rows, texts)
    except UnfitError:
        return
    exact = native_for(whole)
    for piece in PIECES:
        text = f"  - id: a\n    v: {piece}\n"
        if passes(gate, text):
            (row,), _ = read_piece(text)
            assert exact.is_valid(row), piece


CLEAN: list[Row] = [
    {"id": "a", "input": "Where: left or right?", "n": 1, "tags": ["x", "y"], "own": {"k": None}},
    {"id": "b", "input": "Why?", "n": 2.5, "tags": [], "own": {"k": True}},
]


def test_ids_are_what_stands_there() -> None:
    gate = YamlGate(SCHEMA, CLEAN, [text_of(each) for each in CLEAN])
    texts = ["a-1", "'a b'", '"a:b"', "a:b", "é"]
    text = "".join(text_of(CLEAN[0]).replace("id: a", f"id: {each}") for each in texts)
    assert gate.take(text, 0)[0] == ["a-1", "a b", "a:b", "a:b", "é"]


@pytest.mark.parametrize(
    "bad", ["7", "'a''b'", '"\\u0061"', "true", "a: b", "a #b", "&a b", "|", ""]
)
def test_ids_that_are_not_certain_do_not_pass(bad: str) -> None:
    gate = YamlGate(SCHEMA, CLEAN, [text_of(each) for each in CLEAN])
    assert not passes(gate, text_of(CLEAN[0]).replace("id: a", f"id: {bad}"))


@pytest.mark.parametrize("row", CLEAN)
def test_the_examples_pass(row: Row) -> None:
    gate = YamlGate(SCHEMA, CLEAN, [text_of(each) for each in CLEAN])
    assert passes(gate, text_of(row))


def test_examples_that_the_schema_refuses_make_no_gate() -> None:
    rows = [*CLEAN, {"id": ""}]
    with pytest.raises(UnfitError):
        YamlGate(SCHEMA, rows, [text_of(each) for each in rows])


def test_a_great_many_examples_of_one_layout_are_looked_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def place(text: str) -> Any:
        asked.append(text)
        return place_rows(text)

    monkeypatch.setattr(yaml_gate, "place_rows", place)
    YamlGate(SCHEMA, [CLEAN[0]] * 90, [text_of(CLEAN[0])] * 90)
    assert len(asked) == 1


CUTS = [
    "\n",
    " ",
    "    ",
    "#",
    " #",
    ": ",
    ":",
    "'",
    '"',
    "\t",
    "- ",
    "&a ",
    "*a",
    "|",
    "{",
    "[",
    ",",
]


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(CLEAN), st.data())
def test_what_passes_is_read_alike(row: Row, data: st.DataObject) -> None:
    """Whatever is put into a row: if it passes, it is one row, with the keys that it showed."""
    gate = YamlGate(SCHEMA, CLEAN, [text_of(each) for each in CLEAN])
    text = text_of(row)
    at = data.draw(st.integers(0, len(text)))
    text = text[:at] + data.draw(st.sampled_from(CUTS)) + text[at:]
    if text.endswith("\n") and passes(gate, text):
        rows, _ = read_piece(text)
        assert len(rows) == 1
        assert list(rows[0]) == list(row)
        assert native_for(SCHEMA).is_valid(rows[0])
        assert json.dumps(rows[0]["tags"]) == json.dumps(row["tags"]) or "tags" in text


LISTS = [
    "[a, a]", "['a', a]", "[\"a\", 'a']", "[a,a]", "[a, b, a]", "[ a, a ]", "['a, b', \"a, b\"]",
    "\n      - a\n      - a", "\n      - a\n      - 'a'", "\n      - \"a\"\n      - 'a'",
    "\n      - a\n      - 'a' ", "\n      - a\n      -   'a'",
    '\n      - "a b"\n      - a b', "\n      - \"it's\"\n      - 'it''s'",
    "\n      - a\n      - b\n      - a", "\n    - a\n    - a", "\n      - a b\n      - a b",
]  # fmt: skip


@pytest.mark.parametrize("written", LISTS)
def test_lists_with_a_text_twice_do_not_pass(written: str) -> None:
    schema = {"v": {"type": "array", "uniqueItems": True}}
    whole = {**SCHEMA, "properties": {**SCHEMA["properties"], **schema}}
    texts = [f"  - id: a\n    v:{each}\n" for each in (" [c, d]", "\n      - c\n      - 'd'")]
    gate = YamlGate(whole, [{"id": "a", "v": ["c", "d"]}] * 2, texts)
    assert all(passes(gate, each) for each in texts)
    assert not passes(gate, f"  - id: a\n    v: {written}\n".replace(": \n", ":\n"))


def test_lists_with_quotes_are_looked_at_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """To look at each by itself takes three times as long."""
    whole = {
        **SCHEMA,
        "properties": {**SCHEMA["properties"], "v": {"type": "array", "uniqueItems": True}},
    }
    written = "  - id: a\n    v:\n      - c\n      - 'd'\n"
    gate = YamlGate(whole, [{"id": "a", "v": ["c", "d"]}], [written])
    monkeypatch.setattr(yaml_gate, "_is_unique", None)
    assert gate.take(written * 20, 0)[2] == 20 * len(written)


@pytest.mark.parametrize(
    "written",
    ["todo", "a TODO", "'ToDo'", '"\\u0074odo"', '"to\\\n      do"', "|\n      todo", "b to-todo"],
)
def test_texts_with_a_banned_word_do_not_pass(written: str) -> None:
    schema = {"v": {"not": {"pattern": "[tT][oO][dD][oO]"}}}
    whole = {**SCHEMA, "properties": {**SCHEMA["properties"], **schema}}
    texts = [
        f"  - id: a\n    v: {each}\n" for each in ("x", "'x'", '"x"', "|\n      x", "x\n      y")
    ]
    values = [read_piece(each)[0][0] for each in texts]
    gate = YamlGate(whole, values, texts)
    assert passes(gate, texts[0])
    assert passes(gate, texts[1])
    text = texts[0] + f"  - id: b\n    v: {written}\n" + texts[0]
    ids, _, end = gate.take(text, 0)
    assert (ids, end) == (["a"], len(texts[0]))
