"""A line on standard error that says how far a long run has come, in a terminal."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType

    from evalcontract.datasets.opening import Advance, Progress

_DELAY_SECONDS = 1.0
#: The time from one drawing to the next.
_PAUSE_SECONDS = 0.1
# To the begin of the line, and: erase what is right of it.
_BEGIN, _ERASE = "\r", "\x1b[K"
#: Less of the name of a file says nothing.
_MIN_NAME_CELLS = 8
_USUAL_COLUMNS = 80


class Bar:
    """Counts what has been done, shows it on one line, and leaves nothing of it in the end."""

    def __init__(self, *, is_quiet: bool = False) -> None:
        self._next = time.monotonic() + _DELAY_SECONDS
        self._file: str | None = None
        self._files = self._rows_before = self._rows_of_file = 0
        self._is_drawn = False
        # A dumb terminal would print every step as text.
        is_dumb = os.environ.get("TERM") == "dumb"
        self._is_shown = sys.stderr.isatty() and not is_dumb and not is_quiet

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._is_drawn:
            _put(_BEGIN + _ERASE)

    @property
    def progress(self) -> Progress | None:
        """What a run tells how far it has come, if anybody sees it."""
        return self.advance if self._is_shown else None

    def advance(self, at: Advance) -> None:
        """Count, and draw the line anew, but not more than some times a second."""
        if not self._is_shown:
            return
        if at.file != self._file:
            self._file = at.file
            self._files += 1
            self._rows_before += self._rows_of_file
        self._rows_of_file = at.rows
        # A model takes its time for the first answer: what it is asked is shown before.
        is_first_question = at.questions is not None and not self._is_drawn
        if time.monotonic() >= self._next or is_first_question:
            _put(_BEGIN + self._line(at) + _ERASE)
            self._is_drawn = True
            self._next = time.monotonic() + _PAUSE_SECONDS

    def _line(self, at: Advance) -> str:
        """Return what has been done, and the end of the name of the file if there is room.

        What does not fit is left out as a whole: a number that is cut would be another.
        """
        from evalcontract.model.values import escape_controls
        from evalcontract.report.frame import (
            display_width,
            in_encoding,
            truncate_left,
            truncate_right,
        )

        room = _columns() - 1  # some terminals wrap after the last cell
        line, *others = self._counts(at) or [""]
        for count in others:
            if len(line) + len(", ") + len(count) > room:
                break
            line += f", {count}"
        rest = room - len(line) - len(": ")
        if rest >= _MIN_NAME_CELLS:
            name = in_encoding(escape_controls(at.file), sys.stderr.encoding)
            line += f": {name if display_width(name) <= rest else truncate_left(name, rest)}"
        return truncate_right(line, room)

    def _counts(self, at: Advance) -> list[str]:
        rows = self._rows_before + at.rows
        counts = []
        if at.read:
            done, size = at.read
            counts.append(f"{100 * done // max(size, 1)} %")
        if at.files and at.files[1] > 1:
            counts.append(_counted("file", *at.files))
        elif self._files > 1:
            counts.append(_counted("file", self._files))
        if at.questions:
            counts += [_counted("question", *at.questions), _counted("token", at.tokens)]
        if rows:
            counts.append(_counted("row", rows))
        return counts


def _counted(what: str, number: int, total: int | None = None) -> str:
    """Return a number with its noun, and of how many: `1 row`, `1 of 3 files`."""
    of = "" if total is None else f" of {total:,}"
    return f"{number:,}{of} {what}{'' if (total or number) == 1 else 's'}"


def _columns() -> int:
    """Return the width of the terminal that standard error is; `shutil` asks standard output."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or _USUAL_COLUMNS
    except (OSError, ValueError):
        return _USUAL_COLUMNS


def _put(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
