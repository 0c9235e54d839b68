"""SARIF 2.1.0, the format of code scanning: https://docs.oasis-open.org/sarif/sarif/v2.1.0."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from evalcontract.model import codes as page
from evalcontract.model.codes import Code, Page
from evalcontract.model.diagnostic import (
    VERSION,
    Diagnostic,
    Place,
    Severity,
    Span,
    TextEdit,
    fingerprints,
)
from evalcontract.model.reference import Version
from evalcontract.model.values import escape_controls
from evalcontract.report import Report, Style
from evalcontract.report.frame import json_list, message_lines

_FENCE = "`" * 5
#: How GitHub names what it sorts alerts by.
_PROBLEMS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "recommendation"}
_PRECISIONS = {"certain": "very-high", "guess": "medium"}


def rule(name: str, code: Code | None, url: str | None) -> dict[str, Any]:
    """Return the description of a code; that of an undeclared one is its name alone.

    The default level is that of soft mode.
    """
    if code is None:
        return {"id": name}
    page, severity = code.page, code.severities.soft
    return {
        "id": name,
        "name": "".join(word.capitalize() for word in name.replace("/", "-").split("-")),
        "shortDescription": {"text": f"{page.summary[:1].upper()}{page.summary[1:]}."},
        "fullDescription": {"text": " ".join(page.what.split())},
        "help": {"text": f"{page.what}\n\n{page.why}", "markdown": _markdown(page, url)},
        **({"helpUri": url} if url else {}),
        "defaultConfiguration": {"level": str(severity) if severity else "none"},
        "properties": {
            "tags": ["llm-evaluation", name.partition("/")[0]],
            "confidence": code.confidence,
            "precision": _PRECISIONS[code.confidence],
            **({"problem.severity": _PROBLEMS[severity]} if severity else {}),
        },
    }


def _markdown(page: Page, url: str | None) -> str:
    link = f"\n\n[Documentation]({url})" if url else ""
    bad, good = (f"{_FENCE}\n{example}{_FENCE}" for example in (page.bad, page.good))
    return f"{page.what}\n\n{page.why}\n\n**Bad**\n\n{bad}\n\n**Good**\n\n{good}{link}"


SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
#: Locations are relative to this base: the top of the repository, wherever it is.
BASE = "SRCROOT"
#: GitHub refuses a log with a run that has more results, and shows 100 places of a result.
MAX_RESULTS, _MAX_PLACES = 25_000, 100


def write(report: Report, style: Style) -> Iterator[str]:
    """Yield one log with one run, a result per line: the most severe ones if there are too many."""
    numbers, notifications = _selection(report.diagnostics)
    codes = sorted({diagnostic.code for diagnostic in report.diagnostics})
    driver = {
        "name": "evalcontract",
        "version": style.version,
        **({"semanticVersion": style.version} if Version.parse(style.version) else {}),
        **({"informationUri": page.SITE} if page.is_published() else {}),
        "rules": [rule(code, report.codes.get(code), report.url_of(code)) for code in codes],
    }
    is_whole = not any(finding.code.startswith("internal/") for finding in report.diagnostics)
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": is_whole, **notifications}],
        "originalUriBaseIds": {BASE: {"description": {"text": "The top of the repository."}}},
        "columnKind": "unicodeCodePoints",
        "defaultEncoding": "utf-8",
        "language": "en",
    }
    head = f'{{"$schema": "{SCHEMA}", "version": "2.1.0", "runs": [\n'
    opened = json.dumps(run, ensure_ascii=False)[:-1]
    results = _results(report, numbers, codes)
    yield from json_list(f'{head}{opened}, "results": [', results, "]}]}\n")


def _results(
    report: Report, numbers: Sequence[int], codes: Sequence[str]
) -> Iterator[dict[str, Any]]:
    marks = fingerprints(report.diagnostics, report.name_of)
    edits = report.edits_of(report.diagnostics)
    indexes = {code: index for index, code in enumerate(codes)}
    for number in numbers:
        diagnostic = report.diagnostics[number]
        yield {
            "ruleId": diagnostic.code,
            "ruleIndex": indexes[diagnostic.code],
            **_result(diagnostic, report, edits.get(number, ())),
            # GitHub reads no other name than the second one, and else makes its own from the line.
            "partialFingerprints": {
                f"evalcontract/v{VERSION}": marks[number],
                "primaryLocationLineHash": f"{marks[number]}:1",
            },
        }


def _selection(diagnostics: Sequence[Diagnostic]) -> tuple[Sequence[int], dict[str, Any]]:
    """Return the numbers of the findings in the log, in order, and a notification on the others."""
    count = len(diagnostics)
    if count <= MAX_RESULTS:
        return range(count), {}
    by_severity = sorted(range(count), key=lambda number: -diagnostics[number].severity)
    text = (
        f"{count - MAX_RESULTS:,} of {count:,} findings are not in this log, the least severe ones:"
        f" GitHub accepts {MAX_RESULTS:,} results of a run. JSON has all findings."
    )
    notification = {"level": "warning", "message": {"text": text}}
    return sorted(by_severity[:MAX_RESULTS]), {"toolExecutionNotifications": [notification]}


def _result(diagnostic: Diagnostic, report: Report, edits: Sequence[TextEdit]) -> dict[str, Any]:
    location = {
        **_location(diagnostic.place, report),
        "logicalLocations": [{"fullyQualifiedName": diagnostic.pointer}],
    }
    related = [*_related(diagnostic, report)]
    properties = {
        "row": diagnostic.row,
        "rowIndex": diagnostic.row_index,
        "placeCount": diagnostic.sites.total if diagnostic.sites else None,
        "severitySource": source._asdict() if (source := diagnostic.severity_source) else None,
    }
    known = {name: value for name, value in properties.items() if value is not None}
    return {
        "level": str(diagnostic.severity),
        "message": {"text": _text("\n".join(message_lines(diagnostic)))},
        "locations": [location],
        **({"relatedLocations": related} if related else {}),
        **({"fixes": [_fix(diagnostic, edits, report)]} if edits else {}),
        **({"properties": known} if known else {}),
    }


def _related(diagnostic: Diagnostic, report: Report) -> Iterator[dict[str, Any]]:
    places = [(escape_controls(message), place) for message, place in diagnostic.related]
    for site in diagnostic.sites.first if diagnostic.sites else ():
        row = "another place" if site.row is None else f"row `{escape_controls(site.row)}`"
        places.append((row, site.place))
    for number, (message, place) in enumerate(places[:_MAX_PLACES], 1):
        yield {"id": number, **_location(place, report), "message": {"text": _text(message)}}


def _fix(diagnostic: Diagnostic, edits: Sequence[TextEdit], report: Report) -> dict[str, Any]:
    is_safe = diagnostic.fix is not None and diagnostic.fix.safe
    advice = escape_controls(diagnostic.help or diagnostic.message)
    replacements = [
        {"deletedRegion": _region(edit.span), "insertedContent": {"text": edit.text}}
        for edit in edits
    ]
    artifact = _artifact(diagnostic.place.file, report)
    change = {"artifactLocation": artifact, "replacements": replacements}
    return {
        "description": {"text": _text(advice if is_safe else f"{advice} (unsafe fix)")},
        "artifactChanges": [change],
    }


def _location(place: Place, report: Report) -> dict[str, Any]:
    region = {"region": _region(place.span)} if place.span else {}
    return {"physicalLocation": {"artifactLocation": _artifact(place.file, report), **region}}


def _artifact(file: str, report: Report) -> dict[str, str]:
    from urllib.parse import quote  # slow to import

    return {"uri": quote(report.name_of(file), errors="replace"), "uriBaseId": BASE}


def _region(span: Span) -> dict[str, int]:
    line, column, end_line, end_column = span
    region = {"startLine": line, "startColumn": column}
    return {**region, "endLine": end_line, "endColumn": end_column}


def _text(text: str) -> str:
    """Return a text without links: SARIF reads `[name](address)` as one even in plain text."""
    return text.replace("](", "] (")
