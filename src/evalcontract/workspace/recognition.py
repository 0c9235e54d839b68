"""Is this file a dataset? Told by what it holds; a misspelled one must not slip through."""

from __future__ import annotations

import os
from itertools import islice
from typing import TYPE_CHECKING, Any

from evalcontract.model.nearest import nearest
from evalcontract.source import Document, RowStream, Unreadable

if TYPE_CHECKING:
    from pathlib import Path

_MODELINE = "dataset.schema.json"
_FOLDER = "datasets"


def is_dataset(path: Path, root: Path, source: Document | RowStream | Unreadable) -> bool:
    """Whether a file of a workspace is meant as a dataset.

    It is below `datasets/`, or has `questions` (or a near miss of it), or says so in its
    modeline; JSONL: its first row has an `input`. What cannot be read counts when it mentions
    any of these, or when the system does not let anyone look.
    """
    if _FOLDER in path.relative_to(root).parts[:-1]:
        return True
    if isinstance(source, Unreadable):
        return any(_mentions(line) for line in source.lines) or _is_kept_from_us(path, source)
    if isinstance(source, RowStream):
        rows = (row for batch in source.batches() for row in batch.rows)
        return any(_looks_like_row(row) for row in islice(rows, 1))
    value = source.value
    if any(_MODELINE in line for line in source.lines[:10] if line.startswith("#")):
        return True
    if isinstance(value, dict):
        return "questions" in value or any(nearest(key, ("questions",)) for key in value)
    return isinstance(value, list) and bool(value) and _looks_like_row(value[0])


def _is_kept_from_us(path: Path, source: Unreadable) -> bool:
    """Whether a file is there, and must not be opened: links to nothing and pipes are no files."""
    refused = any(fault.code == "source/unreadable" for fault in source.faults)
    return refused and (os.path.isfile(path) or not os.path.lexists(path))


def _mentions(line: str) -> bool:
    return line.lstrip().strip('"').startswith("questions") or _MODELINE in line


def _looks_like_row(row: Any) -> bool:
    return isinstance(row, dict) and any(nearest(key, ("input",), limit=1) for key in row)
