"""What is found in simple YAML is what the reader of all YAML reads, in values and places."""

from __future__ import annotations

import re
from pathlib import Path
from re import _parser  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from needs import yaml_rs

from evalcontract.source.faults import ParseError
from evalcontract.source.yaml import writing as yaml_text
from evalcontract.source.yaml.quick import quick_value
from evalcontract.source.yaml.reading import read_piece
from evalcontract.source.yaml.scalars import find_places

if TYPE_CHECKING:
    from evalcontract.source.document import Node

FIXTURES = Path(__file__).parents[2] / "fixtures"
KEYS = st.sampled_from(["id", "input", "a_b", "<<", "a b", "null", "k1", "k2", "k3", "k4"])
INLINE = st.sampled_from(
    [
        *[
            "a",
            "5",
            "-5",
            "- ",
            "What is 2+3?",
            "x: y",
            "x:",
            "a #b",
            "a#b",
            "'q'",
            '"q"',
            "'it''s'",
        ],
        *[
            '"a\\n"',
            "[a, b]",
            "[a,]",
            "[]",
            "[ ]",
            "{a: 1}",
            "~",
            "['a', \"b\" , 3]",
            "null",
            "1e5",
        ],
        *["0x1F", ".5", ".", "-", "?", "? a", "%a", "@a", "true", "2026-01-01", "a  ", "   a"],
        *[
            "[a b, c-d]",
            "[-a]",
            "[a: b]",
            "[a]b",
            "[a] ",
            "'a' b",
            '"a": b',
            "*a",
            "&a b",
            "!x",
            "|",
        ],
        *[">", "- a", "(x) y", "/p", "a - b", "a, b", "[a , b]", "...", "---", "a]", "a}b", "[a-]"],
        *["[a -b]", "1_000", "0o7", "[0x1F, .5]", "a\tb", "\u00e9", "[[a]]", "", "--", "-x", "-_"],
        *["[1.]", "[a/]", "[/a]", "[a", 'a"b', "a'b"],
    ]
) | st.text("ab1: -#'\"[],.", max_size=8)
BETWEEN = st.sampled_from([*[()] * 12, ("",), ("   ",), ("# c",), ("    # c 'x'#",), ("     x",)])


@st.composite
def blocks(draw: st.DrawFn, depth: int = 0, column: int = 0) -> list[str]:
    """Draw the lines of a block, which are not always valid."""
    lines: list[str] = []
    is_list = draw(st.booleans())
    pad = " " * column
    for _ in range(draw(st.integers(1, 3))):
        is_block = depth < 3 and draw(st.integers(0, 2)) == 0
        if is_list:
            spaces = draw(st.sampled_from([1, 1, 1, 2, 3]))
            inner = draw(blocks(depth + 1, column + 1 + spaces)) if is_block else [draw(INLINE)]
            lines += [f"{pad}-{' ' * spaces}{inner[0].lstrip(' ')}", *inner[1:]]
        elif is_block:
            indent = draw(st.sampled_from([2, 2, 2, 0, 1, 4]))
            lines += [f"{pad}{draw(KEYS)}:", *draw(blocks(depth + 1, column + indent))]
        else:
            lines.append(
                f"{pad}{draw(KEYS)}:{draw(st.sampled_from([' ', ' ', '  ', '']))}{draw(INLINE)}"
            )
        lines += draw(BETWEEN)
    return lines


TEXTS = st.builds(
    lambda lines, end: "\n".join(lines) + end,
    st.integers(0, 2).flatmap(lambda column: blocks(0, column)),
    st.sampled_from(["\n", "\n", "", "\n\n", "\n  \n"]),
)


def read_simple(text: str) -> tuple[Any, Node] | None:
    """Return the value of the fast reader, and its places; None if they are not found."""
    yaml_rs()
    value = quick_value(text, text.encode("utf-8", "replace"))
    node = find_places(text, value)
    return None if node is None else (value, node)


def read_by_all(text: str) -> tuple[Any, Node] | None:
    """Return what the reader of all YAML reads; None if it refuses."""
    try:
        return read_piece(text, keep_nodes=True)
    except ParseError:
        return None


@pytest.mark.costly
@examples(2_000)
@given(TEXTS)
def test_both_readers_agree(text: str) -> None:
    found = read_simple(text)
    # `repr` tells 1 from true, and compares what is not a number.
    assert found is None or repr(found) == repr(read_by_all(text))


@pytest.mark.costly
def test_both_readers_agree_on_fixtures() -> None:
    texts = [
        path.read_bytes().decode(errors="replace")
        for suffix in ("yaml", "yml")
        for path in sorted(FIXTURES.rglob(f"*.{suffix}"))
    ]
    rows = [row for text in texts for row in re.split(r"(?m)^(?= *- )", text) if len(row) < 10_000]
    read = 0
    for text in {*texts, *rows}:
        found = read_simple(text)
        if found is not None:
            read += 1
            assert repr(found) == repr(read_by_all(text)), text
    assert read > len(rows) / 10


@pytest.mark.parametrize(
    "text",
    [
        '  - id: a\n    input: What is 2+3?\n    expected_fact: ["5"]\n',
        "- id: a\n\n  # a comment\n  expected:\n    format: text\n  tags:\n  - a\n  - 'b'\n- 0\n",
        "id: a\nnested:\n  - - 1\n".replace("- - 1", "- k: 1\n    l: .5"),
    ],
)
def test_what_it_is_for(text: str) -> None:
    found = read_simple(text)
    assert found is not None
    assert found == read_by_all(text)


@pytest.mark.parametrize(
    "text",
    ["a: |\n  b\n", "a: b # c\n", "a: {b: c}\n", "a: b\n  c\n", "a: \u00e9\n"],
)
def test_what_it_leaves(text: str) -> None:
    assert read_simple(text) is None
    assert read_by_all(text) is not None


def test_blocks_within_blocks_end() -> None:
    depth = 500
    text = "".join(f"{' ' * n}a:\n" for n in range(depth)) + " " * depth + "a: 1\n"
    assert read_simple(text) is None


def test_what_other_parsers_read_otherwise_begins_as_we_know() -> None:
    """Of a text that begins otherwise, or is a longer word, PyYAML is not asked."""
    resolvers = yaml.SafeLoader.yaml_implicit_resolvers
    first = {character for character in resolvers if character}
    assert first - {*"!&*"} == yaml_text.FIRST_OF_1_1
    longest = [
        _parser.parse(pattern.pattern, pattern.flags).getwidth()[1]
        for character in first
        for _, pattern in resolvers[character]
        if character.isalpha()
    ]
    assert max(longest) == yaml_text.LONGEST_WORD_OF_1_1
