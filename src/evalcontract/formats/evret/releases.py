"""What each release of Evret reads of a query, and of the rows of a table."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from evalcontract.formats._findings import bom_rejected, missing_key
from evalcontract.formats._format import RowLayout, SchemaChecker
from evalcontract.model.diagnostic import Path, Problem
from evalcontract.model.nearest import nearest, normalise
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import clipped, quoted
from evalcontract.source.faults import ParseError
from evalcontract.source.tables.delimited import CsvTable

ANSWERS = "expected_answers"
#: Pairs of equivalent keys; the second is read if the first is missing or empty.
NAMES = (("query_id", "id"), ("query_text", "query"))
#: The keys of document ids, in any release.
ID_KEYS = ("expected_doc_ids", "relevant_doc_ids", "relevant_docs")
#: The releases that read each of them, for messages.
READ_BY = {
    "expected_doc_ids": "0.0.3",
    "relevant_doc_ids": "0.0.1 (and 0.0.3, from JSON)",
    "relevant_docs": "0.0.1",
}


@dataclass(frozen=True, slots=True)
class Release:
    """One release: the keys that it reads document ids from, in order.

    `ids` are keys of JSON, `columns` those of CSV. `last` is read if the others and the answers
    have no items.
    """

    version: str
    ids: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    last: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Its name in messages."""
        return f"Evret {self.version}"

    @property
    def lists(self) -> tuple[str, ...]:
        """The keys of JSON that it reads as lists."""
        return (*self.ids, ANSWERS, *self.last)

    @property
    def list_columns(self) -> tuple[str, ...]:
        """The columns of CSV that it reads as lists."""
        return (*self.columns, ANSWERS, *self.last)

    @property
    def preferred(self) -> str:
        """The key to use instead of one that it does not read."""
        return self.ids[0] if self.ids else ANSWERS


RELEASES: dict[str, Release] = {
    "0.0.3": Release("0.0.3", ("expected_doc_ids", "relevant_doc_ids"), ("expected_doc_ids",)),
    "0.0.2": Release("0.0.2"),
    "0.0.1": Release("0.0.1", ("relevant_doc_ids",), ("relevant_doc_ids",), ("relevant_docs",)),
}


class Query(NamedTuple):
    """A query as the loader reads it."""

    id: str
    text: str
    ids: list[str]
    answers: list[str]


def first_non_empty(row: dict[str, Any], keys: Iterable[str]) -> str | None:
    """Return the first key whose value is not empty; None if all are."""
    return next((key for key in keys if row.get(key)), None)


def text_of(value: Any) -> str:
    """Convert a value to a text as the loader does."""
    return str(value).strip()


def items_of(values: Any) -> list[str]:
    """Convert a list to texts as the loader does: without blanks and duplicates.

    Anything but a list has no items.
    """
    if not isinstance(values, list):
        return []
    return list(dict.fromkeys(filter(None, map(text_of, values))))


def label_of(text: str) -> str:
    """Normalize case and white space of a text as the evaluation does before comparing it."""
    return " ".join(text.lower().split())


def parsed(row: dict[str, Any], release: Release) -> Query:
    """Return what the loader makes of a valid row; a name that is missing is empty."""
    id_, text = (row.get(first_non_empty(row, names) or names[0], "") for names in NAMES)
    answers = items_of(row.get(ANSWERS))
    key = ids_key(row, release)
    return Query(text_of(id_), text_of(text), items_of(row.get(key or "")), answers)


def ids_key(row: dict[str, Any], release: Release) -> str | None:
    """Return the key that the document ids of a query are read from; None if there are none."""
    key = first_non_empty(row, release.ids)
    ids = items_of(row[key]) if key else []
    if release.last and not ids and not items_of(row.get(ANSWERS)):
        return first_non_empty(row, release.last) or key
    return key


def name_of(row: Any) -> str | None:
    """Return the name of a query; None if it has none."""
    key = first_non_empty(row, NAMES[0]) if isinstance(row, dict) else None
    return text_of(row[key]) or None if key else None


