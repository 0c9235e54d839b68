"""Is this file a dataset? Told by what it holds; a misspelled one must not slip through."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from evalcontract.model.nearest import nearest
from evalcontract.source import DISK, FILE, NOTHING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evalcontract.source import Document, Files, RowStream, Source, UnreadableFile

_MODELINE = "dataset.schema.json"
_FOLDER = "datasets"
_QUESTIONS = re.compile(r"""^\W*questions""")
#: The key of a row in JSON, YAML or CSV, looked for where a file begins that holds rows alone.
_INPUT = re.compile(r"""(?:^|[\s"'{,;])input["']?\s*(?:[:,;]|$)""")

_HEAD = 5


def is_dataset(path: Path, root: Path, source: Source, files: Files = DISK) -> bool:
    """Whether a file of a workspace is meant as a dataset.

    It is below `datasets/`, or has `questions` (or a near miss of it), or says so in its
    modeline; JSONL: its first row has an `input`. What cannot be read counts when it mentions
    any of these, or when the system does not let anyone look.
    """
    if _FOLDER in path.relative_to(root).parts[:-1]:
        return True
    if unreadable := source.unreadable:
        return _tells(unreadable.lines) or _is_kept_from_us(path, unreadable, files)
    if stream := source.stream:
        return _holds_rows(stream)
    return source.document is not None and _is_meant(source.document)


def _is_meant(document: Document) -> bool:
    value = document.quick
    has_rows = isinstance(value, dict) and "questions" in value
    if has_rows or any(_MODELINE in line for line in document.lines[:10] if line.startswith("#")):
        return True
    if isinstance(value, dict):
        return any(nearest(key, ("questions",)) for key in value)
    return isinstance(value, list) and bool(value) and _looks_like_row(value[0])


def _is_kept_from_us(path: Path, source: UnreadableFile, files: Files) -> bool:
    """Whether a file is there, and must not be opened: links to nothing and pipes are no files."""
    refused = any(fault.code == "source/unreadable" for fault in source.faults)
    return refused and files.kind(path) in (FILE, NOTHING)


def _holds_rows(source: RowStream) -> bool:
    for batch in source.batches():
        if batch.rows:
            return _looks_like_row(batch.rows[0])
        if batch.faults:
            return _tells(source.opening())
    return False


def _tells(lines: Sequence[str]) -> bool:
    """Whether a text without a value was meant as a dataset; one in UTF-16 has a NUL a letter."""
    plain = [line.replace("\0", "") for line in lines]
    head = islice((line for line in plain if line.strip()), _HEAD)
    return any(_QUESTIONS.search(line) or _MODELINE in line for line in plain) or any(
        _INPUT.search(line) for line in head
    )


def _looks_like_row(row: Any) -> bool:
    if not isinstance(row, dict) or isinstance(row.get("inputs"), dict):
        return False  # a mapping of inputs is what other systems have
    return any(nearest(key, ("input",), limit=1) for key in row)
