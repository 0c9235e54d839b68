"""The Code Quality report of GitLab, shown in merge requests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evalcontract.model.diagnostic import Diagnostic, Severity, Span, fingerprints
from evalcontract.model.values import escape_controls
from evalcontract.report import Report, Style
from evalcontract.report.frame import json_list

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.NOTE: "info"}


def write(report: Report, style: Style) -> Iterator[str]:
    """Yield a JSON array of all findings; one on a whole file is at its first line."""
    yield from json_list("[", _issues(report), "]\n")


def _issues(report: Report) -> Iterator[dict[str, Any]]:
    marks = fingerprints(report.diagnostics, report.name_of)
    for diagnostic, mark in zip(report.diagnostics, marks, strict=True):
        span = diagnostic.place.span or Span.point()
        yield {
            "type": "issue",
            "check_name": diagnostic.code,
            "description": _description(diagnostic, report),
            "categories": ["Bug Risk"],
            "severity": _SEVERITIES[diagnostic.severity],
            "fingerprint": mark,
            "location": {
                "path": report.name_of(diagnostic.place.file),
                "lines": {"begin": span.line, "end": span.end_line},
                "positions": {
                    "begin": {"line": span.line, "column": span.column},
                    "end": {"line": span.end_line, "column": span.end_column},
                },
            },
        }


def _description(diagnostic: Diagnostic, report: Report) -> str:
    """Return the message, the help and the address of the page in one line."""
    # GitLab shows no other text, and reads no other member of an issue that could have the address.
    advice = f" ({diagnostic.help})" if diagnostic.help else ""
    url = report.url_of(diagnostic.code)
    return escape_controls(f"{diagnostic.message}{advice}{f' {url}' if url else ''}")
