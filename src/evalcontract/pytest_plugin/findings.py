"""Findings as the text of a failed test or of a warning."""

from __future__ import annotations

from shutil import get_terminal_size
from typing import TYPE_CHECKING

from evalcontract.report.report import Report, Style
from evalcontract.report.text import verdict, write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcontract.model.diagnostic import Diagnostic

# The maximum number of findings that a test shows.
_MAX_FINDINGS = 50


def findings_text(diagnostics: Sequence[Diagnostic], *, colour: bool = False) -> str:
    """Return findings with their lines, the most severe first, and their number."""
    ordered = sorted(diagnostics, key=lambda diagnostic: -diagnostic.severity)
    shown, hidden = ordered[:_MAX_FINDINGS], len(ordered[_MAX_FINDINGS:])
    report = Report(shown, {})
    style = Style(colour, get_terminal_size().columns, quiet=True)
    more = f"… {hidden:,} more: `evalcontract check` shows all\n" if hidden else ""
    return "".join([*write(report, style), more, verdict(Report(ordered, {}))])
