"""YAML texts: what they mean, where their parts stand, and how the broken ones are named."""

from __future__ import annotations

from typing import Any

import pytest
from source_texts import at, document, ends, faults, fragment, value
from tables import every_case

from evalcontract.source.faults import MAX_DEPTH, MAX_DIRECTIVES, MAX_REPEATED_ITEMS, MAX_REPLAYED

NEL, LS, PS = "\x85", "\u2028", "\u2029"

# name: (the text, its value)
GOOD: dict[str, tuple[str, Any]] = {
    # anchors and aliases
    "alias of a scalar": ("a: &x 1\nb: *x\n", {"a": 1, "b": 1}),
    "alias of an empty value": ("a: &x\nb: *x\n", {"a": None, "b": None}),
    "alias of a mapping": ("a: &x {c: 1}\nb: *x\n", {"a": {"c": 1}, "b": {"c": 1}}),
    "alias of a list": ("a: &x [1]\nb: *x\n", {"a": [1], "b": [1]}),
    "alias in a list": ("[&x 1, *x, *x]", [1, 1, 1]),
    "alias keeps text text": ('a: &x "1"\nb: *x\n', {"a": "1", "b": "1"}),
    "anchor set twice": ("[&x 1, *x, &x 2, *x]", [1, 1, 2, 2]),
    "anchor set again inside of itself": ("&x [&x 1, *x]", [1, 1]),
    "anchor on a key": ("&x a: 1\nb: *x\n", {"a": 1, "b": "a"}),
    "anchor on a key that looks like a number": ("&x 1.0: a\nb: *x\n", {"1.0": "a", "b": 1.0}),
    "alias as a key": ("a: &x k\n*x : 1\n", {"a": "k", "k": 1}),
    "alias of a boolean as a key": ("a: &x true\n*x : 1\n", {"a": True, "true": 1}),
    "alias of a float as a key": ("a: &x 1.10\n*x : 1\n", {"a": 1.1, "1.10": 1}),
    "alias of nothing as a key": ("a: &x\n*x : 1\n", {"a": None, "": 1}),
    "alias of ~ as a key": ("a: &x ~\n*x : 1\n", {"a": None, "~": 1}),
    "anchor at the root": ("&x {a: 1}", {"a": 1}),
    "anchor with a tag": (
        "a: !!str &x 1\nb: &y !!str 1\nc: [*x, *y]\n",
        {"a": "1", "b": "1", "c": ["1", "1"]},
    ),
    # merge keys
    "merge": ("a: &x {b: 1}\nc:\n  <<: *x\n  d: 2\n", {"a": {"b": 1}, "c": {"d": 2, "b": 1}}),
    "merge, the explicit key wins": (
        "a: &x {b: 1}\nc: {<<: *x, b: 2}\n",
        {"a": {"b": 1}, "c": {"b": 2}},
    ),
    "merge, the explicit key before it wins": (
        "a: &x {b: 1}\nc: {b: 2, <<: *x}\n",
        {"a": {"b": 1}, "c": {"b": 2}},
    ),
    "merge of a list, the first wins": (
        "- &x {a: 1, b: 1}\n- &y {b: 2, c: 2}\n- {<<: [*x, *y]}\n",
        [{"a": 1, "b": 1}, {"b": 2, "c": 2}, {"a": 1, "b": 1, "c": 2}],
    ),
    "merge of a list behind an alias": (
        "a: &x [{b: 1}, {c: 2}]\nd: {<<: *x}\n",
        {"a": [{"b": 1}, {"c": 2}], "d": {"b": 1, "c": 2}},
    ),
    "merge of a mapping written there": ("{<<: {a: 1}, b: 2}", {"b": 2, "a": 1}),
    "merge of a merge": (
        "- &x {a: 1}\n- &y {<<: *x, b: 2}\n- {<<: *y, c: 3}\n",
        [{"a": 1}, {"b": 2, "a": 1}, {"c": 3, "b": 2, "a": 1}],
    ),
    "merge of nothing": ("{<<: [], a: 1}", {"a": 1}),
    "merge of an empty mapping": ("{<<: {}, a: 1}", {"a": 1}),
    "quoted << is a key": ('"<<": 1\n', {"<<": 1}),
    "single quoted << is a key": ("'<<': {a: 1}\n", {"<<": {"a": 1}}),
    "tagged << is a key": ("!!str <<: 1\n", {"<<": 1}),
    "a merged value is not changed by its merger": (
        "- &x {a: {b: 1}}\n- {<<: *x, c: 1}\n- *x\n",
        [{"a": {"b": 1}}, {"c": 1, "a": {"b": 1}}, {"a": {"b": 1}}],
    ),
    # documents
    "a marker before": ("---\na: 1\n", {"a": 1}),
    "a marker before, on the line": ("--- a\n", "a"),
    "an end after": ("a: 1\n...\n", {"a": 1}),
    "an end after, then comments": ("a: 1\n...\n# b\n", {"a": 1}),
    "a comment before the marker": ("# b\n---\na: 1\n", {"a": 1}),
    "dashes inside of text": ("a: |\n  ---\n  b\n", {"a": "---\nb\n"}),
    "the 1.2 directive": ("%YAML 1.2\n---\na: yes\n", {"a": "yes"}),
    "a tag directive": ("%TAG !e! tag:yaml.org,2002:\n---\na: !e!str 1\n", {"a": "1"}),
    # line ends and marks
    "no line end": ("a: 1", {"a": 1}),
    "crlf": ("a: 1\r\nb:\r\n  - c\r\n", {"a": 1, "b": ["c"]}),
    "lone cr": ("a: 1\rb: 2\r", {"a": 1, "b": 2}),
    "mixed ends": ("a: 1\r\nb: 2\nc: 3\rd: 4", {"a": 1, "b": 2, "c": 3, "d": 4}),
    "crlf in a block is one line feed": ("a: |\r\n  b\r\n  c\r\n", {"a": "b\nc\n"}),
    "crlf in quotes is a space": ('a: "b\r\n  c"\r\n', {"a": "b c"}),
    "byte order mark": ("\ufeffa: 1\n", {"a": 1}),
    "byte order mark and a comment": ("\ufeff# b\na: 1\n", {"a": 1}),
    "byte order mark and a marker": ("\ufeff---\na: 1\n", {"a": 1}),
    "byte order mark and crlf": ("\ufeffa: 1\r\nb: 2\r\n", {"a": 1, "b": 2}),
    # breaks of YAML 1.1, characters in 1.2
    "nel in plain text": (f"a: b{NEL}c\n", {"a": f"b{NEL}c"}),
    "line separator in plain text": (f"a: b{LS}c\n", {"a": f"b{LS}c"}),
    "paragraph separator in plain text": (f"a: b{PS}c\n", {"a": f"b{PS}c"}),
    "all three in quotes": (f'a: "b{NEL}{LS}{PS}c"\n', {"a": f"b{NEL}{LS}{PS}c"}),
    "all three in single quotes": (f"a: 'b{NEL}{LS}{PS}c'\n", {"a": f"b{NEL}{LS}{PS}c"}),
    "all three in a block": (f"a: |\n  b{NEL}{LS}{PS}c\n", {"a": f"b{NEL}{LS}{PS}c\n"}),
    "all three in a folded block": (
        f"a: >\n  b{NEL}{LS}{PS}c\n  d\n",
        {"a": f"b{NEL}{LS}{PS}c d\n"},
    ),
    "nel at the start of a line": (f"a: |\n  {NEL}b\n", {"a": f"{NEL}b\n"}),
    "nel in a comment": (f"a: 1 # b{NEL}c: 2\nd: 3\n", {"a": 1, "d": 3}),
    "nel in a key": (f"a{NEL}b: 1\n", {f"a{NEL}b": 1}),
    "nel after # does not end the comment": (f"# x{NEL}y: 1\na: 1\n", {"a": 1}),
    "halves of a character, as JSON writes it": ('a: "x\\ud83d\\uDE00y"\n', {"a": "x😀y"}),
    "halves of a key": ('"\\ud83d\\ude00": 1\n', {"😀": 1}),
    "halves behind an escaped backslash": (
        "a: \"\\\\\\ud83d\\ude00\"\nb: '\\ud83d\\ude00'\nc: \\ud83d\\ude00\n",
        {"a": "\\😀", "b": "\\ud83d\\ude00", "c": "\\ud83d\\ude00"},
    ),
    "halves in a block": ("a: |\n  \\ud83d\\ude00\n", {"a": "\\ud83d\\ude00\n"}),
    "escaped halves": ('a: "\\\\ud83d\\\\ude00"\n', {"a": "\\ud83d\\ude00"}),
    "escaped nel": ('a: "\\N\\L\\P"\n', {"a": f"{NEL}{LS}{PS}"}),
    "nel beside a private character": (f"a: {NEL}\ue000\n", {"a": f"{NEL}\ue000"}),
    "nel beside an escaped private character": (f'a: "{NEL}\\uE000"\n', {"a": f"{NEL}\ue000"}),
    "nel in an anchored key": (f"&x a{NEL}b: 1\nc: *x\n", {f"a{NEL}b": 1, "c": f"a{NEL}b"}),
    "nel in an anchored value": (f"a: &x b{NEL}c\nd: *x\n", {"a": f"b{NEL}c", "d": f"b{NEL}c"}),
    "nel beside every private character": (
        f'"{"".join(map(chr, range(0xE000, 0xF900)))}{NEL}"',
        f"{''.join(map(chr, range(0xE000, 0xF900)))}{NEL}",
    ),
    # indicators inside of brackets
    "a question mark that begins a key": ("{?a: b, ?c : d}\n", {"?a": "b", "?c": "d"}),
    "a question mark that begins an item": ("[?a, ?b]\n", ["?a", "?b"]),
    "a question mark that begins a value": ('{a: ?b, "c":?d}\n', {"a": "?b", "c": "?d"}),
    "a question mark in a text": ("[a?b, a ?b, a ? b, c?]\n", ["a?b", "a ?b", "a ? b", "c?"]),
    "a question mark for a key": ("{? a : b, ? c}\n", {"a": "b", "c": None}),
    "a question mark outside": ("?a: ?b\n- ?c\n".replace("- ", "d: "), {"?a": "?b", "d": "?c"}),
    "a dash that is a key": ("{-: a}\n", {"-": "a"}),
    "dashes": ("[--, -a, '-', \"-\"]\n", ["--", "-a", "-", "-"]),
    "a sharp in a text": (
        "- a#b\n- '#'\n- \"a\"  # c\n- [a]\t#c\n- C#\n",
        ["a#b", "#", "a", ["a"], "C#"],
    ),
    "a sharp behind a quote in a text": ('- a "b"#c\n- a [1]#c\n', ['a "b"#c', "a [1]#c"]),
    "a sharp behind a quote in a comment": ('a: "b" # "c"#d [e]#f\n', {"a": "b"}),
    "a sharp behind a quote in a block": ("a: |\n  'b'#c\n", {"a": "'b'#c\n"}),
    "a sharp in quotes": ('"#a": ["#b", \'#c\', "\\"#d"]\n', {"#a": ["#b", "#c", '"#d']}),
    # lines inside of quotes and brackets
    "a quote that goes on": ('a:\n  b: "c\n   d"\n', {"a": {"b": "c d"}}),
    "a quote that goes on in a list": ("a:\n- 'b\n c'\n", {"a": ["b c"]}),
    "a quote that goes on at the margin": ('"a\nb"\n', "a b"),
    "a quote that goes on behind an anchor": ("a: &x\n - 'b\n  c'\n", {"a": ["b c"]}),
    "a quote with empty lines": ("a: 'b\n\n  c'\n", {"a": "b\nc"}),
    "a bracket that closes at the margin": (
        "a: [\n  b\n]\nc:\n  d: {\n}\n",
        {"a": ["b"], "c": {"d": {}}},
    ),
    "a comment at the margin": ("a: [b,\n# c\n  d]\n", {"a": ["b", "d"]}),
    "brackets at the margin": ("[\na,\n{\nb: c}\n]\n", ["a", {"b": "c"}]),
    # keys
    "number keys": ("1: a\n1.0: b\n0x1: c\n", {"1": "a", "1.0": "b", "0x1": "c"}),
    "constant keys": ("true: a\nnull: b\n~: c\n", {"true": "a", "null": "b", "~": "c"}),
    "date key": ("2026-05-08: a\n", {"2026-05-08": "a"}),
    "yes key": ("yes: a\non: b\n", {"yes": "a", "on": "b"}),
    "empty quoted key": ('"": a\n', {"": "a"}),
    "explicit key": ("? a\n: 1\n", {"a": 1}),
    "explicit key without a value": ("? a\n? b\n", {"a": None, "b": None}),
    "explicit key over lines": ("? |\n  a\n  b\n: 1\n", {"a\nb\n": 1}),
    "key with spaces": ("a b c: 1\n", {"a b c": 1}),
    "key without a value": ("a:\nb: 1\n", {"a": None, "b": 1}),
    "space before the colon": ("a : 1\n", {"a": 1}),
    "key of a single pair in a list": ("[a: 1, b: 2]", [{"a": 1}, {"b": 2}]),
    "flow key without a value": ("{a, b: 1}", {"a": None, "b": 1}),
    "quoted flow key without a space": ('{"a":1}', {"a": 1}),
    "trailing comma": ("{a: [1, 2,],}", {"a": [1, 2]}),
    "emoji key": ("😀: 😀\n", {"😀": "😀"}),
    # 1,024 characters are the most that an implicit key may have; an explicit one has no limit
    "key of 1000": (f"{'k' * 1000}: 1\n", {"k" * 1000: 1}),
    "explicit key of 5000": (f"? {'k' * 5000}\n: 1\n", {"k" * 5000: 1}),
    # text
    "plain over lines": ("a: b\n  c\n\n  d\n", {"a": "b c\nd"}),
    "quoted over lines": ('a: "b\n  c\n\n  d"\n', {"a": "b c\nd"}),
    "single quotes": ("a: 'it''s'\n", {"a": "it's"}),
    "escapes": (
        'a: "\\t\\n\\r\\x41\\u00e9\\U0001F600\\0\\e\\/\\_"\n',
        {"a": "\t\n\rAé😀\0\x1b/\xa0"},
    ),
    "an escaped line end": ('a: "b\\\n  c"\n', {"a": "bc"}),
    "literal": ("a: |\n  b\n  c\n", {"a": "b\nc\n"}),
    "literal, stripped": ("a: |-\n  b\n\n\n", {"a": "b"}),
    "literal, kept": ("a: |+\n  b\n\n\nc: 1\n", {"a": "b\n\n\n", "c": 1}),
    "literal, indented": ("a: |2\n    b\n   c\n", {"a": "  b\n c\n"}),
    "literal, both indicators": ("a: |1-\n  b\n", {"a": " b"}),
    "literal, empty": ("a: |\nb: 1\n", {"a": "", "b": 1}),
    "literal without a line end": ("a: |\n  b", {"a": "b\n"}),
    "folded without a line end": ("a: >\n  b\n  c", {"a": "b c\n"}),
    "stripped without a line end": ("a: |-\n  b", {"a": "b"}),
    "kept without a line end": ("a: |+\n  b", {"a": "b\n"}),
    "literal that ends with spaces": ("a: |\n  b\n   ", {"a": "b\n \n"}),
    "literal that ends with its indentation": ("a: |\n  b\n  ", {"a": "b\n"}),
    "an empty literal without a line end": ("a: |", {"a": ""}),
    "literal with a comment line": ("a: |\n  # b\n  c\n# d\n", {"a": "# b\nc\n"}),
    "literal with a comment after the bar": ("a: | # b\n  c\n", {"a": "c\n"}),
    "folded": ("a: >\n  b\n  c\n\n  d\n", {"a": "b c\nd\n"}),
    "folded, stripped": ("a: >-\n  b\n  c\n", {"a": "b c"}),
    "folded, kept": ("a: >+\n  b\n  c\n\n", {"a": "b c\n\n"}),
    "folded, more indented": ("a: >\n  b\n   c\n  d\n", {"a": "b\n c\nd\n"}),
    "hash without a space": ("a: b#c\n", {"a": "b#c"}),
    "colon without a space": ("a: b:c\n", {"a": "b:c"}),
    "url": ("a: https://example.org/?q=1&r=2\n", {"a": "https://example.org/?q=1&r=2"}),
    "very long plain text": (f"a: {'b ' * 100_000}c\n", {"a": "b " * 100_000 + "c"}),
    "very long text in one word": (f"a: {'b' * 300_000}\n", {"a": "b" * 300_000}),
    "quoted template": ('a: "{{ input }}"\n', {"a": "{{ input }}"}),
    "template after text": ("a: Say {{ input }}\n", {"a": "Say {{ input }}"}),
    "template in a block": ("a: |\n  {{ input }}\n", {"a": "{{ input }}\n"}),
    # tabs
    "tab after the colon": ("a:\tb\n", {"a": "b"}),
    "tab inside of text": ("a: b\tc\n", {"a": "b\tc"}),
    "tab before a comment": ("a: b\t# c\n", {"a": "b"}),
    "tab in a block": ("a: |\n  b\n  \tc\n", {"a": "b\n\tc\n"}),
    "tabs in flow": ("{\n\ta: 1\n}", {"a": 1}),
    # roots that are no mapping
    "a list at the root": ("- 1\n- a\n", [1, "a"]),
    "a scalar at the root": ("abc\n", "abc"),
    "null in place of rows": ("questions: null\n", {"questions": None}),
    "nothing in place of rows": ("questions:\n", {"questions": None}),
    "a row that is a number": ("questions:\n  - 1\n", {"questions": [1]}),
    "a root that is null": ("null\n", None),
    "a marker and nothing is null": ("---\n", None),
    "a marker and comments is null": ("# a\n---\n# b\n", None),
    "a list below its key, not indented": ("a:\n- 1\nb: 2\n", {"a": [1], "b": 2}),
    "json": ('{"a": [1, true, null, "b"]}', {"a": [1, True, None, "b"]}),
    "json without spaces": ('{"a":{"b":[]}}', {"a": {"b": []}}),
}


