"""JSON texts: strict, every fault with its line and column, no key lost, no number changed."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from examples import tries
from source_texts import at, document, ends, faults, fragment, parts, read, stream, value
from tables import every_case

from evalcontract.source import Document, UnreadableFile
from evalcontract.source.faults import MAX_DEPTH
from evalcontract.source.jsonl import RowStream

# name: (the text, its value)
GOOD: dict[str, tuple[str, Any]] = {
    "object": ('{"a": 1}', {"a": 1}),
    "array": ("[1, [2], {}]", [1, [2], {}]),
    "text": ('"a"', "a"),
    "number": ("1", 1),
    "words": ("[true, false, null]", [True, False, None]),
    "white space": (' \t\r\n{ \n"a"\t:\r\n1 } \n', {"a": 1}),
    "byte order mark": ('\ufeff{"a": 1}', {"a": 1}),
    "escapes": (r'"\" \\ \/ \b \f \n \r \t \u00e9"', '" \\ / \b \f \n \r \t é'),
    "escaped NUL": (r'"\u0000"', "\0"),
    "surrogate pair": (r'"\ud83d\ude00"', "😀"),
    "a backslash before what looks like half of a pair": (r'"\\ud83d"', r"\ud83d"),
    "a backslash before what looks like a pair": (r'"\\ud83d\\ude00"', r"\ud83d\ude00"),
    "an escaped backslash before a pair": (r'"\\\ud83d\ude00"', "\\😀"),
    "a pair before what looks like half of one": (r'"\ud83d\ude00ud83d"', "😀ud83d"),
    "a key that looks like half of a pair": (r'{"\\ud83d": 1}', {r"\ud83d": 1}),
    "raw emoji": ('"😀"', "😀"),
    "delete and C1 and separators": ('"\x7f\x80\x85\u2028\u2029"', "\x7f\x80\x85\u2028\u2029"),
    "noncharacters": ('"\ufffe\uffff\ufeff"', "\ufffe\uffff\ufeff"),
    "text with a quote and a colon": (r'{"a": "\":"}', {"a": '":'}),
    "text with many of them": (r'{"a": "\": \" : \":", "b": "\":"}', {"a": '": " : ":', "b": '":'}),
    "key with a quote and a colon": (r'{"\":": 1}', {'":': 1}),
    "space before the colon": ('{"a"\n\t :1}', {"a": 1}),
    "empty key": ('{"": 1}', {"": 1}),
    "keys that differ in their case": ('{"a": 1, "A": 2}', {"a": 1, "A": 2}),
    "equal keys in two objects": ('[{"a": 1}, {"a": 2}]', [{"a": 1}, {"a": 2}]),
    "zero": ("[0, -0, 0.0, -0.0, 0e1]", [0, 0, 0.0, -0.0, 0.0]),
    "floats": ("[1.5, 1e3, 1E+3, 1e-3, 1.0]", [1.5, 1000.0, 1000.0, 0.001, 1.0]),
    "small float": ("1e-400", 0.0),
    "largest float": ("1.7976931348623157e308", 1.7976931348623157e308),
    "63 bits": ("9223372036854775807", 2**63 - 1),
    "64 bits": ("[18446744073709551615, -9223372036854775808]", [2**64 - 1, -(2**63)]),
    "65 bits": ("18446744073709551616", 2**64),
    "64 bits and a sign": ("-9223372036854775809", -(2**63) - 1),
    "a long number": (
        '{"a": [123456789012345678901234567890]}',
        {"a": [123456789012345678901234567890]},
    ),
    "a longer number": ("1" * 400, int("1" * 400)),
    "a long number as text": ('"123456789012345678901234567890"', "123456789012345678901234567890"),
    "a float of many digits": (
        "123456789012345678901234567890.0",
        123456789012345678901234567890.0,
    ),
    "an integral exponent": ("1e20", 1e20),
}


@every_case("name", GOOD)
def test_means(name: str) -> None:
    text, expected = GOOD[name]
    assert repr(value(text, "x.json")) == repr(expected)


@every_case("name", GOOD)
def test_every_part_has_its_place(name: str) -> None:
    text, expected = GOOD[name]
    found = document(text, "x.json")
    body = text.removeprefix("\ufeff")
    for path, part in parts(expected):
        span = found.place(path).span
        assert span is not None
        assert repr(json.loads(fragment(body, span))) == repr(part)


@every_case("name", [name for name in GOOD if "\n" not in GOOD[name][0]])
def test_means_the_same_as_a_row(name: str) -> None:
    text, expected = GOOD[name]
    found = stream(text + "\n")
    (batch,) = found.batches()
    assert not batch.faults
    assert repr(batch.rows) == repr([expected])
    assert found.place((0,)).span is not None


# name: (the text, where, a part of the message)
BAD: dict[str, tuple[str, str, str]] = {
    "NaN": ('{"a": NaN}', "1:7", "`NaN` is not JSON"),
    "Infinity": ("[1,\n Infinity]", "2:2", "`Infinity` is not JSON"),
    "-Infinity": ("[-Infinity]", "1:2", ""),
    "True": ("[True]", "1:2", "`True` is Python"),
    "None": ("[None]", "1:2", "`None` is Python"),
    "a misspelled word": ("[nul]", "1:2", "a value is expected"),
    "a word that goes on": ("[nulls]", "1:2", "a value is expected"),
    "an unquoted value": ('{"a": b}', "1:7", "a value is expected"),
    "an unquoted key": ("{a: 1}", "1:2", "a key in double quotes"),
    "single quotes": ("{'a': 1}", "1:2", "a key in double quotes"),
    "a value in single quotes": ("{\"a\": 'b'}", "1:7", "single quotes"),
    "a comment": ('{\n  // b\n  "a": 1}', "2:3", "a comment"),
    "a comment after a value": ('{"a": 1 // b\n}', "1:9", "a comment"),
    "a comment in an array": ("[1, /* b */ 2]", "1:5", "a comment"),
    "a trailing comma": ('{"a": 1,}', "1:9", "a key in double quotes"),
    "a trailing comma, a line above": ('{"a": 1,\n}', "2:1", "a key in double quotes"),
    "a trailing comma in an array": ("[1, ]", "1:5", "a value is expected"),
    "a leading comma": ("[,1]", "1:2", "a value is expected"),
    "two commas": ("[1,,2]", "1:4", "a value is expected"),
    "a missing comma": ("[1 2]", "1:4", "`,` or `]`"),
    "a missing comma between pairs": ('{"a": 1\n "b": 2}', "2:2", "`,` or `}`"),
    "a missing colon": ('{"a" 1}', "1:6", "a `:` is expected after the key `a`"),
    "a missing value": ('{"a": }', "1:7", "a value is expected"),
    "a key alone": ('{"a"}', "1:5", "a `:` is expected"),
    "the wrong closer": ("[1}", "1:3", "`,` or `]`"),
    "the wrong closer of an object": ('{"a": 1]', "1:8", "`,` or `}`"),
    "a closer too many": ("[1]]", "1:4", "unexpected text after"),
    "two values": ("{} {}", "1:4", "unexpected text after"),
    "cut short in an object": ('{"a": 1', "1:8", "the text ends"),
    "cut short after a colon": ('{"a":\n', "2:1", "the text ends"),
    "cut short in an array": ("[1,", "1:4", "the text ends"),
    "cut short after the bracket": ("{", "1:2", "a key in double quotes"),
    "cut short in text": ('{"a": "b', "1:7", "not closed"),
    "an open quote": ('{"a": "b\n}', "1:7", "not closed"),
    "an open quote, crlf": ('{"a": 1,\r\n "b": "c\r\n}', "2:7", "not closed"),
    "an unknown escape": (r'["a\qb"]', "1:4", "unknown escape"),
    "an escape by x": (r'["\x41"]', "1:3", "unknown escape"),
    "a short escape": (r'["\u12"]', "1:3", "escape"),
    "a tab in text": ('["a\tb"]', "1:4", "control character"),
    "a control character": ('["é\x01"]', "1:4", "control character"),
    "a control character between values": ('{"a":\x01 1}', "1:6", "a value is expected"),
    "half of a pair": (r'["\ud83d"]', "1:2", "lone surrogate"),
    "the other half": (r'["\ude00"]', "1:2", "lone surrogate"),
    "a pair the wrong way round": (r'["\ude00\ud83d"]', "1:2", "lone surrogate"),
    "half of a pair after a backslash": (r'["\\\ud83d"]', "1:2", "lone surrogate"),
    "half after what looks like the other": (
        r'["\\ud83d\ude00"]',
        "1:2",
        "lone surrogate",
    ),
    "half of a pair in a key": (r'{"\ud83d": 1}', "1:2", "lone surrogate"),
    "two halves in two texts": (r'["\ud83d", "\ude00"]', "1:2", "lone surrogate"),
    "a leading zero": ("[014]", "1:3", "`,` or `]`"),
    "a leading plus": ("[+1]", "1:2", "a value is expected"),
    "a leading point": ("[.5]", "1:2", "a value is expected"),
    "a trailing point": ("[1.]", "1:3", "`,` or `]`"),
    "an open exponent": ("[1e]", "1:3", "`,` or `]`"),
    "a hexadecimal number": ("[0x1F]", "1:3", "`,` or `]`"),
    "an underscore": ("[1_000]", "1:3", "`,` or `]`"),
    "a minus alone": ("[-]", "1:2", "a value is expected"),
    "a float beyond all": ('{"a":\n 1e400}', "2:2", ""),
    "a negative float beyond all": ("[-1e400]", "1:2", ""),
    "a no-break space": ("[\xa01]", "1:2", "a value is expected"),
    "a mark inside": ("[\ufeff1]", "1:2", "a value is expected"),
    "two marks": ("\ufeff\ufeff[1]", "1:1", "a value is expected"),
    "after emoji": ('{"😀": "😀", b}', "1:12", "a key in double quotes"),
    "after a lone cr": ('{"a": 1,\r\r b}', "3:2", "a key in double quotes"),
    "after separators": ('["\x85\u2028\u2029", b]', "1:9", "a value is expected"),
    "after a mark": ("\ufeff[b]", "1:2", "a value is expected"),
}


@every_case("name", BAD)
def test_refused(name: str) -> None:
    text, where, message = BAD[name]
    (fault,) = faults(text, "x.json")
    assert (fault.code, at(fault.span)) == ("source/syntax", where)
    assert fault.message.startswith("not JSON: ")
    assert message in fault.message


# A line end, or a byte order mark, is another thing in JSONL.
BAD_ROWS = [
    name
    for name, (text, _, _) in BAD.items()
    if not set(text) & {"\n", "\r"} and not text.startswith("\ufeff")
]


@every_case("name", BAD_ROWS)
def test_refused_as_a_row(name: str) -> None:
    text, where, message = BAD[name]
    (batch,) = stream(text + "\n[1]\n").batches()
    assert batch.rows == [[1]]
    ((fault, shown),) = batch.faults
    assert (fault.code, at(fault.span), shown) == ("source/syntax", where, text)
    assert message in fault.message


# (the text, [(the key, where, where first)])
DUPLICATES = [
    ('{"a": 1, "a": 2}', [("a", "1:10-1:13", "1:2-1:5")]),
    ('{"a": 1, "a": 1}', [("a", "1:10-1:13", "1:2-1:5")]),
    ('{"a": 1,\n "\\u0061": 2}', [("a", "2:2-2:10", "1:2-1:5")]),
    ('{"a"\n: 1, "a"\t: 2}', [("a", "2:6-2:9", "1:2-1:5")]),
    ('{"/": 1, "\\/": 2}', [("/", "1:10-1:14", "1:2-1:5")]),
    ('{"😀": 1, "\\ud83d\\ude00": 2}', [("😀", "1:10-1:24", "1:2-1:5")]),
    ('{"": 1, "": 2}', [("", "1:9-1:11", "1:2-1:4")]),
    (
        '{"a": 1, "b": 2, "b": 3, "a": 4}',
        [("b", "1:18-1:21", "1:10-1:13"), ("a", "1:26-1:29", "1:2-1:5")],
    ),
    ('{"a": 1, "a": 2, "a": 3}', [("a", "1:10-1:13", "1:2-1:5"), ("a", "1:18-1:21", "1:2-1:5")]),
    ('[{"a": {"b": 1, "b": 2}}]', [("b", "1:17-1:20", "1:9-1:12")]),
    (
        '{"a": {"x": 1}, "a": {"x": 1, "x": 2}}',
        [("x", "1:31-1:34", "1:23-1:26"), ("a", "1:17-1:20", "1:2-1:5")],
    ),
    ('{"a": "\\":", "a": 2}', [("a", "1:14-1:17", "1:2-1:5")]),
    ('{"a": "\\":\\":", "a": "\\":"}', [("a", "1:17-1:20", "1:2-1:5")]),
    ('{"a\\"": 1, "a\\"": 2}', [('a"', "1:12-1:17", "1:2-1:7")]),
]


@every_case(("text", "expected"), DUPLICATES)
def test_duplicate_keys_are_refused_with_both_places(
    text: str, expected: list[tuple[str, str, str]]
) -> None:
    found = faults(text, "x.json")
    assert {fault.code for fault in found} == {"source/duplicate-key"}
    assert [(ends(fault.span), ends(fault.related[0][1])) for fault in found] == [
        (second, first) for _, second, first in expected
    ]
    assert all(f"`{key}`" in f.message for f, (key, _, _) in zip(found, expected, strict=True))


@every_case(("opening", "closing"), [("[", "]"), ('{"a": ', "}")])
@every_case("depth", [MAX_DEPTH + 1, MAX_DEPTH + 100, 1023, 1025, 5000, 200_000])
def test_too_deep(opening: str, closing: str, depth: int) -> None:
    (fault,) = faults(opening * depth + "1" + closing * depth, "x.json")
    assert fault.code == "source/limit-exceeded"
    assert at(fault.span) == f"1:{len(opening) * MAX_DEPTH + 1}"


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, MAX_DEPTH + 100, 5000])
def test_too_deep_as_a_row(depth: int, *, quick: bool) -> None:
    (batch,) = stream("[1]\n" + "[" * depth + "]" * depth + "\n").batches(quick=quick)
    assert batch.rows == [[1]]
    ((fault, _),) = batch.faults
    assert (fault.code, at(fault.span)) == ("source/limit-exceeded", f"2:{MAX_DEPTH + 1}")


def test_the_limit_of_depth() -> None:
    text = "[" * MAX_DEPTH + "1" + "]" * MAX_DEPTH
    assert document(text, "x.json").place((0,) * MAX_DEPTH).span is not None


class _Refused(Exception):
    """What our reading refuses beyond `json.loads`, on purpose: see `oracle`."""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise _Refused("duplicate")
    return dict(pairs)


def _number(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise _Refused("infinite")
    return number


def _constant(text: str) -> Any:
    raise _Refused(text)


def oracle(data: bytes) -> Any:
    """Read as Python does, less NaN, infinite numbers, duplicate keys, surrogates and depth."""
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    found = json.loads(
        text, object_pairs_hook=_pairs, parse_float=_number, parse_constant=_constant
    )
    for path, part in parts(found):
        if len(path) >= MAX_DEPTH and isinstance(part, dict | list):
            raise _Refused("deep")
        texts = [part] if isinstance(part, str) else list(part) if isinstance(part, dict) else []
        for each in texts:
            each.encode()  # refuses half of a surrogate pair
    return found


SEEDS = [
    b'{"questions": [{"id": "q1", "input": "a\\u00e9\\n"}, {"id": "q2", "tags": ["a", "b"]}]}',
    b'[1, -2.5e3, true, false, null, "\\ud83d\\ude00", {}, [], ""]',
    '{"é": "😀\u2028", "a": {"b": [0, 0.5]},\r\n "c" : "\\":", "d": "\\\\"}\n'.encode(),
    b'\xef\xbb\xbf{"a": 1}',
    b'{"a": "\\\\ud83d", "b": "\\ud83d\\ude00"}',
]
_PIECES = [
    b'"',
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\n",
    b"\r",
    b" ",
    b"0",
    b"-",
    b"e",
    b"NaN",
    b"\xff",
    b"\xc3",
    b"\0",
    b"\x01",
    b"\\ud83d",
    b"\\u0061",
    b'"a":',
    b"/",
    b"'",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xa8",
]


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Break bytes in one to four places."""
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(data) + 1)
        end = min(len(data), start + chance.choice((0, 0, 1, 1, 2, 9)))
        piece = chance.choice(
            [b"", chance.choice(_PIECES), data[end : end + 8], bytes([chance.randrange(256)])]
        )
        data = data[:start] + piece + data[end:]
    return data


