"""Refuse a Parquet file whose rows the system of the target would reject as it reads them.

A column has null in each row that lacks it, below the rows too, so that rows which are valid one by
one may not be so in a table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.source.faults import ParseError
from evalcontract.source.tables import ParquetTable
from evalcontract.source.yaml.writing import NotWritableError
from evalcontract.structure.dialect_checker import DialectChecker
from evalcontract.workspace.catalogue import is_rejection

if TYPE_CHECKING:
    from evalcontract.formats import Dialect


def refuse_rejected(data: bytes, dialect: Dialect) -> None:
    """Read a file back, and check its rows as the system does.

    Raises:
        NotWritableError: the system would reject a row.

    """
    stage = DialectChecker(*dialect.stage)
    try:
        table = ParquetTable("", data)
    except ParseError:
        return  # it is larger than what is read here
    for batch in table.batches():
        if stage.passes(batch.rows):
            continue
        for row in batch.rows:
            for problem in stage.faults(row, ()):
                if is_rejection(problem.code):
                    raise NotWritableError(_reason(dialect.format.title, problem.message))


def _reason(title: str, message: str) -> str:
    null = "a table has null where a row lacks a key of another row"
    return f"{null}, and {title} rejects that ({message}): write JSON"
