"""The shapes of texts: any, any but blank, any without some words, or those that were seen."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from evalcontract.structure.applied import ELSEWHERE, OF_NUMBER, OF_TEXT, UnfitError, say_all
from evalcontract.structure.shape import Scalar
from evalcontract.structure.shape_types import limited

if TYPE_CHECKING:
    from evalcontract.structure.shape import Shape

# "Holds another character than these": the one kind of pattern that a shape can say.
_RANGE = re.compile(r"\\u([0-9a-f]{4})(?:-\\u([0-9a-f]{4}))?")
_OTHER_THAN = re.compile(rf"\[\^((?:{_RANGE.pattern})+)\]")
_MOST_BLANKS = 500
# "Holds one of these words": letters in either case, and what else may stand for itself.
_ANY_LETTER = r"(?:[^\\^$.|?*+()\[\]{}/]|\\[\\^$.|?*+()\[\]{}/]|\[[a-zA-Z]{2}\])"
_LETTER = re.compile(_ANY_LETTER)
_WORD = re.compile(f"{_ANY_LETTER}+")
_WORDS = re.compile(rf"{_ANY_LETTER}+(?:\|{_ANY_LETTER}+)*")
_MOST_LITERALS = 200

Parts = list[dict[str, Any]]


def text_shape(parts: Parts, column: list[str]) -> Shape:
    """Return the shape of some texts, which the schemas accept.

    Raises:
        UnfitError: there are too many, and a keyword is none that a shape can say.

    """
    patterns = {part["pattern"] for part in parts if "pattern" in part}
    blanks = _blanks(patterns)
    limits = lengths(parts, "minLength", "maxLength")
    try:
        banned, rest = _banned(parts)
        say_all(rest, OF_TEXT, {*OF_NUMBER, "multipleOf"} | ELSEWHERE)
    except UnfitError:
        return _literal(parts, set(column), is_narrow=bool(patterns or limits))
    if patterns and not blanks:
        return _literal(parts, set(column), is_narrow=True)
    if blanks:
        limits["min_length"] = max(1, limits.get("min_length", 1))
    return Scalar(limited(str, limits), is_text=True, blanks=blanks, banned=banned)


def _literal(parts: Parts, texts: set[str], *, is_narrow: bool) -> Shape:
    """Return the shape of the texts that were seen, which any schema of theirs accepts.

    Where nothing but an `enum` is said of them, all of its texts.
    """
    listed = [set(filter(_is_text, part["enum"])) for part in parts if "enum" in part]
    try:
        say_all(parts, {"enum"}, {*OF_NUMBER, "multipleOf"} | ELSEWHERE)
        every = set.intersection(*listed) if listed and not is_narrow else texts
    except UnfitError:
        every = texts
    if len(every) > _MOST_LITERALS and not listed:
        raise UnfitError
    return Scalar(Literal[tuple(sorted(every))], is_text=True)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _banned(parts: Parts) -> tuple[tuple[str, ...], Parts]:
    """Return the words that no text may hold, casefolded, and the schemas without that."""
    words: list[str] = []
    rest = []
    for part in parts:
        refused = part.get("not")
        if isinstance(refused, dict) and set(refused) == {"pattern"}:
            if not _WORDS.fullmatch(refused["pattern"]):
                raise UnfitError
            found = _WORD.findall(refused["pattern"])
            words += ["".join(map(_letter, _LETTER.findall(each))).casefold() for each in found]
            rest.append({key: value for key, value in part.items() if key != "not"})
        else:
            rest.append(part)
    return tuple(words), rest


def _letter(written: str) -> str:
    r"""Return the character that `a`, `\.` or `[aA]` stands for, its case aside."""
    return written[1] if len(written) > 1 else written


def _blanks(patterns: set[str]) -> str:
    """Return the characters beside which a text must hold another; none if that is not asked."""
    return _blanks_of(next(iter(patterns))) if len(patterns) == 1 else ""


@cache
def _blanks_of(pattern: str) -> str:
    found = _OTHER_THAN.fullmatch(pattern)
    if not found:
        return ""
    ranges = [(int(low, 16), int(high or low, 16)) for low, high in _RANGE.findall(found[1])]
    if sum(high - low + 1 for low, high in ranges) > _MOST_BLANKS:
        return ""
    codes = {code for low, high in ranges for code in range(low, high + 1)}
    blanks = "".join(map(chr, sorted(codes)))
    is_usual = " " in blanks and not any("!" <= each <= "~" for each in blanks)
    return blanks if is_usual else ""


def lengths(parts: Parts, least: str, most: str) -> dict[str, int]:
    """Return the bounds that two keywords set together, as msgspec calls them."""
    limits = {}
    if lowest := [part[least] for part in parts if least in part]:
        limits["min_length"] = max(lowest)
    if highest := [part[most] for part in parts if most in part]:
        limits["max_length"] = min(highest)
    return limits
