"""Read the rows of a table as tests: columns that begin with `__` are instructions."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import bom_rejected, ragged_row
from evalcontract.formats._format import RowLayout
from evalcontract.formats.promptfoo.assertions import LISTS, assertion_of, base_of, number_of, types
from evalcontract.formats.promptfoo.configuration import of_configuration, of_list
from evalcontract.formats.promptfoo.fields import is_configuration
from evalcontract.model.diagnostic import Path, Problem
from evalcontract.model.nearest import nearest
from evalcontract.model.startup import lazy_pattern
from evalcontract.model.values import clipped, quoted
from evalcontract.source.json.lines import RowStream
from evalcontract.source.tables import CsvTable

if TYPE_CHECKING:
    from evalcontract.formats._format import SchemaChecker
    from evalcontract.source.external import ExternalFile

#: The columns that are no variables; those with a colon are followed by a name.
COLUMNS = (
    *("__expected", "__prefix", "__suffix", "__description", "__providerOutput", "__metric"),
    *("__threshold", "__metadata", "__config"),
)
_STOPS = "promptfoo stops here"
_NO_ROWS = Problem("promptfoo/no-rows", "there are no tests", (), "add a row")
_BLANK_LINE = lazy_pattern(r"(?:^|\n)\r?\n")
_CONFIG = lazy_pattern(r"__config:__expected(0*[1-9][0-9]*)?:threshold")
# Of a setting: before the column, and before its name.
_COLONS = 2
_COMMA = lazy_pattern(r"(?<!\\),")
_LIKE_TYPE = lazy_pattern(r"((?:not-)?[a-z][a-z-]*)(?:\([0-9.]+\))?:\s?\S")
# A text of so many words between commas is probably a sentence.
_SENTENCE = 5


def of_table(table: CsvTable) -> RowLayout:
    """Return the tests of a table."""
    problems = [*_of_shape(table), *_of_header(table)]
    if any(problem.code == "promptfoo/ragged-row" for problem in problems):
        return RowLayout(problems=tuple(problems), is_lost=True)
    if not table.records:
        problems.append(_NO_ROWS)
    names = [name.strip() for name in table.header]
    rows: list[Any] = []
    columns: list[list[str]] = []
    for index, record in enumerate(table.records):
        cells = dict(zip(table.header, record, strict=False))
        test = _Test(index)
        for written, cell in cells.items():
            test.take(written, cell)
        test.finish()
        rows.append(test.test)
        columns.append(test.columns)
        problems += test.problems
    names_in_file = dict(zip(names, table.header, strict=True))

    def place_of(path: Path) -> Path:
        """Return the column of a value of a test."""
        row, *rest = path
        at = columns[int(row)] if rest[:1] == ["assert"] else []
        if len(rest) > 1 and rest[0] == "vars":
            return (row, names_in_file.get(str(rest[1]), str(rest[1])))
        if len(rest) > 1 and isinstance(rest[1], int) and rest[1] < len(at):
            return (row, at[rest[1]])
        name = f"__{rest[0]}" if rest else ""
        return (row, names_in_file[name]) if name in names_in_file else (row,)

    return RowLayout(rows, problems=tuple(problems), place_of=place_of)


def _of_shape(table: CsvTable) -> Iterator[Problem]:
    width = len(table.header)
    code = "promptfoo/ragged-row"
    if width > 1 and _BLANK_LINE.search(table.text) and _has_blank_line(table.text):
        yield Problem(code, f"a line of the table is blank: {_STOPS}", (), "remove it")
    for index, record in enumerate(table.records):
        if len(record) != width:
            yield ragged_row("promptfoo", "promptfoo", index, len(record), width)
            return
    if table.is_open:
        message = f"the last cell begins with a quote that has no end: {_STOPS}"
        yield Problem(code, message, (len(table.records) - 1,), "add the quote")


def _has_blank_line(text: str) -> bool:
    return any(not record for record in csv.reader(io.StringIO(text, newline="")))


def _of_header(table: CsvTable) -> Iterator[Problem]:
    seen: set[str] = set()
    for written in table.header:
        name, where = written.strip(), (written,)
        if name in seen:
            message = f"several columns are called `{clipped(name)}`: the last of them is read"
            yield Problem("promptfoo/duplicate-key", message, where, "rename the others")
        seen.add(name)
        if name.startswith("__config:") and not _CONFIG.fullmatch(name):
            stops = name.count(":") == _COLONS
            code, end = ("malformed-value", _STOPS) if stops else ("unread-cell", "it is not read")
            message = f"`{clipped(name)}` is no setting of an assertion: {end}"
            advice = "write `__config:__expected1:threshold`"
            yield Problem(f"promptfoo/{code}", message, where, advice, on_key=True)
        elif name == "__metadata":
            advice = "write `__metadata:` and a name"
            yield Problem("promptfoo/unread-cell", f"`{name}` is not read", where, advice)
        elif near := _meant(name):
            message = f"the column `{clipped(name)}` is read as a variable"
            advice = f"did you mean `{near}`?"
            yield Problem("promptfoo/near-miss-key", message, where, advice, on_key=True)


def _meant(name: str) -> str | None:
    """Return the column that one is probably meant as, which is read as a variable."""
    if _is_instruction(name) or not name.startswith("_"):
        return None
    plain = f"__{name.lstrip('_')}"
    return plain if _is_instruction(plain) else nearest(plain, COLUMNS)


def _is_instruction(name: str) -> bool:
    return name.startswith(("__expected", "__metadata:", "__config:")) or name in COLUMNS[1:8]


class _Test:
    """The test of a row, while its cells are read."""

    def __init__(self, index: int) -> None:
        self.test: dict[str, Any] = {"vars": {}}
        self.columns: list[str] = []
        self.problems: list[Problem] = []
        self._index = index
        self._asserts: list[dict[str, Any]] = []
        self._settings: dict[int, float] = {}
        self._metric: str | None = None

    def take(self, written: str, cell: str) -> None:
        """Read the cell of a column."""
        name = written.strip()
        if name.startswith("__expected"):
            self._assert(written, cell.strip())
        elif name.startswith("__metadata:"):
            self._put("metadata", _metadata(name.removeprefix("__metadata:"), cell))
        elif match := _CONFIG.fullmatch(name):
            self._set(int(match[1] or 1) - 1, cell, written)
        elif not _is_instruction(name) and name != "__metadata":
            self.test["vars"][name] = cell
        elif name in ("__prefix", "__suffix"):
            self._put("options", {name[2:]: cell})
        elif name == "__metric":
            self._metric = cell
        elif name == "__threshold":
            self._limit(cell, written)
        elif cell and name in ("__description", "__providerOutput"):
            self.test[name[2:]] = cell

    def finish(self) -> None:
        """Add the assertions, with what other columns say of them."""
        for number, assertion in enumerate(self._asserts):
            if self._metric is not None:
                assertion["metric"] = self._metric
            if number in self._settings:
                assertion["threshold"] = self._settings[number]
        if self._asserts:
            self.test["assert"] = self._asserts

    def _put(self, key: str, values: dict[str, Any]) -> None:
        if values:
            self.test[key] = {**self.test.get(key, {}), **values}

    def _assert(self, written: str, text: str) -> None:
        if text:
            assertion, found = _assertion(text, (self._index, written))
            self.problems += (problem._replace(row_index=self._index) for problem in found)
            self._asserts.append(assertion)
            self.columns.append(written)

    def _set(self, number: int, cell: str, written: str) -> None:
        limit = number_of(cell)
        if limit is None:
            message, advice = f"a threshold is no number: {_STOPS}", "write a number in each row"
            self._report("malformed-value", message, written, advice)
        else:
            self._settings[number] = limit
            self._put("metadata", {"threshold": limit})

    def _limit(self, cell: str, written: str) -> None:
        number = number_of(cell)
        if number is not None:
            self.test["threshold"] = number
        elif cell.strip():
            message = f"the threshold `{clipped(cell)}` is no number, and is dropped"
            self._report("unread-cell", message, written, "write a number")

    def _report(self, code: str, message: str, written: str, advice: str) -> None:
        where, index = (self._index, written), self._index
        self.problems.append(Problem(f"promptfoo/{code}", message, where, advice, row_index=index))


def _metadata(key: str, cell: str) -> dict[str, Any]:
    if not cell.strip():
        return {}
    if key.endswith("[]"):
        return {key[:-2]: [part.strip().replace("\\,", ",") for part in _COMMA.split(cell)]}
    return {key: cell}


def _assertion(text: str, where: Path) -> tuple[dict[str, Any], list[Problem]]:
    """Return the assertion of a cell, and what its author probably means otherwise."""
    try:
        assertion = assertion_of(text)
    except ValueError as error:
        problem = Problem("promptfoo/malformed-value", f"{error}: {_STOPS}", where, "add it")
        return {"type": "equals", "value": text}, [problem]
    if assertion["type"] == "equals" and assertion["value"] == text:
        return assertion, [*_like_another(text, where)]
    value = assertion.get("value")
    if base_of(assertion["type"]) in LISTS and isinstance(value, list):
        long = [part for part in value if len(part.split()) >= _SENTENCE]
        if long and len(value) > 1 and '"' not in text:
            message = f"the text is cut at its commas, into {len(value)} texts"
            advice = "put a text that contains commas in double quotes"
            return assertion, [Problem("promptfoo/split-list", message, where, advice)]
    return assertion, []


def _like_another(text: str, where: Path) -> Iterator[Problem]:
    """Yield that a text looks like an assertion of another type."""
    match = _LIKE_TYPE.match(text)
    near = nearest(base_of(match[1]), types()) if match else None
    if match and near:
        message = f"promptfoo has no assertion `{match[1]}`: the output has to equal the whole text"
        advice = f"did you mean {quoted([near])}?"
        yield Problem("promptfoo/equals-of-text", message, where, advice)


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


def find_rows(read: ExternalFile, schema: SchemaChecker) -> RowLayout:
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
