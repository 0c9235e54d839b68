"""Files that contain a single value: rubrics, judges, targets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.source import MisreadError, SourceProblem, UnreadableFile
from evalcontract.structure.validator import structure_of

if TYPE_CHECKING:
    from evalcontract.model.reference import Kind
    from evalcontract.source import Source


def verified(kind: Kind, source: Source) -> Source:
    """Return an artifact with a reliable value: that of the fast reader only if it is valid."""
    document = source.document
    if document is None or not document.is_quick:
        return source
    if structure_of(kind).is_clean(document.quick) and not document.has_other_numbers:
        document.trust()
    try:
        document.value  # noqa: B018 - reads the value, if it is not known yet
    except MisreadError as misread:
        return misread.unreadable
    return document


def require_single_value(source: Source) -> Source:
    """Reject JSONL where a single value is required: a rubric, a judge or a target."""
    if source.stream is None:
        return source
    message = "cannot be read: JSONL contains rows, but this file must be a single value"
    fault = SourceProblem("source/unreadable", message, None, "write it as YAML or JSON")
    return UnreadableFile(source.file, (fault,))
