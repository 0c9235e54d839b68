"""Rows of evaluation sets become ours, and ours become theirs; no row loses anything."""

from __future__ import annotations

from typing import Any

from evalcontract.formats._conversion import OURS, Loss, OurRow, TheirRow
from evalcontract.formats._residual import Form, Place, applied, difference, is_row
from evalcontract.formats.databricks.columns import CARRIED, DERIVED, ours_of, theirs_of
from evalcontract.model.diagnostic import Problem

_OURS_HAS_NO = "a row of ours has no place for it"
_THEIRS_HAS_NO = "an evaluation set has no place for it"
_RUBRIC = "an evaluation set has no rubrics; judges are chosen when the evaluation is run"
_FORM = Form(None, "_unset")
_KEEPS_OURS = Place("metadata", OURS, "_metadata")
_KEEPS_THEIRS = Place("metadata", "databricks", "_metadata")


def _restored(row: dict[str, Any], kept: dict[str, Any] | None) -> dict[str, Any]:
    residual = _FORM.read(kept or {})
    return applied(row, residual) if residual else row


class RowReader:
    """Makes rows of ours. What these have no place for is kept below `metadata.databricks`."""

    def __init__(self) -> None:
        self.root: dict[str, Any] = {}
        self.losses: tuple[Loss, ...] = ()

    def read(self, row: dict[str, Any], index: int) -> OurRow:
        """Turn a sound row into ours; what somebody else wrote in our place is data as any."""
        lost = [key for key in row if key not in CARRIED and key != "metadata"]
        losses = tuple(Loss((key,), _OURS_HAS_NO, is_kept=True) for key in lost)
        bare, kept = _KEEPS_OURS.split(row, _FORM.fits)
        ours = _restored(ours_of(bare, index), kept)
        if not is_row(ours):
            bare, ours = row, ours_of(row, index)
        theirs = difference(theirs_of(ours, index), bare)
        return OurRow(_KEEPS_THEIRS.joined(ours, _FORM.written(theirs)), None, losses)


class RowWriter:
    """Makes rows of an evaluation set. What has no column is kept below `metadata`."""

    says_rubrics = False

    def __init__(self, *, has_outputs: bool) -> None:
        self._has_outputs = has_outputs

    def write(self, row: dict[str, Any], rubric: dict[str, Any] | None, index: int) -> TheirRow:
        """Turn a row."""
        bare, kept = _KEEPS_THEIRS.split(row, _FORM.fits)
        theirs = _restored(theirs_of(bare, index), kept)
        ours = difference(ours_of(theirs, index), bare)
        known = {*CARRIED.values(), *DERIVED, "metadata", "rubric_ref"}
        losses = [Loss((key,), _THEIRS_HAS_NO, is_kept=True) for key in row if key not in known]
        if rubric is not None or "rubric_ref" in row:
            losses.append(Loss(("rubric_ref",), _RUBRIC, is_kept=True))
        whole = _KEEPS_OURS.joined(theirs, _FORM.written(ours))
        return TheirRow(whole, tuple(losses), tuple(self._problems(whole)))

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
