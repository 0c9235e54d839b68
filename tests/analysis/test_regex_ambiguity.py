"""Patterns that backtrack exponentially are found, with a text that proves it; others are not."""

from __future__ import annotations

import re

import pytest
from examples import a_few, some
from matching_time import attack_on, hangs
from tables import every_case

from evalcontract.analysis.ambiguity import find_attack
from evalcontract.analysis.pattern import read_pattern
from evalcontract.analysis.program import StepsExceededError, count_steps, program_of

#: Patterns, and whether they are to match the whole text.
SLOW = [
    (r"(a+)+$", False),
    (r"^(a+)+$", False),
    (r"(a*)*b", False),
    (r"(a|aa)+$", False),
    (r"(a|a?)+$", False),
    (r"^(([a-z])+.)+[A-Z]([a-z])+$", False),
    (r"^(\w+\s?)*$", False),
    (r"(x+x+)+y", False),
    (r"([a-zA-Z]+)*\d", False),
    (r"^(?:[a-z]+,?)+;", False),
    (r"(?:x(?:a?|b?))*$", False),
    (r"(?:a*b*)*c", False),
    (r"(a+)+", True),
    (r"(?:.*\n?)*END", False),
    (r"(?:[a-z]{1,3})*$", False),
    (r"(a{1,40}){1,40}$", False),
    (r"^(?:[a-z0-9]{1,20}[-_ .]?){1,200}$", False),
    (r"(\s*\S+\s*)*:$", False),
    (r"(\d+(,\d*)?)+%$", False),
    (r"(?:(?:ab|a)b?)*!", False),
    (r"([^\n]*\n*)*```$", False),
    (r"^(?:\s*-\s*.*\s*)+$\Z(?<!-)\d", False),
    (r"\A(?:\s*\w+\s*[:=]\s*[^\n]+\n)+\Z", False),
    (r"(?s)```(?:php|python)\n(?:.*\n)+?```", False),
]

#: Patterns as people write them in rubrics.
ORDINARY = [
    r"[\w.+-]+@[\w-]+\.[\w.-]+",
    r"^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}$",
    r"\b\d{4}-\d{2}-\d{2}\b",
    r"\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?\b",
    r"\d{1,2}[./]\d{1,2}[./](?:\d{2}){1,2}",
    r"https?://[^\s)>\]]+",
    r"https?://(?:www\.)?[-\w@:%.+~#=]{1,256}\.[a-z]{2,6}\b[-\w@:%+.~#?&/=]*",
    r"\[[^\]]+\]\([^)\s]+\)",
    r"!\[[^\]]*\]\([^)]*\)",
    r"```[a-z]*\n[\s\S]*?\n```",
    r"```(?:php|python)\n(?:[^\n]*\n)+?```",
    r"^#{1,3} .+$",
    r"^(?:[-*+]|\d+\.) .+(?:\n(?:[-*+]|\d+\.) .+)*$",
    r"^\s*[-*] ",
    r"^\|(?:[^|\n]+\|)+$",
    r"(?:\d{1,3}\.){3}\d{1,3}",
    r"^(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}$",
    r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}",
    r"\$\d+(?:,\d{3})*(?:\.\d{2})?",
    r"[0-9]+ (days|weeks)",
    r"(?i)\b(?:sorry|apolog(?:y|ies|ise|ize))\b",
    r"(?i)as an ai(?: language)? model",
    r"\bfunction\s+\w+\s*\([^)]*\)\s*\{",
    r"^<\?php\b",
    r"namespace\s+[\w\\]+;",
    r"use\s+(?:\w+\\)*\w+(?:\s+as\s+\w+)?;",
    r"(?:[A-Z][a-z]+\s)*[A-Z][a-z]+",
    r"^(?:[^\"\\]|\\.)*$",
    r"\"(?:[^\"\\]|\\.)*\"",
    r"'(?:[^'\\\n]|\\.)*'",
    r"<(\w+)[^>]*>[\s\S]*?</\1>",
    r"</?[a-z][a-z0-9]*(?:\s+[a-z-]+(?:=\"[^\"]*\")?)*\s*/?>",
    r"^\s*\{[\s\S]*\}\s*$",
    r"^(?=.*[A-Z])(?=.*\d)[A-Za-z\d]{8,}$",
    r"(?:yes|no)[.!]?$",
    r"^\S+(?:\s+\S+){0,99}$",
    r"(?:^|\n)## Summary\n",
    r"SELECT\s+.+?\s+FROM\s+\w+(?:\s+WHERE\s+.+)?;",
    r"^\s*(?:import|from)\s+\w+(?:\.\w+)*",
    r"v?\d+\.\d+\.\d+(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z.-]+)?",
    r"\+?\d{1,3}[ -]?(?:\(\d+\)[ -]?)?\d+(?:[ -]\d+)*",
    r"#\d{3,}|ORD-\d+",
    r"(?s)<answer>.*</answer>",
    r"^(?:(?!TODO)[\s\S])*$",
    r"(?:\S+ ){2,}\S+",
    r"[^.!?]+[.!?](?: [^.!?]+[.!?])*",
    r"\A(?:\w+[:=][^\n]+\n)+\Z",
    r"(?>a+)+$",
    r"(?:a++)+$",
    r"(a+)+",
]

