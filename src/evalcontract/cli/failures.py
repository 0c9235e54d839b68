"""Handle failures: print a message on standard error and return an exit code."""

from __future__ import annotations

import sys
from contextlib import suppress
from errno import EBADF, EINVAL, EIO, ENOSPC, EPIPE
from typing import TYPE_CHECKING, Any

from evalcontract.cli.colour import wants_colour
from evalcontract.cli.output import OutputError, close_quietly, configure_streams, not_written, put
from evalcontract.model.errors import EvalContractError
from evalcontract.policy import BUG, INTERRUPTED, USAGE

if TYPE_CHECKING:
    from collections.abc import Callable

_OUTPUT_ERRORS = frozenset({EPIPE, EBADF, EIO, ENOSPC, EINVAL})
_RED, _BOLD, _PLAIN = "\x1b[31m", "\x1b[1m", "\x1b[0m"


def guarded(work: Callable[..., int], *arguments: Any) -> int:
    """Run a command and return its exit code, or the exit code for its failure."""
    try:
        try:
            configure_streams()
            status = work(*arguments)
        except (OutputError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001 - any other exception is reported as a bug
            status = _failed(error)
    except KeyboardInterrupt:
        status = INTERRUPTED
    except OutputError as error:
        close_quietly(sys.stdout)
        status = USAGE if error.quiet else refuse(str(error))
    except MemoryError:
        status = None
    if status is None:  # out of the handler, which would keep all values of the command in memory
        status = refuse("out of memory: check fewer or smaller files at a time")
    close_quietly(sys.stderr)
    return status


def _failed(error: Exception) -> int:
    """Report an exception; return the exit code.

    Raises:
        OutputError: the exception means that the output cannot be written.

    """
    if isinstance(error, EvalContractError):
        return refuse(str(error))
    if isinstance(error, OSError):
        if error.filename is None and error.errno in _OUTPUT_ERRORS:  # click printed its help
            raise not_written(error) from None
        name = f"{error.filename}: " if error.filename is not None else ""
        return refuse(f"{name}{(error.strerror or str(error)).lower()}")
    from traceback import format_exception  # slow to import

    message = "this is a bug in evalcontract: please report it with the traceback above\n"
    with suppress(OutputError):
        put(["".join(format_exception(error)), message], err=True)
    return BUG


def refuse(message: str, usage: str = "") -> int:
    """Print an error message with control characters escaped; return the exit code for it."""
    from evalcontract.model.values import escape_controls  # rarely needed

    name = f"{_RED}{_BOLD}error{_PLAIN}" if wants_colour(sys.stderr) else "error"
    # Keep line breaks, which come from click and are harmless.
    lines = [usage, f"{name}: "] if usage else [f"{name}: "]
    lines[-1] += "\n".join(escape_controls(line) for line in message.split("\n"))
    with suppress(OutputError):
        put([f"{line}\n" for line in lines], err=True)
    return USAGE
