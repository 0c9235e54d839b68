"""The report for programs that read line by line: each finding as a JSON object in one line."""

from __future__ import annotations

from collections.abc import Iterator

from evalcontract.report.json import finding_lines
from evalcontract.report.report import Report, Style


def write(report: Report, style: Style) -> Iterator[str]:
    """Yield all findings; each is one of `findings` of the JSON report."""
    del style
    for line in finding_lines(report):
        yield f"{line}\n"
