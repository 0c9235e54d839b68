"""The report for programs: JSON that conforms to `schema/report.schema.json`, version 1.3."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from evalcontract.model.diagnostic import (
    Diagnostic,
    Fix,
    Place,
    Severity,
    Sites,
    Span,
    fingerprints,
    format_path,
)
from evalcontract.report import Report, Style
from evalcontract.report.frame import json_list

VERSION = "1.3"


def write(report: Report, style: Style) -> Iterator[str]:
    """Yield all findings, one per line, whatever the style's limit."""
    head = {
        "version": VERSION,
        "tool": {"name": "evalcontract", "version": style.version},
        "summary": {
            "files": dict(report.files),
            "rows": report.rows,
            "errors": report.how_many(Severity.ERROR),
            "warnings": report.how_many(Severity.WARNING),
            "notes": report.how_many(Severity.NOTE),
            "left_out": list(report.left_out),
            "ignored": report.ignored,
            **({"baseline": report.baseline._asdict()} if report.baseline else {}),
        },
    }
    opened = json.dumps(head, ensure_ascii=False)[:-1]
    yield from json_list(f'{opened}, "findings": [', findings_of(report), "]}\n")


def findings_of(report: Report) -> Iterator[dict[str, Any]]:
    """Yield each finding as an object of the report."""
    marks = fingerprints(report.diagnostics, report.name_of)
    for diagnostic, mark in zip(report.diagnostics, marks, strict=True):
        yield {
            **finding_of(diagnostic),
            "url": report.url_of(diagnostic.code),
            "repository_file": report.name_of(diagnostic.place.file),
            "fingerprint": mark,
        }


def finding_of(diagnostic: Diagnostic) -> dict[str, Any]:
    """Return a finding as an object of the report, without what depends on the others."""
    return {
        "code": diagnostic.code,
        "severity": str(diagnostic.severity),
        "message": diagnostic.message,
        "help": diagnostic.help,
        **_place(diagnostic.place),
        "path": diagnostic.pointer,
        "row": diagnostic.row,
        "row_index": diagnostic.row_index,
        "related": [{"message": message, **_place(place)} for message, place in diagnostic.related],
        **({"fix": _fix(diagnostic.fix)} if diagnostic.fix else {}),
        **({"severity_source": source._asdict()} if (source := diagnostic.severity_source) else {}),
        **(_sites(diagnostic.sites) if diagnostic.sites else {}),
    }


def _sites(sites: Sites) -> dict[str, Any]:
    places = [
        {
            **_place(site.place),
            "path": format_path(site.path),
            "row": site.row,
            "row_index": site.row_index,
            **({"fix": _fix(site.fix)} if site.fix else {}),
        }
        for site in sites.first
    ]
    return {"place_count": sites.total, "places": places}


def _fix(fix: Fix) -> dict[str, Any]:
    edit = {"edit": fix.kind, "path": format_path(fix.path)}
    return {**edit, ("value" if fix.kind == "write" else "to"): fix.target, "safe": fix.safe}


def _place(place: Place) -> dict[str, Any]:
    span = place.span._asdict() if place.span else dict.fromkeys(Span._fields)
    return {"file": place.file, **span}