@every_case("name", GOOD)
def test_means(name: str) -> None:
    text, expected = GOOD[name]
    assert repr(value(text)) == repr(expected)


@every_case("name", GOOD)
def test_every_place_can_be_asked(name: str) -> None:
    text, expected = GOOD[name]
    found = document(text)
    assert found.place(()).span
    assert found.place(("no such key",)).span
    if isinstance(expected, dict):
        for key in expected:
            assert found.place((key,)).span
            assert found.place((key,), on_key=True).span


# name: (the text, the code, where, a part of the message)
BAD: dict[str, tuple[str, str, str, str]] = {
    "undefined alias": ("a: *x\n", "source/syntax", "1:4", "`*x` has no anchor `&x`"),
    "alias before its anchor": ("a: *x\nb: &x 1\n", "source/syntax", "1:4", "before it"),
    "alias inside of its anchor": ("a: &x [1, *x]\n", "source/syntax", "1:11", "inside its own"),
    "alias inside of its mapping": (
        "&x\na:\n  b: *x\n",
        "source/syntax",
        "3:6",
        "inside its own",
    ),
    "alias of a list as a key": (
        "a: &x [1]\n*x : 1\n",
        "source/syntax",
        "2:1",
        "a key must be text",
    ),
    "merge of a scalar": ("<<: 1\n", "source/syntax", "1:1", "the value of `<<` must be"),
    "merge of null": ("a:\n  <<:\n", "source/syntax", "2:3", "the value of `<<` must be"),
    "merge of a list of scalars": (
        "<<: [1]\n",
        "source/syntax",
        "1:1",
        "the value of `<<` must be",
    ),
    "merge of lists of lists": (
        "<<: [[{a: 1}]]\n",
        "source/syntax",
        "1:1",
        "the value of `<<` must be",
    ),
    "merge twice": ("<<: {a: 1}\nb: 1\n<<: {c: 1}\n", "source/duplicate-key", "3:1", "`<<`"),
    "a dash alone in brackets": ("[-, a]\n", "source/syntax", "1:2", "a `-` alone"),
    "a dash alone in braces": ("{-, a}\n", "source/syntax", "1:2", "a `-` alone"),
    "a question mark alone": ("{a, ?}\n", "source/syntax", "1:5", "a `?` alone"),
    "a comment behind a quote": ('a: "b"# c\n', "source/syntax", "1:7", "needs a space"),
    "a comment behind a quoted key": ("? 'a'#c\n", "source/syntax", "1:6", "needs a space"),
    "a comment behind a bracket": ("[a]#c\n", "source/syntax", "1:4", "needs a space"),
    "a comment behind an opening bracket": ("[#c\na]\n", "source/syntax", "1:2", "needs a space"),
    "a comment behind a comma": ("[a,#c\n b]\n", "source/syntax", "1:4", "needs a space"),
    "a comment behind a colon": ("{'a':#c\n b}\n", "source/syntax", "1:6", "needs a space"),
    "a comment behind a bar": ("a: |#c\n  b\n", "source/syntax", "1:5", "needs a space"),
    "a comment behind the head of a block": ("a: >2-#c\n  b\n", "source/syntax", "1:7", "needs a"),
    "a comment behind a directive": ("%YAML 1.2#c\n---\na\n", "source/syntax", "1:10", "needs a"),
    "a name of an anchor": ("&an:chor x\n", "source/unsupported", "1:4", "`:` is not supported"),
    "a name of an anchor behind a tag": ("!!str &a?b x\n", "source/unsupported", "1:9", "`?`"),
    "an anchor that is no key": ("&a: b\n", "source/unsupported", "1:3", "`:` is not supported"),
    "an alias that is a key": ("- &a b\n- *a: c\n", "source/syntax", "2:5", "continues with `:`"),
    "a text behind an alias": ("- &a b\n- {*a :c}\n", "source/syntax", "2:7", "begins a text"),
    "a text behind a question mark": ("{? :a}\n", "source/syntax", "1:4", "begins a text"),
    "a quote that is not indented": (
        'a: "b\nc"\n',
        "source/syntax",
        "1:4",
        "line 2 is not indented",
    ),
    "a quote of a list that is not indented": (
        "a:\n- b: 'c\n  d'\n",
        "source/syntax",
        "2:6",
        "line 3 is not indented",
    ),
    "a quote that closes at the margin": ('a: "b\n"\n', "source/syntax", "1:4", "line 2 is not"),
    "a key in quotes that is not indented": ("? 'a\nb'\n", "source/syntax", "1:3", "line 2 is not"),
    "a comment in quotes at the margin": (
        'a: "b\n# c\n  d"\n',
        "source/syntax",
        "1:4",
        "line 2 is",
    ),
    "a tab in quotes": ('a: "b\n\tc"\n', "source/syntax", "2:1", "a tab cannot indent"),
    "brackets that are not indented": ("a: [b,\nc]\n", "source/syntax", "2:1", "not indented"),
    "brackets, crlf": ("a: [b,\r\nc]\r\n", "source/syntax", "2:1", "not indented"),
    "brackets, lone cr": ("a: [b,\rc]\r", "source/syntax", "2:1", "not indented"),
    "a tab in brackets": ("- [\n\ta]\n", "source/syntax", "2:1", "a tab cannot indent"),
    "a block that is not indented": (
        "a:\n|\n  b\n",
        "source/syntax",
        "2:1",
        "block scalar begins here",
    ),
    "a block with an anchor that is not indented": (
        "a: &x\n|\n  b\n",
        "source/syntax",
        "2:1",
        "block scalar begins here",
    ),
    "a comment where a block begins": (
        "a: |\n   \n # c\n",
        "source/syntax",
        "3:2",
        "more spaces than the first line",
    ),
    "a mark on a line": ("a: 1\n\ufeffb: 2\n", "source/syntax", "2:1", "a byte order mark"),
    "two marks": ("\ufeff\ufeffa: 1\n", "source/syntax", "1:1", "a byte order mark"),
    "two documents": ("a: 1\n---\nb: 2\n", "source/multiple-documents", "2:1", "second document"),
    "two documents, the second empty": (
        "a: 1\n---\n",
        "source/multiple-documents",
        "2:1",
        "second",
    ),
    "two documents, the first empty": (
        "---\n---\na: 1\n",
        "source/multiple-documents",
        "2:1",
        "second",
    ),
    "two documents, ended": (
        "a: 1\n...\n---\nb: 2\n",
        "source/multiple-documents",
        "3:1",
        "second",
    ),
    "two documents, crlf": (
        "a: 1\r\n---\r\nb: 2\r\n",
        "source/multiple-documents",
        "2:1",
        "second",
    ),
    "the 1.1 directive": ("%YAML 1.1\n---\na: 1\n", "source/unsupported", "1:1", "%YAML 1.1"),
    "a directive of another major version": ("%YAML 2.0\n---\na: 1\n", "source/", "1:1", ""),
    "a complex key": ("a: 1\n? [b]\n: c\n", "source/syntax", "2:3", "a key must be text"),
    "a complex flow key": ("[a]: 1\n", "source/syntax", "1:1", "a key must be text"),
    "a mapping as a key": ("{a: 1}: 1\n", "source/syntax", "1:1", "a key must be text"),
    "unquoted template": ("a: {{ input }}\n", "source/syntax", "1:5", "unquoted `{{ … }}`"),
    "unquoted template, tight": ("a: {{input}}\n", "source/syntax", "1:5", "unquoted `{{ … }}`"),
    "unquoted template, then text": (
        "a: {{ input }} b\n",
        "source/syntax",
        "1:5",
        "unquoted `{{ … }}`",
    ),
    "unquoted template with a filter": (
        "a: {{ b | c }}\n",
        "source/syntax",
        "1:5",
        "unquoted `{{ … }}`",
    ),
    "unquoted template in a list": ("- {{ a }}\n", "source/syntax", "1:4", "unquoted `{{ … }}`"),
    "unquoted template after an emoji": (
        "😀: {{ a }}\n",
        "source/syntax",
        "1:5",
        "unquoted `{{ … }}`",
    ),
    "unquoted template after nel": (
        f"a: {NEL}\nb: {{{{ a }}}}\n",
        "source/syntax",
        "2:5",
        "unquoted",
    ),
    "control character": ("a: b\x01c\n", "source/syntax", "1:5", "a control character"),
    "control character after NEL": (
        "a: \x85\nb: c\x01\n",
        "source/syntax",
        "2:5",
        "a control character",
    ),
    "control character after emoji": ("é: 😀\x01\n", "source/syntax", "1:5", "a control character"),
    "control character on line 3": (
        "a: é\r\nb: é\r\nc: \x07\r\n",
        "source/syntax",
        "3:4",
        "a control",
    ),
    "control character far below": (
        "# é\n" * 30_000 + "a: \x02\n",
        "source/syntax",
        "30001:4",
        "a control",
    ),
    "control character after a mark": ("\ufeffa: \x02\n", "source/syntax", "1:4", "a control"),
    "delete character": ("a: \x7f\n", "source/syntax", "1:4", "a control character"),
    "NUL": ("a: b\0c\n", "source/binary", "", "byte 4 is NUL"),
    "NUL after a byte order mark": ("\ufeffa: \0\n", "source/binary", "", "byte 6 is NUL"),
    "tab as indentation": ("a:\n\tb: 1\n", "source/syntax", "2:1", "a tab cannot indent"),
    "tab at the start": ("\ta: 1\n", "source/syntax", "1:1", "a tab cannot indent"),
    "at sign": ("a: @b\n", "source/syntax", "1:4", "cannot begin"),
    "backtick": ("a: `b`\n", "source/syntax", "1:4", "cannot begin"),
    "percent": ("a: %b\n", "source/syntax", "1:4", "cannot begin"),
    "colon in plain text": ("a: b: c\n", "source/syntax", "1:5", "inside an unquoted value"),
    "open quote": ('a: 1\nb: "c\nd: 2\n', "source/syntax", "2:4", "never closed"),
    "open single quote": ("a: 1\nb: 'c\nd: 2\n", "source/syntax", "2:4", "never closed"),
    "open list": ("a: [1, 2\nb: 3\n", "source/syntax", "", ""),
    "open mapping": ("a: {b: 1\nc: 3\n", "source/syntax", "", ""),
    "unknown escape": ('a: "\\q"\n', "source/syntax", "1:5", "unknown escape"),
    "half of a surrogate pair": ('a: "\\ud800"\n', "source/syntax", "", ""),
    "a code point beyond Unicode": ('a: "\\U00110000"\n', "source/syntax", "", ""),
    "wrong indentation": ("a:\n  b: 1\n c: 2\n", "source/syntax", "3:2", "`c` at column 2"),
    "a key without its colon": ("a: 1\nb\nc: 2\n", "source/syntax", "", "without its `:`"),
    "a list among keys": ("a: 1\n- b\n", "source/syntax", "2:1", ""),
    "quoted key of 1100": (f'"{"k" * 1100}": 1\n', "source/syntax", "", ""),
    "plain key of 1100": (f"{'k' * 1100}: 1\n", "source/syntax", "", ""),
    "empty": ("", "source/empty", "", "empty"),
    "a mark and nothing": ("\ufeff", "source/empty", "", "empty"),
    "line ends and nothing": ("\n\r\n \n", "source/empty", "", "empty"),
    "comments and nothing": ("# a\n\n# b\n", "source/empty", "", "only comments"),
    "comments and nothing, without a line end": ("# a", "source/empty", "", "only comments"),
}


