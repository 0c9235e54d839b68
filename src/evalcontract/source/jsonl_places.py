"""Where the parts of a row stand in its line, for the few rows of which that is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcontract.source.fault import SourceProblem
    from evalcontract.source.node import Node

#: Rows that are kept: the findings of one come together, and so does what they relate to.
_KEPT = 4


class RowPlaces:
    """The places in the latest rows that were asked for. A row is known by its line.

    `as_python` reads lines as Python's own parser does.
    """

    def __init__(self, *, as_python: bool) -> None:
        self._as_python = as_python
        self._rows: dict[int, tuple[str, Node]] = {}

    def clear(self) -> None:
        """Forget all rows."""
        self._rows.clear()

    def find(self, line: int, read: Callable[[], bytes]) -> tuple[str, Node]:
        """Return the text of a line, and where the parts of its row stand in it.

        `read` gives the line, where it is not kept.

        Raises:
            ParseError: the line is no JSON any more.
            UnicodeDecodeError: nor UTF-8.

        """
        from evalcontract.source.json_scanner import scan  # slow to import

        if line not in self._rows:
            while len(self._rows) >= _KEPT:
                del self._rows[next(iter(self._rows))]
            text = read().decode().rstrip("\r")
            remarks: list[SourceProblem] | None = [] if self._as_python else None
            self._rows[line] = text, scan(text, is_line=True, remarks=remarks)
        return self._rows[line]
