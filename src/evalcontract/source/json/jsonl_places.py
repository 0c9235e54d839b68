"""Positions of the parts of JSONL rows, computed for single rows on demand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.source.text_lines import plain_ends

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcontract.source.fault import SourceProblem
    from evalcontract.source.node import Node

#: Number of cached rows: diagnostics of one row, and the rows they refer to, come together.
_KEPT = 4


class RowPlaces:
    """A cache of the positions within rows, by line number.

    With `as_python` lines are read like Python's `json` reads them; with `as_text`, white space of
    Unicode around them does not count.
    """

    def __init__(self, *, as_python: bool, as_text: bool = False) -> None:
        self._as_python = as_python
        self._as_text = as_text
        self._rows: dict[int, tuple[str, Node]] = {}

    def clear(self) -> None:
        """Clear the cache."""
        self._rows.clear()

    def find(self, line: int, read: Callable[[], bytes]) -> tuple[str, Node]:
        """Return the text of a line and its tree of positions.

        `read` returns the line; it is called if the line is not cached.

        Raises:
            ParseError: the file has changed, and the line is not JSON any more.
            UnicodeDecodeError: the line is not UTF-8 any more.

        """
        from evalcontract.source.json.json_scanner import scan  # slow to import

        if line not in self._rows:
            while len(self._rows) >= _KEPT:
                del self._rows[next(iter(self._rows))]
            data = plain_ends(read()) if self._as_text else read()
            text = data.decode().rstrip("\r")
            remarks: list[SourceProblem] | None = [] if self._as_python else None
            self._rows[line] = text, scan(text, is_line=True, remarks=remarks)
        return self._rows[line]
