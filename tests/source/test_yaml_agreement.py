"""Two readers, one meaning: whenever ruamel.yaml accepts a text too, it means what we read.

ruamel.yaml (pure, YAML 1.2) gives the tree. Its scalars are resolved here by the core schema,
written a second time: ruamel reads `1_000` as 1000, `0b11` as 3, `.5e3` as text, dates as dates.
Keys are their text. Left out of the comparison are the breaks of YAML 1.1 (U+0085, U+2028,
U+2029), which ruamel.yaml takes for breaks in some places, and texts that begin with `?`, which
it takes for keys inside of brackets.
"""

from __future__ import annotations

import io
import random
import re
from typing import Any

import pytest
from examples import examples, tries
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from source_texts import read
from tables import every_case
from test_json import mutated

from evalcontract.source import Document, UnreadableFile

_CORE = (
    (re.compile(r"null|Null|NULL|~|"), lambda _: None),
    (re.compile(r"true|True|TRUE"), lambda _: True),
    (re.compile(r"false|False|FALSE"), lambda _: False),
    (re.compile(r"[-+]?[0-9]+"), int),
    (re.compile(r"0o[0-7]+"), lambda text: int(text, 0)),
    (re.compile(r"0x[0-9a-fA-F]+"), lambda text: int(text, 0)),
    (re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"), float),
    (re.compile(r"[-+]?(\.inf|\.Inf|\.INF)"), lambda text: float(text.replace(".", ""))),
    (re.compile(r"\.nan|\.NaN|\.NAN"), lambda _: float("nan")),
)


_QUESTION = re.compile(r"[ \t\r\n\[{,:]\?[^ \t\r\n,\[\]{}]")


# `!` makes a text even of nothing, which ruamel.yaml reads as null.
_NO_TEXT = re.compile(r"(?<![^ \t\r\n\[{,:])![ \t]*(?=[\r\n,\]}#&]|$)")


class _Differs(Exception):
    """A known, explained difference: nothing to compare."""


def core(text: str) -> Any:
    """Resolve a plain scalar by the table of section 10.3.2."""
    for pattern, read_as in _CORE:
        if pattern.fullmatch(text):
            return read_as(text)
    return text


class _Reference:
    """A value out of ruamel's tree."""

    def __init__(self, text: str) -> None:
        self._yaml = YAML(typ="safe", pure=True)
        self._resolver = self._yaml.resolver
        self._node = self._yaml.compose(io.StringIO(text))

    def value(self) -> Any:
        if self._node is None:
            raise _Differs("no document at all is a fault here")
        return self._value(self._node)

    def _value(self, node: Node) -> Any:
        if isinstance(node, ScalarNode):
            return self._scalar(node)
        if isinstance(node, SequenceNode):
            return [self._value(part) for part in node.value]
        assert isinstance(node, MappingNode)
        found: dict[str, Any] = {}
        merges: list[Node] = []
        for key, part in node.value:
            if not isinstance(key, ScalarNode):
                raise _Differs("a complex key")
            if key.value == "<<" and key.style in (None, ""):
                merges += part.value if isinstance(part, SequenceNode) else [part]
            else:
                assert key.value not in found, "we accept a duplicate key"
                found[key.value] = self._value(part)
        for merge in merges:
            for name, part in self._value(merge).items():
                found.setdefault(name, part)
        return found

    def _scalar(self, node: ScalarNode) -> Any:
        plain = node.style in (None, "")
        implicit = self._resolver.resolve(ScalarNode, node.value, (plain, not plain))
        if node.tag == implicit:
            return core(node.value) if plain else node.value
        tag = str(node.tag).rpartition(":")[2]
        if tag == "str":
            return node.value
        found = core(node.value)
        return float(found) if tag == "float" else found


def agree(data: bytes) -> bool | None:
    """Compare the readers on a text; None where one of them refuses it."""
    found = read(data, "x.yaml")
    assert isinstance(found, Document | UnreadableFile)
    if isinstance(found, UnreadableFile):
        assert found.faults
        assert all(fault.code.startswith("source/") for fault in found.faults)
        return None
    text = data.removeprefix(b"\xef\xbb\xbf").decode()
    if any(character in text for character in "\x85\u2028\u2029") or _NO_TEXT.search(text):
        return None
    if ("[" in text or "{" in text) and _QUESTION.search(text):
        return None
    try:
        expected = _Reference(text if text.endswith("\n") else f"{text}\n").value()
    except _Differs:
        return None
    except Exception:  # noqa: BLE001 - its refusals, and its own failures
        return None
    assert repr(found.value) == repr(expected), data
    return True


# Texts that both read
CORPUS = [
    "a: 1\n",
    "- yes\n- 1_000\n- 0o14\n- 014\n- 0x1F\n- 0b11\n- 12:30\n- 2026-05-08\n- .5\n- +1\n- 1.\n",
    "- 1e3\n- .5e3\n- .inf\n- .nan\n- ~\n- Null\n- =\n- 2026-05-08T12:30:00Z\n- -\n",
    "a: &x {b: 1, c: [2]}\nd: *x\ne: {<<: *x, b: 3}\n",
    "a: &x {b: 1}\nc: &y {d: 2}\ne: {<<: [*x, *y], f: 3}\n",
    "a: |\n  b\n   c\n\n  d\n\ne: >-\n  f\n  g\n\n   h\n  i\nj: |+\n  k\n\n",
    "a: |2\n    b\n   c\nd: >1\n  e\n f\n",
    "a: \"b\n\n  c \\\n  d\\te\"\nf: 'g''h\n\n  i'\n",
    "a: b\n  c\n\n  d\ne: [f\n  g, h]\n",
    "? a\n: b\n? |\n  c\n: - d\n  - e\n",
    "{a, b: , 'c': d, \"e\":f, ? g : h}\n",
    "[a: 1, {b: 2}, [c], 'd': e]\n",
    "# a\n---\n# b\nc: d # e\n# f\n...\n# g\n",
    "%YAML 1.2\n---\na: 1\n",
    "!!map\na: !!str 1\nb: !!int '2'\nc: !!float 3\nd: !!seq [!!null '']\n",
    "a:\n- b\n-\n  c: d\n- - e\n  - f\n-   g: h\n    i: j\n",
    "a: b#c d:e f\n",
    "a: |\n  e\tf\n",
    "'a b': 1\n? \"c\"\n:   2\n",
    "a: http://b.c/?d=[e]&f={g}\n",
    "😀: [😀, é]\n",
    "a: 1\r\nb: |\r\n  c\r\n  d\r\ne: 'f\r\n  g'\r\n",
    "a: -b\nb: --\nc: -d\nd: ?e\ne: :f\n",
    "- - - a\n    - b\n  - c\n- d\n",
    "a: {b: [1, {c: d}], e: 'f'}\n",
    "- &a a\n- &b 2\n- *a\n- *b\n- {*a : 1}\n",
]


@every_case("text", CORPUS)
def test_both_read_the_corpus(text: str) -> None:
    assert agree(text.encode())


_SCALARS = st.one_of(
    st.sampled_from(
        [
            "1",
            "1_0",
            "0o7",
            "0b1",
            ".5",
            "1.",
            "~",
            "yes",
            "True",
            "2026-05-08",
            "12:30",
            "a b",
            "'c'",
            '"d\\n"',
            "é😀",
            "=",
            "-1",
            "!!str 1",
            "''",
            "x:y",
            "a#b",
        ]
    ),
    st.from_regex(r"[-+.0-9eExob_:]{1,6}", fullmatch=True),
    st.text("ab1-:#,[]{}&*!|>'\"%@ \t?", min_size=1, max_size=6),
)
_KEYS = st.sampled_from(["a", "b", "c d", "'e'", '"f"', "1", "1.0", "true", "<<x", "é"])


@st.composite
def _blocks(draw: st.DrawFn, depth: int = 0) -> str:
    """Write a block by hand: indentation, comments, anchors, aliases and blocks of text."""
    pad = "  " * depth
    lines = []
    for _ in range(draw(st.integers(1, 3))):
        head = "- " if depth % 2 and draw(st.booleans()) else draw(_KEYS) + ": "
        kind = draw(
            st.sampled_from(
                [
                    "scalar",
                    "scalar",
                    "alias",
                    "anchor",
                    "literal",
                    "folded",
                    "flow",
                    "inner",
                    "merge",
                ]
            )
        )
        match kind:
            case "alias":
                body = "*x"
            case "anchor":
                body = f"&x {draw(_SCALARS)}"
            case "literal" | "folded":
                mark = ("|" if kind == "literal" else ">") + draw(st.sampled_from(["", "-", "+"]))
                texts = draw(st.lists(st.text("ab #:-", max_size=6), min_size=1, max_size=3))
                body = "\n".join([mark, *(f"{pad}  {text}" for text in texts)])
            case "flow":
                body = draw(
                    st.sampled_from(["[1, a, 'b']", "{a: 1, b: }", "[]", "{}", "[[a], {b: c}]"])
                )
            case "inner" if depth < 3:
                body = "\n" + draw(_blocks(depth + 1))
            case "merge":
                head, body = "<<: ", "{m: 1, a: 2}"
            case _:
                body = draw(_SCALARS) + draw(st.sampled_from(["", " # c", "\n" + pad + "   d"]))
        lines.append(pad + head + body)
    return "\n".join(lines)


@given(text=_blocks(), end=st.sampled_from(["\n", "\r\n"]))
@examples(600)
def test_both_read_what_is_generated(text: str, end: str) -> None:
    agree(("z: &x 0\n" + text + "\n").replace("\n", end).encode())


_PIECES = [
    b": ",
    b"- ",
    b"\n",
    b"\r\n",
    b"  ",
    b"\t",
    b"#",
    b"&x ",
    b"*x",
    b"<<: *x",
    b"|",
    b">",
    b"'",
    b'"',
    b"[",
    b"]",
    b"{",
    b"}",
    b",",
    b"?",
    b"!!str ",
    b"!",
    b"---\n",
    b"...\n",
    b"\xc3\xa9",
    b"\xe2\x80\xa8",
    b"\xc2\x85",
    b"\xef\xbb\xbf",
    b"\\",
    b"%",
    b"1",
]


@pytest.mark.parametrize("seed", range(tries(10)))
def test_fuzz(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311
    compared = 0
    for _ in range(150):
        data = chance.choice(CORPUS).encode()
        if chance.random() < 0.5:
            data = mutated(data, chance)
        for _ in range(chance.randint(0, 2)):
            at = chance.randrange(len(data) + 1)
            data = data[:at] + chance.choice(_PIECES) + data[at:]
        compared += agree(data) is True
    assert compared > 15, "the two are hardly ever compared"


_PATHS: list[tuple[str | int, ...]] = [(), ("a",), (0,), ("a", "b"), ("a", 0), ("e", "f", 1)]


@pytest.mark.parametrize("seed", range(tries(10)))
def test_fuzz_of_places(seed: int) -> None:
    chance = random.Random(1000 + seed)  # noqa: S311
    for _ in range(150):
        found = read(mutated(chance.choice(CORPUS).encode(), chance), "x.yaml")
        if isinstance(found, Document):
            for path in _PATHS:
                assert found.place(path).span is not None
                assert found.place(path, on_key=True).span is not None
