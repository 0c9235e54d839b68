"""Coverage of other systems' datasets: which of their graders will run on which rows."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from evalcontract.api.dialect_check import DialectCheck, detected
from evalcontract.checks import Outlook, State
from evalcontract.checks.coverage import Cell, FileCoverage, RowCoverage, Tally
from evalcontract.source import Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.api.detection import Theirs
    from evalcontract.api.dialect_check import Judged
    from evalcontract.api.run import Run
    from evalcontract.formats import Dialect
    from evalcontract.model.diagnostic import Diagnostic


def cover_others(
    run: Run, read: Theirs, diagnostics: list[Diagnostic], *, keep_all: bool, is_said: bool = True
) -> Iterator[FileCoverage]:
    """Yield the coverage of a file, if it can be read; what cannot be is among the findings.

    Where nobody said whose it is (`is_said`), that is told, too.
    """
    dialect, source = read
    if isinstance(source, Unreadable):
        diagnostics += run.unreadable([source])
        return
    if not is_said:
        diagnostics += detected(dialect, source.source.file, run.base_policy)
    check = DialectCheck(dialect, source, run.base_policy)
    tally = Tally(keep_all=keep_all)
    for batch in check.judged():
        for each in batch:
            tally.take(_cover(dialect, each), partial(check.source.place, each.path))
    diagnostics += check.rest()
    yield tally.of(check.source.file)


def _cover(dialect: Dialect, judged: Judged) -> RowCoverage:
    form, variant = dialect
    name = form.name_of(judged.row)
    if not judged.is_sound:
        fault = next(each.message for each in judged.problems if DialectCheck.rejects(each))
        return RowCoverage(judged.number, name, str(dialect), (), fault)
    cells = tuple(
        Cell(each.name, each.kind, Outlook(State(each.state), each.reason, each.field))
        for each in form.predict(judged.row, variant)
    )
    return RowCoverage(judged.number, name, str(dialect), cells)
