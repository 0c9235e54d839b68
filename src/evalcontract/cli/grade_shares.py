"""What `grade` keeps of the results: of some rows at a time, and of all that were graded."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from evalcontract.cli.output import put_json
from evalcontract.grading.printed import is_failure, row_line
from evalcontract.grading.summary import Summary
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import harmless_json
from evalcontract.policy import ERRORS, OK

if TYPE_CHECKING:
    from evalcontract.grading.results import RowResult
    from evalcontract.grading.summary import Comparison, Gate


class Share(NamedTuple):
    """What the process that graded some rows hands on of their results.

    `failures` are the first of them; `lines` and `rows` are empty if nothing needs them.
    """

    summary: Summary
    failures: list[RowResult]
    lines: str
    rows: list[RowResult]


class Kept(NamedTuple):
    """What is handed on: failures up to `limit` (0: all), and whether `lines` and `rows` are."""

    limit: int
    lines: bool
    rows: bool

    def of(self, rows: list[RowResult]) -> Share:
        """Return the share of some rows."""
        failures = list(islice(filter(is_failure, rows), self.limit or None))
        lines = "".join(harmless_json(["".join(map(row_line, rows))])) if self.lines else ""
        return Share(Summary.of(rows), failures, lines, rows if self.rows else [])


class Taken:
    """What is kept of the results: their summary, the first failures, and the comparison."""

    def __init__(self, limit: int, comparison: Comparison | None, *, is_printed: bool) -> None:
        self.summary = Summary()
        self.failures: list[RowResult] = []
        self.comparison = comparison
        self.limit = limit
        self._is_printed = is_printed

    def begin(self, head: str) -> None:
        """Print the first line, if lines are wanted."""
        if self._is_printed:
            put_json([head])

    def take(self, share: Share) -> None:
        """Count rows, and print their lines, if lines are wanted."""
        self.summary.merge(share.summary)
        if self.comparison:
            for row in share.rows:
                self.comparison.take(row)
        self.failures += share.failures
        if self.limit:
            del self.failures[self.limit :]
        if self._is_printed:
            put_json([share.lines])

    def status(self, gate: Gate) -> int:
        """Return the exit code, as far as the results decide it."""
        has_met = not self.summary.has_errors and gate.is_open(self.summary)
        return OK if has_met else ERRORS
