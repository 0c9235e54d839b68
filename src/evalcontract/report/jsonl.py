"""The report for programs that read line by line: each finding as a JSON object in one line."""

from __future__ import annotations

import json
from collections.abc import Iterator

from evalcontract.report import Report, Style
from evalcontract.report.json import findings_of


def write(report: Report, style: Style) -> Iterator[str]:
    """Yield all findings; each is one of `findings` of the JSON report."""
    for finding in findings_of(report):
        yield json.dumps(finding, ensure_ascii=False) + "\n"
