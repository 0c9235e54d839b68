"""Report what crashes as a finding: the other rules run, and the other files are checked."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Diagnostic, Place, Problem, Severity
from evalcontract.model.errors import EvalContractError
from evalcontract.model.values import readable
from evalcontract.source import MisreadError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_CODE = "internal/rule-crashed"
#: What is no bug of whoever reads a file: a wrong call, no memory, a file that cannot be read.
NO_BUGS = (EvalContractError, MemoryError, MisreadError, OSError)


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
        _CODE,
        f"{what} crashed ({reason}); {rest}",
        (),
        "this is a bug in evalcontract: please report it and attach the file",
    )


@contextmanager
def one_finding(file: str, take: Callable[[Diagnostic], object]) -> Iterator[None]:
    """Let a bug that a file brings to light cost that file one finding, which `take` gets.

    It may be of the detector, the reader or the checks of any format, also of another package.

    Raises:
        EvalContractError, MemoryError, MisreadError, OSError: these are no bugs.

    """
    try:
        yield
    except NO_BUGS:
        raise
    except Exception as error:  # noqa: BLE001 - the other files must be checked
        problem = crash(_place_of(error), error, "this file is not read further, the others are")
        message = readable(problem.message)
        take(Diagnostic(_CODE, Severity.ERROR, message, Place(file), (), problem.help))


def _place_of(error: Exception) -> str:
    """Return the module and the line that raised an exception."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    return f"{step.tb_frame.f_globals.get('__name__')}:{step.tb_lineno}" if step else "?"
