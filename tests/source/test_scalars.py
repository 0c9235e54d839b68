"""Plain scalars mean what the core schema of YAML 1.2.2 (section 10.3.2) says, and nothing else."""

from __future__ import annotations

import math
from typing import Any

import pytest
from source_texts import document, faults, value
from tables import every_case

from evalcontract.source.yaml.scalars import resolve_plain

INF = math.inf

# (the text, its value); `repr` tells 1 from True and from 1.0
CORE: list[tuple[str, Any]] = [
    # null
    ("", None),
    ("~", None),
    ("null", None),
    ("Null", None),
    ("NULL", None),
    ("nULL", "nULL"),
    ("nil", "nil"),
    ("None", "None"),
    ("~~", "~~"),
    # bool
    ("true", True),
    ("True", True),
    ("TRUE", True),
    ("false", False),
    ("False", False),
    ("FALSE", False),
    ("tRUE", "tRUE"),
    ("yes", "yes"),
    ("Yes", "Yes"),
    ("no", "no"),
    ("NO", "NO"),
    ("on", "on"),
    ("off", "off"),
    ("y", "y"),
    ("n", "n"),
    # int
    ("0", 0),
    ("-0", 0),
    ("+1", 1),
    ("-1", -1),
    ("014", 14),
    ("-014", -14),
    ("0o14", 12),
    ("0o18", "0o18"),
    ("0O14", "0O14"),
    ("-0o14", "-0o14"),
    ("+0o14", "+0o14"),
    ("0o", "0o"),
    ("0x1F", 31),
    ("0x1f", 31),
    ("0X1F", "0X1F"),
    ("-0x1F", "-0x1F"),
    ("0x", "0x"),
    ("0xG", "0xG"),
    ("0b11", "0b11"),
    ("1_000", "1_000"),
    ("0x1_F", "0x1_F"),
    ("1,000", "1,000"),
    ("1 000", "1 000"),
    ("--1", "--1"),
    ("+", "+"),
    ("-1-", "-1-"),
    ("9223372036854775807", 2**63 - 1),
    ("18446744073709551616", 2**64),
    ("123456789012345678901234567890", 123456789012345678901234567890),
    ("0x" + "F" * 40, 16**40 - 1),
    ("٣", "٣"),  # digits of other scripts are text
    ("1٣", "1٣"),
    ("\uff11", "\uff11"),
    # float
    ("1.0", 1.0),
    ("1.10", 1.1),
    ("1.", 1.0),
    ("-1.", -1.0),
    (".5", 0.5),
    ("+.5", 0.5),
    ("-.5", -0.5),
    ("-0.0", -0.0),
    ("1e3", 1000.0),
    ("1E3", 1000.0),
    ("1e+3", 1000.0),
    ("1e-3", 0.001),
    ("1.e3", 1000.0),
    (".5e3", 500.0),
    ("12e03", 12000.0),
    ("014.5", 14.5),
    ("1_000.5", "1_000.5"),
    (".", "."),
    ("..", ".."),
    (".e3", ".e3"),
    ("e3", "e3"),
    ("1e", "1e"),
    ("1e3.5", "1e3.5"),
    ("1.2.3", "1.2.3"),
    ("1.0.0", "1.0.0"),
    ("1.0f", "1.0f"),
    (".inf", INF),
    (".Inf", INF),
    (".INF", INF),
    ("+.inf", INF),
    ("-.inf", -INF),
    ("-.INF", -INF),
    (".iNF", ".iNF"),
    ("inf", "inf"),
    ("Infinity", "Infinity"),
    (".nan", math.nan),
    (".NaN", math.nan),
    (".NAN", math.nan),
    (".Nan", ".Nan"),
    ("+.nan", "+.nan"),
    ("-.nan", "-.nan"),
    ("nan", "nan"),
    ("NaN", "NaN"),
    # what YAML 1.1 reads otherwise
    ("12:30", "12:30"),
    ("12:30:45", "12:30:45"),
    ("190:20:30.15", "190:20:30.15"),
    ("2026-05-08", "2026-05-08"),
    ("2026-13-45", "2026-13-45"),
    ("2026-05-08T12:30:00Z", "2026-05-08T12:30:00Z"),
    ("2026-05-08 12:30:00", "2026-05-08 12:30:00"),
    ("=", "="),
    ("<<", "<<"),
    ("0.1.0", "0.1.0"),
    ("é", "é"),
]


