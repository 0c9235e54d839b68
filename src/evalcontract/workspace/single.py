"""Files that hold one value: rubrics, judges, targets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.source import MisreadError, SourceProblem, UnreadableFile
from evalcontract.structure.validator import structure_of

if TYPE_CHECKING:
    from evalcontract.model.reference import Kind
    from evalcontract.source import Source


def settled(kind: Kind, source: Source) -> Source:
    """Return an artifact whose value is known: a fast reader's, if its structure is sound."""
    document = source.document
    if document is None or not document.is_quick:
        return source
    if structure_of(kind).is_clean(document.quick) and not document.has_other_numbers:
        document.trust()
    try:
        document.value  # noqa: B018 - it is read now, or is known
    except MisreadError as misread:
        return misread.unreadable
    return document


def one_value(source: Source) -> Source:
    """Refuse JSONL where one value is wanted: a rubric, a judge, a target."""
    if source.stream is None:
        return source
    message = "cannot be read: JSONL holds rows; this is to be one value"
    fault = SourceProblem("source/unreadable", message, None, "write it as YAML or JSON")
    return UnreadableFile(source.file, (fault,))
