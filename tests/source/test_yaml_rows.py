"""YAML by a fast reader: the rows, values and places are those of the exact reader, or none are."""

from __future__ import annotations

import io
import random
import sys
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from examples import tries
from needs import yaml_rs
from tables import every_case
from work import calls_of

from evalcontract.source import Document, MisreadError, UnreadableFile, read_stream
from evalcontract.source.rows import DocumentRows
from evalcontract.source.yaml import reading as exact_reader
from evalcontract.source.yaml import scalars as yaml_simple
from evalcontract.source.yaml.quick import YamlDataset, has_other_numbers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from evalcontract.model.diagnostic import Path

ROWS = """\
questions:
  - id: a
    input: >-
      Where is
      the station?
    tags: [x, "y: z"]
  # a comment
  - id: b # another
    input: |
      - id: no row
        - nor this
    metadata: {n: 1.50}
  -
    id: c
    input: 'it''s'
"""
BESIDE = 'id: trip\nversion: "1.0"\n'


def read(text: str | bytes) -> Document:
    data = text.encode() if isinstance(text, str) else text
    found = read_stream(io.BytesIO(data), "data.yaml", quick=True)
    assert isinstance(found, Document)
    return found


def exactly(text: str | bytes) -> Document:
    data = text.encode() if isinstance(text, str) else text
    found = read_stream(io.BytesIO(data), "data.yaml")
    assert type(found) is Document
    return found


def paths_in(value: Any, path: Path = ()) -> Iterator[Path]:
    yield path
    parts = value.items() if isinstance(value, dict) else ()
    for key, part in enumerate(value) if isinstance(value, list) else parts:
        yield from paths_in(part, (*path, key))


@every_case(
    "text",
    [
        ROWS,
        BESIDE + ROWS,
        ROWS + "label: after\nmetadata:\n  - not a row\n",
        "# first\n---\n" + BESIDE + "\n" + ROWS + "\n\n",
        ROWS.replace("\n  ", "\n"),
        ROWS.replace("\n", "\r\n"),
        "\ufeff" + ROWS,
        "description: |\n  - id: no row\n" + ROWS,
        ROWS.removesuffix("\n"),
        ROWS + "  - é: 1\n    🙂: [2]\n",
        ROWS + '  - "\\ud83d\\ude00": "\\ud83d\\ude00"\n',
    ],
    ids=range(11),
)
def test_it_is_what_the_exact_reader_reads(text: str) -> None:
    yaml_rs()
    found, whole = read(text), exactly(text)
    assert isinstance(found, YamlDataset)
    assert found.quick == whole.value
    assert found.root == {**whole.value, "questions": []}
    rows = DocumentRows(found, ("questions",))
    for index, row in enumerate(whole.value["questions"]):
        assert rows.exact(index) == row
    for path in paths_in(whole.value):
        for on_key in (False, True):
            assert found.place(path, on_key=on_key) == whole.place(path, on_key=on_key), path
        assert found.raw(path) == whole.raw(path), path
    assert found.value == whole.value
    assert found.sha256 == whole.sha256


@every_case(
    "text",
    [
        "questions: [{id: a}]\n",
        "questions:\n",
        "- id: a\n",
        "other:\n  - id: a\n",
        '"questions":\n  - id: a\n',
        "questions:\n  - id: a\n    tags: &t [x]\n  - id: b\n    tags: *t\n",
        "questions:\n  - id: a\n    <<: {b: c}\n",
        "questions:\n  - id: !x a\n",
        "questions:\n  - id: a\n\tb: c\n",
        "%YAML 1.2\n---\nquestions:\n  - id: a\n",
        "questions:\n  - id: a\n---\nquestions:\n  - id: b\n",
        "questions:\n  - id: a\n    id: b\n",
        "questions:\n  - id: a\n    input: |\n",
        "questions:\n  - id: a\n    input: |\n  # the end\n",
        "questions:\n  - id: a\x7f\n",
        "questions:\n  - id: a\u0084\n",
        "questions:\n  - id: a\rb: c\n",
        "questions:\n  - id: a\n    input: {a: 1,\n  - b\n",
        'questions:\n  - id: a\n    input: "b\n  - c"\n',
        f"questions:\n  - id: {'9' * 5000}\n",
        "questions:\n  - id: a\n  - [\n  - b]\n",
    ],
    ids=range(21),
)
def test_what_may_be_read_otherwise_is_read_exactly(text: str) -> None:
    found = read_stream(io.BytesIO(text.encode()), "data.yaml", quick=True)
    assert not isinstance(found, YamlDataset)
    assert repr(found) == repr(read_stream(io.BytesIO(text.encode()), "data.yaml"))


