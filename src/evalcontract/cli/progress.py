"""A progress bar on standard error, for long runs in a terminal."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from types import TracebackType

_DELAY_SECONDS = 1.0
#: The width beside the label: click's bar of 36 cells, the percentage and the remaining time.
_BAR_CELLS = 36 + len("  [####]  100%  00:00:00  ")


class Bar:
    """Shows how much of the current file has been read."""

    def __init__(self, *, is_quiet: bool = False) -> None:
        self._started = time.monotonic()
        self._file: str | None = None
        self._bar: Any = None
        # A dumb terminal would print every step of the bar as text.
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
        self._close()

    def advance(self, file: str, done: int, size: int) -> None:
        """Update the bar: `done` of the `size` bytes of a file have been read."""
        if not self._is_shown or time.monotonic() - self._started < _DELAY_SECONDS:
            return
        if file != self._file:
            from shutil import get_terminal_size  # slow to import

            import click

            from evalcontract.report.frame import escape_controls, truncate_left

            self._close()
            self._file = file
            label = truncate_left(escape_controls(file), get_terminal_size().columns - _BAR_CELLS)
            self._bar = click.progressbar(length=size, label=label, file=sys.stderr)
            self._bar.__enter__()
        self._bar.update(done - self._bar.pos)

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.__exit__(None, None, None)
            self._bar = None
