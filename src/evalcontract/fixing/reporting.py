"""Make the report of an outcome, with all that output formats for other programs need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.fixing.text_edits import text_edits
from evalcontract.report.report import Report
from evalcontract.workspace.catalogue import KnownCodes, url_of
from evalcontract.workspace.roots import RepositoryNames

if TYPE_CHECKING:
    from evalcontract.model.diagnostic import Outcome, Severity
    from evalcontract.report.report import BaselineCounts


def full_report(
    outcome: Outcome, fails_from: Severity, baseline: BaselineCounts | None = None
) -> Report:
    """Return the report of an outcome; findings of at least a severity fail it."""
    return Report(
        outcome.diagnostics,
        outcome.files,
        outcome.rows,
        outcome.left_out,
        outcome.checked,
        outcome.ignored,
        baseline,
        fails_from,
        RepositoryNames(),
        KnownCodes(),
        url_of,
        text_edits,
    )