@every_case(
    "text",
    ["a & b", "R&D", "wow !", "x << y", "5 % of it", "100%", "a | b >"],
)
def test_ordinary_text_is_not_in_doubt(text: str) -> None:
    yaml_rs()
    row = f"  - id: a\n    input: {text}\n    tags: [{text}]\n    criteria: >-\n      {text}\n"
    assert isinstance(read(f"questions:\n{row}  - id: b\n"), YamlDataset)


def test_without_the_fast_reader_all_is_read_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml_rs", None)
    assert type(read(ROWS)) is Document


@every_case(
    "number", ["1_000", "0b11", "0X1F", "-0x1", "1__0", "_1", "1e1_0", ".Nan", ".iNF", "+0o7"]
)
def test_numbers_that_are_none_here(number: str) -> None:
    for before in ("n: ", "- ", "[", "{n: ", "[a, "):
        assert has_other_numbers(f"{before}{number}")
    assert not has_other_numbers("id: row_1\nn: 12\nx: 1.5e3\nname: a0b1\n")


@pytest.mark.parametrize(
    ("text", "reader", "name"),
    [("Why?", yaml_simple, "find_places"), ("Why? # asked", exact_reader, "read_piece")],
)
def test_a_row_is_read_without_the_others(
    text: str, reader: ModuleType, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    yaml_rs()
    rows = "".join(f"  - id: r{n}\n    input: {text}\n" for n in range(1000))
    found = read(f"questions:\n{rows}")
    pieces: list[str] = []
    original = getattr(reader, name)

    def noted(text: str, *rest: Any, **more: Any) -> Any:
        pieces.append(text)
        return original(text, *rest, **more)

    monkeypatch.setattr(reader, name, noted)
    for index in (999, 0, 500):
        place = found.place(("questions", index, "input"))
        assert (str(place), place.text) == (
            f"data.yaml:{index * 2 + 3}:12",
            f"    input: {text}",
        )
        assert found.raw(("questions", index, "id")) == f"r{index}"
    assert len(pieces) == 3
    assert max(map(len, pieces)) < 60


def test_what_the_exact_reader_refuses_is_never_believed() -> None:
    """Legal YAML 1.2, which libyaml does not read: where it has to be read, it is unreadable."""
    yaml_rs()
    found = read("questions:\n  - id: a\n    tags: {a\n      : b}\n")
    assert isinstance(found, YamlDataset)
    with pytest.raises(MisreadError) as raised:
        found.place(("questions", 0, "id"))
    assert isinstance(raised.value.unreadable, UnreadableFile)
    assert raised.value.unreadable.faults[0].code == "source/syntax"


TEXTS = [
    "",
    "a",
    "- b",
    "k: v",
    "# no",
    "x #y",
    "*a",
    "| ",
    "> x",
    "'",
    '"',
    "é 🙂",
    "\ta",
    "a\n\nb",
]
SCALARS = [*TEXTS, 1, -1.5, 1e20, True, None, "yes", "1_000", "12:30", "0x1F", "~", "a: b\n- c\n"]


def value_of(draw: random.Random, depth: int = 0) -> Any:
    if depth > 2 or draw.random() < 0.6:
        return draw.choice(SCALARS)
    if draw.random() < 0.5:
        return [value_of(draw, depth + 1) for _ in range(draw.randrange(4))]
    keys = draw.sample(["id", "input", "tags", "a b", "é", "x:y", "- z", "1"], draw.randrange(5))
    return {key: value_of(draw, depth + 1) for key in keys}


@every_case("seed", range(tries(60)))
def test_written_rows_are_read_alike(seed: int) -> None:
    """By both readers, in every style that PyYAML writes."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    rows = [{"id": f"r{n}", "input": value_of(draw)} for n in range(draw.randrange(1, 6))]
    style = draw.choice([None, '"', "'", "|", ">"])
    text = yaml.safe_dump(
        {"version": "1.0", "questions": rows, "zone": value_of(draw)},
        default_style=style,
        allow_unicode=draw.random() < 0.5,
        sort_keys=False,
        width=draw.choice([20, 80, 1000]),
        indent=draw.choice([2, 4]),
    )
    found, whole = read(text), exactly(text)
    assert found.quick == whole.value
    for path in paths_in(whole.value):
        assert found.place(path) == whole.place(path), (path, text)


def test_rows_that_were_read_exactly_have_their_places_at_once() -> None:
    """A check reads the faulty rows of a batch, and places their findings after that."""
    yaml_rs()  # without it, the whole file is read exactly
    rows = "".join(f"  - id: r{n}\n    input: b\n    contxt: x\n" for n in range(300))
    document = read(f"questions:\n{rows}")
    faulty = range(0, 300, 3)
    exact = calls_of(lambda: [document.row(("questions", n)) for n in faulty])
    placed = calls_of(lambda: [document.place(("questions", n, "contxt")) for n in faulty])
    assert placed < exact / 2
