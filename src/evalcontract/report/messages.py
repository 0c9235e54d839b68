"""What a finding says, as one text: its message, what to do, and how many places have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.values import escape_controls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.diagnostic import Diagnostic


def message_lines(diagnostic: Diagnostic) -> Iterator[str]:
    """Yield the message, the help and the number of places, a line each without a line end."""
    yield escape_controls(diagnostic.message)
    if diagnostic.help:
        yield f"help: {escape_controls(diagnostic.help)}"
    if diagnostic.sites:
        yield escape_controls(diagnostic.sites.message)
