"""A lazy pattern is compiled at its first use, and then does what a pattern does."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tables import every_case

from evalcontract.model import startup as module
from evalcontract.model.startup import lazy_pattern

TEXT = "a1 b22\nc"


@every_case("flags", [0, re.IGNORECASE | re.MULTILINE])
@every_case(
    ("method", "arguments"),
    [
        *[("findall", (TEXT,)), ("split", (TEXT,)), ("sub", ("-", TEXT)), ("subn", ("-", TEXT))],
        *[("search", (TEXT, 2)), ("match", (TEXT,)), ("fullmatch", ("b22",))],
    ],
)
def test_it_finds_what_the_pattern_finds(method: str, arguments: Any, flags: int) -> None:
    lazy, whole = lazy_pattern("([A-Z])([0-9]+)", flags), re.compile("([A-Z])([0-9]+)", flags)
    for _ in range(2):
        found, known = getattr(lazy, method)(*arguments), getattr(whole, method)(*arguments)
        if isinstance(known, re.Match):
            found, known = found.regs, known.regs
        assert found == known


def test_it_has_the_attributes_of_the_pattern() -> None:
    lazy, whole = lazy_pattern(rb"(?P<x>a)", re.DOTALL), re.compile(rb"(?P<x>a)", re.DOTALL)
    assert (lazy.pattern, lazy.flags, lazy.groupindex) == (b"(?P<x>a)", whole.flags, {"x": 1})
    assert repr(lazy) == repr(whole)
    with pytest.raises(AttributeError):
        lazy.other  # type: ignore[attr-defined]  # noqa: B018


def test_it_is_compiled_once_and_only_if_used() -> None:
    compiled: list[object] = []
    whole = re.compile("a")

    def compile_(*given: object) -> re.Pattern[str]:
        compiled.append(given)
        return whole

    lazy = module._LazyPattern(compile_, "a")  # noqa: SLF001 - compiled by another function
    assert compiled == []
    assert [bool(lazy.search(text)) for text in ("a", "b", "a")] == [True, False, True]
    assert lazy.match("a")
    assert compiled == [("a",)]
