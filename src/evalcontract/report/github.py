"""Workflow commands of GitHub Actions, which become annotations of a run and of a pull request."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from evalcontract.model.diagnostic import Diagnostic, Severity
from evalcontract.model.startup import lazy_pattern
from evalcontract.model.values import escape_controls
from evalcontract.report import Report, Style
from evalcontract.report.concise import line_of
from evalcontract.report.frame import message_lines

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
#: The number of annotations of each level that GitHub shows for a step.
SHOWN = 10
# The runner prints the message of a command, and acts on such marks in what a step prints.
_MARK = lazy_pattern(r"#(?=#\[|#vso\[|#teamcity\[)", re.IGNORECASE)


def write(report: Report, style: Style) -> Iterator[str]:
    """Yield a command for each finding that GitHub shows, and a line of the log for each other one.

    Then a notice at the start says how many these are.
    """
    counts = Counter(diagnostic.severity for diagnostic in report.diagnostics)
    room = _room(counts)
    yield from _beyond(counts, room)
    for diagnostic in report.diagnostics:
        room[diagnostic.severity] -= 1
        if room[diagnostic.severity] < 0:  # of a command, the log would show the message alone
            line = line_of(diagnostic, report.name_of(diagnostic.place.file))
            yield f"- {_without_marks(line)}\n"
            continue
        properties = {**_place(diagnostic, report), "title": diagnostic.code}
        listed = ",".join(
            f"{key}={escaped_property(str(value))}" for key, value in properties.items()
        )
        lines = [*message_lines(diagnostic)]
        if url := report.url_of(diagnostic.code):
            lines.append(url)
        yield f"::{_COMMANDS[diagnostic.severity]} {listed}::{escaped_data(lines)}\n"


def _place(diagnostic: Diagnostic, report: Report) -> dict[str, str | int]:
    """Return the properties of a place. Columns are only allowed within one line."""
    file: dict[str, str | int] = {"file": report.name_of(diagnostic.place.file)}
    span = diagnostic.place.span
    if span is None:
        return {**file, "line": 1}
    lines = {**file, "line": span.line, "endLine": span.end_line}
    if span.line != span.end_line:
        return lines
    # The end of a span is exclusive, that of an annotation is not.
    return {**lines, "col": span.column, "endColumn": max(span.end_column - 1, span.column)}


def _room(counts: Counter[Severity]) -> dict[Severity, int]:
    """Return how many findings of each level GitHub shows; a notice about others is shown, too."""
    is_beyond = any(count > SHOWN for count in counts.values())
    return {severity: SHOWN - (is_beyond and severity is Severity.NOTE) for severity in _COMMANDS}


def _beyond(counts: Counter[Severity], room: dict[Severity, int]) -> Iterator[str]:
    """Yield a notice about findings that GitHub does not show."""
    more = [
        f"{counts[severity] - room[severity]:,} more of level {_COMMANDS[severity]}"
        for severity in _COMMANDS
        if counts[severity] > room[severity]
    ]
    if more:
        text = f"{' and '.join(more)}: GitHub shows {SHOWN} of a level, the log of this step all"
        yield f"::notice title=evalcontract::{escaped_data([text])}\n"


def _without_marks(text: str) -> str:
    return _MARK.sub(r"#\\", text)


def escaped_data(lines: list[str]) -> str:
    """Return lines as the message of a command."""
    text = "\n".join(map(_without_marks, lines))
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escaped_property(text: str) -> str:
    """Return a text as the value of a property of a command."""
    escaped = escaped_data([escape_controls(text)])
    return escaped.replace(":", "%3A").replace(",", "%2C")
