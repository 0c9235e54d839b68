"""The rows of a batch that may ignore findings in their metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.startup import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.source import Batch


class IgnoringRow(NamedTuple):
    """A row that may ignore findings: its number, from 0, and a mapping of only its `metadata`."""

    row_index: int
    value: dict[str, Any]


def ignoring_rows(batch: Batch) -> Iterator[IgnoringRow]:
    """Yield the rows of a batch that have `metadata.evalcontract`."""
    for index, row in enumerate(batch.rows, batch.first_index):
        metadata = row.get("metadata") if isinstance(row, dict) else None
        if metadata and isinstance(metadata, dict) and "evalcontract" in metadata:
            yield IgnoringRow(index, {"metadata": metadata})
