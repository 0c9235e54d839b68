"""Where a position is in a text that may be unfinished: `|` marks it."""

from __future__ import annotations

from typing import Any

from tables import every_case

from evalcontract.lsp.cursor import cursor_in_json, cursor_in_yaml, open_bracket
from evalcontract.lsp.text import Text

YAML: list[tuple[str, tuple[Any, ...], str | None, str, set[str]]] = [
    ("|", (), None, "", set()),
    ("a: 1\n|\nb: 2\n", (), None, "", {"a", "b"}),
    ("a: x|y\n", (), "a", "x", set()),
    ("a: 'x|'\n", (), "a", "x", set()),
    ("a:\n  b: |\n  c: 1\n", ("a",), "b", "", {"c"}),
    ("a:\n  - b: 1\n    c: |\n  - d: 1\n", ("a", 0), "c", "", {"b"}),
    ("a:\n- b: 1\n  |\n- d: 1\n", ("a", 0), None, "", {"b"}),
    ("a:\n  - |\n", ("a", 0), None, "", set()),
    ("a:\n  - - b: |\n", ("a", 0, 0), "b", "", set()),
    ("a:\n  # c: 1\n\n  |\n", ("a",), None, "", set()),
    ("x: 1\n---\n|\n", (), None, "", set()),
    ("a:\n  'b c': |\n", ("a",), "b c", "", set()),
    ("a:\n  - id: 1\n    t: >\n      b: c\n    |\n", ("a", 0), None, "", {"id", "t"}),
]


@every_case(("marked", "path", "key", "typed", "siblings"), YAML)
def test_yaml(
    marked: str, path: tuple[Any, ...], key: str | None, typed: str, siblings: set[str]
) -> None:
    at = marked.index("|")
    line, character = marked.count("\n", 0, at), at - (marked.rfind("\n", 0, at) + 1)
    cursor = cursor_in_yaml(Text(marked.replace("|", "", 1)), line, character)
    assert (cursor.path, cursor.key, cursor.typed) == (path, key, typed)
    assert set(cursor.siblings) - {key} == siblings


def test_a_block_of_text_has_no_keys() -> None:
    for text in ("a: |\n  b: c\n", "x:\n  - a: >-\n      b: c\n", "a: |2\n  x\n\n    b: c\n"):
        line = text.count("\n") - 1
        cursor = cursor_in_yaml(Text(text), line, len(text.splitlines()[line]))
        assert cursor.is_block
        assert cursor.key == "a"


JSON: list[tuple[str, tuple[Any, ...], str | None, str, set[str]]] = [
    ("|", (), None, "", set()),
    ('{"|', (), None, "", set()),
    ('{"a": "x|y", "b": 1}', (), "a", "x", {"b"}),
    ('{"a": {"b": [|', ("a", "b", 0), None, "", set()),
    ('{"a": [{"b": 1, "c": |', ("a", 0), "c", "", {"b"}),
    ('{"a": [{"b": 1}, {"c": 1, |, "d": {"e": 1}}]}', ("a", 0), None, "", {"c", "d"}),
    ('{"a": "\\"x|"}', (), "a", '\\"x', set()),
    ('{"a": "}{", "b": |}', (), "b", "", {"a"}),
    ("]]}}{|", (), None, "", set()),
]


@every_case(("marked", "path", "key", "typed", "siblings"), JSON)
def test_json(
    marked: str, path: tuple[Any, ...], key: str | None, typed: str, siblings: set[str]
) -> None:
    at = marked.index("|")
    cursor = cursor_in_json(marked.replace("|", "", 1), at, at)
    assert (cursor.path, cursor.key, cursor.typed) == (path, key, typed)
    assert set(cursor.siblings) - {key} == siblings


@every_case(
    ("line", "at"),
    [
        ("a: {b: ", 3),
        ("- [a, {b", 2),
        ("a: {b: c} ", None),
        ("a: text {b ", None),
        ('a: "{b ', None),
        ("{a", 0),
    ],
)
def test_flow_style_in_yaml(line: str, at: int | None) -> None:
    assert open_bracket(line, len(line)) == at
