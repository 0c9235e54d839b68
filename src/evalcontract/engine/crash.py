"""Report a rule that crashes as a problem, so that the other rules still run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def guarded(code: str, check: Callable[..., Iterator[Problem]], *args: Any) -> list[Problem]:
    """Run a rule; if it raises, its last problem is `internal/rule-crashed`.

    Raises:
        MemoryError: there is not enough memory for the rule.

    """
    problems: list[Problem] = []
    try:
        problems.extend(check(*args))
    except MemoryError:
        raise  # no bug of the rule
    except Exception as error:  # noqa: BLE001 - the other rules must run
        problems.append(crash(f"the rule {code}", error, "the other rules have run"))
    return problems


def crash(what: str, error: Exception, rest: str) -> Problem:
    """Return the problem for `what`, which raised; `rest` says how the check goes on."""
    reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return Problem(
        "internal/rule-crashed",
        f"{what} crashed ({reason}); {rest}",
        (),
        "this is a bug in evalcontract: please report it and attach the file",
    )