@every_case(("text", "expected"), CORE)
def test_a_scalar_wherever_it_stands(text: str, expected: object) -> None:
    """Plain it is resolved; in quotes, in a block and as a key it is text; raw it is as written."""
    assert repr(resolve_plain(text)) == repr(expected)
    assert repr(value(f"a: {text}\n")) == repr({"a": expected})
    if "," not in text:
        assert repr(value(f"[{text}]")) == repr([] if text == "" else [expected])
    for quote in "'\"":
        assert value(f"a: {quote}{text}{quote}\n") == {"a": text}
    if text:
        assert value(f"a: |-\n  {text}\nb: >-\n  {text}\n") == {"a": text, "b": text}
    if text not in ("", "<<"):
        assert value(f"{text}: 1\n") == {text: 1}
    assert document(f"a: {text}\n").raw(("a",)) == text


# (the text, its value): tags that the core schema has
TAGGED: list[tuple[str, Any]] = [
    ("!!str 12", "12"),
    ("!!str", ""),
    ("!!str null", "null"),
    ('!!str "12"', "12"),
    ("!!int 12", 12),
    ('!!int "12"', 12),
    ("!!int 0x1F", 31),
    ("!!int 0o14", 12),
    ("!!float 12", 12.0),
    ("!!float 1.5", 1.5),
    ("!!float .inf", INF),
    ("!!bool true", True),
    ("!!null null", None),
    ("!!null", None),
    ("!!map {a: 1}", {"a": 1}),
    ("!!seq [1]", [1]),
    ("!<tag:yaml.org,2002:str> 12", "12"),
    ("! 12", "12"),  # the non-specific tag makes a scalar text (section 6.9.1)
    ('! "12"', "12"),
    ("! {a: 1}", {"a": 1}),
    ("! [1]", [1]),
]


@every_case(("text", "expected"), TAGGED)
def test_tagged(text: str, expected: object) -> None:
    assert repr(value(f"a: {text}\n")) == repr({"a": expected})


# (the text, the code)
MISTAGGED = [
    ("!!int 1.5", "source/syntax"),
    ("!!int 1_000", "source/syntax"),
    ("!!int true", "source/syntax"),
    ("!!int", "source/syntax"),
    ("!!int abc", "source/syntax"),
    ("!!float true", "source/syntax"),
    ("!!float abc", "source/syntax"),
    ("!!bool 1", "source/syntax"),
    ("!!bool yes", "source/syntax"),
    ("!!null a", "source/syntax"),
    ("!!map [1]", "source/unsupported"),
    ("!!seq {a: 1}", "source/unsupported"),
    ("!!map x", "source/unsupported"),
    ("!!seq x", "source/unsupported"),
    ("!!str [1]", "source/unsupported"),
    ("!!int {a: 1}", "source/unsupported"),
    ("!!binary aGk=", "source/unsupported"),
    ("!!timestamp 2026-05-08", "source/unsupported"),
    ("!!set {a}", "source/unsupported"),
    ("!!omap [a: 1]", "source/unsupported"),
    ("!!python/none x", "source/unsupported"),
    ("!!python/object/apply:os.system [ls]", "source/unsupported"),
    ("!include x.yaml", "source/unsupported"),
    ("!mine {a: 1}", "source/unsupported"),
    ("!mine", "source/unsupported"),
]


@every_case(("text", "code"), MISTAGGED)
def test_mistagged(text: str, code: str) -> None:
    (fault,) = faults(f"a: {text}\n")
    assert fault.code == code
    assert fault.span is not None
    assert (fault.span.line, fault.span.column) == (1, 4)


def test_an_unknown_tag_on_a_key_is_refused_as_on_a_value() -> None:
    (fault,) = faults("a: 1\n!mine b: 2\n")
    assert fault.code == "source/unsupported"


@pytest.mark.parametrize("text", ["1" * 5000, "-" + "1" * 5000, "+" + "0" * 5000])
def test_an_integer_that_python_does_not_read_is_a_fault(text: str) -> None:
    (fault,) = faults(f"a: 1\nb: {text}\n")
    assert fault.code == "source/syntax"
    assert fault.span is not None
    assert (fault.span.line, fault.span.column) == (2, 4)
    assert fault.help == "quote it if it is text"
