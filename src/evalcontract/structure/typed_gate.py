"""The gate that reads: lines of JSON straight into a type that only clean rows have.

To parse rows into mappings and then to look at them takes twice the time of this. What it lets
through is proven: each line holds one row, the row is of a shape that the gate's schema accepts,
and the text has no more strings than were read, so that no key was dropped for being there twice.
"""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING, Any, Literal, Union

from evalcontract.structure.applied import UnfitError
from evalcontract.structure.engine import native_for
from evalcontract.structure.shape import RefusedError
from evalcontract.structure.shape_of import record_of

if TYPE_CHECKING:
    from evalcontract.structure.schemas import Schema
    from evalcontract.structure.shape import Record


# How msgspec names the item of a list, and the byte of a text, that is at fault.
_ITEM = re.compile(r"at `\$\[([0-9]+)\]")
_BYTE = re.compile(r"\(byte ([0-9]+)\)")
# To look for each by itself is the fastest where there are no more than one in so many bytes.
_ESCAPE = re.compile(rb"\\(.)")
_SPARSE = 200
# Behind a backslash these may stand for a character that is no space of Python's.
_STRANGE = frozenset(b"bu")


class TypedGate:
    """A gate for JSON Lines, made from rows that are known to be clean.

    `schema` is that of one row; `rows` are examples, which it accepts. Rows of other keys, or with
    values of other kinds, do not pass, and may be clean all the same.

    Raises:
        UnfitError: no type can say what the schema asks of such rows.

    """

    def __init__(self, schema: Schema, rows: list[Any]) -> None:
        import msgspec  # slow to import

        if not all(map(native_for(schema).is_valid, rows)):
            raise UnfitError
        self._record: Record = record_of(schema, rows)
        # Stands between the rows: a line that is no row of its own would swallow or lack one.
        self._mark = secrets.randbits(62) | 1 << 61
        self._between = b"\n%d\n" % self._mark
        mark: Any = Literal[self._mark]
        row_or_mark: Any = Union[self._record.type, mark]  # noqa: UP007
        try:
            self._decode = msgspec.json.Decoder(row_or_mark).decode_lines
        except (TypeError, ValueError):
            raise UnfitError from None
        self._faults = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)

    def read(self, lines: bytes) -> list[Any] | tuple[int, int] | None:
        """Return the rows of some lines, of which the last may end without a break.

        If they are not all surely clean, where the first line stands, in bytes, that is not;
        None where that is not known.
        """
        text = lines if lines.endswith(b"\n") else lines + b"\n"
        marked = text.replace(b"\n", self._between)
        try:
            read = self._decode(marked)
        except self._faults as error:
            return self._line_of(str(error), marked, lines)
        rows = read[::2]
        # A break within a row is not between two of them: then there are more than marks.
        count = (len(marked) - len(text)) // (len(self._between) - 1)
        if len(read) != 2 * count or read[1::2].count(self._mark) != count:
            return None
        return rows if self._is_whole(text, rows) else None

    def _line_of(self, error: str, marked: bytes, lines: bytes) -> tuple[int, int] | None:
        """Return where the line stands that an error of the parser is about."""
        if found := _ITEM.search(error):
            number = int(found[1]) // 2
        elif found := _BYTE.search(error):
            number = marked.count(self._between, 0, int(found[1]))
        else:
            return None
        before = lines.split(b"\n", number + 1)[: number + 1]
        end = sum(map(len, before)) + len(before)
        return end - len(before[-1]) - 1, min(end, len(lines))

    def column(self, key: str, rows: list[Any]) -> list[Any]:
        """Return what stands at a key in each row that has it."""
        return self._record.column(key, rows)

    def _is_whole(self, text: bytes, rows: list[Any]) -> bool:
        """Whether the rows surely have all keys of their text, and hold what no type can say."""
        escaped = _escaped(text)
        is_plain = text.isascii() and b"\x7f" not in text and not _STRANGE & {*escaped}
        try:
            strings = self._record.count(rows, is_plain=is_plain)
        except RefusedError:
            return False
        return text.count(b'"') - escaped.count(b'"') == 2 * strings


def _escaped(text: bytes) -> bytes:
    """Return what stands behind each backslash of valid JSON, of which each begins an escape."""
    found = bytearray()
    at = text.find(b"\\")
    while at >= 0 and len(found) < len(text) // _SPARSE:
        found.append(text[at + 1])
        at = text.find(b"\\", at + 2)
    if at >= 0:
        found += b"".join(_ESCAPE.findall(text, at))
    return bytes(found)
