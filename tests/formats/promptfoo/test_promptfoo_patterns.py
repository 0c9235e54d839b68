"""Patterns of JavaScript in Python: what is translated finds the same, as node and Python say."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from needs import NODE, missing
from tables import every_case

from evalcontract.analysis.dialects import pattern_fault
from evalcontract.formats._conversion import escaped, text_matched_by
from evalcontract.formats.promptfoo.rubrics import javascript_of, python_of

TRANSLATED = {
    r"\d{4}-\d\d": "[0-9]{4}-[0-9][0-9]", r"^a.*z$": r"^a.*z\Z", r"[\d.]+": "[0-9.]+",
    r"\bfoo\b": r"(?a:\b)foo(?a:\b)", r"(?=a)b": "(?=a)b", "[[a]": r"[\[a]",
    r"[\w-]+@x": "[A-Za-z0-9_-]+@x", r"\$5": r"\$5", "[$]": "[$]", "a||b": "a||b",
    r"[^\d]": "[^0-9]", r"\/x\"": r"\/x\"", "a--b": "a--b", r"x\u00e9": r"x\u00e9",
    "(?<year>[0-9]+)": "(?P<year>[0-9]+)", r"^\W$": r"^[^A-Za-z0-9_]\Z", "]": "]",
    "(?<!a)b": "(?<!a)b",
}  # fmt: skip
REFUSED = (
    "[]a]", "[^]a]", "a++", "a{,3}", r"\p{L}", "(?i)a", r"\1", "a[", "(", "[a-", r"\k<a>", r"\cA",
    r"\u{61}", r"[\D]", r"[\b]", "[a&&b]", "[a--b]", r"[\w-z]", r"[+-\d]", r"\A", r"\Z", r"\0",
    "(?>a)",
    "(?<=a*)b", "\\",
)  # fmt: skip
TEXTS = (
    "", "a", "b", "az", "a\nz", "abz\n", "2024-11", "\u0662\u0660-\u0661", "1.5", "foo",
    "a foo b", "éfooé", "foo_", "[", "]",
    "x-y@x", "$5", "$", '/x"', "a--b", "xé", "é", "_", " ", "ab", "||", "aab", "-", "9", "a|b",
)  # fmt: skip
PARTS = [
    *("a", "b", "(", ")", "[", "]", "*", "+", "?", "{2}", "{2,1}", "{", "}", "|", "^", "$", r"\d"),
    *(
        r"\b",
        "(?:",
        "(?=",
        "(?<=",
        "(?<!",
        "(?<n>",
        "(?<1>",
        "(?i)",
        "(?P<n>",
        "(?>",
        "-",
        "\\",
        ".",
    ),
]
COMPILED = """
const fails = (each) => { try { new RegExp(each); return false } catch { return true } };
const patterns = JSON.parse(require("fs").readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(patterns.map(fails)));
"""
ASKED = """
const [patterns, texts] = JSON.parse(require("fs").readFileSync(0, "utf8"));
const found = patterns.map((each) => texts.map((text) => new RegExp(each).test(text)));
process.stdout.write(JSON.stringify(found));
"""


@every_case("pattern", TRANSLATED)
def test_what_is_translated(pattern: str) -> None:
    assert python_of(pattern) == TRANSLATED[pattern]


@every_case("pattern", REFUSED)
def test_what_is_not_translated(pattern: str) -> None:
    assert python_of(pattern) is None


def node_on(script: str, given: Any) -> Any:
    node = shutil.which("node")
    if node is None:
        missing(NODE)
    done = subprocess.run(
        [node, "-e", script], input=json.dumps(given), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.mark.slow
def test_both_find_the_same() -> None:
    ours = [[bool(re.search(each, text)) for text in TEXTS] for each in TRANSLATED.values()]
    assert node_on(ASKED, [[*TRANSLATED], TEXTS]) == ours


@pytest.mark.slow
def test_a_pattern_with_a_fault_does_not_compile() -> None:
    random = Random(3)  # noqa: S311 - no secret
    patterns = ["".join(random.choices(PARTS, k=random.randint(1, 6))) for _ in range(5_000)]
    patterns = [each for each in patterns if each.count("(?<n>") < 2]
    fails = node_on(COMPILED, patterns)
    ours = [pattern_fault(each) is not None for each in patterns]
    assert [each for each in zip(patterns, fails, ours, strict=True) if each[1] != each[2]] == []


@given(st.text(alphabet=r"ab0\dwbs.$^[](){}?*+-|,<>:=!/é", max_size=8))
def test_a_pattern_that_comes_back_is_the_same_in_both(pattern: str) -> None:
    translated = python_of(pattern)
    if translated is not None:
        re.compile(translated)
        back = javascript_of(translated)
        assert back is None or python_of(back) == translated


@given(st.text(max_size=8))
def test_a_text_is_its_own_pattern(text: str) -> None:
    assert text_matched_by(escaped(text)) == text
    assert re.fullmatch(escaped(text), text)