# Keys of a query that other systems hardly have.
_DISTINCT = {"query_text", ANSWERS, *ID_KEYS}
_NAMED = {*NAMES[0], ANSWERS, *ID_KEYS}


def release_of(value: dict[str, Any]) -> str | None:
    """Detect the release of a whole document or a first row; None if it is of another system.

    It is the newest release, unless the query has what only 0.0.1 reads.
    """
    queries = value.get("queries")
    is_document = isinstance(queries, list)
    rows = queries if isinstance(queries, list) else [value]
    row = next((row for row in rows if isinstance(row, dict)), None)
    if row is None or _DISTINCT.isdisjoint(row) or _NAMED.isdisjoint(row):
        return None
    if not any(isinstance(row.get(key), str) and row[key].strip() for key in NAMES[1]):
        return None
    newest, *_, oldest = RELEASES
    read = RELEASES[newest].lists if is_document else RELEASES[newest].list_columns
    given = [key for key in (*ID_KEYS, ANSWERS) if row.get(key)]
    return oldest if given and not set(given) & set(read) else newest


_KINDS = {str: "text", list: "a list", dict: "a mapping", bool: "true or false"}
_REQUIRED = {"query_id": "a query needs a name", "query_text": "a query needs a text"}
_QUERY_KEYS = {key for keys in NAMES for key in keys}
_MAX_LENGTH = 40

#: A file without queries.
NO_QUERIES = Problem(
    "evret/no-queries",
    "there are no queries: Evret loads the file, but cannot evaluate it",
    (),
    "add a query",
)


class RejectedCell(NamedTuple):
    """The value of a CSV cell that should hold a list, but that the loader rejects."""

    fault: str
    message: str
    help: str


def kind_of(value: Any) -> str:
    """Return the type of a value in words."""
    if value is None:
        return "null"
    return _KINDS.get(type(value), "a number")


def shown(value: Any) -> str:
    """Format a value in few characters."""
    return clipped(str(value) or "''", _MAX_LENGTH)


def are_filled(values: Iterable[Any]) -> bool:
    """Whether values are texts that are not blank."""
    return all(value.__class__ is str and value and not value.isspace() for value in values)


def query_faults(row: Any, path: Path, release: Release) -> Iterator[Problem]:
    """Yield what the loader rejects in a query."""
    if not isinstance(row, dict):
        yield _not_a_mapping("query", "`query_id` and `query_text`", row, path=path)
        return
    for names in NAMES:
        yield from _name_faults(row, names, path)
    yield from list_faults(row, ANSWERS, path)
    for key in dict.fromkeys((first_non_empty(row, release.ids), ids_key(row, release))):
        if key:
            yield from list_faults(row, key, path)


def document_faults(document: Any, path: Path) -> Iterator[Problem]:
    """Yield what the loader rejects in a document."""
    if not isinstance(document, dict):
        yield _not_a_mapping("document", "`doc_id`", document, path=path)
        return
    yield from _name_faults(document, ("doc_id",), path)
    metadata = document.get("metadata")
    if metadata and not isinstance(metadata, dict):
        message = f"`metadata` must be a mapping, not {kind_of(metadata)}"
        advice = 'write a mapping, such as {"source": "returns.md"}'
        yield Problem("evret/wrong-type", message, (*path, "metadata"), advice)


def _not_a_mapping(what: str, keys: str, value: Any, path: Path) -> Problem:
    message = f"a {what} must be a mapping, not {kind_of(value)}"
    return Problem("evret/wrong-type", message, path, f"write a mapping with {keys}")


def _name_faults(row: dict[str, Any], names: tuple[str, ...], path: Path) -> Iterator[Problem]:
    """Yield the fault of a name or text that is read from the first of some keys."""
    preferred = names[0]
    key = first_non_empty(row, names)
    if key is not None:
        if not text_of(row[key]):
            others = (name for name in names[1:] if key == preferred and row.get(name))
            hidden = "".join(f", and it hides `{name}`" for name in others)
            message = f"`{key}` is blank{hidden}"
            yield Problem("evret/empty-value", message, (*path, key), "fill it in, or remove it")
        return
    present = next((name for name in names if name in row), None)
    if present is not None:
        value = row[present]
        empty = f" (`{shown(value)}`)" if value not in (None, "") else ""
        message = f"`{present}` is empty{empty}, which is read as missing"
        yield Problem("evret/empty-value", message, (*path, present), "write a text")
        return
    near = "id" if preferred == "doc_id" and "id" in row else None
    near = near or nearest(preferred, [name for name in row if name not in _QUERY_KEYS])
    message = f"`{preferred}` is missing"
    yield missing_key("evret", message, path, preferred, near, _REQUIRED.get(preferred))


