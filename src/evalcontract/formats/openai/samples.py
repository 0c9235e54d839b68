"""Convert the samples of the registry openai/evals to evalcontract and back."""

from __future__ import annotations

from typing import Any

from evalcontract.formats._conversion import Loss, OurRow, Reader, TheirRow, Writer
from evalcontract.formats._fields import reason_for
from evalcontract.formats._residual import difference, is_row
from evalcontract.formats.openai.fields import FIELDS, NO_RUBRIC, SAMPLES
from evalcontract.formats.openai.mapping import row_of_sample, sample_of_row
from evalcontract.formats.openai.residual import (
    FORM,
    IN_OURS_OF_SAMPLE,
    IN_THEIRS,
    NESTED,
    is_kept,
    row_losses,
)


class SampleReader(Reader):
    """Converts the samples of the registry."""

    def read(self, row: dict[str, Any], index: int) -> OurRow:
        """Convert a valid sample; a foreign value in place of the residual is ordinary data."""
        bare, kept = IN_THEIRS.split(row, is_kept)
        ours = FORM.applied(row_of_sample(bare, index), kept, NESTED)
        if not is_row(ours):
            bare, ours = row, row_of_sample(row, index)
        residual = difference(sample_of_row(ours, index), bare)
        lost = [key for key in residual.set if key not in ("id", "input", "metadata")]
        losses = [Loss((key,), reason_for(FIELDS, (key,), SAMPLES), is_kept=True) for key in lost]
        return OurRow(IN_OURS_OF_SAMPLE.joined(ours, FORM.written(residual)), None, tuple(losses))


class SampleWriter(Writer):
    """Writes samples of the registry."""

    def write(self, row: dict[str, Any], rubric: dict[str, Any] | None, index: int) -> TheirRow:
        """Convert a row, which preserves in `metadata` what a sample has no place for."""
        bare, kept = IN_OURS_OF_SAMPLE.split(row, is_kept)
        theirs = FORM.applied(sample_of_row(bare, index), kept, {})
        residual = difference(row_of_sample(theirs, index), bare, NESTED)
        losses = [*row_losses(residual, bare, SAMPLES)]
        if rubric is not None and "rubric_ref" not in row:
            losses.append(Loss(("rubric_ref",), NO_RUBRIC, is_kept=True))
        return TheirRow(IN_THEIRS.joined(theirs, FORM.written(residual)), tuple(losses))
