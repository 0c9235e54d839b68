"""Rows of evaluation sets become ours, and ours become theirs."""

from __future__ import annotations

from typing import Any

from evalcontract.formats._conversion import Loss, OurRow, TheirRow
from evalcontract.formats.databricks.columns import CARRIED, DERIVED, EXCHANGE
from evalcontract.model.diagnostic import Problem

_OURS_HAS_NO = "a row of ours has no place for it"
_THEIRS_HAS_NO = "an evaluation set has no place for it"
_RUBRIC = "an evaluation set has no rubrics; judges are chosen when the evaluation is run"


class RowReader:
    """Makes rows of ours. What these have no place for is kept below `metadata.databricks`."""

    def __init__(self) -> None:
        self.root: dict[str, Any] = {}
        self.losses: tuple[Loss, ...] = ()

    def read(self, row: dict[str, Any], index: int) -> OurRow:
        """Turn a sound row into ours."""
        lost = [key for key in row if key not in CARRIED and key != "metadata"]
        losses = tuple(Loss((key,), _OURS_HAS_NO, is_kept=True) for key in lost)
        return OurRow(EXCHANGE.to_ours(row, index), None, losses)


class RowWriter:
    """Makes rows of an evaluation set. What has no column is kept below `metadata`."""

    says_rubrics = False

    def __init__(self, *, has_outputs: bool) -> None:
        self._has_outputs = has_outputs

    def write(self, row: dict[str, Any], rubric: dict[str, Any] | None, index: int) -> TheirRow:
        """Turn a row."""
        theirs = EXCHANGE.to_theirs(row, index)
        known = {*CARRIED.values(), *DERIVED, "metadata", "rubric_ref"}
        losses = [Loss((key,), _THEIRS_HAS_NO, is_kept=True) for key in row if key not in known]
        if rubric is not None or "rubric_ref" in row:
            losses.append(Loss(("rubric_ref",), _RUBRIC, is_kept=True))
        return TheirRow(theirs, tuple(losses), tuple(self._problems(theirs)))

    def wrap(self, rows: list[Any], root: dict[str, Any]) -> tuple[Any, tuple[Loss, ...]]:
        """Return the list of rows; what stands beside ours has no place there."""
        lost = tuple(Loss((key,), _THEIRS_HAS_NO, is_kept=False) for key in root)
        return rows, lost

    def _problems(self, row: dict[str, Any]) -> list[Problem]:
        if self._has_outputs and row.get("response") is None and row.get("trace") is None:
            message = "a row of recorded outputs needs a `response` or a `trace`, and has none"
            advice = "write `recorded_output`, or convert for `databricks:application`"
            return [Problem("databricks/missing-key", message, (), advice)]
        return []
