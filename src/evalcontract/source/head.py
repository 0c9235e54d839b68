"""What a dataset begins with: by that it is told whose it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.source.document import Document
from evalcontract.source.fault import ParseError
from evalcontract.source.jsonl import RowStream

if TYPE_CHECKING:
    from evalcontract.source.csv_table import CsvTable
    from evalcontract.source.parquet import ParquetTable


def peek(source: Document | RowStream | CsvTable | ParquetTable) -> Any:
    """Return the value of a document, or the first row of anything else.

    None where there is none that can be read. No more of a stream is read than its first line.
    """
    if isinstance(source, Document):
        return source.quick
    if isinstance(source, RowStream):
        from evalcontract.source.json import load_as_python  # slow to import

        line = next((line for line in source.opening(1) if line.strip()), "")
        try:
            return load_as_python(line.encode(), is_line=True)[0]
        except (ParseError, UnicodeError):
            return None
    return next((row for batch in source.batches() for row in batch.rows), None)
