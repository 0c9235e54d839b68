"""The results of a run as values: rows as dicts or as a data frame, a summary, a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcontract.api.findings import pandas
from evalcontract.grading.basis import Basis, differences
from evalcontract.grading.compared import RunComparison, comparison_fields
from evalcontract.grading.comparison import Comparison, by_id
from evalcontract.grading.groups import Grouping
from evalcontract.grading.printed import row_fields, summary_fields
from evalcontract.grading.results import RowResult, earlier_results
from evalcontract.grading.samples import reduced
from evalcontract.grading.summary import OPEN, QualityGate, Summary
from evalcontract.grading.tables import COLUMNS

if TYPE_CHECKING:
    import pandas as pd


class RunResults:
    """The results of a run: its `rows` in order, each a `RowResult`.

    `read` returns those that `evalcontract grade --results` wrote, `GradedFiles.results` those of
    files that are graded now.
    """

    def __init__(self, rows: Sequence[RowResult], basis: Basis, gate: QualityGate = OPEN) -> None:
        self.rows = tuple(rows)
        self._basis = basis
        self._gate = gate

    @classmethod
    def read(cls, path: str | Path) -> RunResults:
        """Return the results in a file of JSON Lines, CSV or Parquet, with its run file.

        Raises:
            UsageError: a file cannot be read, is not such a file, or both are not of one run.

        """
        results = earlier_results(Path(path))
        return cls(results.rows, results.basis)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.rows)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a mapping for each row, as a line of results has it."""
        return [*map(row_fields, self.rows)]

    def to_pandas(self) -> pd.DataFrame:
        """Return a data frame with a line for each row, and a column for each key.

        Raises:
            UsageError: pandas is not installed.

        """
        pd = pandas()
        rows = self.to_dicts()
        others = dict.fromkeys(key for row in rows for key in row if key not in COLUMNS)
        return pd.DataFrame(rows, columns=[*COLUMNS, *others])

    def summary(
        self, by: Sequence[str] = (), cluster: str | None = None, reduce: str = "mean"
    ) -> dict[str, Any]:
        """Return what the rows come to, as a run file has it, with intervals and standard errors.

        `by`, `cluster` and `reduce` are as the options of `evalcontract grade`.

        Raises:
            UsageError: the results do not tell the values of a key.

        """
        grouping = Grouping(tuple(by), cluster, reduce)
        grouping.require_told(self.rows)
        summary = Summary.of(reduced(self.rows, reduce), grouping)
        summary.samples.add_all(self.rows)
        return summary_fields(summary, self._gate)

    def compare(
        self,
        earlier: RunResults,
        by: Sequence[str] = (),
        cluster: str | None = None,
        reduce: str = "mean",
    ) -> dict[str, Any]:
        """Return what changed since an earlier run, as `evalcontract compare` prints it as JSON.

        Raises:
            UsageError: results do not tell the values of a key.

        """
        grouping = Grouping(tuple(by), cluster, reduce)
        for results in (earlier, self):
            grouping.require_told(results.rows)
        before = by_id(reduced(earlier.rows, reduce))
        found = Comparison.of(before, reduced(self.rows, reduce), grouping, 0)
        changed = differences(earlier._basis, self._basis)
        return comparison_fields([RunComparison("", "", before, found, changed)])[0]
