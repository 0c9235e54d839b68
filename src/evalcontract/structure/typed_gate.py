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
    from collections.abc import Iterable, Iterator

    from evalcontract.structure.schemas import Schema
    from evalcontract.structure.shape import Record


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
            self._decode_line = msgspec.json.Decoder(self._record.type).decode
        except (TypeError, ValueError):
            raise UnfitError from None
        self._faults = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)

    def read(self, lines: bytes) -> list[Any] | None:
        """Return the rows of some lines, of which the last may end without a break.

        None if they are not all surely clean; see `read_each`.
        """
        text = lines if lines.endswith(b"\n") else lines + b"\n"
        marked = text.replace(b"\n", self._between)
        try:
            read = self._decode(marked)
        except self._faults:
            return None
        rows = read[::2]
        # A break within a row is not between two of them: then there are more than marks.
        count = (len(marked) - len(text)) // (len(self._between) - 1)
        if len(read) != 2 * count or read[1::2].count(self._mark) != count:
            return None
        return rows if self._is_whole(text, rows) else None

    def read_each(self, text: bytes) -> tuple[list[bytes], list[Any], list[int]]:
        """Return some lines, the row of each, and which are not surely clean; theirs is None.

        It is slower than `read`, and much faster where a few of the lines are not clean.
        """
        whole = text if text.endswith(b"\n") else text + b"\n"
        lines = whole.split(b"\n")
        lines.pop()
        rows: list[Any] = []
        doubtful: list[int] = []
        decode, faults = self._decode_line, self._faults
        for number, line in enumerate(lines):
            try:
                rows.append(decode(line))
            except faults:
                rows.append(None)
                doubtful.append(number)
        good = rows.copy()
        for number in reversed(doubtful):
            del good[number]
        # An escape ends before its line does, so that lines can be taken away from the whole.
        if good and not self._is_whole(whole, good, [lines[number] for number in doubtful]):
            numbers = [number for number, row in enumerate(rows) if row is not None]
            unsure = list(self._not_whole(numbers, lines, rows))
            for number in unsure:
                rows[number] = None
            doubtful = sorted((*doubtful, *unsure))
        return lines, rows, doubtful

    def _not_whole(self, numbers: list[int], lines: list[bytes], rows: list[Any]) -> Iterator[int]:
        """Yield those of some lines that may have more keys than their rows."""
        text = b"\n".join([lines[number] for number in numbers])
        if not numbers or self._is_whole(text, [rows[number] for number in numbers]):
            return
        if len(numbers) == 1:
            yield numbers[0]
            return
        half = len(numbers) // 2
        yield from self._not_whole(numbers[:half], lines, rows)
        yield from self._not_whole(numbers[half:], lines, rows)

    def column(self, key: str, rows: list[Any]) -> list[Any]:
        """Return what stands at a key in each row that has it."""
        return self._record.column(key, rows)

    def _is_whole(self, text: bytes, rows: list[Any], others: Iterable[bytes] = ()) -> bool:
        """Whether the rows surely have all keys of their text, and hold what no type can say.

        `others` are lines of the text that the rows are not of.
        """
        escaped = _escaped(text)
        is_plain = text.isascii() and b"\x7f" not in text and not _STRANGE & {*escaped}
        try:
            strings = self._record.count(rows, is_plain=is_plain)
        except RefusedError:
            return False
        quotes = text.count(b'"') - escaped.count(b'"')
        for line in others:
            quotes -= line.count(b'"') - _escaped(line + b"\n").count(b'"')
        return quotes == 2 * strings


def _escaped(text: bytes) -> bytes:
    """Return what stands behind each backslash that begins an escape, in lines of JSON."""
    found = bytearray()
    at = text.find(b"\\")
    while at >= 0 and len(found) < len(text) // _SPARSE:
        found.append(text[at + 1])
        at = text.find(b"\\", at + 2)
    if at >= 0:
        found += b"".join(_ESCAPE.findall(text, at))
    return bytes(found)
