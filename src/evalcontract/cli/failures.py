"""What becomes of failures: a sentence on standard error, and an exit code."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from evalcontract.cli.colour import wants_colour
from evalcontract.cli.output import OutputError, close_quietly, configure_streams, not_written, put
from evalcontract.model.errors import EvalContractError
from evalcontract.policy.exit_status import BUG, INTERRUPTED, USAGE

if TYPE_CHECKING:
    from collections.abc import Callable

_RED, _BOLD, _PLAIN = "\x1b[31m", "\x1b[1m", "\x1b[0m"


def guarded(work: Callable[..., int], *arguments: Any) -> int:
    """Run a command; return its exit code, or that of its failure."""
    try:
        try:
            configure_streams()
            status = work(*arguments)
        except OutputError:
            raise
        except Exception as error:  # noqa: BLE001 - the last resort says that it is a bug
            status = _failed(error)
    except KeyboardInterrupt:
        status = INTERRUPTED
    except OutputError as error:
        close_quietly(sys.stdout)
        status = USAGE if error.quiet else refuse(str(error))
    close_quietly(sys.stderr)
    return status


def _failed(error: Exception) -> int:
    """Say what went wrong; return the exit code.

    Raises:
        OutputError: what is said cannot be written.

    """
    if isinstance(error, EvalContractError):
        return refuse(str(error))
    if isinstance(error, OSError) and error.filename is None:  # click printed its help
        raise not_written(error) from None
    from traceback import format_exception  # slow to import

    told = "this is a bug of evalcontract: please report it with the above\n"
    with suppress(OutputError):
        put(["".join(format_exception(error)), told], err=True)
    return BUG


def refuse(message: str, usage: str = "") -> int:
    """Say why nothing was done; what was typed is shown, and not sent to the terminal."""
    from evalcontract.report.frame import visible  # rarely needed

    name = f"{_RED}{_BOLD}error{_PLAIN}" if wants_colour(sys.stderr) else "error"
    # Line breaks are click's; a terminal does nothing harmful with one.
    lines = [usage, f"{name}: "] if usage else [f"{name}: "]
    lines[-1] += "\n".join(visible(line) for line in message.split("\n"))
    with suppress(OutputError):
        put([f"{line}\n" for line in lines], err=True)
    return USAGE
