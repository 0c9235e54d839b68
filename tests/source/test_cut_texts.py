"""Texts that a comment of YAML cuts off, and comments that are meant as such."""

from __future__ import annotations

from tables import every_case

from evalcontract.source.cut_texts import cut_texts
from evalcontract.source.yaml import parse_yaml


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
