"""Read the rows of datasets of other systems for a conversion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.datasets.embedded_rubric import RUBRIC_KEY, ExtractedRubrics
from evalcontract.datasets.grading import row_structure
from evalcontract.datasets.source_losses import losses_of_source, preserved_at
from evalcontract.formats._conversion import Loss
from evalcontract.model.codes import ILL_FORMED
from evalcontract.model.reference import Kind
from evalcontract.structure.validator import structure_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcontract.datasets.passes import CheckedRow
    from evalcontract.formats._conversion import OurRow, Reader
    from evalcontract.formats._format import Field
    from evalcontract.model.diagnostic import Problem
    from evalcontract.structure.validator import SchemaValidator

_NO_RUBRIC = "no row before this one has the rubric of this label"


class DialectRows:
    """Converts rows in another format to evalcontract rows; see `RowReader`."""

    def __init__(self, reader: Reader, fields: Sequence[Field]) -> None:
        self._reader = reader
        self._fields = fields
        self._rubrics = ExtractedRubrics()

    @property
    def root(self) -> dict[str, Any]:
        """The keys of the dataset other than its rows; complete when all rows are read."""
        return self._reader.root

    @property
    def losses(self) -> Sequence[Loss]:
        """What is lost outside the rows; complete when all rows are read."""
        return self._reader.losses

    def read(self, row: CheckedRow) -> OurRow:
        """Return a row as an evalcontract row, with an embedded rubric extracted."""
        read = self._reader.read(row.value, row.number)
        if (extracted := self._rubrics.extract(read)) is not None:
            return extracted
        rest = {key: part for key, part in read.row.items() if key != RUBRIC_KEY}
        places = [*preserved_at(row.value, (RUBRIC_KEY,))] or [()]
        lost = [Loss(path, _NO_RUBRIC, is_kept=False) for path in places]
        return read._replace(row=rest, losses=(*read.losses, *lost))

    def row_losses(self, row: CheckedRow, read: OurRow, written: Sequence[Loss]) -> Sequence[Loss]:
        """Return the losses of a row, by its own fields as far as the format has a table of them.

        A row that was converted from evalcontract, and preserves more of it, has other fields.
        """
        if not self._fields:
            return (*read.losses, *written)
        return losses_of_source(read, written, row.value, self._fields)

    def root_losses(self, written: Sequence[Loss]) -> Sequence[Loss]:
        """Return the losses outside the rows, each where the source has the value."""
        return [place for loss in written for place in self._reader.places(loss)]


def faults_of(converted: OurRow) -> Iterator[Problem]:
    """Yield what a row that was converted has that none of evalcontract may have.

    That is only what its source preserved of a row, a rubric or judges, and somebody has changed.
    No target gets such values: a judge's id, for example, becomes the name of a file.
    """
    if not converted.is_new:
        return
    if converted.rubric is not None:
        named = {"id": "converted", "version": "1.0.0", **converted.rubric}
        yield from _faults("rubric", structure_of(Kind.RUBRIC), named)
        for judge in converted.judges:
            yield from _faults("judge", structure_of(Kind.JUDGE), judge)
    yield from _faults("row", row_structure(), converted.row)


def _faults(name: str, structure: SchemaValidator, value: Any) -> Iterator[Problem]:
    """Yield what the schema of evalcontract forbids; such a value is not what was preserved."""
    for problem in structure.check(value):
        if problem.code in ILL_FORMED:
            message = f"in the converted {name}: {problem.message}"
            yield problem._replace(message=message, path=(), help=None, on_key=False, fix=None)