@every_case("name", BAD)
def test_refused(name: str) -> None:
    text, code, where, message = BAD[name]
    (fault,) = faults(text)
    assert fault.code.startswith(code)
    assert message in fault.message
    assert where in ("", at(fault.span))


# What YAML 1.2 allows and libyaml refuses, all of it that is known: refused here too, but never
# silently read as something else. name: (the text, where)
LIBYAML: dict[str, tuple[str, str]] = {
    "an empty key": (": a\n", "1:1"),
    "a block that begins with a tab": ("a: |\n  \tb\n", "2:3"),
    "delete in quotes": ('a: "b\x7f"\n', "1:6"),
    "a C1 control in quotes": ('a: "b\x80"\n', "1:6"),
}


@pytest.mark.parametrize("name", LIBYAML)
def test_what_libyaml_refuses_has_its_place(name: str) -> None:
    text, where = LIBYAML[name]
    (fault,) = faults(text)
    assert (fault.code, at(fault.span)) == ("source/syntax", where)


@every_case("name", [name for name in BAD if BAD[name][1] == "source/syntax"])
def test_a_fault_stands_inside_of_the_text(name: str) -> None:
    (fault,) = faults(BAD[name][0])
    assert fault.span is not None
    fragment(BAD[name][0].removeprefix("\ufeff"), fault.span)


