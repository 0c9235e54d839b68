"""Signals that end a process."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def signals_as_interrupts() -> Iterator[None]:
    """Treat SIGTERM and SIGHUP like Ctrl-C, so that no temporary files are left behind."""
    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    defaults = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    for number in defaults:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number in defaults:
            signal.signal(number, signal.SIG_DFL)
