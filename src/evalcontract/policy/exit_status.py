"""Exit codes: 0 no errors, 1 errors, 2 wrong usage, 3 our own bug. No output changes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.model.diagnostic import Diagnostic

OK, ERRORS, USAGE, BUG = 0, 1, 2, 3
#: Ctrl-C: what a shell gives for the signal.
INTERRUPTED = 130


def exit_status(diagnostics: Iterable[Diagnostic]) -> int:
    """Return the exit code that a run's findings ask for."""
    status = OK
    for found in diagnostics:
        if found.code == "internal/rule-crashed":
            return BUG
        if found.is_error:
            status = ERRORS
    return status
