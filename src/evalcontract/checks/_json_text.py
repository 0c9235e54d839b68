"""Read JSON in an output: RFC 8259, with no duplicate keys."""

from __future__ import annotations

from typing import Any

from evalcontract.checks.outcome import Verdict, error, failed
from evalcontract.source.faults import ParseError


class NotJsonError(Exception):
    """A text is not JSON; `verdict` is what a check makes of it."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict)
        self.verdict = verdict


def json_of(text: str, subject: str = "it") -> Any:
    """Return the value of a JSON text; `subject` names the text in reasons.

    Raises:
        NotJsonError: it is not JSON (the check fails), or it is nested too deeply to be read (an
            error).

    """
    if not text.strip():
        raise NotJsonError(failed(f"{subject} is not JSON: it is empty"))
    from evalcontract.source.json.reading import load_json  # slow to import

    try:
        return load_json(text.encode())
    except ParseError as raised:
        fault = raised.faults[0]
        if fault.code == "source/limit-exceeded":
            raise NotJsonError(error(f"{subject} cannot be read: {fault.message}")) from None
        message = fault.message.removeprefix("not JSON: ")
        place = f"line {fault.span.line}, column {fault.span.column}: " if fault.span else ""
    except UnicodeEncodeError:
        message, place = "it contains half of a surrogate pair", ""
    except (ValueError, RecursionError) as raised:  # a number of too many digits
        raise NotJsonError(error(f"{subject} cannot be read: {raised}")) from None
    raise NotJsonError(failed(f"{subject} is not JSON: {place}{message}"))
