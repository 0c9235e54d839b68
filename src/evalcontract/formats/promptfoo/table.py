"""Read the rows of a table as tests: columns that begin with `__` are instructions."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from functools import cache
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import bom_rejected, near_miss, ragged_row
from evalcontract.formats._format import RowLayout, SchemaChecker
from evalcontract.formats.promptfoo.assertions import (
    LISTS,
    NOT,
    assertion_of,
    base_of,
    is_configuration,
    number_of,
    types,
)
from evalcontract.formats.promptfoo.configuration import of_configuration, of_list
from evalcontract.model.diagnostic import Path, Problem
from evalcontract.model.nearest import nearest, suggestions
from evalcontract.model.startup import lazy_pattern
from evalcontract.model.values import clipped
from evalcontract.source.jsonl import RowStream
from evalcontract.source.tables.delimited import CsvTable

if TYPE_CHECKING:
    from evalcontract.source.external import ExternalFile

#: The columns that are no variables; those with a colon are followed by a name.
COLUMNS = (
    *("__expected", "__prefix", "__suffix", "__description", "__providerOutput", "__metric"),
    *("__threshold", "__metadata", "__config"),
)
_NAMING = ("__metadata", "__config")
# So many letters of a column leave open which one is begun.
_BEGINNING = 4
_STOPS = "promptfoo stops here"
_NO_ROWS = Problem("promptfoo/no-rows", "there are no tests", (), "add a row")
_BLANK_LINE = lazy_pattern(r"(?:^|\n)\r?\n")
_CONFIG = lazy_pattern(r"__config:__expected(0*[1-9][0-9]*)?:threshold")
# Of a setting: before the column, and before its name.
_COLONS = 2
_COMMA = lazy_pattern(r"(?<!\\),")
_LIKE_TYPE = lazy_pattern(r"([a-z]+(?:[- ][a-z]+)*)(?:\([0-9.]+\))?(:\s?\S)?")
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
        test = _Test()
        for written, cell in dict(zip(table.header, record, strict=False)).items():
            found = test.take(written, cell)
            problems += (each._replace(path=(index, written), row_index=index) for each in found)
        rows.append(test.finished())
        columns.append(test.columns)
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
    if width > 1 and _BLANK_LINE.search(table.text):
        records = csv.reader(io.StringIO(table.text, newline=""))
        if not all(records):
            yield Problem(code, f"a line of the table is blank: {_STOPS}", (), "remove it")
    for index, record in enumerate(table.records):
        if len(record) != width:
            yield ragged_row("promptfoo", "promptfoo", index, len(record), width)
            return
    if table.is_open:
        message = f"the last cell begins with a quote that has no end: {_STOPS}"
        yield Problem(code, message, (len(table.records) - 1,), "add the quote")


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
            yield near_miss("promptfoo", message, where, near)


def _meant(name: str) -> str | None:
    """Return the column that one is probably meant as, which is read as a variable."""
    if _is_instruction(name) or not name.startswith("_"):
        return None
    head, colon, rest = name.partition(":")
    plain = f"__{head.lstrip('_')}"
    if plain.startswith("__assert"):
        return COLUMNS[0]
    begun = (column for column in COLUMNS if len(plain) > _BEGINNING and column.startswith(plain))
    limit = 2 if head.startswith("__") else None
    near = next(begun, None) or nearest(plain, COLUMNS, limit=limit)
    return f"{near}{colon}{rest}" if near in _NAMING else near


def _is_instruction(name: str) -> bool:
    return name.startswith(("__expected", "__metadata:", "__config:")) or name in COLUMNS[1:8]


class _Test:
    """The test of a row, while its cells are read."""

    def __init__(self) -> None:
        self._test: dict[str, Any] = {"vars": {}}
        self.columns: list[str] = []
        self._asserts: list[dict[str, Any]] = []
        self._settings: dict[int, float] = {}
        self._metric: dict[str, str] = {}

    def take(self, written: str, cell: str) -> Iterator[Problem]:
        """Read the cell of a column; yield its problems, without their place."""
        name = written.strip()
        if name.startswith("__expected"):
            if text := cell.strip():
                assertion, problem = _assertion(text)
                self._asserts.append(assertion)
                self.columns.append(written)
                yield from (problem,) if problem else ()
        elif name.startswith("__metadata:"):
            self._put("metadata", metadata_of(name.removeprefix("__metadata:"), cell))
        elif match := _CONFIG.fullmatch(name):
            yield from self._set(int(match[1] or 1) - 1, cell)
        elif not _is_instruction(name) and name != "__metadata":
            self._test["vars"][name] = cell
        elif name in ("__prefix", "__suffix"):
            self._put("options", {name[2:]: cell})
        elif name == "__metric":
            self._metric = {"metric": cell}
        elif name == "__threshold":
            yield from self._limit(cell)
        elif cell and name in ("__description", "__providerOutput"):
            self._test[name[2:]] = cell

    def finished(self) -> dict[str, Any]:
        """Return the test, its assertions with what other columns say of them."""
        for number, assertion in enumerate(self._asserts):
            assertion.update(self._metric)
            if number in self._settings:
                assertion["threshold"] = self._settings[number]
        return self._test | ({"assert": self._asserts} if self._asserts else {})

    def _put(self, key: str, values: dict[str, Any]) -> None:
        if values:
            self._test[key] = {**self._test.get(key, {}), **values}

    def _set(self, number: int, cell: str) -> Iterator[Problem]:
        limit = number_of(cell)
        if limit is None:
            message = f"a threshold is no number: {_STOPS}"
            yield Problem("promptfoo/malformed-value", message, (), "write a number in each row")
        else:
            self._settings[number] = limit
            self._put("metadata", {"threshold": limit})

    def _limit(self, cell: str) -> Iterator[Problem]:
        number = number_of(cell)
        if number is not None:
            self._test["threshold"] = number
        elif cell.strip():
            message = f"the threshold `{clipped(cell)}` is no number, and is dropped"
            yield Problem("promptfoo/unread-cell", message, (), "write a number")


def metadata_of(key: str, cell: str) -> dict[str, Any]:
    """Return the metadata of a cell, by the key that its column names."""
    if not cell.strip():
        return {}
    if key.endswith("[]"):
        return {key[:-2]: [part.strip().replace("\\,", ",") for part in _COMMA.split(cell)]}
    return {key: cell}


def _assertion(text: str) -> tuple[dict[str, Any], Problem | None]:
    """Return the assertion of a cell, and what its author probably means otherwise."""
    try:
        assertion = assertion_of(text)
    except ValueError as error:
        problem = Problem("promptfoo/malformed-value", f"{error}: {_STOPS}", (), "add it")
        return {"type": "equals", "value": text}, problem
    type_, value = assertion["type"], assertion.get("value")
    if type_ == "equals" and value == text:
        return assertion, _like_another(text)
    if base_of(type_) in LISTS and isinstance(value, list) and '"' not in text:
        is_sentence = any(len(part.split()) >= _SENTENCE for part in value)
        if is_sentence and len(value) > 1:
            message = f"the text is cut at its commas, into {len(value)} texts"
            advice = "put a text that contains commas in double quotes"
            return assertion, Problem("promptfoo/split-list", message, (), advice)
    return assertion, None


@cache
def _names(*, with_words: bool) -> tuple[str, ...]:
    """Return the types of assertions, without those that are words if a text may begin with one."""
    return tuple(
        type_ for type_ in types() if with_words or "-" in type_ or type_.endswith("contains")
    )


def _like_another(text: str) -> Problem | None:
    """Report that a text looks like an assertion of another type."""
    match = _LIKE_TYPE.match(text)
    if match is None:
        return None
    words = match[1].split(" ", maxsplit=3)
    known = suggestions(_names(with_words=bool(match[2])))
    counts = [len(words)] if match[2] else [1, 2, 3]
    for name in (" ".join(words[:count]) for count in counts):
        type_ = name.replace(" ", "-")
        if near := known.nearest(base_of(type_)):
            message = f"promptfoo has no assertion `{name}`: the output has to equal the whole text"
            colon = "" if match[2] or name == text else ":"
            advice = f"did you mean `{NOT if type_ != base_of(type_) else ''}{near}{colon}`?"
            return Problem("promptfoo/equals-of-text", message, (), advice)
    return None


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
