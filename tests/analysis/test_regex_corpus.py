"""Patterns as they stand in evaluation sets give no alarm; the classical slow ones are found.

And whatever a pattern is, looking at it comes to an end.
"""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from examples import a_few, some
from matching_time import attack_on, hangs
from tables import every_case

from evalcontract.analysis.ambiguity import find_attack
from evalcontract.analysis.pattern import (
    Uncompilable,
    compile_pattern,
    matches_everything,
    read_pattern,
)

ORDINARY = [
    # addresses
    r"^[^@\s]+@[^@\s]+\.[^@\s]+$",
    r"^[a-z0-9]+(?:[._-][a-z0-9]+)*@[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,6}$",
    r"mailto:[^?\s]+(?:\?subject=\S+)?",
    r"^(?:https?|ftp)://[^\s/$.?#].[^\s]*$",
    r"^/(?:[\w-]+/)*[\w-]*$",
    r"(?:[\w-]+\.)+[a-z]{2,}",
    r"^[A-Z]:\\(?:[^\\/:*?\"<>|\r\n]+\\)*[^\\/:*?\"<>|\r\n]*$",
    # dates and times
    r"^(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.\d{4}$",
    r"\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \d{1,2}, \d{4}\b",
    r"^(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?: ?[ap]m)?$",
    r"P(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?:\d+H)?(?:\d+M)?(?:\d+S)?)?",
    r"\b\d+ (?:business )?days?\b",
    # prices and numbers
    r"(?:EUR|USD|GBP) ?\d{1,3}(?:[ .,]\d{3})*(?:[.,]\d{2})?",
    r"^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$",
    r"^[+-]?(?:\d+\.?\d*|\.\d+)$",
    r"\b\d+(?:\.\d+)? ?%",
    r"^(?:\d+[ \t]*[-+*/][ \t]*)*\d+$",
    r"^0x[0-9a-fA-F]+$",
    # ids
    r"\b[A-Z]{2,4}-\d{3,6}\b",
    r"^[a-z][a-z0-9_]*$",
    r"^[a-z0-9]+(?:-[a-z0-9]+)*$",
    r"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
    r"^\d{3}-\d{2}-\d{4}$",
    r"(?:\d[ -]*?){13,16}",
    r"^[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?$",
    r"^97[89][- ]?(?:\d[- ]?){9}[\dX]$",
    r"^#(?:[0-9a-f]{3}){1,2}$",
    # code and its fences
    r"^```(\w*)\n(.*?)^```$",
    r"(?ms)^```php\n(?P<code>.*?)^```\s*$",
    r"~~~[^\n]*\n(?:(?!~~~).*\n)*~~~",
    r"^(?:\t| {4})\S.*(?:\n(?:\t| {4}).*)*",
    r"`[^`\n]+`",
    r"\b(?:TODO|FIXME)\b(?:\([^)]*\))?:?",
    r"^\s*(?:public|protected|private)\s+(?:static\s+)?function\s+(\w+)\s*\(",
    r"\$(?:this->)?\w+(?:->\w+)*",
    r"(?:\\\w+)+::class",
    r"def \w+\((?:\w+(?:: ?\w+)?(?:, ?\w+(?:: ?\w+)?)*)?\):",
    r"/\*(?:[^*]|\*(?!/))*\*/",
    r"/\*[^*]*\*+(?:[^/*][^*]*\*+)*/",
    r"//[^\n]*$",
    r"\"(?:\\.|[^\"\\\n])*\"",
    r"import \{(?:\s*\w+\s*,)*\s*\w+\s*\} from",
    # Markdown, JSON, HTML
    r"(?m)^#{2,6}\s+(?:Answer|Summary)\s*$",
    r"(?m)^(?:\d+\.|[-*]) +\S.*(?:\n {2,}\S.*)*$",
    r"(?m)^\|(?:[^|\n]*\|)+\n\|(?: ?:?-+:? ?\|)+$",
    r"\*\*[^*\n]+\*\*",
    r"\[\d+\](?:\[\d+\])*",
    r"^\{\s*\"verdict\"\s*:\s*\"(?:PASS|FAIL)\"\s*(?:,[^}]*)?\}$",
    r"\"score\"\s*:\s*(?:0(?:\.\d+)?|1(?:\.0+)?)",
    r"^\[(?:\s*\"[^\"]*\"\s*,)*\s*\"[^\"]*\"\s*\]$",
    r"<a\s[^>]*href=[\"'][^\"']*[\"'][^>]*>",
    r"<!--[\s\S]*?-->",
    # prose
    r"(?i)\bi(?:'m| am) (?:not able|unable) to\b",
    r"(?i)^(?:yes|no)\b[.,!]?(?:\s.*)?$",
    r"^(?:\S+\s+){0,49}\S+$",
    r"(?:^|\s)(?:PASS|FAIL)(?:\s|$)",
    r"^[A-Z][^.!?]*(?:[.!?](?!['\"]?\s|$)[^.!?]*)*[.!?]['\"]?(?=\s|$)",
    r"^(?:Q: .+\nA: .+\n)+$",
    r"^(?!.*\b(?:sorry|apologi[sz]e)\b).*$",
    r"^(?=(?:.*\d){2})(?=.*[a-z]).{8,64}$",
    r"[\u4e00-\u9fff]+[。!?]",
    r"(?i:straße|strasse)\s+\d+[a-z]?",
    r"(?a:\w+)\s(?u:\w+)",
    r"(\w+)\s+\1\b",
    r"^(?>[a-z]+-?)+$",
    r"^(?:[a-z]++-?)++$",
    r"(?x) ^ (\d+) \s* (kg|g|lb)  # a weight",
]