# name: (the text, [(the key, where, where first)])
DUPLICATES: dict[str, tuple[str, list[tuple[str, str, str]]]] = {
    "plain": ("a: 1\na: 2\n", [("a", "2:1-2:2", "1:1-1:2")]),
    "equal values": ("a: 1\na: 1\n", [("a", "2:1-2:2", "1:1-1:2")]),
    "thrice": ("a: 1\na: 2\na: 3\n", [("a", "2:1-2:2", "1:1-1:2"), ("a", "3:1-3:2", "1:1-1:2")]),
    "several": (
        "a: 1\nb: 2\nb: 3\na: 4\n",
        [("b", "3:1-3:2", "2:1-2:2"), ("a", "4:1-4:2", "1:1-1:2")],
    ),
    "nested": ("a:\n  - b: 1\n    b: 2\n", [("b", "3:5-3:6", "2:5-2:6")]),
    "nested and around": (
        "a:\n  b: 1\n  b: 2\na: 3\n",
        [("b", "3:3-3:4", "2:3-2:4"), ("a", "4:1-4:2", "1:1-1:2")],
    ),
    "inside of a duplicate": (
        "a: 1\na:\n  b: 1\n  b: 2\n",
        [("b", "4:3-4:4", "3:3-3:4"), ("a", "2:1-2:2", "1:1-1:2")],
    ),
    "flow": ("{a: 1, b: 2, a: 3}", [("a", "1:14-1:15", "1:2-1:3")]),
    "plain and quoted": ('a: 1\n"a": 2\n', [("a", "2:1-2:4", "1:1-1:2")]),
    "two quotes": ("'a': 1\n\"a\": 2\n", [("a", "2:1-2:4", "1:1-1:4")]),
    "escaped": ('a: 1\n"\\x61": 2\n', [("a", "2:1-2:7", "1:1-1:2")]),
    "number and text": ('1: a\n"1": b\n', [("1", "2:1-2:4", "1:1-1:2")]),
    "explicit": ("? a\n: 1\n? a\n: 2\n", [("a", "3:3-3:4", "1:3-1:4")]),
    "anchored": ("&x a: 1\na: 2\n", [("a", "2:1-2:2", "1:1-1:5")]),
    "through an alias": ("&x a: 1\n*x : 2\n", [("a", "2:1-2:3", "1:1-1:5")]),
    "in an anchored mapping": ("a: &x\n  b: 1\n  b: 2\nc: *x\n", [("b", "3:3-3:4", "2:3-2:4")]),
    "beside a merge": (
        "a: &x {b: 1}\nc:\n  <<: *x\n  b: 2\n  b: 3\n",
        [("b", "5:3-5:4", "4:3-4:4")],
    ),
    "after emoji": ("😀: 1\na: {😀: 1, 😀: 2}\n", [("😀", "2:11-2:12", "2:5-2:6")]),
    "with nel": (f"a{NEL}: 1\na{NEL}: 2\n", [(f"a{NEL}", "2:1-2:3", "1:1-1:3")]),
    "crlf": ("a: 1\r\nb: 2\r\na: 3\r\n", [("a", "3:1-3:2", "1:1-1:2")]),
}


