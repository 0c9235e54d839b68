"""A request that is valid and cannot be fulfilled, such as a rename to a name that is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from evalcontract.model.values import escape_controls

if TYPE_CHECKING:
    from logging import LogRecord


class Refused(JsonRpcException):
    """The answer to a request that is refused; an editor shows the reason."""

    CODE = types.LSPErrorCodes.RequestFailed.value

    def __init__(self, reason: str) -> None:
        super().__init__(escape_controls(reason))


def is_fault(record: LogRecord) -> bool:
    """Whether a record of the log is of a fault; a refusal is an answer like any other."""
    return not (record.exc_info and isinstance(record.exc_info[1], Refused))
