"""Exit codes: 0 no errors, 1 errors, 2 usage error, 3 internal error, in every output format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.diagnostic import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.model.diagnostic import Diagnostic

OK, ERRORS, USAGE, BUG = 0, 1, 2, 3
#: The exit code for Ctrl-C: 128 + SIGINT.
INTERRUPTED = 130


def exit_status(
    diagnostics: Iterable[Diagnostic], fails_from: Severity | None = Severity.ERROR
) -> int:
    """Return the exit code for the findings of a run; nothing else decides it.

    Findings of at least the severity `fails_from` fail it; with None, none does.
    """
    status = OK
    for diagnostic in diagnostics:
        if diagnostic.code == "internal/rule-crashed":
            return BUG
        if fails_from is not None and diagnostic.severity >= fails_from:
            status = ERRORS
    return status
