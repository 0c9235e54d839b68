"""Texts that can be printed, and JSON that neither a terminal nor a runner of CI acts on."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from evalcontract.model.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: What runners of CI act on anywhere in a line: `##[error]`, `##vso[…]` (Azure, GitHub) and
#: `##teamcity[…]`.
COMMAND = lazy_pattern(r"#(?=#(?:\[|vso\[|teamcity\[))", re.IGNORECASE)
_BEYOND_ASCII = lazy_pattern(r"[^\x00-\x7f]")
# Characters without a glyph that terminals and editors may act on: C1 controls, marks that reorder
# or hide text, separators of lines, tags.
_INVISIBLE = lazy_pattern(
    "[\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e007f\ud800-\udfff]"
)


def harmless_json(pieces: Iterable[str], *, is_ascii: bool = False) -> Iterator[str]:
    r"""Yield JSON in which characters without a glyph are `\u` escapes; or all beyond ASCII."""
    hidden = _BEYOND_ASCII if is_ascii else _INVISIBLE
    for piece in pieces:
        if piece.isascii() and "\x7f" not in piece and "##" not in piece:  # most have none
            yield piece
        else:
            yield COMMAND.sub(_escape, hidden.sub(_escape, piece))


def _escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def escape_controls(text: str) -> str:
    """Replace control characters by visible symbols, so that a terminal does not act on them."""
    if text.isprintable():
        return text
    return "".join(_sign(character) for character in text)


def _sign(character: str) -> str:
    if character == "\t":
        return " "
    code = ord(character)
    if code < ord(" "):
        return chr(0x2400 + code)  # the picture of the control character
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
        return "\N{REPLACEMENT CHARACTER}"
    return character