def list_faults(row: dict[str, Any], key: str, path: Path) -> Iterator[Problem]:
    """Yield the fault of a value that must be a list, or empty."""
    value = row.get(key)
    if isinstance(value, RejectedCell):
        yield Problem(f"evret/{value.fault}", value.message, (*path, key), value.help)
    elif value and not isinstance(value, list):
        message = f"`{key}` must be a list, not {kind_of(value)}"
        advice = f'write a list: ["{value}"]' if isinstance(value, str) else "write a list of texts"
        yield Problem("evret/wrong-type", message, (*path, key), advice)


def read_by_others(key: str, path: Path, release: Release) -> Problem:
    """Report a key that only other releases read."""
    message = f"{release.title} does not read `{key}`; {READ_BY[key]} does"
    advice = f"write `{release.preferred}`"
    if not release.ids:
        advice = f"{advice}, or use a release that reads document ids"
    return Problem("evret/other-release", message, path, advice, on_key=True)


_BOM = "\ufeff"
# The most words of a label, and the most characters of a suggestion.
_MAX_WORDS, _MAX_SAMPLE = 5, 60
# The most characters of the parts of a cell in a message.
_MAX_SHOWN = 200
_TOO_LARGE = "the cell exceeds the limits of Python's JSON parser"
_NAMES = tuple(name for pair in NAMES for name in pair)
_TEXTS = NAMES[1]
_NO_BOM = "save the file as UTF-8 without a byte order mark"
# Delimiters of other programs.
_DELIMITERS = {";": "semicolons", "\t": "tabs", "|": "bars"}


