"""`php_lint`: needs PHP on the machine."""

from __future__ import annotations

from evalcontract.checks._kind import (
    Check,
    CheckKind,
    EvalContext,
    Needs,
    State,
    never_runs,
    reads_nothing,
)


def _needs(check: Check, context: EvalContext) -> Needs:
    del check
    return Needs() if context.has_php else never_runs(State.UNAVAILABLE, "no `php` on this machine")


KIND = CheckKind("php_lint", reads_nothing, _needs)
