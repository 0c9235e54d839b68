"""Where the parts of a row stand in its line, for the few rows of which that is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.source.fault import Fault, SourceFault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from evalcontract.model.path import Path
    from evalcontract.source.node import Node

#: Rows that are kept: the findings of one come together, and so does what they relate to.
_KEPT = 4
# Of a row that is asked for so often all places are looked up.
_OFTEN = 3


class RowPlaces:
    """The places in the latest rows that were asked for. A row is known by its line.

    `as_python` reads lines as Python's own parser does.
    """

    def __init__(self, *, as_python: bool) -> None:
        self._as_python = as_python
        self._odd: set[int] = set()
        self._rows: dict[int, _Row] = {}

    def clear(self) -> None:
        """Forget all rows."""
        self._rows.clear()

    def expect(self, odd: Iterable[SourceFault]) -> None:
        """Take note of lines that only Python's own parser reads."""
        self._odd.update(each.span.line for each in odd if each.span)

    def find(self, line: int, read: Callable[[], bytes], path: Path) -> tuple[str, Node]:
        """Return the text of a line, and where what a path leads to stands in it.

        `read` gives the line, where it is not kept.

        Raises:
            Fault: the line is no JSON any more.
            UnicodeDecodeError: nor UTF-8.

        """
        from evalcontract.source.json_scanner import scan  # slow to import
        from evalcontract.source.json_way import scan_along

        if line not in self._rows:
            while len(self._rows) >= _KEPT:
                del self._rows[next(iter(self._rows))]
            self._rows[line] = _Row(read().decode().rstrip("\r"))
        row = self._rows[line]
        row.asked += 1
        remarks: list[SourceFault] | None = [] if self._as_python else None
        if row.whole is None and (row.asked >= _OFTEN or line in self._odd):
            row.whole = scan(row.text, is_line=True, remarks=remarks)
        try:
            return row.text, row.whole or scan_along(row.text, path)
        except Fault:
            if remarks is None:
                raise
            return row.text, scan(row.text, is_line=True, remarks=remarks)


class _Row:
    """A row of which places were asked; the places of all its parts, where they often were."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.asked = 0
        self.whole: Node | None = None