class Header(NamedTuple):
    """A header: its names as they are written, and as the loader reads them."""

    written: tuple[str, ...]
    read: tuple[str, ...]
    release: Release

    @property
    def has_text(self) -> bool:
        """Whether there is a column for the text of a query."""
        return not {*_TEXTS}.isdisjoint(self.read)

    @property
    def known(self) -> tuple[str, ...]:
        """The columns that the release reads."""
        return (*_NAMES, *self.release.list_columns)

    @property
    def of_others(self) -> tuple[str, ...]:
        """The columns of document ids that only other releases read."""
        return tuple(name for name in ID_KEYS if name not in self.known)

    def problems(self, schema: SchemaChecker, *, has_rows: bool) -> list[Problem]:
        """Return the problems of the header."""
        problems: list[Problem] = []
        ignored = {*self.known, *ID_KEYS, "metadata"}
        unknown = [name for name in dict.fromkeys(self.written) if name not in ignored]
        if not self.has_text and has_rows:
            meant = next(filter(None, (nearest(name, unknown) for name in _TEXTS)), None)
            problems.append(self._no_text(meant))
            unknown = [] if self._delimiter else [name for name in unknown if name != meant]
        elif self.written[:1] != self.read[:1] and self.written[0] in self.known:
            message = f"a byte order mark hides the column `{self.written[0]}`"
            problems.append(Problem("evret/hidden-column", message, self.written[:1], _NO_BOM))
        problems += self._unread(unknown, schema)
        problems += self._duplicates()
        if {*self.release.columns}.isdisjoint(self.read):
            others = [name for name in self.of_others if name in self.written]
            problems += [read_by_others(name, (name,), self.release) for name in others]
        has_list = not {*self.release.list_columns}.isdisjoint(self.read)
        is_reported = any(map(self._is_of_a_list, problems))
        if has_rows and self.has_text and not has_list and not is_reported:
            message = "no column has expectations: every metric is 0.0, whatever is retrieved"
            columns = quoted(self.release.list_columns[:2], " or ")
            advice = f"add a column {columns}"
            problems.append(Problem("evret/nothing-expected", message, (), advice))
        return problems

    def _is_of_a_list(self, problem: Problem) -> bool:
        """Whether a problem says why a column of expectations is not read."""
        texts = f"{problem.message} {problem.help}"
        return any(f"`{name}`" in texts for name in (*self.release.list_columns, *ID_KEYS))

    @property
    def _delimiter(self) -> str | None:
        """The delimiter of a header with a single name, if it is not the comma."""
        name = self.written[0] if len(self.written) == 1 else ""
        return next((word for char, word in _DELIMITERS.items() if char in name), None)

    def _no_text(self, meant: str | None) -> Problem:
        message = "the header has neither `query_text` nor `query`"
        place: Path = ()
        advice = "add a column `query_text`"
        if any(name in self.written for name in _TEXTS):
            message = f"a byte order mark hides the required column `{self.written[0]}`"
            place, advice = self.written[:1], _NO_BOM
        elif meant is not None:
            message = f"{message}; names must match exactly, and `{meant}` does not"
            place, advice = (meant,), "rename it to `query_text`"
        elif self._delimiter:
            advice = f"put commas between the cells, not {self._delimiter}"
        return Problem("evret/missing-key", message, place, advice)

    def _unread(self, unknown: list[str], schema: SchemaChecker) -> Iterator[Problem]:
        known_names = {normalise(name): name for name in self.known}
        present = dict.fromkeys((name for name in self.written if name in self.known), "")
        for name in unknown:
            near = known_names.get(normalise(name))
            if near and near not in self.read:
                message = f"the column `{name}` is not read: names must match exactly"
                advice = f"rename it to `{near}`"
                yield Problem("evret/near-miss-key", message, (name,), advice, on_key=True)
            else:
                problems = schema.unread({**present, name: ""}, ())
                yield from (problem for problem in problems if problem.path == (name,))

    def _duplicates(self) -> Iterator[Problem]:
        for name, count in Counter(self.read).items():
            if count > 1 and name in self.known:
                message = f"{count} columns are named `{name}`: only the last one is read"
                advice = "remove the others"
                yield Problem("evret/duplicate-column", message, (name,), advice, on_key=True)


def rows_of_table(
    table: CsvTable, release: Release, schema: SchemaChecker, *, has_mark: bool
) -> RowLayout:
    """Convert the rows of a table to queries.

    Lists are lists, a missing id is generated as the loader does, and columns that are not read
    are left out. A cell that the loader rejects is a `RejectedCell`.
    """
    names = tuple(table.header)
    if has_mark:  # for the loader it is a part of the first name, quotes included
        try:
            table = CsvTable(table.file, f"{_BOM}{table.text}", b"")
        except ParseError as fault:
            message = f"with its byte order mark the file is {fault.faults[0].message}"
            return RowLayout.without_rows(bom_rejected("evret", message))
    header = Header(names, tuple(table.header), release)
    problems = header.problems(schema, has_rows=bool(table.records))
    if not header.has_text and table.records:
        return RowLayout.without_rows(*problems)
    if not table.records:
        problems.append(NO_QUERIES)
    rows = []
    split: list[tuple[int, list[str]]] = []
    for index, cells in enumerate(table.records):
        problems += _extra_cells(cells, index, len(table.header))
        read: dict[str, Any] = dict(zip(table.header, cells, strict=False))
        # Cells that are missing at the end of a row are None, as for the loader.
        read |= dict.fromkeys(table.header[len(cells) :])
        row, split_cells = _query(read, index, release)
        rows.append(row)
        for name, parts in split_cells.items():
            if misread := _misread(name, read[name].strip(), parts):
                problems.append(misread._replace(path=(index, name), row_index=index))
            elif name == ANSWERS and len(parts) > 1:
                split.append((index, parts))
    if any(name in table.header for name in release.columns):
        problems += _ids_of_others(table, header, release)
    problems += _split_answers(split)
    return RowLayout(rows, (), tuple(problems))


