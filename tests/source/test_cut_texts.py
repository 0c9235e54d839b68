"""Texts that a comment of YAML cuts off, and comments that are meant as such."""

from __future__ import annotations

from tables import every_case

from evalcontract.source.comments import cut_texts, cut_texts_of_artifact
from evalcontract.source.yaml.reading import parse_yaml


def cut(text: str) -> list[tuple[object, ...]]:
    document = parse_yaml(text, "data.yaml", text.encode())
    return [(*found.path[1:], found.rest) for found in cut_texts(document, ("questions",))]


CUT = [
    ("  - input: Where is order #4711?", ("input", "#4711?")),
    ("  - input: Where is order #4711?\r", ("input", "#4711?")),
    ("  - input: Where is order   #4711? # really", ("input", "#4711? # really")),
    ("  - id: a\n    input: Post it to #general now", ("input", "#general now")),
    ("  - facts:\n      - Ask in #help", ("facts", 0, "#help")),
    ("  - expected:\n      reference: See ticket #12", ("expected", "reference", "#12")),
]

WHOLE = [
    '  - input: "Where is order #4711?"',
    "  - input: 'Where is order' #4711",
    "  - input: Where is it? #4711",
    "  - input: Where is order#4711",
    "  - input: Where is order # 4711",
    "  - input: Where is order #TODO ask",
    "  - id: order #4711",
    "  - input: |\n      input: Where is order #4711?",
    "  - {input: [Where is it, now]} #4711",
    "  # input: Where is order #4711?\n  - input: Where is it",
    "  - null\n  - 5 #4711",
]


@every_case(("row", "expected"), CUT)
def test_a_text_that_is_cut_off(row: str, expected: tuple[object, ...]) -> None:
    assert cut(f"questions:\n{row}\n") == [(0, *expected)]


@every_case("row", WHOLE)
def test_a_text_that_is_whole(row: str) -> None:
    assert cut(f"questions:\n{row}\n") == []


def test_a_text_that_is_cut_off_twice() -> None:
    rows = "".join(f"  - input: Where is order #{number}?\n" for number in (4711, 12))
    document = parse_yaml(f"questions:\n{rows}", "data.yaml", b"")
    assert list(cut_texts(document, ("questions",))) == [
        (("questions", 0, "input"), "#4711?"),
        (("questions", 1, "input"), "#12?"),
    ]


def test_texts_of_an_artifact() -> None:
    text = """\
label: Orders of team #blue
metadata: {}
checks:
  - kind: fact_match
    facts:
      - name ticket #4711
"""
    document = parse_yaml(text, "rubric.yaml", text.encode())
    assert list(cut_texts_of_artifact(document)) == [
        (("label",), "#blue"),
        (("checks", 0, "facts", 0), "#4711"),
    ]