@every_case("name", DUPLICATES)
def test_duplicate_keys_are_refused_with_both_places(name: str) -> None:
    text, expected = DUPLICATES[name]
    found = faults(text)
    assert {fault.code for fault in found} == {"source/duplicate-key"}
    shown = [
        (key, ends(fault.span), ends(fault.related[0][1]))
        for fault, (key, _, _) in zip(found, expected, strict=True)
        if f"`{key}`" in fault.message
    ]
    assert shown == expected


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\nA: 2\n",
        "a: 1\n'a ': 2\n",
        "1: a\n1.0: b\n",
        "- a: 1\n- a: 2\n",
        "\u00e9: 1\ne\u0301: 2\n",
    ],
)
def test_keys_that_differ_are_no_duplicates(text: str) -> None:
    document(text)


# name: the text; each is 5,000 deep, or as deep through its aliases
DEEP = {
    "flow lists": "[" * 5000 + "]" * 5000,
    "open flow lists": "[" * 5000,
    "flow mappings": "{a: " * 5000 + "}" * 5000,
    "block lists": "- " * 5000 + "a",
    "block mappings": "\n".join(" " * n + "a:" for n in range(1000)),
    "chained aliases": "\n".join(["- &a0 [1]", *(f"- &a{n} [*a{n - 1}]" for n in range(1, 5000))]),
    "chained aliases of mappings": "\n".join(
        ["a0: &a0 {b: 1}", *(f"a{n}: &a{n} {{b: *a{n - 1}}}" for n in range(1, 5000))]
    ),
    "chained merges of deeper values": "\n".join(
        ["- &a0 {b: 1}", *(f"- &a{n} {{<<: {{c: *a{n - 1}}}}}" for n in range(1, 5000))]
    ),
}


