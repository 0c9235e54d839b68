"""What JavaScript does not compile; a real engine decides in the tests of Agent Skills."""

from __future__ import annotations

from tables import every_case

from evalcontract.analysis.dialects import pattern_fault

FAULTS: list[tuple[str, str, str | None]] = [
    ("(", "", "a `(` has no `)`"),
    ("a)", "", "a `)` has no `(`"),
    ("[a", "", "a class has no `]`"),
    ("(?i)a", "", "`(?` begins no group of JavaScript"),
    ("(?P<n>a)", "", "`(?` begins no group of JavaScript"),
    ("a\\", "", "it ends with a backslash"),
    ("*a", "", "`*` has nothing to repeat"),
    ("a++", "", "`+` has nothing to repeat"),
    ("a{10,9}", "", "`{10,9}` is out of order"),
    ("[z-a]", "", "`[z-a]` is out of order"),
    ("a", "ii", "`ii` are no flags of JavaScript"),
    ("a", "x", "`x` are no flags of JavaScript"),
    *(
        (pattern, "gi", None)
        for pattern in ("(?<n>a)", "(?=a)*", "{", "]", "a{2,", "[^]", "(?i:a)")
    ),
]


@every_case(("pattern", "flags", "fault"), FAULTS)
def test_what_does_not_compile(pattern: str, flags: str, fault: str | None) -> None:
    assert pattern_fault(pattern, flags) == fault
