"""Files that hold one value: rubrics, judges, targets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.source import (
    Document,
    MisreadError,
    QuickDocument,
    RowStream,
    SourceProblem,
    UnreadableFile,
)
from evalcontract.structure.check import structure_of

if TYPE_CHECKING:
    from evalcontract.model.reference import Kind

    Source = Document | RowStream | UnreadableFile


def settled(kind: Kind, source: Document | UnreadableFile) -> Document | UnreadableFile:
    """Return an artifact whose value is known: a fast reader's, if its structure is sound."""
    if not isinstance(source, QuickDocument):
        return source
    if structure_of(kind).is_clean(source.quick) and not source.has_other_numbers:
        source.trust()
    try:
        source.value  # noqa: B018 - it is read now, or is known
    except MisreadError as misread:
        return misread.unreadable
    return source


def one_value(source: Source) -> Document | UnreadableFile:
    """Refuse JSONL where one value is wanted: a rubric, a judge, a target."""
    if not isinstance(source, RowStream):
        return source
    message = "cannot be read: JSONL holds rows; this is to be one value"
    fault = SourceProblem("source/unreadable", message, None, "write it as YAML or JSON")
    return UnreadableFile(source.file, (fault,))