#: Patterns, and flags.
SLOW = [
    (r"^(a+)+$", ""),
    (r"^(a|a)*$", ""),
    (r"^(a|aa)+$", ""),
    (r"^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}[a-z]{2,3}$", ""),
    (r"^([0-9a-zA-Z]([-.\w]*[0-9a-zA-Z])*@(([0-9a-zA-Z])+([-\w]*[0-9a-zA-Z])*\.)+[a-zA-Z]{2,9})$",
     ""),
    (r"^(([a-z])+.)+[A-Z]([a-z])+$", ""),
    (r"^\s*(\w+\s*)+;$", ""),
    (r"^(\d+|\w+)*$", ""),
    (r"^(?:\d+\.?)+$", ""),
    (r"^(\w+\.?\w*)+@", ""),
    (r"^(([^,]*),?)+$!", ""),
    (r"^(?:[^\"]+|\"[^\"]*\")*$x", ""),
    (r"^(\"(?:\\?[^\"])*\"|[^\"\s]+\s*)+$", ""),
    (r"<(?:\s*\w+\s*=?\s*\"?[^\"]*\"?\s*)*/>", ""),
    (r"^(?:(?:\r\n|\n|\r)|.|\s)*x$", ""),
    (r"```(?:[^`]*\n*)*```", ""),
    (r"^#+(?:\s*[\w -]+\s*)+:$", ""),
    (r"^\|(?:\s*[^|]*\s*\|?)+$!", ""),
    (r"^(?:\w+[ ,]*)+\.$", ""),
    (r"^([01]+[0-9a-f]*)+h$", ""),
    (r"^((ab)*)+$", ""),
    (r"(?=(x+x+)+y)x", ""),
    (r"^(?!(?:\w+\s?)+$)\w", ""),
    (r"^(?:(?=\w)[a-z]+[A-Za-z]*)+$", ""),
    (r"^(?:A+|a+)+$", "i"),
    (r"^(?:.|\n)+?(?:.|\n)+?x$|^(?:.|\s)*y$", "s"),
    (r"^(?: \w+ \s? )+ $ # words", "x"),
    (r"^(a)(?:\1|a)+$", ""),
    (r"def \w+\((?:\w+(?:: ?\w+)?(?:, ?)?)*\):", ""),
    (r"^(?:Q: .+\nA: .+\n?)+$", ""),  # an answer may be `aQ: Q: a`
    (r"~~~[^\n]*\n(?:(?!~~~).*\n)*~~~", "s"),
    (r"^(?:(?>ab)|a|b)+$", ""),
    (r"^(?:(?a:\w)|[a-z])+$", ""),
]  # fmt: skip