def _ids_of_others(table: CsvTable, header: Header, release: Release) -> Iterator[Problem]:
    """Yield the columns of other releases that have ids where the column that is read has not."""
    own = [name for name in release.columns if name in table.header]
    for name in (name for name in header.of_others if name in table.header):
        for cells in table.records:
            read = dict(zip(table.header, cells, strict=False))
            if read.get(name, "").strip() and all(read.get(name) != read.get(key) for key in own):
                yield read_by_others(name, (name,), release)
                break


def _split_answers(split: list[tuple[int, list[str]]]) -> Iterator[Problem]:
    """Yield one note on the short answers that are split at commas, as lists of labels are."""
    for index, parts in split[:1]:
        cells_are = "1 cell is" if len(split) == 1 else f"{len(split):,} cells are"
        shown_parts = clipped(quoted(parts), _MAX_SHOWN)
        message = f"{cells_are} split at commas into answers: here {shown_parts}"
        advice = 'if a cell is a single answer, write JSON; in the CSV file that is "[""…""]"'
        yield Problem("evret/split-answer", message, (index, ANSWERS), advice, row_index=index)


def _query(
    read: dict[str, Any], index: int, release: Release
) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """Convert a row to a query; return also the parts of the cells that are split at commas."""
    names = {key: read[key] for key in NAMES[0] if read.get(key)}
    texts = {key: read[key] for key in NAMES[1] if key in read}
    given = {key: text for key, text in texts.items() if text}
    row = (names or {"query_id": f"q{index + 1}"}) | (given or dict([*texts.items()][:1]))
    lists = {key: _list(read[key], key) for key in release.list_columns if key in read}
    split = {key: _parts(read[key]) for key, value in lists.items() if value is None}
    return row | lists | split, split


def _list(cell: str | None, name: str) -> list[Any] | RejectedCell | None:
    """Parse a cell that holds a list as JSON; None if it is none, but is split at its commas."""
    if cell is None:
        message = f"the row ends before its column `{name}`, where Evret crashes"
        return RejectedCell("short-row", message, "add commas for the columns that stay empty")
    text = cell.strip()
    try:
        value = json.loads(text) if text else []
    except json.JSONDecodeError:
        return None
    except (ValueError, RecursionError):
        return RejectedCell("malformed-cell", _TOO_LARGE, "write a list of texts")
    if isinstance(value, list):
        return value
    message = f"a cell of `{name}` that is JSON must be a list"
    advice = f"write a list: [{json.dumps(value if isinstance(value, str) else text)}]"
    return RejectedCell("malformed-cell", message, advice)


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _extra_cells(cells: list[str], index: int, width: int) -> Iterator[Problem]:
    if any(cell.strip() for cell in cells[width:]):
        message = f"the row has {len(cells)} cells, but the header {width}: the others are dropped"
        advice = "put a cell that contains commas in double quotes"
        yield Problem("evret/extra-cell", message, (index, width), advice, row_index=index)


def _misread(name: str, text: str, parts: list[str]) -> Problem | None:
    """Return what is wrong with a cell that is not split as intended, without its place."""
    if text.startswith("[") and (text.endswith("]") or text[1:2] in ("'", '"')):
        message = "the list is not JSON: it is split at commas, and keeps brackets and quotes"
        advice = 'write JSON; in the CSV file that is "[""a"", ""b""]"'
        return Problem("evret/python-list", message, (), advice)
    if name != ANSWERS and ";" in text:
        ids = ",".join(part.strip() for part in text.replace(";", ",").split(","))
        sample = ids if len(ids) <= _MAX_SAMPLE else "a,b"
        message = "the cell is split at commas only: its semicolons become part of an id"
        advice = f'write commas, and the cell in double quotes: "{sample}"'
        return Problem("evret/cut-cell", message, (), advice)
    # It is a sentence rather than a list of short labels.
    is_long = any(len(part.split()) > _MAX_WORDS for part in parts)
    if name == ANSWERS and len(parts) > 1 and (is_long or text.endswith((".", "!", "?"))):
        message = f"the cell is split at its commas, into {len(parts)} answers"
        advice = 'if it is a single answer, write JSON; in the CSV file that is "[""…""]"'
        return Problem("evret/cut-cell", message, (), advice)
    return None
