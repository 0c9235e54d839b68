"""Every place in a workspace that refers to a rubric or a judge."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evalcontract.datasets.root import check_root
from evalcontract.library.library import references_in_row
from evalcontract.model.diagnostic import Path, Place
from evalcontract.model.reference import Kind, Reference
from evalcontract.model.startup import NamedTuple
from evalcontract.source import Document, RowBatches, RowSource, format_of
from evalcontract.source.document import value_at
from evalcontract.workspace import Workspace


class Use(NamedTuple):
    """A place where a name is used: the file, the path of the text, and the text."""

    document: Document | RowBatches
    path: Path
    text: str

    @property
    def place(self) -> Place:
        """The place of the text."""
        return self.document.place(self.path)

    @property
    def path_in_text(self) -> Path:
        """The path for edits of the file's text: in JSON Lines, a row is a line."""
        if format_of(self.document.file) != "jsonl":
            return self.path
        span = self.place.span
        return ((span.line if span else 1) - 1, *self.path[1:])


def every_use(workspace: Workspace, *, with_rows: bool = True) -> Iterator[tuple[Use, Reference]]:
    """Yield every reference, in rubrics and, `with_rows`, in the rows of all datasets."""
    for artifact in workspace.library.artifacts:
        for use in artifact.uses:
            text = value_at(artifact.document.value, use.path)
            yield Use(artifact.document, use.path, str(text)), use.reference
    if with_rows:
        yield from _uses_in_rows(workspace)


def uses_of(workspace: Workspace, kind: Kind, id_: str) -> Iterator[tuple[Use, Reference]]:
    """Yield every reference to an id; only rubrics refer to judges."""
    for use, reference in every_use(workspace, with_rows=kind is Kind.RUBRIC):
        if (reference.kind, reference.id) == (kind, id_):
            yield use, reference


def _uses_in_rows(workspace: Workspace) -> Iterator[tuple[Use, Reference]]:
    for _, source in workspace.scan():
        if source is not None and not source.unreadable:
            for rows, path, row in rows_of(source):
                for use in references_in_row(row, path):
                    yield Use(rows, use.path, str(row["rubric_ref"])), use.reference


def rows_of(source: RowSource) -> Iterator[tuple[RowBatches, Path, Any]]:
    """Yield the rows of a dataset with their paths."""
    rows, _, _ = check_root(source)
    if rows is None:
        return
    for batch in rows.batches(quick=True):
        for index, row in enumerate(batch.rows, batch.first_index):
            yield rows, (*rows.prefix, index), row
