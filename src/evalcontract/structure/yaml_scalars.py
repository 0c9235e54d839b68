r"""Scalars of YAML as patterns: the ones of which it is certain what they mean.

A pattern stands for what follows `key:` or `-` up to the end of the value's last line. Lines end
at `\n`; there are no control characters but tabs, and no line breaks of YAML 1.1. A text that
goes on in further lines has them to the right of `column`, where its collection stands: no key
and no dash can stand there. What is narrower than YAML is only slower.
"""

from __future__ import annotations

import re
import typing
from typing import Any, Literal

from evalcontract.structure.applied import UnfitError, unfit

# What begins a text for certain: no blank, no indicator, nothing that a number begins with.
_BEGIN = r"""[^\s?:,\[\]{}#&*!|>'"%@`0-9+.~-]"""
# Not the whole of a word that means null, true or false.
_NO_WORD = r"(?![nNtTfF](?:ull|ULL|rue|RUE|alse|ALSE)\n)"
# No number goes on like this behind its digits.
_NO_NUMBER = r"[0-9]++(?:[ ,/-]|[:%'](?! )|[acdf-mnp-wyz])"
#: Stands for what goes on with a plain text in its line: put in one of the two below for it.
REST = "\0"
#: A colon before a blank ends a key, a mark behind one begins a comment.
ANY_REST = r"[^\n\t:#]*+(?:(?::(?![ \n\t])|(?<! )#)[^\n\t:#]*+)*+(?<! )"
#: Where there are no colons but those of keys, no `#` and no tabs: two times as fast.
SIMPLE_REST = r"[^\n]*+(?<! )"
PLAIN = rf"(?:{_BEGIN}|{_NO_NUMBER}){REST}"
_ESCAPE = r'\\(?:[ "\\/nrtbfae0_]|x[0-9a-fA-F]{2}|u(?![dD][89a-fA-F])[0-9a-fA-F]{4})'
_FLOW_WORD = r"[^\W\d][\w./@+-]*+(?: [\w./@+-]++)*+"
_CONTROL = 0x9F  # the last of the control characters
_MOST_DIGITS = 18
_MOST_WORDS = 200


#: How a text may be written: as it is, in one line or several, in quotes, or as a block.
BARE, FOLDED, SINGLE, DOUBLE, BLOCK = "bare", "folded", "'", '"', "|"


def simple(seen: str = "") -> str:
    """Return the pattern of texts in one line whose characters are the value.

    `seen` is a pattern of what stands before their first character.
    """
    return rf"(?:{_NO_WORD}{seen}{PLAIN}|{_quoted(seen)})"


def _quoted(seen: str) -> str:
    return rf"""'(?=\S){seen}[^'\n\t]++'|"(?=\S){seen}[^"\\\n\t]++\""""


def beside(blanks: str) -> str:
    """Return the pattern of a place where none of some characters stands.

    Those are left out that begin no text anyway: what is white, and control characters.
    """
    codes = sorted(ord(each) for each in set(blanks) if not each.isspace() and ord(each) > _CONTROL)
    ranges: list[list[int]] = []
    for code in codes:
        if ranges and code == ranges[-1][1] + 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    every = "".join(rf"\u{low:04x}-\u{high:04x}" for low, high in ranges)
    return rf"(?![{every}])" if every else ""


def text(
    column: int, block: int, styles: set[str], limits: dict[str, int], seen: str | None
) -> str:
    """Return the pattern of a text in some styles; of a block, its lines begin at a column.

    `seen` is as in `simple`; None where a text may be empty.
    """
    least, most = limits.get("min_length", 0), limits.get("max_length")
    empty = "|''|\"\"" if seen is None and not least else ""
    seen = seen or ""
    if least > 1 or most is not None:
        length = rf"(?=[^\n]{{{max(least, 1)},{'' if most is None else most}}}\n)"
        return rf" {_NO_WORD}{length}{seen}{PLAIN}\n"
    deeper = " " * (column + 1)
    go_on = rf"\n(?={deeper}|\n)"
    options = [_NO_WORD + seen + PLAIN]
    if FOLDED in styles:
        options[0] += rf"(?:\n{deeper} *+(?![#:]){REST})*+"
    if SINGLE in styles:
        options.append(rf"'(?=\S){seen}(?:[^'\n\t]++|''|{go_on})++'")
    if DOUBLE in styles:
        options.append(rf'"(?=\S)(?!\\){seen}(?:[^"\\\n\t]++|{_ESCAPE}|\\?{go_on})++"')
    if BLOCK in styles and block > column:
        inner = " " * block
        more = rf"(?:\n(?:{inner}[^\n]*+| *+(?=\n)))*+"
        options.append(rf"[|>][-+]?+\n{inner}(?=\S){seen}[^\n]++{more}")
    every = "|".join(options) + empty
    return rf" (?>{every})\n"


