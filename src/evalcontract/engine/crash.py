"""A rule that crashes is our fault, and is said; the others still run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def guarded(code: str, check: Callable[..., Iterator[Problem]], *args: Any) -> list[Problem]:
    """Run a rule; where it raises, its last problem is `internal/rule-crashed`, naming it."""
    found: list[Problem] = []
    try:
        found.extend(check(*args))
    except Exception as error:  # noqa: BLE001 - whatever a rule does, the others run
        found.append(crash(f"the rule {code}", error, "the others have run"))
    return found


def crash(what: str, error: Exception, rest: str) -> Problem:
    """Return the finding for a part of ours that raised; `rest` says what is judged still."""
    told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return Problem(
        "internal/rule-crashed",
        f"{what} crashed ({told}); {rest}",
        (),
        "this is a bug of evalcontract: please report it with the file",
    )
