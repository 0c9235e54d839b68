"""Slips of the hand in YAML: each is told in the line where it was made, with what to type."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case

from evalcontract.source import UnreadableFile, read_stream

if TYPE_CHECKING:
    from evalcontract.source.faults import SourceProblem

GOOD = """\
questions:
  - id: period
    input: How long can I return a jacket?
    criteria: Names the period
    facts:
      - thirty days
    tags: [returns]

  - id: order
    input: Where is my order 4711?
    facts: [it left on Monday]
    tags: [orders]
"""
CRITERIA = "    criteria: Names the period\n"


def faults(text: str) -> list[SourceProblem]:
    found = read_stream(io.BytesIO(text.encode()), "data.yaml")
    return list(found.faults) if isinstance(found, UnreadableFile) else []


def value(text: str) -> tuple[str, str]:
    return CRITERIA, f"    criteria: {text}\n"


# What was typed instead of what; line:column; a part of the message; a part of the help.
SLIPS: dict[str, tuple[tuple[str, str], str, str, str]] = {
    "a tab": ((CRITERIA, "\tcriteria: x\n"), "4:1", "a tab cannot indent", "spaces"),
    "pasted code behind a tab": (
        value("|\n\tdef f():\n\t\treturn 1"), "5:1", "a tab cannot indent",
        "tabs may follow",
    ),
    "pasted code that begins with a tab": (
        value("|\n      \tdef f():\n      \t\treturn 1"), "5:7", "begins with a tab",
        "write `|2` instead of `|` on line 4",
    ),
    "pasted code with a tab, folded and stripped": (
        value(">-\n        \ta\n      b"), "5:9", "begins with a tab",
        "write `>2-` instead of `>-`",
    ),
    "a tab for an empty line of a block": (
        value("|\n      a\n\t\n      b"), "6:1", "a tab in an empty line", "remove the tab",
    ),
    "a tab for an empty line": (("\n\n", "\n\t\n"), "8:1", "a tab in an empty line", "remove"),
    "a tab before a comment": (("\n\n", "\n\t# x\n"), "8:1", "a tab before a comment", "spaces"),
    "a tab behind a dash": (("- id: order", "-\tid: order"), "9:4", "a tab after `-`", "a space"),
    "an empty line with too many spaces": (
        value("|\n         \n      Names"), "6:7", "an empty line above has more spaces",
        "remove the",
    ),
    "half of an emoji": (value('"\\ud83d"'), "4:16", "lone surrogate", "itself"),
    "an escape of no character": (value('"\\U00110000"'), "4:16", "no character with", "itself"),
    "a dash in brackets": (("[returns]", "[- returns]"), "7:12", "a `-` inside", "with `, `"),
    "a colon in brackets": (("[returns]", "[:returns]"), "7:12", "a `:` inside", "quote the"),
    "a tight colon in brackets": (("[returns]", "[a:]"), "7:13", "after the `:`", "a space"),
    "no comma in braces": (
        value("{a: 1,\n      b: 2\n      c: 3}"), "5:11", "a `,` is missing", "after the value",
    ),
    "a colon below its key": (
        value("{a\n      : b}"), "5:7", "where its key begins", "on one line",
    ),
    "no space before a comment": (
        ("tags: [returns]", "tags: [returns]#x"), "7:20", "a space", "` #`",
    ),
    "an odd space": ((CRITERIA, "\u00a0\u00a0criteria: x\n"), "4:1", "U+00A0", "write spaces"),
    "no space behind the colon": (
        (CRITERIA, "    criteria:Names it\n"), "4:5", "after `criteria:`",
        "write `criteria: Names it`",
    ),
    "no space at the end of a row": (
        ("tags: [returns]", "tags:[returns]"), "7:5", "after `tags:`", "write `tags: [returns]`",
    ),
    "no space behind the first colon of a row": (
        ("  - id: order", "  - id:order"), "9:5", "after `id:`", "write `id: order`",
    ),
    "and a comment there": (
        ("  - id: order", "  - id:order  # the second"), "9:5", "after `id:`", "`id: order`",
    ),
    "a key above its block, too far right": (
        ("questions:\n", "a:\n    b: c\n  d:\n  e: f\nquestions:\n"), "3:3",
        "inconsistent indentation", "column 1",
    ),
    "no space behind the dash": (
        ("  - id: order", "  -id: order"), "9:3", "after `-`", "write `- id: order`",
    ),
    "no colon": ((CRITERIA, "    criteria\n"), "4:5", "without its `:`", "write `key: value`"),
    "an equals sign": (
        (CRITERIA, "    criteria = Names it\n"), "4:5", "without its `:`", "`criteria: Names it`",
    ),
    "no colon above a list": (("questions:", "questions"), "1:1", "no `:`", "write `questions:`"),
    "an open quote": (value('"Names'), "4:15", "never closed", "close it"),
    "an open quote that a later one closes": (
        (f"{CRITERIA}    facts:\n      - thirty days\n",
         '    criteria: "Names\n    facts: [a]\n    x: "y"\n'),
        "4:15", "ends on line 6", "close it where the text ends",
    ),
    "an apostrophe in single quotes": (value("'It's it'"), "4:19", "closing '", "write ''"),
    "quotes in quotes": (value('"say "no""'), "4:21", 'closing "', 'write \\" for "'),
    "text behind a quote": (value('"Names" it'), "4:23", 'closing "', "quote the whole value"),
    "text behind a bracket": (value("[Names] it"), "4:23", "closing `]`", "quote the whole value"),
    "a bracket too many": (("[returns]", "[returns]]"), "7:20", "closing `]`", "remove what"),
    "an open bracket": (("[returns]", "[returns"), "7:11", "not closed", "close it with `]`"),
    "an open brace": (value("{a: b"), "4:15", "not closed", "close it with `}`"),
    "no comma": (("[returns]", '["a" "b"]'), "7:16", "a `,`", "separate the items"),
    "an at sign": (value("@user names"), "4:15", "`@` cannot begin", 'quote it: "@user names"'),
    "a backtick": (value("`names`"), "4:15", "a backtick cannot begin", 'quote it: "`names`"'),
    "a percent sign": (value('%d "days"'), "4:15", "`%` cannot", "quote it: '%d \"days\"'"),
    "a percent sign at the margin": (("questions:", "%x\nquestions:"), "1:3", "directive", "quote"),
    "two colons": (value("note: it"), "4:19", "inside an", 'quote the value: "note: it"'),
    "two colons in several lines": (
        (CRITERIA, "    criteria: Names\n      this one: it\n"), "5:15", "inside an", "lines: |",
    ),
    "curly quotes": (value("“Names: it”"), "4:21", "inside an", "`“` is not a quote in YAML"),
    "an unquoted template": (value("{{ input }} x"), "4:16", "`{{ … }}`", "quote it"),
    "a list in a list": (("  - id: period", "  - - id: period"), "2:3", "`- -`", "one `- `"),
    "a list behind its key": (value("- a"), "4:15", "on the line of its key", "next line"),
    "a key one column to the left": (
        (CRITERIA, "   criteria: x\n"), "4:4", "`criteria` at column 4",
        "move it to column 5, like `input`",
    ),
    "a key below the dash": (
        (CRITERIA, "  criteria: x\n"), "4:3", "`criteria` at column 3",
        "move it to column 5, like `input`",
    ),
    "a key at the margin": (
        (CRITERIA, "criteria: x\n"), "4:1", "`criteria` at column 1", "column 5",
    ),
    "a key to the right": (
        (CRITERIA, "      criteria: x\n"), "4:7", "`criteria` at column 7",
        "move it to column 5, like `input` above it",
    ),
    "a key among items": (
        ("    tags: [returns]", "      tags: [returns]"), "7:7", "`tags` at column 7",
        "column 5",
    ),
    "a dash to the left": (("  - id: order", " - id: order"), "9:2", "column 2", "to column 3"),
    "a dash to the right": (("  - id: order", "    - id: order"), "9:5", "column 5", "to column 3"),
    "a quoted text above a mapping": (
        (CRITERIA, '    expected: ""\n      format: json\n      length: 3\n'), "4:5",
        "`expected` has a value on its line", "one of",
    ),
    "a value above a list": (
        ("questions:", "questions: [a]"), "1:1", "`questions` has a value on its line", "one of",
    ),
    "an empty text above a list": (
        ("    facts:\n", '    facts: ""\n'), "5:5", "`facts` has a value on its line", "one of",
    ),
    "a value above a mapping": (
        (CRITERIA, "    expected: json\n      format: json\n      length: 3\n"), "4:5",
        "`expected` has a value on its line", "one of",
    ),
    "an item to the left": (
        ("      - thirty days\n", "      - thirty days\n     - free\n"), "7:6", "column 6",
        "to column 7",
    ),
    "an alias": (value("*names"), "4:15", "has no anchor", 'quote it if it is text: "*names"'),
    "bold text": (value("**Names** it"), "4:16", "at the start of an unquoted value", "quote"),
    "an ampersand": (value("& it"), "4:16", "at the start of an unquoted value", "quote"),
    "a question mark": (value("? x"), "4:15", "`? ` at the start", "quote the value"),
    "a greater than": (value("> 5 days"), "4:17", "begin a block", "on the next line"),
    "a bar": (value("| Names it"), "4:17", "begin a block", "on the next line"),
    "a block that is not indented": (
        value("|\n    Names\n    it"), "5:5", "scalar is not indented", "two spaces more",
    ),
    "a Windows path": (value('"C:\\Users"'), "4:20", "incomplete", "write \\\\"),
    "an escape of a pattern": (value('"\\d+"'), "4:16", "unknown escape", "write \\\\"),
    "a comment of another language": (
        (CRITERIA, "    // x\n"), "4:5", "does not begin with `//`", "`# `",
    ),
    "a conflict": (
        (CRITERIA, f"<<<<<<< HEAD\n{CRITERIA}=======\n{CRITERIA}>>>>>>> b\n"), "4:1",
        "merge conflict", "decide between",
    ),
    "a code block around it": (
        ("questions:", "```yaml\nquestions:"), "1:1", "Markdown code block", "begin with ```",
    ),
    "prose and a code block": (
        ("questions:", "Here it is:\n\n```yaml\nquestions:"), "3:1", "Markdown", "begin with ```",
    ),
    "the end of a code block": (("[returns]\n", "[returns]\n```\n"), "8:1", "Markdown", "with ```"),
    "a code block that is not indented": (
        value("|\n```php\n    ```"), "5:1", "a backtick", "quote it",
    ),
    "a key between two levels": (
        (CRITERIA, "  criteria: x\n"), "4:3", "`criteria` at column 3",
        "column 5, like `input`, or to column 1, like `questions`",
    ),
    "an end in the middle": (("\n\n", "\n...\n"), "9:3", "the end of the document", "remove"),
    "a document in the middle": (("\n\n", "\n---\n"), "8:1", "second document", "keep one"),
    "a tag": (value("!important"), "4:15", "the tag `!important`", "quote"),
    "a row without its dash": (
        ("  - id: order", "    id: order"), "9:5", "the `- ` of a new row is missing",
        "a new row starts with `- `",
    ),
}  # fmt: skip


def test_the_text_is_good() -> None:
    assert faults(GOOD) == []


@every_case("name", SLIPS)
def test_slips(name: str) -> None:
    (old, new), where, message, advice = SLIPS[name]
    assert old in GOOD
    (fault,) = faults(GOOD.replace(old, new, 1))
    assert fault.span is not None
    assert f"{fault.span.line}:{fault.span.column}" == where
    assert message in fault.message
    assert advice in (fault.help or "")


def test_every_row_without_its_dash_is_told_once() -> None:
    rows = "".join(f"{'  - ' if not n else '    '}id: {n}\n    input: x\n" for n in range(4))
    found = faults(f"questions:\n{rows}")
    assert [each.span.line for each in found if each.span] == [4, 6, 8]
    assert {each.help for each in found} == {"a new row starts with `- `"}


@pytest.mark.parametrize(
    "text",
    [
        "- id: a\n  input: b\n  id: c\n",
        "- {id: a, input: b, id: c, input: d}\n",
        "id: a\ninput: b\nid: c\ninput: d\n",
    ],
    ids=["one key", "in braces", "in no list"],
)
def test_a_key_written_twice_is_no_row(text: str) -> None:
    found = faults(text)
    assert found
    assert all("duplicate key" in each.message for each in found)


PIECES = ["", "\t", '"', "'", ": ", "- ", "[", "]", "{", "}", "\n", "  ", "@", "%", "|", "&", "// "]
CUTS = st.tuples(st.integers(0, len(GOOD)), st.sampled_from([0, 0, 1, 3]), st.sampled_from(PIECES))


@examples(1500)
@given(cuts=st.lists(CUTS, min_size=1, max_size=3))
def test_any_broken_text_is_told_at_a_place_in_it(cuts: list[tuple[int, int, str]]) -> None:
    """Whatever is cut out or put in: a fault in the text, or none; never a crash."""
    text = GOOD
    for at, length, piece in cuts:
        text = text[:at] + piece + text[at + length :]
    lines = text.split("\n")
    for fault in faults(text):
        if fault.span is not None:
            assert 1 <= fault.span.line <= len(lines)
            assert 1 <= fault.span.column <= len(lines[fault.span.line - 1]) + 1
