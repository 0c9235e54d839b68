"""How large a pattern is once it is compiled, as estimated, and the limit for all of a run."""

from __future__ import annotations

import pytest
from tables import every_case

from evalcontract.structure import schema_faults as sizes
from evalcontract.structure.authored import SchemaAnalyses
from evalcontract.structure.schema_faults import pattern_size


@every_case(
    ("pattern", "size"),
    [
        ("", 0),
        ("abc", 3),
        ("^a|b$", 2),
        ("a{3}", 3),
        ("a{2,5}b", 6),
        ("a{4,}", 4),
        ("a{0,0}", 1),
        ("[a-z_]{10}", 10),
        (r"[^a]{10}", 100),
        (r"[\]a]{10}", 10),
        (".{10}", 100),
        (r"\.{10}", 10),
        (r"\d\S", 11),
        (r"\p{L}{3}", 1500),
        (r"[\p{Lu}_]", 500),
        ("[à-ü]{2}", 8),
        ("(ab){3}", 9),
        ("(?:a{10}){10}", 110),
        ("(?<name>ab)c", 4),
        ("(?<!ab)(?=c)", 5),
        ("x{,3}", 5),
        ("xy(ab){3}z", 12),
        ("xy((ab)c){2}", 12),
        ("(xy(ab)){3}", 18),
        ("aXb", 3),
        *((rf"[{kind}]", 10) for kind in (r"\W", r"\D", r"\S", r"\s", "^a")),
        *((kind, 10) for kind in (r"\W", r"\D", r"\S", r"\s")),
        *((text, 1) for text in (r"\w", r"\d", r"\X", r"[\w]", r"[\d]", "[aX]")),
        (r"\p{L}\P{L}\pL", 1002),
        ("(a", 1),
        ("xy(a", 3),
        ("xy(a(b", 4),
        ("a)b", 3),
        ("[a", 1),
    ],
    ids=str,
)
def test_size(pattern: str, size: int) -> None:
    assert pattern_size(pattern) == size


def test_nested_repetitions_multiply() -> None:
    assert pattern_size("(?:x[a-z]{0,100}){0,100}") > 10_000


def test_the_patterns_of_all_schemas_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizes, "MAX_STATES", 250)
    analyses = SchemaAnalyses()
    first = {"properties": {"a": {"pattern": "[a-z]{100}"}}}
    second = {"properties": {"a": {"pattern": "b{100}"}, "c": {"pattern": "d{100}"}}}
    assert analyses.faults(first) == ()
    (fault,) = analyses.faults(second)
    assert fault.path == ("properties", "c", "pattern")
    assert "250" in fault.message
    assert analyses.faults(first) == (), "what has been analysed stays"


@pytest.mark.slow
def test_ordinary_patterns_of_many_schemas_are_far_below_it() -> None:
    analyses = SchemaAnalyses()
    for number in range(2000):
        pattern = f"^[a-z][a-z0-9_-]{{0,63}}/{number}@[0-9]+\\.[0-9]+$"
        assert analyses.faults({"properties": {"a": {"pattern": pattern}}}) == ()
