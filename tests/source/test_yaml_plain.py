"""The reader of the plainest YAML: where it gives a value, that is libyaml's."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalcontract.source.fault import Fault
from evalcontract.source.yaml import parse_yaml
from evalcontract.source.yaml_plain import parse_plain

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(
    path
    for folder in ("fixtures", "demo")
    for path in (ROOT / folder).rglob("*.yaml")
    if path.is_file()
)

#: Parts of lines: of the plain kind, and all that may be mistaken for it.
PARTS = (
    "", " ", "  ", "   ", "    ", "- ", "-", "a: ", "b: ", "c_d:", "a:", "true: ", "1: ", "<<: ",
    "? ", ": ", ":", ",", ", ", "[", "]", "{", "}", "[a, b]", "{a: 1, b: x}", "{a: [1, 2], b: {}}",
    "{ a: 1 }", "[ ]", "[a: b]", "[a, ]", "x", "x y", "1", "1.0", "0x1F", "1e5", "-5", "~", "null",
    "yes", "2026-05-08", "12:30", "a:b", "http://x.y/z", '"x"', "'x'", '"x y: z"', "'it''s'",
    '"\\n"', '"\\""', '"\\\\"', '"x\\"y"', '"x\\', "''", '["\\"", \'\'\'\']',
    '"', "'", "#", " #", " # note", "# note", "&a ", "*a", "!!str ", "|", ">", "%", "@", "`", "---",
    "...", "\t", "\r", "\u2028", "\x85", "\ufeff", "é", "😀", "\u00a0", "\x00", "a b: c", "?",
)  # fmt: skip
line = st.lists(st.sampled_from(PARTS), max_size=5).map("".join)
texts = st.lists(line, max_size=7).map("\n".join)

PLAIN = (
    "x", "x y", "1", "1.5", "a:b", "http://x.y/z", '"x"', "'it''s'", '"\\""', "[a, b]", "é", "x#y",
    "{a: 1, b: [x, 'y']}", "{ a: 1 }", "[]", "{}", "true", "2026-05-08", "a, b", "x {y}", "0x1F",
)  # fmt: skip


FORMS = ("{k}: {v}", "{k}: {v}", "{k}:", "- {v}", "- {k}: {v}", "- {k}:")


@st.composite
def laid_out(draw: st.DrawFn) -> str:
    """Draw lines that mostly belong together: many of these texts are plain."""
    lines, indent = [], 0
    for number in range(draw(st.integers(1, 7))):
        value = draw(st.sampled_from(PLAIN if draw(st.integers(0, 9)) else PARTS))
        form = draw(
            st.sampled_from(("{k}: {v}", "{k}: {v}", "{k}:", "- {v}", "- {k}: {v}", "- {k}:"))
        )
        steps = (-4, -2, 0, 0, 2, 2) if draw(st.integers(0, 9)) else (-1, 1, 3)
        indent = max(0, indent + draw(st.sampled_from(steps))) if number else 0
        form = "{k}: {v}" if not number and form.startswith("-") else form
        lines.append(" " * indent + form.format(k=f"k{number}", v=value))
    return "\n".join(lines)


def same_as_libyaml(text: str) -> bool:
    """Hold both readings against each other; tell whether the plain one gave a value."""
    found = parse_plain(text, "a.yaml", b"")
    if found is None:
        return False
    wanted = parse_yaml(text, "a.yaml", b"")  # it has no fault
    assert repr(found.value) == repr(wanted.value)  # of one type, and in one order
    return True


@given(texts)
@example("a: 1\n b")
@example("a:\n- b\n- c\nd: e")
@example("a:\n  - b: 1\n    c: 2\n  - d")
@example("a: x\n  - y")
@example("a: " + "9" * 5000)
def test_any_text(text: str) -> None:
    same_as_libyaml(text)


@given(laid_out())
@example("a:\n  - b:\n    - c\n    d: 1\n  - e: f")
@example("- a: 1")
@example("a:\n   b: 1\n  c: 2")
def test_text_that_is_laid_out(text: str) -> None:
    same_as_libyaml(text)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_files(path: Path) -> None:
    """Each whole, and with every line indented otherwise, doubled or left out."""
    text = path.read_bytes().decode("utf-8", "replace")
    lines = text.split("\n")[:60]
    for number, each in enumerate(lines):
        for changed in ([f" {each}"], [each[1:]], [each, each], [], [f"{each} x"], [f"{each}:"]):
            same_as_libyaml("\n".join([*lines[:number], *changed, *lines[number + 1 :]]))
    same_as_libyaml(text)


def test_what_is_plain() -> None:
    """The reader is worth having: what people write most is plain."""
    text = """\
# a comment
id: tone
version: "1.0.0"
checks:
  - {id: words, kind: must_not_contain, values: [stupid, 'so what']}
  - id: facts

    kind: fact_match
    min_recall: 0.6
  # another
  - id: tools
    names:
    - a
    - http://x.y/z
scoring: { combine: all_pass }
empty:
"""
    assert same_as_libyaml(text)
    found = parse_plain(text, "a.yaml", text.encode())
    assert found is not None
    place = found.place(("checks", 1, "min_recall"))
    assert str(place) == "a.yaml:9:17"


@pytest.mark.parametrize(
    "text",
    ["", "a: 1\na: 2", "a: &x 1", "- a", "a: |\n  b", "a: b\n  c", "a: {b: 1, b: 2}", "a: b: c"],
)
def test_what_is_left_to_libyaml(text: str) -> None:
    assert parse_plain(text, "a.yaml", b"") is None


def test_faults_are_told_by_libyaml() -> None:
    with pytest.raises(Fault):
        parse_yaml("a: 1\na: 2", "a.yaml", b"")