@pytest.mark.parametrize("seed", range(tries(20)))
def test_fuzz_agrees_with_python(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311
    for _ in range(300):
        data = mutated(chance.choice(SEEDS), chance)
        found = read(data, "x.json")
        assert not isinstance(found, RowStream)
        try:
            expected = oracle(data)
        except (ValueError, _Refused):
            assert isinstance(found, UnreadableFile), data
            _check_faults(found, data)
            continue
        assert isinstance(found, Document), (data, found)
        assert repr(found.value) == repr(expected), data
        for path, _part in parts(expected):
            assert found.place(path).span, data


def _check_faults(found: UnreadableFile, data: bytes) -> None:
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    for fault in found.faults:
        if fault.code in ("source/syntax", "source/duplicate-key"):
            assert fault.span is not None, (data, fault)
            fragment(text, fault.span)


@pytest.mark.parametrize("seed", range(tries(5)))
def test_fuzz_of_rows_raises_nothing(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311
    for _ in range(200):
        lines = [mutated(chance.choice(SEEDS), chance) for _ in range(3)]
        data = b"\n".join(lines)
        found = stream(data)
        index = 0
        for batch in found.batches():
            for row in batch.rows:
                for path, _part in parts(row, (index,)):
                    assert found.place(path).span, data
                    found.place(path, on_key=True)
                index += 1