@pytest.mark.costly
@pytest.mark.no_cover
@every_case("pattern", a_few(ORDINARY, 20))
@every_case("flags", ["", "i", "m"])
def test_an_ordinary_pattern_gives_no_alarm(pattern: str, flags: str) -> None:
    assert isinstance(compile_pattern(pattern, flags), re.Pattern)
    assert read_pattern(pattern, flags) is not None
    for full in (False, True):
        assert find_attack(pattern, flags, full=full) is None


@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.parametrize(("pattern", "flags"), SLOW)
def test_a_classical_one_is_found(pattern: str, flags: str) -> None:
    assert attack_on(pattern, flags) is not None


@pytest.mark.no_cover
@pytest.mark.slow
@pytest.mark.parametrize(("pattern", "flags"), some(SLOW, times=4))
def test_python_hangs_on_what_is_told(pattern: str, flags: str) -> None:
    attack = attack_on(pattern, flags)
    assert attack is not None
    compiled = compile_pattern(pattern, flags)
    assert isinstance(compiled, re.Pattern)
    assert hangs(compiled.match, attack.text(60))


#: Patterns that Python refuses, and what is said of them.
REFUSED = [
    ("(", "missing ), unterminated subpattern, at character 1"),
    ("(?a)(?u)x", "ASCII and UNICODE flags are incompatible"),
    ("(?L)x", "bad inline flags: cannot use 'L' flag with a str pattern, at character 4"),
    ("a{99999999999999999999}", "the repetition number is too large"),
    ("(" * 5000 + ")" * 5000, "it is nested too deeply for Python"),
    ("(?P<a>b)(?P<a>c)", "redefinition of group name 'a'"),
    ("[b-a]", "bad character range b-a"),
]


@every_case(("pattern", "said"), REFUSED)
def test_what_python_refuses_raises_nothing(pattern: str, said: str) -> None:
    found = compile_pattern(pattern)
    assert isinstance(found, Uncompilable)
    assert said in str(found)
    assert read_pattern(pattern) is None
    assert find_attack(pattern, (), full=False) is None
    assert not matches_everything(pattern, (), full=False)


def test_flags_decide_what_compiles() -> None:
    assert isinstance(compile_pattern("a  # (one"), Uncompilable)
    assert isinstance(compile_pattern("a  # (one", ["x"]), re.Pattern)


#: What would keep a reader busy for ever that writes out all that is written.
ENDLESS = [
    "(?:){4000000000}(a+)+$",
    "(?:" * 9 + ")" + "{24})" * 8 + "{24}",
    "(?:" * 9 + ")" + "{0,24})" * 8 + "{0,24}",
    "(?:(?:(?:a{1000}){1000}){1000}){1000}",
    "a" * 300_000,
    "()" * 1900 + "(a+)+$",
    "(" * 90 + "|".join(map(chr, range(0x4E00, 0x4E00 + 280))) + ")+" * 90,
    "(?:a*a*a*a*a*a*a*a*)*b",
    "(?:a|b?c?d?e?f?g?h?)*" * 9 + "(?:x+x+)*y",
    "[" + "".join(map(chr, range(0x4E00, 0x9000))) + "]+",
    "(?=" * 60 + "(a+)+$" + ")" * 60,
]


@pytest.mark.slow
@pytest.mark.thorough
def test_every_look_comes_to_an_end() -> None:
    program = f"""
from evalcontract.analysis.ambiguity import find_attack
from evalcontract.analysis.dialects import matches_everything
for pattern in {ENDLESS!r}:
    for full in (False, True):
        find_attack(pattern, (), full=full)
        matches_everything(pattern, (), full=full)
"""
    subprocess.run([sys.executable, "-"], input=program, text=True, timeout=300, check=True)
