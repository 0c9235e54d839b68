"""The facts of a message are what it names, whatever the words around it are."""

from __future__ import annotations

from tables import every_case
from texts import facts, told


@every_case(
    ("message", "found"),
    [
        ("did you mean `expected_facts`?", ["expected_facts"]),
        ("`kind` cannot be `a b`; one of `c` … and 1,995 more.", ["kind", "a b", "c", "1,995"]),
        ("from 0.70 to 0.97, and 12.", ["0.70", "0.97", "12"]),
        ("utf8 and v1 are no numbers", []),
        ("", []),
        (None, []),
    ],
)
def test_facts(message: str | None, found: list[str]) -> None:
    assert facts(message) == found


def test_told() -> None:
    assert told([("a", "b", None), ("c", "d", "e")]) == "a: b\nc: d\n  help: e\n"
