"""The report for people: for each finding the message, the place, the line and the help."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from evalcontract.model.diagnostic import Diagnostic, Place, Severity, SeveritySource, Site
from evalcontract.model.startup import lazy_pattern
from evalcontract.model.values import SHOWN, escape_controls, many
from evalcontract.report import Report, Style
from evalcontract.report.frame import by_code, display_width, frame, wrapped_lines, write_statistics

_COLOURS = {Severity.ERROR: "1;31", Severity.WARNING: "1;33", Severity.NOTE: "1;36"}
_BLUE, _BOLD, _GREEN = "34", "1", "1;32"
_ORDER = ("dataset", "rubric", "judge", "target", "bundle", "output", "results", "unreadable")
# On a narrower terminal, the lines of the summary are wrapped; elsewhere programs read them, too.
_USUAL_WIDTH = 80
_COLOUR = lazy_pattern(r"\x1b\[[0-9;]*m")
#: What is recorded is counted, and not checked: `grade` checks it when it reads it.
_NAMES = {"output": "output file", "results": "result file", "unreadable": "unreadable file"}


def write(report: Report, style: Style) -> Iterator[str]:
    """Yield the findings, a summary line, and a line on how many are fixable."""
    shown = report.diagnostics[: style.limit] if style.limit else report.diagnostics
    for diagnostic in shown:
        url = report.url_of(diagnostic.code) if style.links else None
        yield from write_finding(diagnostic, style, url)
        yield "\n"
    yield from _lines_of_hidden(report.diagnostics[len(shown) :], lists_codes=not style.statistics)
    if style.statistics:
        yield from write_statistics(report.diagnostics)
        yield "\n" if report.diagnostics else ""
    if style.quiet:
        return
    yield from _left_out(report, style)
    for line in (summary(report, style), *_reasons(report), *_fixable(report)):
        yield (_fit(line, style.width) if 0 < style.width < _USUAL_WIDTH else line) + "\n"


def _lines_of_hidden(hidden: Sequence[Diagnostic], *, lists_codes: bool) -> Iterator[str]:
    """Yield the number of findings that are not shown, and by code, the most severe first."""
    if not hidden:
        return
    yield f"… {many(len(hidden), 'more finding')}: `--limit 0` shows all\n"
    if lists_codes:
        yield from (f"  {count}  {group[0].code}\n" for count, group in by_code(hidden))
    yield "\n"


def write_finding(diagnostic: Diagnostic, style: Style, url: str | None = None) -> Iterator[str]:
    """Yield one finding with its line, help and related places; the code is a link to `url`."""
    paint = partial(_paint, style)
    colour = _COLOURS[diagnostic.severity]
    code = f"\x1b]8;;{url}\x1b\\{diagnostic.code}\x1b]8;;\x1b\\" if url else diagnostic.code
    heading = paint(f"{diagnostic.severity}[{code}]", colour)
    yield f"{heading}{paint(': ' + escape_controls(diagnostic.message), _BOLD)}\n"
    place = diagnostic.place
    gutter = len(str(place.span.line)) if place.span else 1
    row = f"  (row `{escape_controls(diagnostic.row)}`)" if diagnostic.row is not None else ""
    yield f"{' ' * gutter}{paint('-->', _BLUE)} {escape_controls(str(place))}{row}\n"
    yield from _frame(place, gutter, style, colour=colour)
    bullet = f"{' ' * gutter} {paint('=', _BLUE)}"
    if diagnostic.help:
        advice = escape_controls(diagnostic.help)
        first, *rest = wrapped_lines(advice, max(style.width - gutter - 9, 20))
        yield f"{bullet} {paint('help', _BOLD)}: {first}\n"
        yield from (f"{' ' * (gutter + 9)}{line}\n" for line in rest)
    yield from _sites(diagnostic, style, gutter, bullet=bullet)
    if style.verbose and diagnostic.severity_source:
        why = f"{diagnostic.severity} because {_sets(diagnostic.severity_source)}"
        yield f"{bullet} {why}\n"
    beyond = len(diagnostic.related) - SHOWN
    for message, other in diagnostic.related if beyond <= 1 else diagnostic.related[:SHOWN]:
        where = f"{escape_controls(message)}: {escape_controls(str(other))}"
        yield f"{bullet} {where}\n"
    if beyond > 1:
        yield f"{bullet} … and {beyond:,} more places\n"


def _paint(style: Style, text: str, colour: str) -> str:
    return f"\x1b[{colour}m{text}\x1b[0m" if style.colour else text


def _sites(diagnostic: Diagnostic, style: Style, gutter: int, bullet: str) -> Iterator[str]:
    """Yield the number of places that a finding stands for; all places with `--verbose`."""
    sites = diagnostic.sites
    if sites is None:
        return
    first = sites.first[0]
    where = "" if first.place[:2] == diagnostic.place[:2] else f", the first at {_site(first)}"
    hint = "" if style.verbose or sites.total == 1 else "; `--verbose` lists them"
    text = f"{escape_controls(sites.message)}{where}{hint}"
    start, *rest = wrapped_lines(text, max(style.width - gutter - 3, 20))
    yield f"{bullet} {start}\n"
    yield from (f"{' ' * (gutter + 3)}{line}\n" for line in rest)
    if style.verbose and sites.total > 1:
        yield from (f"{' ' * (gutter + 5)}{_site(site)}\n" for site in sites.first)
        if beyond := sites.total - len(sites.first):
            yield f"{' ' * (gutter + 5)}… and {many(beyond, 'more place')}, which are not kept\n"


def _site(site: Site) -> str:
    row = f" (row `{site.row}`)" if site.row is not None else ""
    return escape_controls(f"{site.place}{row}")


def _fit(line: str, width: int) -> str:
    """Break a line between words, so that it fits a terminal; colours take no room."""
    fitting, room = "", 0
    for word in line.split(" "):
        cells = display_width(_COLOUR.sub("", word))
        if not fitting:
            fitting, room = word, width - cells
        elif cells < room:
            fitting, room = f"{fitting} {word}", room - cells - 1
        else:
            fitting, room = f"{fitting}\n  {word}", width - cells - 2
    return fitting


def _frame(place: Place, gutter: int, style: Style, colour: str) -> Iterator[str]:
    lines = list(frame(place, style.width - gutter - 3, style.encoding))
    if not lines:
        return
    paint = partial(_paint, style)
    bar = paint("|", _BLUE)
    yield f"{' ' * gutter} {bar}\n"
    for number, line in lines:
        shown = line if number else paint(line, colour)
        yield f"{paint(f'{number:>{gutter}}', _BLUE)} {bar} {shown}".rstrip() + "\n"


def _left_out(report: Report, style: Style) -> Iterator[str]:
    if not report.left_out:
        return
    if style.verbose:
        yield "skipped, since they do not look like datasets:\n"
        for name in report.left_out:
            yield f"  {escape_controls(name)}\n"
    else:
        files = many(len(report.left_out), "data file")
        are = "does not look" if len(report.left_out) == 1 else "do not look"
        yield f"skipped {files} that {are} like a dataset (`--verbose` lists them)\n"


def what_was_checked(report: Report) -> str:
    """Return the numbers of files by kind, and of rows."""
    parts = []
    for kind in _ORDER:
        count = report.files.get(kind, 0)
        if count:
            name = _NAMES.get(kind, kind)
            rows = f" ({many(report.rows, 'row')})" if kind == "dataset" else ""
            parts.append(many(count, name) + rows)
    return ", ".join(parts) or "nothing to check"


def verdict(report: Report) -> str:
    """Return the numbers of findings by severity, the most severe first."""
    counts = [
        many(report.how_many(severity), str(severity))
        for severity in sorted(_COLOURS, reverse=True)
        if report.how_many(severity)
    ]
    return ", ".join(counts) or "no findings"


def summary(report: Report, style: Style) -> str:
    """Return the line that counts the files and the findings."""
    counts = verdict(report)
    worst = max((diagnostic.severity for diagnostic in report.diagnostics), default=None)
    if style.colour:
        counts = f"\x1b[{_COLOURS[worst] if worst else _GREEN}m{counts}\x1b[0m"
    return f"{what_was_checked(report)}: {counts}{beside(report)}"


def beside(report: Report) -> str:
    """Return how many findings are not among the others, in parentheses; nothing if none."""
    parts = [f"{report.ignored:,} ignored"] if report.ignored else []
    if report.baseline:
        known, removed_count = report.baseline
        parts += [f"{known:,} known"] if known else []
        parts += [f"{removed_count:,} of the baseline gone"] if removed_count else []
    return f" ({', '.join(parts)})" if parts else ""


def _reasons(report: Report) -> Iterator[str]:
    """Yield how many findings are errors because of a target or the configuration."""
    sources = Counter(
        diagnostic.severity_source
        for diagnostic in report.diagnostics
        if diagnostic.is_error and diagnostic.severity_source
    )
    for source, count in sorted(sources.items()):
        yield f"{many(count, 'error')} because {_sets(source)}"


def _sets(source: SeveritySource) -> str:
    setting = f"`{source.setting}`"
    what = f"it under {setting}" if source.setting.startswith("[") else setting
    return f"{escape_controls(source.file)} sets {what}"


def _fixable(report: Report) -> Iterator[str]:
    fixes = [diagnostic.fix for diagnostic in report.diagnostics if diagnostic.fix]
    safe = sum(fix.safe for fix in fixes)
    parts = [f"{safe:,} fixable with `evalcontract fix`"] if safe else []
    if unsafe := len(fixes) - safe:
        which = f"{unsafe:,} {'more' if safe else 'fixable'}"
        parts.append(f"{which} with `evalcontract fix --unsafe-fixes`")
    if parts:
        yield ", ".join(parts)
