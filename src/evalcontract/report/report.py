"""The input of an output format: a report and a style."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from evalcontract.model.diagnostic import Diagnostic, Severity


class Report(NamedTuple):
    """The findings of a run, sorted, and what was checked.

    `files` counts files by kind, `rows` the rows of datasets. `left_out` has the names of data
    files that were skipped because they do not look like datasets.
    """

    diagnostics: Sequence[Diagnostic]
    files: Mapping[str, int]
    rows: int = 0
    left_out: Sequence[str] = ()

    def how_many(self, severity: Severity) -> int:
        """Return the number of findings of a severity."""
        return sum(diagnostic.severity is severity for diagnostic in self.diagnostics)


class Style(NamedTuple):
    """The appearance of a report: whether in colour, the width of a line, the number of findings.

    A `limit` of 0 shows all findings; `statistics` adds their numbers by code.
    """

    colour: bool = False
    width: int = 80
    limit: int = 0
    verbose: bool = False
    version: str = ""
    statistics: bool = False


#: Yields a report as pieces of text, in order.
Write = Callable[[Report, Style], Iterator[str]]