def flow_text(seen: str) -> str:
    """Return the pattern of a text in a flow collection."""
    no_word = r"(?!(?:[nN]ull|NULL|[tT]rue|TRUE|[fF]alse|FALSE)\b)"
    return rf"(?>{no_word}{seen}{_FLOW_WORD}|{_quoted(seen)})"


def word(texts: list[str]) -> str:
    """Return the pattern of one of some texts, without what stands around it.

    Raises:
        UnfitError: there are too many of them, or none that can be written in a line.

    """
    plain = re.compile(rf"{_NO_WORD}{PLAIN.replace(REST, ANY_REST)}(?=\n)")
    quoted = re.compile(r"[ !#-&(-\[\]-~]+")
    bare = [each for each in texts if (m := plain.match(each + "\n")) and m.end() == len(each)]
    simple = [each for each in texts if quoted.fullmatch(each)]
    if not simple or len(texts) > _MOST_WORDS:
        raise UnfitError
    alternatives = "|".join(map(re.escape, simple))
    unquoted = "".join("|" + re.escape(each) for each in bare)
    return rf"(?:'(?:{alternatives})'|\"(?:{alternatives})\"{unquoted})"


def number(class_: type, limits: dict[str, Any]) -> str:
    """Return the pattern of a number within limits; it may leave some out."""
    low, high = limits.get("ge"), limits.get("le")
    if "gt" in limits:
        low = limits["gt"] + 1
    if "lt" in limits:
        high = limits["lt"] - 1
    if class_ is int:
        return _integer(low, high)
    # The digits before the point: then what comes behind it cannot lead beyond.
    whole = _integer(0 if low is None else max(low, 0), None if high is None else high - 1)
    sign = "-?+" if low is None and high is None else ""
    return rf"{sign}{whole}\.[0-9]{{1,15}}+"


def _integer(low: int | None, high: int | None) -> str:
    any_digits = rf"(?:0|[1-9][0-9]{{0,{_MOST_DIGITS - 1}}}+)"
    if low is not None and high is not None and high - low < _MOST_WORDS:
        few = [str(each) for each in range(max(low, 0), high + 1)]
        return rf"(?:{'|'.join(few)})(?![0-9])" if few else unfit()
    most = _MOST_DIGITS if high is None else min(len(str(high)) - 1, _MOST_DIGITS)
    if high is not None and high >= 10**_MOST_DIGITS:
        most = _MOST_DIGITS
    if most < 1 or (high is not None and high < 0):
        unfit()
    least = max(low or 0, 0)
    if least <= 1:
        zero = "0|" if least == 0 else ""
        sign = "-?+" if low is None or low <= -(10**_MOST_DIGITS) else ""
        if most == _MOST_DIGITS and not least:
            return sign + any_digits
        return rf"{sign if not least else ''}(?:{zero}[1-9][0-9]{{0,{most - 1}}}+)(?![0-9])"
    shortest = len(str(least))  # one digit more than the lowest is enough
    if shortest + 1 > most:
        unfit()
    return rf"[1-9][0-9]{{{shortest},{most - 1}}}+(?![0-9])"


def meant(type_: Any) -> tuple[Any, dict[str, Any]]:
    """Return the plain type of a scalar, and its limits by their names."""
    limits: dict[str, Any] = {}
    if typing.get_origin(type_) is typing.Annotated:
        type_, *notes = typing.get_args(type_)
        for note in notes:
            names = ("ge", "gt", "le", "lt", "min_length", "max_length")
            limits.update({n: getattr(note, n) for n in names if getattr(note, n) is not None})
    return type_, limits


def literals(type_: Any) -> list[str] | None:
    """Return the texts of a literal type; None for any other type."""
    return list(typing.get_args(type_)) if typing.get_origin(type_) is Literal else None
