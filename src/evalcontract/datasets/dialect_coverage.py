"""The coverage of a row of another system: which of the system's own graders will run on it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from evalcontract.checks import Prediction, State
from evalcontract.checks.coverage import Cell, RowCoverage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.datasets.passes import CheckedRow
    from evalcontract.formats import Dialect
    from evalcontract.formats._format import GraderPrediction
    from evalcontract.source.external import ExternalFile


def cover_dialect_row(
    dialect: Dialect, external: ExternalFile, row: CheckedRow, chosen: frozenset[str] | None
) -> RowCoverage:
    """Return which graders will run on a row: those that are `chosen`.

    None means all that the row asks for; the others are its `unasked` ones.
    """
    name = dialect.format.name_of(row.value)
    if row.fault:
        return RowCoverage(row.number, name, str(dialect), (), row.fault.message)
    cells, unasked = [], []
    for grader in _predicted(dialect, external, row.value):
        if chosen is None and not grader.is_asked:
            unasked.append(grader.name)
        elif chosen is None or grader.name in chosen:
            cells.append(_cell(grader))
    return RowCoverage(row.number, name, str(dialect), tuple(cells), unasked=tuple(unasked))


@lru_cache(maxsize=1_024)  # most rows have the same few
def _cell(grader: GraderPrediction) -> Cell:
    outlook = Prediction(State(grader.state), grader.reason, grader.field)
    return Cell(grader.name, grader.kind, outlook)


def _predicted(dialect: Dialect, external: ExternalFile, row: Any) -> Iterable[GraderPrediction]:
    form, variant = dialect
    if form.predict_in is not None:
        return form.predict_in(external, row, variant)
    return form.predict(row, variant)