@every_case("name", DEEP)
def test_too_deep(name: str) -> None:
    (fault,) = faults(DEEP[name])
    assert fault.code == "source/limit-exceeded"
    assert f"{MAX_DEPTH} levels" in fault.message
    assert fault.span is not None


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("[", "]"), ("{a: ", "}"), ("- ", "")],
    ids=["list", "mapping", "block"],
)
def test_the_limit_of_depth(opening: str, closing: str) -> None:
    document(opening * MAX_DEPTH + "1" + closing * MAX_DEPTH)
    (fault,) = faults(opening * (MAX_DEPTH + 1) + "1" + closing * (MAX_DEPTH + 1))
    assert at(fault.span) == f"1:{len(opening) * MAX_DEPTH + 1}"


def test_the_limit_of_depth_counts_through_aliases() -> None:
    half = MAX_DEPTH // 2
    text = f"- &x {'[' * half}{']' * half}\n- {'[' * (half - 1)}*x{']' * (half - 1)}\n"
    document(text)
    (fault,) = faults(text.replace("*x", "[*x]"))
    assert fault.code == "source/limit-exceeded"
    assert at(fault.span) == f"2:{3 + half}"


def test_the_limit_of_directives() -> None:
    directives = "".join(f"%TAG !{number}! tag:x,2000:\n" for number in range(MAX_DIRECTIVES))
    assert document(f"# few\n{directives}--- 1").value == 1
    (fault,) = faults(f"# many\n%TAG !a! tag:x,2000:\n{directives}--- 1")
    assert fault.code == "source/limit-exceeded"
    assert f"{MAX_DIRECTIVES:,}" in fault.message


