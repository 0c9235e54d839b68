"""The report as JUnit XML, which Jenkins and GitLab show as tests: each checked file is one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evalcontract.model.diagnostic import Diagnostic
from evalcontract.model.startup import lazy_pattern
from evalcontract.model.values import escape_controls
from evalcontract.report import Report, Style
from evalcontract.report.frame import message_lines

# What XML 1.0 forbids, even as a reference: most controls, surrogates, U+FFFE and U+FFFF.
_FORBIDDEN = lazy_pattern("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# What has a meaning in XML, what attributes normalize, and the first of `::` and `##`, which
# runners of CI act on in a log.
_SPECIAL = lazy_pattern("[<>&\"'\t\n\r]|#(?=#)|:(?=:)|[^\x00-\x7f]")


def write(report: Report, style: Style) -> Iterator[str]:
    """Yield a test case for each file, in ASCII.

    What fails the run is one failure of the test case: Jenkins and GitLab show only the first one.
    Other findings are its output.
    """
    by_file: dict[str, list[Diagnostic]] = {file: [] for file in report.checked}
    for diagnostic in report.diagnostics:
        by_file.setdefault(diagnostic.place.file, []).append(diagnostic)
    failed = sum(any(_failing(diagnostics, report)) for diagnostics in by_file.values())
    counts = f'tests="{len(by_file)}" failures="{failed}" errors="0"'
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<testsuites name="evalcontract" {counts}>\n'
    yield f'<testsuite name="evalcontract" {counts} skipped="0">\n'
    for file, diagnostics in by_file.items():
        yield from _case(file, diagnostics, report)
    yield "</testsuite>\n</testsuites>\n"


def _case(file: str, diagnostics: Sequence[Diagnostic], report: Report) -> Iterator[str]:
    name = escaped(report.name_of(file))
    kind = report.checked.get(file, "file")
    head = f'<testcase classname="evalcontract.{escaped(kind)}" name="{name}"'
    if not diagnostics:
        yield f"{head}/>\n"
        return
    yield f"{head}>\n"
    failing = [*_failing(diagnostics, report)]
    if failing:
        first, more = failing[0], len(failing) - 1
        message = first.message + (f" … and {more:,} more" if more else "")
        yield f'<failure type="{escaped(first.code)}" message="{escaped(message)}">'
        yield from _texts(failing, report)
        yield "</failure>\n"
    if others := [each for each in diagnostics if each.severity < report.fails_from]:
        yield "<system-out>"
        yield from _texts(others, report)
        yield "</system-out>\n"
    yield "</testcase>\n"


def _failing(diagnostics: Sequence[Diagnostic], report: Report) -> Iterator[Diagnostic]:
    return (diagnostic for diagnostic in diagnostics if diagnostic.severity >= report.fails_from)


def _texts(diagnostics: Sequence[Diagnostic], report: Report) -> Iterator[str]:
    for diagnostic in diagnostics:
        span = diagnostic.place.span
        at = f":{span.line}:{span.column}" if span else ""
        message, *rest = message_lines(diagnostic)
        heading = f"{diagnostic.severity}[{diagnostic.code}]: {message}"
        yield f"{escaped(report.name_of(diagnostic.place.file) + at)}: {escaped(heading)}\n"
        yield from (f"  {escaped(line)}\n" for line in rest)
        if url := report.url_of(diagnostic.code):
            yield f"  {escaped(url)}\n"


def escaped(text: str) -> str:
    """Return a text for the content of an element or an attribute, in ASCII."""
    allowed = _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", escape_controls(text))
    return _SPECIAL.sub(lambda match: f"&#{ord(match[0])};", allowed)
