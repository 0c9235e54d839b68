"""Bytes become a `Document` or a stream of batches of rows, with positions on demand.

What writes stands in `editing`, `drafts` and `writing`, and is imported from there: checking needs
none.
"""

from __future__ import annotations

from evalcontract.source.document import Document
from evalcontract.source.fault import SourceFault, Unreadable, moved_fault
from evalcontract.source.files import (
    SUFFIXES,
    format_of,
    read_dataset,
    read_dataset_stream,
    read_file,
    read_stream,
    read_text,
)
from evalcontract.source.jsonl import RowStream
from evalcontract.source.rows import Batch, Rows, Sifted
from evalcontract.source.text import EMPTY
from evalcontract.source.yaml_rows import TangledError, YamlRows, place_rows

__all__ = [
    "EMPTY",
    "SUFFIXES",
    "Batch",
    "Document",
    "RowStream",
    "Rows",
    "Sifted",
    "SourceFault",
    "TangledError",
    "Unreadable",
    "YamlRows",
    "format_of",
    "moved_fault",
    "place_rows",
    "read_dataset",
    "read_dataset_stream",
    "read_file",
    "read_stream",
    "read_text",
]
