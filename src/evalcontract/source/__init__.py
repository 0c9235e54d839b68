"""Readers: turn bytes into a `Document` or a stream of row batches, with positions on demand.

Import the writers from their own modules (`editing`, `drafts`, `writing`): checking a file never
needs them.
"""

from __future__ import annotations

from evalcontract.source.document import Batch, Document
from evalcontract.source.faults import SourceProblem, UnreadableFile, moved_fault
from evalcontract.source.files import (
    read_file,
    read_stream,
    read_text,
)
from evalcontract.source.filesystem import (
    DANGLING,
    DISK,
    EVERY_FILE,
    FILE,
    FOLDER,
    NOTHING,
    SCHEMA_SUFFIX,
    SUFFIXES,
    TABLES,
    Entry,
    Files,
    Stream,
    TooLargeError,
    format_of,
    is_given,
)
from evalcontract.source.rows import RowBatches, RowSource
from evalcontract.source.text import EMPTY, LFS_POINTER
from evalcontract.source.yaml.quick import MisreadError, QuickDocument

__all__ = [
    "DANGLING",
    "DISK",
    "EMPTY",
    "EVERY_FILE",
    "FILE",
    "FOLDER",
    "LFS_POINTER",
    "NOTHING",
    "SCHEMA_SUFFIX",
    "SUFFIXES",
    "TABLES",
    "Batch",
    "Document",
    "Entry",
    "Files",
    "MisreadError",
    "QuickDocument",
    "RowBatches",
    "RowSource",
    "SourceProblem",
    "Stream",
    "TooLargeError",
    "UnreadableFile",
    "format_of",
    "is_given",
    "moved_fault",
    "read_file",
    "read_stream",
    "read_text",
]
