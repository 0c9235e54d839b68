"""Find the tests of a file as promptfoo does: alone, in a configuration, or as rows of a table."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import bom_rejected
from evalcontract.formats._format import RowLayout
from evalcontract.formats.promptfoo.configuration import of_configuration, of_list
from evalcontract.formats.promptfoo.keys import is_configuration
from evalcontract.formats.promptfoo.table import of_table
from evalcontract.model.diagnostic import Problem
from evalcontract.source.json.lines import RowStream
from evalcontract.source.tables import CsvTable

if TYPE_CHECKING:
    from evalcontract.formats._format import SchemaChecker
    from evalcontract.source.external import ExternalFile

_BOM = bom_rejected(
    "promptfoo", "the file begins with a byte order mark, which `JSON.parse` rejects"
)
_NO_TESTS = Problem(
    "promptfoo/rejected", "the file holds neither tests nor a configuration", (), "write a list"
)
_NOT_JSON = Problem(
    "promptfoo/rejected", "`JSON.parse` rejects a number that is not finite", (), "write `null`"
)
_EMPTY = frozenset({"source/empty"})


def find_rows(read: ExternalFile, _variant: str | None, schema: SchemaChecker) -> RowLayout:
    """Return the tests of a file."""
    if isinstance(read.source, CsvTable):
        return of_table(read.source)
    if read.has_mark and read.medium in ("json", "jsonl"):
        return RowLayout.without_rows(_BOM)
    if isinstance(read.source, RowStream):
        return _of_lines(read.source)
    if read.document is None:
        return RowLayout()
    layout = _of_document(read.document.value, schema)
    if any(remark.code.endswith("not-finite") for remark in read.remarks):
        return layout._replace(problems=(*layout.problems, _NOT_JSON))
    return layout


def _of_lines(stream: RowStream) -> RowLayout:
    problems = []
    if PurePath(stream.file).suffix.lower() != ".jsonl":
        message = "promptfoo reads the lines of files alone whose names end in `.jsonl`"
        problems.append(Problem("promptfoo/rejected", message, (), "rename it"))
    return RowLayout(problems=tuple(problems), passed_over=_EMPTY)


def _of_document(value: Any, schema: SchemaChecker) -> RowLayout:
    if isinstance(value, list):
        return of_list(value)
    if not isinstance(value, dict):
        return RowLayout.without_rows(_NO_TESTS)
    if is_configuration(value):
        return of_configuration(value, schema)
    return RowLayout([value], is_row=True)
