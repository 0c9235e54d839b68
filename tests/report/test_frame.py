"""Frames: what is shown of a line, what stands below it, and how much is looked at for it."""

from __future__ import annotations

import random
import unicodedata
from typing import TYPE_CHECKING

from examples import tries
from tables import every_case

from evalcontract.model.diagnostic import Place, Span
from evalcontract.model.values import escape_controls
from evalcontract.report import frame as module
from evalcontract.report.frame import display_width, frame

if TYPE_CHECKING:
    import pytest

ACUTE, WIDE = "\N{COMBINING ACUTE ACCENT}", "春"


def framed(text: str, start: int, end: int, width: int = 40) -> tuple[str, str]:
    """Return the source line and the underline of what stands from `start` to before `end`."""
    place = Place("f", Span(7, start + 1, 7, end + 1), text)
    (gutter, line), (empty, carets) = frame(place, width)
    assert (gutter, empty) == ("7", "")
    return line, carets


@every_case(
    ("text", "start", "end", "line", "carets"),
    [
        ("a: [b]", 3, 6, "a: [b]", "   ^^^"),
        ("\ta: b", 4, 5, " a: b", "    ^"),
        ("a\r\x00b", 3, 4, "a␍␀b", "   ^"),
        ("a\N{LINE SEPARATOR}b", 2, 3, "a\N{REPLACEMENT CHARACTER}b", "  ^"),
        ("a\udcffb", 2, 3, "a\N{REPLACEMENT CHARACTER}b", "  ^"),
        (f"{WIDE}{WIDE}: x", 4, 5, f"{WIDE}{WIDE}: x", "      ^"),
        (f"e{ACUTE}: x", 4, 5, f"e{ACUTE}: x", "   ^"),
        (WIDE, 0, 1, WIDE, "^^"),
        ("", 0, 0, "", "^"),
        ("ab", 2, 2, "ab", "  ^"),
        ("ab", 9, 12, "ab", "  ^"),
    ],
    ids=ascii,
)
def test_short_lines(text: str, start: int, end: int, line: str, carets: str) -> None:
    assert framed(text, start, end) == (line, carets)


@every_case("filler", ["x", WIDE, "e" + ACUTE, "\t", "\r", "\x00", ACUTE])
@every_case("ends", [(1, 1), (1, 0), (0, 1)])
def test_long_lines(filler: str, ends: tuple[int, int]) -> None:
    """The place is shown whole, its carets below it, whatever stands around it."""
    before, after = (filler * 200_000 * each for each in ends)
    line, carets = framed(f"{before}<place>{after}", len(before), len(before) + 7)
    assert display_width(line) <= 40
    assert carets.strip(" ") == "^" * 7
    assert display_width(line[: line.index("<place>")]) == carets.index("^")
    assert line.startswith("…") is bool(before)
    assert line.endswith("…") is bool(after)


def test_what_is_long_itself_is_cut() -> None:
    line, carets = framed(f"key: {'y' * 500_000} # end", 5, 500_005)
    assert display_width(line) <= 40
    assert set(carets.strip()) == {"^"}
    assert line.startswith("key: yyy")
    assert carets.index("^") == 5


def test_a_mark_is_not_shown_without_its_letter() -> None:
    for width in range(12, 30):
        line, _ = framed(f"e{ACUTE}" * 50 + "x", 100, 101, width)
        assert line[0] == "…"
        assert unicodedata.category(line[1]) != "Mn"


def test_any_line() -> None:
    """Whatever is in it, a frame fits, and its carets are as many cells as are marked."""
    chance = random.Random(1)  # noqa: S311 - no secret
    signs = f"aaaa {WIDE}{ACUTE}\t\r\x00\N{LINE SEPARATOR}\N{PARTY POPPER}"
    for _ in range(tries(3000)):
        text = "".join(chance.choices(signs, k=chance.choice([0, 3, 30, 90, 900])))
        start = chance.randrange(len(text) + 1)
        end = min(start + chance.randrange(12), len(text))
        line, carets = framed(text, start, end, 60)
        marked = escape_controls(text[start:end])
        assert display_width(line) <= 60
        assert len(carets.strip()) == max(display_width(marked), 1)
        before = len(carets) - len(carets.lstrip())
        line += " " * before  # blanks at the end of a line are not printed
        at = next(n for n in range(len(line) + 1) if display_width(line[:n]) == before)
        assert marked.rstrip() in line[at:] or marked.startswith(ACUTE)


def test_work_does_not_grow_with_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is far away is not looked at: ten thousand findings may stand in one line."""
    seen: list[int] = []

    def counted(text: str) -> str:
        seen.append(len(text))
        return escape_controls(text)

    monkeypatch.setattr(module, "escape_controls", counted)
    for text in ("é" * 1_000_000, ACUTE * 1_000_000):
        framed(text, 500_000, 500_003)
        framed(text, 3, 999_999)
    assert max(seen) <= 400
