"""Patterns of other languages and notations: what is said of them, and what is left alone."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING

import pytest
from doors import Options, check_workspaces
from tables import every_case

from evalcontract.analysis.dialects import advice_on, misreadings
from evalcontract.analysis.pattern import Uncompilable, compile_pattern

if TYPE_CHECKING:
    from pathlib import Path

#: A pattern, and what is to be written instead.
MISREAD = [
    ("\b30 days\b", "in YAML write the pattern in single quotes"),
    ("[a-z]\b", "single quotes"),
    ("/sorry/i", "write `sorry` alone, and `flags: [i]`"),
    ("/^yes$/", "write `^yes$` alone"),
    (r"/^\d+ days/gi", r"write `^\d+ days` alone, and `flags: [i]`"),
    (r"/https?:\/\/[a-z]+/i", r"write `https?://[a-z]+` alone, and `flags: [i]`"),
    (r"/\bsorry\b/", r"write `\bsorry\b` alone"),
    ("/I am sorry/", "write `I am sorry` alone"),
    (r"/(yes|no)\.?$/ims", r"and `flags: [i, m, s]`"),
    ("#^yes$#i", "write `^yes$` alone"),
    ("~(yes|no)~i", "write `(yes|no)` alone"),
    ("[[:alpha:]]+", "write `a-zA-Z` inside of the brackets"),
    ("[^[:space:]]", r"write `\s`"),
    ("[:digit:]+", "write `0-9`"),
    (r"\d{2, 4} days", "write `{2,4}`"),
    ("a{ 3}", "write `{3}`"),
    ("(?:ab){2 ,}", "write `{2,}`"),
    ("^yes|no$", "^(?:…|…)$"),
    ("^yes|not sure|no$", "^(?:…|…)$"),
]

FINE = [
    r"\b30 days\b",
    "[\b]",  # what `[\b]` is to Python too
    "[\x00-\x08\x0b\x0c\x0e-\x1f]",
    r"[\]\[" + "\b]",
    "a\fb\vc\td",
    "/usr/bin",
    "/usr/bin/",
    "/var/img",
    "/api/v[0-9]+/items/",
    r"/\d+/",
    r"/\d+/img",
    "/[a-z]+/m",
    "//",
    "/ /",
    "/",
    "and/or/i",
    "# Summary #",
    "#[0-9a-f]{6}",
    "~~~",
    "!important!",
    "[:]",
    "[a:b:]",
    r"\[:alpha:\]",
    "(",
    "a{2,4}",
    "one of {2, 4}",
    r"x\{2, 4\}",
    "[a{2, 4}]",
    "a{ }",
    r"^\s+|\s+$",
    "^(?:yes|no)$",
    "^yes$|^no$",
    "^yes|no",
    "^yes$",
]


@every_case(("pattern", "advice"), MISREAD)
def test_misread(pattern: str, advice: str) -> None:
    (found,) = misreadings(pattern)
    assert advice in found.help


def test_anchors_of_alternatives_that_match_the_whole_output() -> None:
    assert list(misreadings("^yes|no$", full=True)) == []


@every_case("pattern", FINE)
def test_fine(pattern: str) -> None:
    assert list(misreadings(pattern)) == []


#: A pattern that Python refuses, and a word of what to write instead.
REFUSED = [
    ("a(?i)b", "at the start, as `(?i)`"),
    ("^(?i)x", "`flags`"),
    ("(?-i)a", "at the start"),
    ("(?U)a", "at the start"),
    ("(?^i:a)", "as `(?i:…)`"),
    ("(?<n>a)", "`(?P<name>…)`"),
    ("(?'n'a)", "`(?P<name>…)`"),
    ("(?R)", "no recursion"),
    ("(?|a|b)", "no branch reset"),
    (r"\p{L}+", r"no `\p`"),
    (r"[\p{L}]", r"no `\p`"),
    (r"\h+", r"`[ \t]`"),
    (r"\R", r"(?:\r\n|\n|\r)"),
    (r"a\Kb", "look-behind"),
    (r"\Qa\E", "escape each character"),
    (r"(?P<n>a)\k<n>", "`(?P=name)`"),
    (r"\x{20ac}", r"`\u20ac`"),
    (r"\u12", "four hexadecimal digits"),
    ("*.md", "not a glob"),
    ("a**", "escape"),
    ("(?<=a+)b", "one length"),
    ("(a", "close it"),
    ("[a", "close it"),
    ("a)", "remove it"),
    ("(?a)(?u)x", "keep one"),
]


@every_case(("pattern", "said"), REFUSED)
def test_advice(pattern: str, said: str) -> None:
    fault = compile_pattern(pattern)
    assert isinstance(fault, Uncompilable)
    assert said in (advice_on(pattern, fault) or "")


@pytest.mark.slow
@every_case("unit", ["/", "\\", "[", "[:", "(?", "[[:alpha:]]", "\b", "/^\\\\$/"])
def test_any_text_is_looked_at(unit: str) -> None:
    for pattern in (unit, unit * 3000, "/" + unit * 3000 + "/i"):
        fault = compile_pattern(pattern)
        if isinstance(fault, Uncompilable):
            advice_on(pattern, fault)
        list(misreadings(pattern))


HEAD = 'id: a\nversion: "1.0.0"\nscoring: {combine: all_pass}\nchecks:\n'


def checked(folder: Path, pattern: str, more: str = "") -> list[tuple[str, str]]:
    (folder / "rubrics").mkdir()
    text = f"{HEAD}  - {{id: b, kind: regex, pattern: {pattern}{more}}}\n"
    (folder / "rubrics" / "a.yaml").write_text(text, encoding="utf-8")
    options = Options(root=folder, strict=True, today=date(2026, 6, 1))
    found = check_workspaces(folder, options).diagnostics
    return [(each.code, f"{each.message}\n{each.help}") for each in found]


@pytest.mark.parametrize(
    ("pattern", "code"),
    [
        (r'"\b30 days\b"', "rubric/misread-regex"),
        ("/^yes/i", "rubric/misread-regex"),
        ("'(?a)(?u)x'", "rubric/invalid-regex"),
        ("'a{99999999999999999999}'", "rubric/invalid-regex"),
        (json.dumps("(" * 3000 + ")" * 3000), "rubric/invalid-regex"),
    ],
)
def test_one_finding(pattern: str, code: str, tmp_path: Path) -> None:

    found = checked(tmp_path, pattern)
    assert [each for each, _ in found] == [code]


def test_a_pattern_is_compiled_with_its_flags(tmp_path: Path) -> None:
    assert checked(tmp_path, "'a  # (one'", ", flags: [x]") == []
