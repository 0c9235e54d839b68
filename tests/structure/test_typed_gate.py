"""The gate that reads is sound: what it lets through is valid, whole, and a row a line."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalcontract.structure.applied import UnfitError
from evalcontract.structure.engine import native_for
from evalcontract.structure.typed_gate import TypedGate

Row = dict[str, Any]

SEEN = "[^\\u0000-\\u0020\\u007f\\u00a0\\ufeff]"
SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": ["id"],
    "properties": {"id": {"type": "string", "minLength": 1}, "input": {"pattern": SEEN}},
}
CLEAN: list[Row] = [
    {"id": "a", "input": "Where: left or right?", "n": 1, "tags": ["x", "y"], "own": {"k": None}},
    {"id": "b", "input": "Why?", "n": 2.5, "tags": [], "own": {"k": True}},
]


def lines_of(rows: list[Any], **layout: Any) -> bytes:
    return b"".join(json.dumps(row, **layout).encode() + b"\n" for row in rows)


GATE = TypedGate(SCHEMA, CLEAN)
LINE = b'{"id":"a","input":"x","n":1,"tags":[],"own":{"k":null}}'


@pytest.mark.parametrize(
    "lines",
    [
        lines_of(CLEAN),
        lines_of(CLEAN).rstrip(b"\n"),
        lines_of(CLEAN).replace(b"\n", b"\r\n"),
        lines_of(CLEAN, separators=(" , ", " : ")),
        lines_of([{**CLEAN[0], "input": 'a "quoted": key, and \\":'}]),
        lines_of([{**CLEAN[0], "input": "à droite : là"}], ensure_ascii=False),
        lines_of([{**CLEAN[0], "id": "a:b", "tags": ["c:d", "::"]}] * 2),
        lines_of([{**CLEAN[0], "n": 2**63 - 1}]),
        LINE.replace(b'"k"', b'"\\u006b"') + b"\n",
    ],
)
def test_clean_lines_pass(lines: bytes) -> None:
    rows = GATE.read(lines)
    assert isinstance(rows, list)
    assert len(rows) == lines.count(b"\n") + (not lines.endswith(b"\n"))
    assert GATE.column("id", rows) == [json.loads(each)["id"] for each in lines.splitlines()]


NOT_CLEAN: dict[str, bytes] = {
    "no line": b"",
    "a blank line": LINE + b"\n\n" + LINE + b"\n",
    "another kind of value": b"5\n",
    "a list": b"[" + LINE + b"]\n",
    "two rows on a line": LINE + b" " + LINE + b"\n",
    "two rows with a comma": LINE + b"," + LINE + b"\n",
    "a row on two lines": LINE.replace(b"[]", b"[\n]") + b"\n",
    "two rows on a line, and a row on two": (
        LINE + b"," + LINE + b"\n" + LINE.replace(b"[]", b'["x"\n"y"]') + b"\n"
    ),
    "a key twice": LINE.replace(b"{", b'{"id":"b",', 1) + b"\n",
    "a key twice, written otherwise": LINE.replace(b"{", b'{"\\u0069d":"b",', 1) + b"\n",
    "a key twice, with a space": LINE.replace(b"{", b'{"id" : "b",', 1) + b"\n",
    "a key twice below": LINE.replace(b'"k"', b'"k":1,"k"') + b"\n",
    "a key twice, and a colon as an escape": (
        LINE.replace(b'"id":"a"', b'"id":"b","id":"\\u003a"') + b"\n"
    ),
    "a colon as an escape in capitals": (
        LINE.replace(b'"id":"a"', b'"id":"b","id":"\\u003A"') + b"\n"
    ),
    "an unknown key": LINE.replace(b"{", b'{"more":1,', 1) + b"\n",
    "an empty id": LINE.replace(b'"a"', b'""') + b"\n",
    "a blank input": LINE.replace(b'"x"', b'"\\u00a0\\ufeff "') + b"\n",
    "no number": LINE.replace(b"1", b"NaN") + b"\n",
    "a number too large": LINE.replace(b"1", b"1e999") + b"\n",
    "an integer beyond 64 bits": LINE.replace(b"1", b"18446744073709551616") + b"\n",
    "no UTF-8": LINE.replace(b"x", b"\xff") + b"\n",
    "half a pair": LINE.replace(b"x", b"\\ud800") + b"\n",
    "the other half": LINE.replace(b"x", b"\\udc00") + b"\n",
    "a control character": LINE.replace(b"x", b"\x01") + b"\n",
    "cut short": LINE[:-1] + b"\n",
    "a comma too many": LINE[:-1] + b",}\n",
    "a byte order mark": b"\xef\xbb\xbf" + LINE + b"\n",
    "no key quoted": LINE.replace(b'"id"', b"id") + b"\n",
    "very deep": LINE.replace(b"[]", b"[" * 5000 + b"]" * 5000) + b"\n",
}


@pytest.mark.parametrize("lines", NOT_CLEAN.values(), ids=NOT_CLEAN)
def test_what_is_not_surely_clean_does_not_pass(lines: bytes) -> None:
    assert not isinstance(GATE.read(lines), list)


TEXTS = TypedGate(
    {
        "type": "object",
        "required": ["id"],
        "properties": {
            "id": {"pattern": SEEN},
            "tags": {"uniqueItems": True, "items": {"pattern": SEEN}},
            "own": {"additionalProperties": {"pattern": SEEN}},
            "kind": {"enum": ["left", "right", None]},
        },
    },
    [
        {"id": "a", "tags": ["x"], "own": {"k": "v"}, "kind": None, "more": {}},
        {"id": "b", "tags": [], "own": {}, "kind": "left", "more": {"n": "", "list": ["", ""]}},
    ],
)
# What a character may be written as; the first five are blank.
WRITTEN = [" ", "\\t", "\\u0020", "\\u00a0", "\ufeff", "\\n", "\\f", "\\b", "\\r", "\\u001f"]
WRITTEN += [
    "\u2003",
    "\x7f",
    "\u00a0",
    "x",
    '\\"',
    "\\\\",
    "\\/",
    "é",
    "\\u0022",
    "\\u003a",
    ":",
    "u",
]
STRINGS = st.lists(st.sampled_from(WRITTEN), max_size=3).map(lambda each: f'"{"".join(each)}"')
SAFE = st.just('"safe"') | STRINGS


def _joined(parts: list[str]) -> str:
    return ",".join(parts)


LISTS = st.lists(SAFE, max_size=6).map(_joined)
PAIRS = st.lists(
    st.tuples(st.sampled_from(['"k"', '"l"', '"\\u006b"', '"k "']), SAFE), max_size=3
).map(lambda pairs: _joined([f"{key} :{value}" for key, value in pairs]))
MORE = st.sampled_from(["{}", '{"n":""}', '{"list":["","\\""],"n":"x"}', '{"n":"","n":"x"}'])
KINDS = st.sampled_from(["null", '"left"', '"l\\u0065ft"', '"other"'])


@settings(max_examples=800, deadline=None)
@given(st.lists(st.tuples(SAFE, LISTS, PAIRS, KINDS, MORE), min_size=1, max_size=4))
def test_texts_written_in_any_way_are_read_as_they_are(rows: list[tuple[str, ...]]) -> None:
    """No blank text, no repeated one and no key that stands twice goes through."""
    lines = [
        f'{{"id":{id_},"tags":[{tags}],"own":{{{own}}},"kind":{kind},"more":{more}}}'
        for id_, tags, own, kind, more in rows
    ]
    if not isinstance(TEXTS.read("\n".join(lines).encode()), list):
        return
    for line in lines:
        row = json.loads(line, object_pairs_hook=_once)
        texts = [row["id"], *row["tags"], *row["own"].values()]
        assert all(re.search(SEEN, each) for each in texts)
        assert len(set(row["tags"])) == len(row["tags"])
        assert row["kind"] in {"left", "right", None}


@pytest.mark.parametrize("char", WRITTEN)
@pytest.mark.parametrize("form", ['{{"id":{}}}', '{{"id":"a","tags":["b",{}]}}'])
def test_a_text_is_refused_where_it_is_blank(char: str, form: str) -> None:
    """Also beside many clean ones; and one that is not blank goes through."""
    gate = TypedGate(
        {
            "type": "object",
            "properties": {"id": {"pattern": SEEN}, "tags": {"items": {"pattern": SEEN}}},
        },
        [{"id": "a", "tags": ["b"]}, {"id": "a"}],
    )
    text = form.format(f'"{char}{char}"')
    lines = "\n".join(['{"id":"a: \\"b\\\\","tags":[]}'] * 50 + [text]).encode()
    is_blank = not re.search(SEEN, json.loads(f'"{char}"'))
    assert isinstance(gate.read(lines), list) is not is_blank


@pytest.mark.parametrize("length", range(1, 8))
def test_a_text_that_stands_twice_in_a_list_is_refused(length: int) -> None:
    schema = {"type": "object", "properties": {"tags": {"uniqueItems": True}}}
    gate = TypedGate(schema, [{"tags": ["a"]}, {"tags": []}])
    tags = [f"t{number}" for number in range(length)]
    clean = [{"tags": tags}, {"tags": tags[1:]}, {"tags": []}]
    assert isinstance(gate.read(lines_of(clean)), list)
    for first in range(length):
        for second in range(first):
            twice = [tags[second] if at == first else tag for at, tag in enumerate(tags)]
            assert not isinstance(gate.read(lines_of([*clean, {"tags": twice}])), list)


def test_many_escapes_are_counted_as_few_are() -> None:
    """Where backslashes stand close together they are found another way."""
    few, many = '\\"' + "x" * 3000, '\\\\\\"' * 500
    for text in (few, many, few + many, many + few):
        row = LINE.replace(b'"x"', f'"{text}"'.encode())
        assert isinstance(GATE.read(row), list)
        assert not isinstance(GATE.read(row.replace(b"{", b'{"id":"b",', 1)), list)


@pytest.mark.parametrize("number", [0, 1, 4])
@pytest.mark.parametrize(
    "bad", [key for key, lines in NOT_CLEAN.items() if lines.count(b"\n") == 1]
)
def test_it_says_which_lines_are_clean(bad: str, number: int) -> None:
    lines = [LINE] * 5
    lines[number] = NOT_CLEAN[bad].removesuffix(b"\n")
    read, rows, doubtful = GATE.read_each(b"\n".join(lines))
    assert read == lines
    assert doubtful == [number]
    assert [row is None for row in rows] == [at == number for at in range(5)]


def test_several_lines_may_be_at_fault() -> None:
    lines = [NOT_CLEAN[key].removesuffix(b"\n") for key in ("cut short", "a key twice", "no line")]
    every = [lines[0], LINE, lines[1], lines[2], LINE]
    _, rows, doubtful = GATE.read_each(b"\n".join(every) + b"\n")
    assert doubtful == [0, 2, 3]
    assert GATE.column("id", [rows[1], rows[4]]) == ["a", "a"]


@pytest.mark.parametrize("end", [b"\\", b'\\"', b'"\\\\', b"\\" * 3])
def test_what_ends_a_line_at_fault_is_none_of_the_next(end: bytes) -> None:
    """A backslash there escapes nothing of it, wherever quotes are counted."""
    twice = LINE.replace(b"{", b'{"id":"b",', 1)
    for many in (b"", b" \\" * 500):
        text = b"\n".join([LINE, b"{" + many + end, LINE, twice])
        assert GATE.read_each(text)[2] == [1, 3]
        assert GATE.read_each(text.removesuffix(twice))[2] == [1]


#: For each keyword a schema of the key `v`, and values that it accepts.
SCHEMAS: list[tuple[Any, list[Any]]] = [
    ({"type": "integer"}, [1, 2]),
    ({"type": "integer", "minimum": 1, "maximum": 3}, [1, 2]),
    ({"exclusiveMinimum": 1, "exclusiveMaximum": 3, "minimum": 1}, [2]),
    ({"minimum": 1.5}, [2.5]),
    ({"type": "number"}, [1, 1.5]),
    ({"multipleOf": 2}, [2, 4]),
    ({"enum": ["a", "b", None]}, ["a", None]),
    ({"enum": [1, 2]}, [1]),
    ({"enum": [True]}, [True]),
    ({"const": "a"}, ["a"]),
    ({"pattern": "^a"}, ["a", "ab"]),
    ({"minLength": 1, "maxLength": 2}, ["a"]),
    ({"enum": ["a", "abc"], "maxLength": 2}, ["a"]),
    ({"minItems": 1, "maxItems": 2, "items": {"minLength": 1}}, [["a"], ["b", "c"]]),
    ({"items": {"items": {"type": "integer"}}}, [[[1]], [[]]]),
    ({"uniqueItems": True}, [["a"], ["a", "b"]]),
    ({"uniqueItems": True}, [[1, 2]]),
    ({"pattern": SEEN}, ["a", "b"]),
    ({"items": {"pattern": SEEN, "maxLength": 2}}, [["a", "b"]]),
    ({"pattern": "[^a]"}, ["b"]),
    ({"prefixItems": [{"const": "a"}]}, [["a"]]),
    ({"contains": {"const": "a"}}, [["a", "b"]]),
    (
        {"required": ["a"], "properties": {"a": {"type": "string"}}},
        [{"a": "a"}, {"a": "b", "b": 1}],
    ),
    ({"additionalProperties": False, "properties": {"a": True}}, [{"a": "a"}, {}]),
    ({"additionalProperties": {"type": "integer"}}, [{"a": 1}, {"b": 2}]),
    ({"patternProperties": {"^a": {"const": 1}}}, [{"a": 1}]),
    ({"patternProperties": {"^a": True}, "additionalProperties": {"const": 1}}, [{"a": 2, "b": 1}]),
    ({"minProperties": 1}, [{"a": 1}, {"b": 1}]),
    ({"maxProperties": 1}, [{"a": 1}, {"b": 1}]),
    ({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, [{"a": 1}, {"a": 1, "b": 2}]),
    ({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, [{"a": 1}, {"b": 2}]),
    ({"anyOf": [{"type": "string"}, {"const": 1}]}, ["a", 1]),
    ({"not": {"const": "c"}}, ["a", "b"]),
    ({"not": {"pattern": "c"}}, ["a", "b"]),
    ({"not": {"pattern": "[aA]b|\\.|c"}}, ["a", "B"]),
    ({"items": {"not": {"pattern": "[aA][bB]"}}, "maxItems": 2}, [["a", "b"], ["c"]]),
    ({"not": {"pattern": "^c"}}, ["a", "b"]),
    ({"not": {"enum": [None]}, "minItems": 1, "minLength": 1}, ["a", ["b"]]),
    ({"not": {"enum": [None, "c"]}}, ["a", 1]),
    ({"enum": ["a", "c"], "not": {"enum": ["c"]}}, ["a"]),
    ({"not": {"type": "null"}, "minLength": 1}, ["a", 1]),
    ({"if": {"const": "a"}, "then": False}, ["b"]),
    ({"dependentRequired": {"a": ["b"]}}, [{"a": 1, "b": 1}, {}]),
    ({"propertyNames": {"enum": ["a"]}}, [{"a": 1}]),
    ({"unevaluatedProperties": False, "properties": {"a": True}}, [{"a": 1}]),
    ({"$ref": "#/$defs/short", "minLength": 1}, ["a"]),
    ({"$ref": "urn:own#/$defs/short"}, ["a"]),
    ({"$ref": "urn:own"}, ["abc"]),
    ({"type": ["string", "object"], "minLength": 1, "required": ["a"]}, ["a", {"a": 1}]),
    ({"format": "date", "x-note": "free"}, ["a"]),
    (True, ["a", 1, 1.5, None, True, ["a"], {"a": {"b": [1]}}]),
    ({}, [{str(n): n for n in range(150)}, {"a:b": 1}]),
]
DEFINITIONS = {
    "short": {"maxLength": 2},
    "own": {"$id": "urn:own", "$ref": "#/$defs/short", "$defs": {"short": {"minLength": 3}}},
}
VALUES = st.recursive(
    st.sampled_from(
        ["", "a", "b", "c", "ab", "abc", "a:b", 0, 1, 2, 3, 4, 2.0, 2.5, None, True, False]
    )
    | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "c", "x:y"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@pytest.mark.parametrize(("schema", "examples"), SCHEMAS, ids=[str(each[0]) for each in SCHEMAS])
def test_what_passes_is_accepted_by_the_schema(schema: Any, examples: list[Any]) -> None:
    whole = {**SCHEMA, "properties": {"v": schema}, "$defs": DEFINITIONS}
    try:
        gate = TypedGate(whole, [{"id": "a", "v": each} for each in examples])
    except UnfitError:
        return  # refused: such rows take the other way
    exact = native_for(whole)
    for each in examples:
        assert isinstance(gate.read(lines_of([{"id": "a", "v": each}])), list), each

    @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
    @given(VALUES)
    def sound(value: Any) -> None:
        row = {"id": "a", "v": value}
        if isinstance(gate.read(lines_of([row])), list):
            assert exact.is_valid(row)

    sound()


UNFIT = [{"multipleOf": 2}, {"contains": True}, {"propertyNames": {"enum": ["a"]}}]


@pytest.mark.parametrize("schema", UNFIT)
def test_some_schemas_are_said_by_no_type(schema: Any) -> None:
    value = {"multipleOf": 2, "contains": ["a"], "propertyNames": {"a": 1}}[next(iter(schema))]
    with pytest.raises(UnfitError):
        TypedGate({**SCHEMA, "properties": {"v": schema}}, [{"id": "a", "v": value}])


def test_examples_that_the_schema_refuses_make_no_gate() -> None:
    with pytest.raises(UnfitError):
        TypedGate(SCHEMA, [*CLEAN, {"id": ""}])


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(CLEAN), min_size=1, max_size=4), st.data())
def test_no_key_is_dropped_in_silence(rows: list[Row], data: st.DataObject) -> None:
    """Whatever is put into a line, a key that stands twice does not pass."""
    lines = lines_of(rows, ensure_ascii=data.draw(st.booleans()))
    at = data.draw(st.integers(0, len(lines)))
    cut = data.draw(
        st.sampled_from([b'"id":"z",', b'"k" : 1,', b"\n", b":", b" ", b"\\u003a", b"}{"])
    )
    changed = lines[:at] + cut + lines[at:]
    if not isinstance(GATE.read(changed), list):
        return
    for line in changed.splitlines():
        json.loads(line, object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> Row:
    assert len({key for key, _ in pairs}) == len(pairs)
    return dict(pairs)
