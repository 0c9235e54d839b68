"""Read the rows of evalcontract datasets for a conversion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import OurRow
from evalcontract.structure.schemas import load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcontract.datasets.passes import CheckedRow
    from evalcontract.formats._conversion import Loss
    from evalcontract.library.library import Library


class NativeRows:
    """Reads evalcontract rows; see `RowReader`. `root` has the keys of the dataset but its rows."""

    losses: tuple[Loss, ...] = ()

    def __init__(self, root: dict[str, Any], library: Library) -> None:
        self.root = root
        self._library = library
        self._required = frozenset(load("dataset")["$defs"]["row"]["required"])

    def read(self, row: CheckedRow) -> OurRow | None:
        """Return a row with the rubric that it refers to.

        Return None if a required key is missing; the row has it under another name.
        """
        value = row.value
        if not value.keys() >= self._required:
            return None
        return OurRow(value, self._rubric(value), is_new=False)

    def row_losses(self, row: CheckedRow, read: OurRow, written: Sequence[Loss]) -> Sequence[Loss]:
        """Return the losses that a writer told; the reader has none."""
        del row, read
        return written

    def root_losses(self, written: Sequence[Loss]) -> Sequence[Loss]:
        """Return the losses that a writer told; the reader has none."""
        return written

    def _rubric(self, row: dict[str, Any]) -> dict[str, Any] | None:
        rubric = self._library.artifact_of(row.get("rubric_ref"))
        value = rubric.document.value if rubric else None
        return value if isinstance(value, dict) else None
