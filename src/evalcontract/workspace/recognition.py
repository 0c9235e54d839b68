"""Detect datasets by their content, including those with a misspelled `questions` key."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from evalcontract.model.nearest import nearest
from evalcontract.model.startup import lazy_pattern
from evalcontract.source import DISK, FILE, LFS_POINTER, NOTHING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evalcontract.source import Document, Files, Source, UnreadableFile
    from evalcontract.source.json.lines import RowStream

_MODELINE = "dataset.schema.json"
_FOLDER = "datasets"
_QUESTIONS = lazy_pattern(r"""^\W*questions""")
#: The key `input` of a row in JSON, YAML or CSV; searched for in the first lines of a file.
_INPUT = lazy_pattern(r"""(?:^|[\s"'{,;])input["']?\s*(?:[:,;]|$)""")

_HEAD_LINES = 5


def is_dataset(path: Path, root: Path, source: Source, files: Files = DISK) -> bool:
    """Whether a file of a workspace is meant as a dataset.

    A file is a dataset if it is below `datasets/`, has the key `questions` (or a near miss of it)
    or names the dataset schema in a modeline. A JSONL file or a list is one if its first row has
    an `input`. A file that cannot be parsed is one if its text mentions any of these, and so is a
    file that may not be opened or is a Git LFS pointer.
    """
    if _FOLDER in path.relative_to(root).parts[:-1]:
        return True
    if unreadable := source.unreadable:
        if LFS_POINTER in unreadable.faults:
            return True
        return _mentions_dataset(unreadable.lines) or _is_permission_denied(path, unreadable, files)
    if stream := source.stream:
        return _has_rows(stream)
    return source.document is not None and _is_dataset_document(source.document)


def recorded_kind(source: Source) -> str | None:
    """Return `output` or `results` for a file of recorded outputs or of results, else None.

    The first row decides, by the schemas of both.
    """
    first = _first_row(source)
    if not isinstance(first, dict):
        return None
    from evalcontract.structure.native import native_for  # only for files that are no datasets
    from evalcontract.structure.schemas import load

    for kind, keys in _RECORDED.items():
        if not keys.isdisjoint(first) and native_for(load(kind)).is_valid(first):
            return kind
    return None


#: What is recorded, with the keys of which its first row has one, each a key of the schema.
_RECORDED = {"results": frozenset({"manifest"}), "output": frozenset({"output", "tool_calls"})}


def _first_row(source: Source) -> Any:
    if source.stream:
        return next((batch.rows[0] for batch in source.stream.batches() if batch.rows), None)
    value = source.document.quick if source.document else None
    return value[0] if isinstance(value, list) and value else None


def _is_dataset_document(document: Document) -> bool:
    value = document.quick
    has_rows = isinstance(value, dict) and "questions" in value
    if has_rows or any(_MODELINE in line for line in document.lines[:10] if line.startswith("#")):
        return True
    if isinstance(value, dict):
        return any(nearest(key, ("questions",)) for key in value)
    return isinstance(value, list) and bool(value) and _looks_like_row(value[0])


def _is_permission_denied(path: Path, source: UnreadableFile, files: Files) -> bool:
    """Whether a file exists but may not be opened; broken links and pipes do not count."""
    denied = any(fault.code == "source/unreadable" for fault in source.faults)
    return denied and files.kind(path) in (FILE, NOTHING)


def _has_rows(source: RowStream) -> bool:
    for batch in source.batches():
        if batch.rows:
            return _looks_like_row(batch.rows[0])
        if batch.faults:
            if any(fault is LFS_POINTER for fault, _ in batch.faults):
                return True
            return _mentions_dataset(source.opening())
    return False


def _mentions_dataset(lines: Sequence[str]) -> bool:
    """Whether a text that cannot be parsed looks like a dataset; UTF-16 has a NUL per letter."""
    plain = [line.replace("\0", "") for line in lines]
    head = islice((line for line in plain if line.strip()), _HEAD_LINES)
    return any(_QUESTIONS.search(line) or _MODELINE in line for line in plain) or any(
        _INPUT.search(line) for line in head
    )


def _looks_like_row(row: Any) -> bool:
    if not isinstance(row, dict) or isinstance(row.get("inputs"), dict):
        return False  # other formats have a mapping of inputs
    return any(nearest(key, ("input",), limit=1) for key in row)
