"""Texts that a comment of YAML cuts off, as in `input: Where is order #4711?`.

A `#` after a space begins a comment in a text without quotation marks.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.source.document import value_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcontract.model.path import Path
    from evalcontract.source.document import Document

# A `#` right before a letter or a digit; a comment usually has a space there.
_MARK = re.compile(" #(?=[0-9A-Za-z])")
# A line with a key or a dash, a text of several words without quotation marks, and a comment that
# is no usual remark on the file.
_LINE = re.compile(
    r"^[ \t]*(?:- +)*(?:(?P<key>[\w-]+): +)?(?P<text>[^\s\"'\[\]{}|>&*!%@`#,?:-][^\n]*?)(?<! ) +"
    r"(?P<rest>#(?!(?:TODO|FIXME|XXX|NOTE|HACK|noqa|nosec|pragma|type|region|endregion)\b)"
    r"[0-9A-Za-z][^\r\n]*)",
    re.MULTILINE,
)
_SENTENCE_ENDS = (".", "?", "!", "…", ";")


class CutText(NamedTuple):
    """A text that ends where a comment begins: its path, and the comment."""

    path: Path
    rest: str


def cut_texts(document: Document, prefix: Path) -> Iterator[CutText]:
    """Yield the texts of rows that a comment probably cuts off; a clean file costs one search."""
    text = document.text
    if _MARK.search(text) is None:
        return
    rests = {
        (match["key"], match["text"]): match["rest"].rstrip()
        for match in _LINE.finditer(text)
        if " " in match["text"] and not match["text"].endswith(_SENTENCE_ENDS)
    }
    rows = value_at(document.quick, prefix) if rests else ()
    for index, row in enumerate(rows):
        if isinstance(row, dict):
            for path, key, value in _texts(row):
                rest = rests.get((key, value))
                if rest is not None:
                    yield CutText((*prefix, index, *path), rest)


def _texts(row: dict[str, Any]) -> Iterator[tuple[Path, str | None, str]]:
    """Yield the texts of a row, down to the second level, with the key in the same line."""
    for key, value in row.items():
        if isinstance(value, str):
            yield (key,), key, value
        elif isinstance(value, list):
            items: Sequence[Any] = value
            yield from (((key, n), None, item) for n, item in enumerate(items) if _is_text(item))
        elif isinstance(value, dict):
            yield from (((key, name), name, part) for name, part in value.items() if _is_text(part))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