@pytest.mark.parametrize("repeated", ["{id: a}", "[a]"], ids=["mapping", "list"])
def test_the_limit_of_items_that_aliases_repeat(repeated: str) -> None:
    rows = f"questions: [&a {repeated}{', *a' * MAX_REPEATED_ITEMS}, b]\n"
    assert len(value(rows)["questions"]) == MAX_REPEATED_ITEMS + 2
    (fault,) = faults(rows.replace(", b]", ", *a]"))
    assert fault.code == "source/limit-exceeded"
    assert f"{MAX_REPEATED_ITEMS:,} items" in fault.message
    assert at(fault.span) == f"1:{rows.index(', b]') + 3}"


def test_aliases_of_texts_and_of_other_lists_do_not_count_as_items_of_one_list() -> None:
    several = ", *b" * MAX_REPEATED_ITEMS
    text = f"a: &a x\nb: &b [{'*a, ' * (MAX_REPEATED_ITEMS + 1)}]\nc: [[*b], [*b]]\n"
    assert len(value(text)["b"]) == MAX_REPEATED_ITEMS + 1
    text = f"b: &b {{}}\nc: [*b{several[4:]}]\nd: [*b{several[4:]}]\n"
    assert len(value(text)["d"]) == MAX_REPEATED_ITEMS


