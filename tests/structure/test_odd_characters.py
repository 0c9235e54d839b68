"""Ids, versions and references with a character that looks like another one."""

from __future__ import annotations

from typing import Any

from tables import every_case

from evalcontract.structure.schemas import load
from evalcontract.structure.validator import SchemaValidator

RUBRIC: dict[str, Any] = {
    "id": "a",
    "version": "1.0.0",
    "checks": [{"id": "b", "kind": "regex", "pattern": "c"}],
    "scoring": {"combine": "all_pass"},
}
CYRILLIC_O = "\u043e"


@every_case(
    ("key", "value", "named"),
    [
        ("id", f"t{CYRILLIC_O}ne", "CYRILLIC SMALL LETTER O"),
        ("id", "\uff54one", "FULLWIDTH LATIN SMALL LETTER T"),
        ("id", "a\ue000", "U+E000"),
        ("version", "\u201c1.0.0\u201d", "\u201c"),
        ("version", "1\u20240.0", "ONE DOT LEADER"),
    ],
)
def test_the_character_is_named(key: str, value: str, named: str) -> None:
    (problem,) = SchemaValidator("rubric", load("rubric")).check({**RUBRIC, key: value})
    assert problem.code == "rubric/malformed-value"
    assert named in problem.message


def test_an_ordinary_fault_names_no_character() -> None:
    (problem,) = SchemaValidator("rubric", load("rubric")).check({**RUBRIC, "id": "Tone"})
    assert "character" not in problem.message
