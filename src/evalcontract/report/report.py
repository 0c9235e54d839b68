"""What a report is made of, and what a writer of one promises."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from evalcontract.model.diagnostic import Diagnostic, Severity


class Report(NamedTuple):
    """The findings of a run, sorted, and what was looked at.

    `files` counts files by kind, `rows` the rows of datasets; `left_out` names data files that
    were taken for nothing of ours.
    """

    diagnostics: Sequence[Diagnostic]
    files: Mapping[str, int]
    rows: int = 0
    left_out: Sequence[str] = ()

    def how_many(self, severity: Severity) -> int:
        """Count the findings of a severity."""
        return sum(found.severity is severity for found in self.diagnostics)


class Style(NamedTuple):
    """How a report is to look: colour or none, the width of a line, how many findings.

    `limit` is 0 where all are to be shown.
    """

    colour: bool = False
    width: int = 80
    limit: int = 0
    verbose: bool = False
    version: str = ""


#: Writes a report as pieces of text, in order.
Write = Callable[[Report, Style], Iterator[str]]
