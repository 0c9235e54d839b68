"""The report for grep and problem matchers: `path:line:column: severity[code] message`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from evalcontract.model.diagnostic import Diagnostic, Span
from evalcontract.model.values import escape_controls
from evalcontract.report import Report, Style


def write(report: Report, style: Style) -> Iterator[str]:
    """Yield all findings, one per line, and nothing else; one on a whole file is at its start."""
    for diagnostic in report.diagnostics:
        yield f"{line_of(diagnostic, _from_here(diagnostic.place.file))}\n"


def line_of(diagnostic: Diagnostic, file: str) -> str:
    """Return a finding as one line, with a name for its file."""
    line, column, *_ = diagnostic.place.span or Span.point()
    place = f"{file}:{line}:{column}"
    return escape_controls(
        f"{place}: {diagnostic.severity}[{diagnostic.code}] {diagnostic.message}"
    )


def _from_here(file: str) -> str:
    """Return the path of a file from the current folder, which an editor or a shell opens."""
    if not os.path.isabs(file):  # noqa: PTH117 - a name, of which nothing is changed
        return file
    try:
        return Path(os.path.relpath(file)).as_posix()
    except ValueError:  # on another drive
        return file