def test_billion_laughs() -> None:
    lines = ["a: &a [lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    for before, name in zip("abcdefgh", "bcdefghi", strict=True):
        lines.append(f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]")
    (fault,) = faults("\n".join(lines))
    assert fault.code == "source/limit-exceeded"
    assert f"{MAX_REPLAYED:,}" in fault.message
    assert fault.span is not None


def test_billion_laughs_through_merges() -> None:
    wide = ", ".join(f"k{n}: 1" for n in range(200))
    lines = [f"a: &a {{{wide}}}", f"b: &b [{', '.join(['*a'] * 200)}]"]
    lines += [f"c{n}: {{<<: *b}}" for n in range(200)]
    (fault,) = faults("\n".join(lines))
    assert fault.code == "source/limit-exceeded"


def test_many_aliases_of_small_values_are_fine() -> None:
    rows = "".join(f"- {{id: q{n}, tags: *t}}\n" for n in range(2000))
    assert len(value(f"tags: &t [a, b]\nrows:\n{rows}")["rows"]) == 2000


# name: (the text, the path, whether the key is asked for, the text at its place)
PLACES: dict[str, tuple[str, tuple[str | int, ...], bool, str]] = {
    "value": ("a: bc\n", ("a",), False, "bc"),
    "key": ("a: bc\n", ("a",), True, "a"),
    "quoted value": ("a: 'bc' # d\n", ("a",), False, "'bc'"),
    "quoted key": ('"a" : bc\n', ("a",), True, '"a"'),
    "value after emoji": ("😀😀: é\n", ("😀😀",), False, "é"),
    "key after emoji": ("{😀: 1, b: 2}", ("b",), True, "b"),
    "value after nel": (f"{{{NEL}: 1, b{LS}: 2, c: 3}}", ("c",), False, "3"),
    "on the line after nel": (f"a: {NEL}{LS}{PS}\nb: c\n", ("b",), False, "c"),
    "value after crlf": ("a: 1\r\nb: cd\r\n", ("b",), False, "cd"),
    "value after lone cr": ("a: 1\rb: cd\r", ("b",), False, "cd"),
    "value after a mark": ("\ufeffa: bc\n", ("a",), False, "bc"),
    "item": ("- a\n-   bc\n", (1,), False, "bc"),
    "item of a flow list": ("[a, bc]", (1,), False, "bc"),
    "deep": ("a:\n  - b:\n      c: d\n", ("a", 0, "b", "c"), False, "d"),
    "flow list": ("a: [b, c] # d\n", ("a",), False, "[b, c]"),
    "flow mapping": ("a: {b: c} # d\n", ("a",), False, "{b: c}"),
    "an empty value stands after its colon": ("a:\nb: 1\n", ("a",), False, ""),
    "plain over lines": ("a: b\n  c\nd: 1\n", ("a",), False, "b\n  c"),
    "quoted over lines": ('a: "b\n  c"\nd: 1\n', ("a",), False, '"b\n  c"'),
    "number": ("a: 1.10\n", ("a",), False, "1.10"),
    "explicit key": ("? a\n: b\n", ("a",), True, "a"),
    "merged value": ("a: &x {b: cd}\ne: {<<: *x}\n", ("e", "b"), False, "cd"),
    "merged key": ("a: &x {b: cd}\ne: {<<: *x}\n", ("e", "b"), True, "b"),
    "merged from a list": ("- &x {a: 1}\n- &y {b: 2}\n- {<<: [*x, *y]}\n", (2, "b"), False, "2"),
    "explicit beside a merge": ("a: &x {b: 1}\nc: {<<: *x, b: 2}\n", ("c", "b"), False, "2"),
    "inside of an alias": ("a: &x {b: 1}\nc: *x\n", ("c", "b"), False, "1"),
    "key whose value is an alias": ("a: &x 1\nc: *x\n", ("c",), True, "c"),
    "what a mapping misses is shown at its key": ("a:\n  b: 1\n", ("a", "c"), False, "a"),
    "what an item misses is shown at its first key": ("- b: 1\n  c: 2\n", (0, "d"), False, "b"),
    "what the root misses is shown at its first key": ("abc: 1\nd: 2\n", ("e",), False, "abc"),
    "what a flow item misses is shown at its first key": ("- {b: 1, c: 2}\n", (0, "d"), False, "b"),
    "what a quoted first key stands for": ("- 'b': 1\n  c: 2\n", (0, "d"), False, "'b'"),
    "an item after its list ends": ("a: [1]\n", ("a", 5), False, "a"),
    "below a scalar": ("a: 1\n", ("a", "b", "c"), False, "a"),
    "the key of an item is its first key": ("- b: 1\n  c: 2\n", (0,), True, "b"),
}


@every_case("name", PLACES)
def test_place(name: str) -> None:
    text, path, on_key, expected = PLACES[name]
    place = document(text).place(path, on_key=on_key)
    assert place.span is not None
    assert fragment(text.removeprefix("\ufeff"), place.span) == expected


def test_the_place_of_a_block_of_text_begins_at_its_bar() -> None:
    place = document("a: |\n  b\n  c\nd: 1\n").place(("a",))
    assert at(place.span) == "1:4"


def test_a_place_shows_its_line() -> None:
    place = document(f"a: 1\r\nb: {NEL}x # c\r\n").place(("b",))
    assert (place.file, place.text, at(place.span)) == ("x.yaml", f"b: {NEL}x # c", "2:4")


def test_raw_keeps_the_breaks_of_yaml_1_1() -> None:
    assert document(f"a: b{NEL}c\n").raw(("a",)) == f"b{NEL}c"


def test_raw_of_a_collection_is_nothing() -> None:
    assert document("a: [1]\n").raw(("a",)) is None


def test_raw_of_what_is_not_there_is_nothing() -> None:
    assert document("a: 1\n").raw(("b",)) is None


def test_a_tag_hides_no_duplicate_key() -> None:
    text = "a: !function f\nb: !include [x]\nc: !function g\nd: 1\nd: 2\n"
    assert [(fault.code, at(fault.span)) for fault in faults(text)] == [
        ("source/unsupported", "1:4"),
        ("source/unsupported", "2:4"),
        ("source/duplicate-key", "5:1"),
    ]
    (tag, second) = faults("a: !x b\n---\nc\n")
    assert (tag.code, second.code) == ("source/unsupported", "source/multiple-documents")
