"""The faults of large YAML datasets are the same, whether all rows are read for them or few."""

from __future__ import annotations

import io
import random

import pytest
from examples import tries
from needs import yaml_rs
from tables import every_case

from evalcontract.source import files, read_stream
from evalcontract.source.faults import ParseError
from evalcontract.source.yaml.quick import raise_early
from evalcontract.source.yaml.reading import parse_yaml

ROWS = 1200
ROW = """\
  - id: row_{0}
    input: "What is the state of my order number {0}?"
    context: |
      Orders are sent
        within two days.
    tags: [nightly, {{a: b}}]
    metadata:
      list:
        - x
        - y: z
"""
#: What is written in place of a line of a row, by its number; or before the row, with 0.
FAULTS = {
    "a key twice": (2, "    id: again\n"),
    "a key twice, deep": (9, "        - y: z\n          y: z\n"),
    "a word": (2, "    expected\n"),
    "an open quotation mark": (2, '    input: "What\n'),
    "an open single quotation mark": (3, "    context: 'it\n"),
    "an open bracket": (6, "    tags: [a, b\n"),
    "an open brace": (6, "    tags: {a: b\n"),
    "a closing bracket": (6, "    tags: a]\n    b: ]\n"),
    "a key further left": (3, "   context: x\n"),
    "a key further right": (3, "     context: x\n"),
    "a dash further left": (1, " - id: x\n"),
    "a dash further right": (1, "   - id: x\n"),
    "a dash at the left": (1, "- id: x\n"),
    "a tab": (3, "\tcontext: x\n"),
    "no space after the colon": (1, "  - id:x\n"),
    "no space after the dash": (1, "  -id: x\n"),
    "two colons": (3, "    context: a: b\n"),
    "an anchor": (3, "    context: &a x\n"),
    "an alias of nothing": (3, "    context: *a\n"),
    "a percent sign": (3, "    context: %x\n"),
    "an at sign": (3, "    context: @x\n"),
    "a backtick": (3, "    context: `x`\n"),
    "a value and a block": (7, "    metadata: x\n"),
    "another document": (3, "---\n"),
    "an end": (3, "...\n"),
    "a key at the root": (1, "other: x\n"),
    "a comment": (1, "# x\n"),
    "nothing": (3, ""),
    "a bad escape": (2, '    input: "\\q"\n'),
    "a merge key": (3, "    <<: {a: b}\n"),
}
#: What the fast reader accepts in a whole file, too: the checks of its values refuse it.
FAULTS_OF_VALUES = {
    "a complex key": (3, "    ? [a, b]\n    : c\n"),
    "no key": (2, "    : x\n"),
    "too many levels": (3, f"    context: {'[' * 98}{']' * 98}\n"),
    "as many levels as there may be": (3, f"    context: {'[' * 97}{']' * 97}\n"),
}


def broken(faulty: dict[int, str], before: str = "id: x\n") -> str:
    """Return a dataset with faults in rows, by number."""
    lines = [ROW.format(number) for number in range(ROWS)]
    for row, name in faulty.items():
        line, new = (FAULTS | FAULTS_OF_VALUES)[name]
        parts = lines[row].splitlines(keepends=True)
        parts[line - 1] = new
        lines[row] = "".join(parts)
    return f"{before}questions:\n{''.join(lines)}version: '1.0.0'\n"


def faults(text: str, *, quick: bool) -> object:
    unreadable = read_stream(io.BytesIO(text.encode()), "a.yaml", quick=quick).unreadable
    return unreadable and (unreadable.faults, unreadable.lines)


@pytest.mark.slow
@every_case("name", FAULTS)
def test_the_faults_are_those_of_the_exact_reader(name: str) -> None:
    chance = random.Random(name)  # noqa: S311 - any rows will do
    places = [(0,), (ROWS - 1,), (chance.randrange(ROWS),), chance.sample(range(ROWS), 3)]
    for rows in chance.sample(places, tries(4)):
        text = broken(dict.fromkeys(rows, name))
        assert faults(text, quick=True) == faults(text, quick=False), rows


@pytest.mark.slow
@every_case("name", FAULTS_OF_VALUES)
def test_faults_of_two_kinds_are_those_of_the_exact_reader(name: str) -> None:
    for rows in ((300, 900), (900, 300)):
        text = broken(dict(zip(rows, (name, "a key twice"), strict=True)))
        assert faults(text, quick=True) == faults(text, quick=False), rows


@pytest.mark.slow
@every_case("before", ['id: "x\n', "id: 'x\n", "id: [x,\n", "id: |\n", "id: x\nid: y\n", "x\n"])
def test_what_begins_before_the_rows(before: str) -> None:
    text = broken({600: "a key twice"}, before)
    assert faults(text, quick=True) == faults(text, quick=False)


def test_a_text_in_quotation_marks_that_ends_in_another_piece() -> None:
    # Each row is a row by itself; the text of the first odd one ends in the second.
    rows = [f"  - id: row_{number}\n    input: {'a ' * 30}\n" for number in range(ROWS)]
    rows[300] = '  - id: a\n    id: "b\n'
    rows[600] = '  - id: c\n    input: 5" tall\n'
    rows[900] = '  - id: "d\n'
    text = f"questions:\n{''.join(rows)}"
    assert faults(text, quick=True) == faults(text, quick=False)


def test_few_rows_are_read() -> None:
    yaml_rs()
    read: list[str] = []

    def parse(text: str) -> object:
        read.append(text.replace("\n\n", "\n"))
        return parse_yaml(text, "a.yaml", b"")

    text = broken({600: "a key twice"})
    with pytest.raises(ParseError):
        raise_early(text, text.encode(), parse)
    assert sum(map(len, read)) < len(text) / 2


def test_small_files_are_read_at_once() -> None:
    assert len(ROW) * 100 < files._LARGE  # noqa: SLF001 - so that this is what the name says
    raise_early(f"questions:\n{ROW * 100}", b"", pytest.fail)