#: Ambiguous without bound; but whatever stands there, they match, and never have to go back.
HARMLESS = [
    (r"(a*)*", False),
    (r"(\w+\s?)*", False),
    (r"(a|aa)+", False),
    (r"(?:.|\s)*", True),
    (r"(?:a|[\s\S])*?", True),
]


@pytest.mark.slow
@every_case(("pattern", "full"), a_few(SLOW))
def test_a_slow_pattern_is_found(pattern: str, full: bool) -> None:  # noqa: FBT001
    assert attack_on(pattern, full=full) is not None


@pytest.mark.no_cover
@pytest.mark.slow
@pytest.mark.parametrize(("pattern", "full"), some(SLOW, times=4))
def test_python_itself_is_slow_on_the_attack(pattern: str, full: bool) -> None:  # noqa: FBT001
    """In Python's own matcher, some rounds more are a hundred times the work."""
    attack = attack_on(pattern, full=full)
    assert attack is not None
    compiled = re.compile(pattern)
    match = compiled.fullmatch if full else compiled.match
    assert match(attack.text(3)) is None
    assert hangs(match, attack.text(60))


@pytest.mark.slow
@every_case("pattern", a_few(ORDINARY, 15))
@every_case("flags", ["", "im", "s"])
def test_an_ordinary_pattern_gives_no_alarm(pattern: str, flags: str) -> None:
    assert find_attack(pattern, flags, full=False) is None


@pytest.mark.parametrize(("pattern", "full"), HARMLESS)
def test_what_always_matches_gives_no_alarm(pattern: str, full: bool) -> None:  # noqa: FBT001
    assert find_attack(pattern, (), full=full) is None


TEXTS = ["", "a", "aaa", "ab", "ba\n", "abc abc", "a\nb\n", "Aa0!", "x" * 7, "```a\nb\n```", "\n"]


@every_case("pattern", [*ORDINARY, *(pattern for pattern, _ in SLOW + HARMLESS)])
def test_the_counting_matcher_gives_the_verdict_of_python(pattern: str) -> None:
    read = read_pattern(pattern)
    assert read is not None
    program = program_of(read.root)
    for text in TEXTS:
        for full in (False, True):
            matched = count_steps(program, text, full=full, limit=100_000).matched
            python = re.fullmatch(pattern, text) if full else re.match(pattern, text)
            assert matched == (python is not None), (text, full)


def test_counting_stops() -> None:
    read = read_pattern(r"(a+)+$")
    assert read is not None
    with pytest.raises(StepsExceededError):
        count_steps(program_of(read.root), "a" * 60 + "!", full=False, limit=1000)


@pytest.mark.parametrize("pattern", [r"(a)?(?(1)b|c)", "(", r"(?:\w{1,20}){300}", "((((" * 3000])
def test_what_cannot_be_decided_gives_no_alarm(pattern: str) -> None:
    assert find_attack(pattern, (), full=False) is None
