"""The report for people: a sentence, its place, a frame, and what to type instead."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from evalcontract.model.diagnostic import Diagnostic, Severity
from evalcontract.model.listing import SHOWN
from evalcontract.report.frame import frame, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from evalcontract.model.span import Place
    from evalcontract.report.report import Report, Style

_COLOURS = {Severity.ERROR: "1;31", Severity.WARNING: "1;33", Severity.NOTE: "1;36"}
_BLUE, _BOLD, _GREEN = "34", "1", "1;32"
_ORDER = ("dataset", "rubric", "judge", "target", "bundle", "unreadable")


def write(report: Report, style: Style) -> Iterator[str]:
    """Write every finding, one line that sums up, and one on what can be mended at once."""
    shown = report.diagnostics[: style.limit] if style.limit else report.diagnostics
    for found in shown:
        yield from write_finding(found, style)
        yield "\n"
    yield from _hidden(report.diagnostics[len(shown) :])
    yield from _left_out(report, style)
    yield _summary(report, style) + "\n"
    yield from _fixable(report)


def _hidden(found: Sequence[Diagnostic]) -> Iterator[str]:
    """Write how many findings are not shown, and what they are, the gravest first."""
    if not found:
        return
    yield f"… {_many(len(found), 'more finding')}: `--limit 0` shows all\n"
    counts = Counter((-each.severity, each.code) for each in found)
    ordered = sorted(counts.items(), key=lambda item: (item[0][0], -item[1], item[0][1]))
    width = len(f"{max(counts.values()):,}")
    for (severity, code), count in ordered:
        yield f"  {count:{width},}  {Severity(-severity)!s:7}  {code}\n"
    yield "\n"


def write_finding(found: Diagnostic, style: Style) -> Iterator[str]:
    """Write one finding, with its frame and what belongs to it."""

    def paint(text: str, colour: str) -> str:
        return f"\x1b[{colour}m{text}\x1b[0m" if style.colour else text

    colour = _COLOURS[found.severity]
    heading = paint(f"{found.severity}[{found.code}]", colour)
    yield f"{heading}{paint(': ' + visible(found.message), _BOLD)}\n"
    gutter = len(str(found.place.span.line)) if found.place.span else 1
    of_row = f"  (row `{visible(found.row)}`)" if found.row is not None else ""
    yield f"{' ' * gutter}{paint('-->', _BLUE)} {visible(str(found.place))}{of_row}\n"
    yield from _frame(found.place, gutter, style.width, colour, paint)
    if found.help:
        first, *rest = _wrapped(visible(found.help), max(style.width - gutter - 9, 20))
        yield f"{' ' * gutter} {paint('=', _BLUE)} {paint('help', _BOLD)}: {first}\n"
        yield from (f"{' ' * (gutter + 9)}{line}\n" for line in rest)
    beyond = len(found.related) - SHOWN
    for message, place in found.related if beyond <= 1 else found.related[:SHOWN]:
        yield f"{' ' * gutter} {paint('=', _BLUE)} {visible(message)}: {visible(str(place))}\n"
    if beyond > 1:
        yield f"{' ' * gutter} {paint('=', _BLUE)} … and {beyond:,} more places\n"


def _wrapped(text: str, width: int) -> list[str]:
    """Break a text into lines of a width, where it is too long for one."""
    if len(text) <= width and text.isprintable() and text == text.strip() != "":
        return [text]
    from textwrap import wrap  # slow to import, and slow

    return wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]


def _frame(
    place: Place, gutter: int, width: int, colour: str, paint: Callable[[str, str], str]
) -> Iterator[str]:
    lines = list(frame(place, width - gutter - 3))
    if not lines:
        return
    bar = paint("|", _BLUE)
    yield f"{' ' * gutter} {bar}\n"
    for number, line in lines:
        shown = line if number else paint(line, colour)
        yield f"{paint(f'{number:>{gutter}}', _BLUE)} {bar} {shown}".rstrip() + "\n"


def _left_out(report: Report, style: Style) -> Iterator[str]:
    if not report.left_out:
        return
    if style.verbose:
        yield "not checked, since nothing says that they are datasets:\n"
        for name in report.left_out:
            yield f"  {visible(name)}\n"
    else:
        files = _many(len(report.left_out), "data file")
        are = "does not look" if len(report.left_out) == 1 else "do not look"
        yield f"skipped {files} that {are} like a dataset (`--verbose` lists them)\n"


def _summary(report: Report, style: Style) -> str:
    parts = []
    for kind in _ORDER:
        count = report.files.get(kind, 0)
        if count:
            name = "unreadable file" if kind == "unreadable" else kind
            rows = f" ({_many(report.rows, 'row')})" if kind == "dataset" else ""
            parts.append(_many(count, name) + rows)
    counts = [
        _many(report.how_many(severity), str(severity))
        for severity in sorted(_COLOURS, reverse=True)
        if report.how_many(severity)
    ]
    verdict = ", ".join(counts) or "no findings"
    worst = max((found.severity for found in report.diagnostics), default=None)
    if style.colour:
        verdict = f"\x1b[{_COLOURS[worst] if worst else _GREEN}m{verdict}\x1b[0m"
    return f"{', '.join(parts)}: {verdict}"


def _fixable(report: Report) -> Iterator[str]:
    fixes = [found.fix for found in report.diagnostics if found.fix]
    safe = sum(fix.safe for fix in fixes)
    if safe:
        yield f"{safe:,} fixable with `evalcontract fix`"
    if unsafe := len(fixes) - safe:
        yield f", {unsafe:,} more" if safe else f"{unsafe:,} fixable"
        yield " with `evalcontract fix --unsafe-fixes`"
    if fixes:
        yield "\n"


def _many(count: int, name: str) -> str:
    return f"{count:,} {name}{'' if count == 1 else 's'}"
