"""A progress bar on standard error: only when a run lasts, and only where a terminal watches."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from types import TracebackType

_PATIENCE_SECONDS = 1.0
#: What stands beside the label: click's bar of 36 cells, the share, the time that is left.
_BAR_CELLS = 36 + len("  [####]  100%  00:00:00  ")


class Bar:
    """Shows how much of the file that streams now is read."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._file: str | None = None
        self._bar: Any = None
        # A dumb terminal shows every step of a bar as text.
        self._watched = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

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
        """Note that `done` of the `size` bytes of a file are read."""
        if not self._watched or time.monotonic() - self._started < _PATIENCE_SECONDS:
            return
        if file != self._file:
            from shutil import get_terminal_size  # slow to import

            import click

            from evalcontract.report.frame import ending, visible

            self._close()
            self._file = file
            label = ending(visible(file), get_terminal_size().columns - _BAR_CELLS)
            self._bar = click.progressbar(length=size, label=label, file=sys.stderr)
            self._bar.__enter__()
        self._bar.update(done - self._bar.pos)

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.__exit__(None, None, None)
            self._bar = None
