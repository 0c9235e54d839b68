"""Settle the outcome of a run: join findings, and report ignores and settings without effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.checking.findings import rank_of
from evalcontract.datasets.placing import from_unreadable

if TYPE_CHECKING:
    from collections.abc import Collection

    from evalcontract.checking.findings import Findings
    from evalcontract.datasets.run import Run
    from evalcontract.model.diagnostic import Outcome


def settled(
    outcome: Outcome, findings: Findings, runs: Collection[Run], *, is_whole: bool
) -> Outcome:
    """Return the outcome with the findings, those on files that others depend on first.

    Unless it `is_whole`, files were not checked that others depend on.
    """
    if findings:
        documents = {file: document for run in runs for file, document in run.documents.items()}
        outcome.diagnostics = findings.joined(documents)
    for run in runs:
        outcome.diagnostics = [*run.ignores.without_joined(outcome.diagnostics)]
        outcome.diagnostics += run.ignores.unused(is_whole=is_whole)
        shadowed = run.workspace.configuration.shadowed
        if shadowed:  # settings that are not read, since others are beside them
            outcome.diagnostics += from_unreadable(shadowed, run.standards.base)
        outcome.ignored += run.ignores.count
    return outcome.settle(rank_of(runs) if outcome.diagnostics else None)
