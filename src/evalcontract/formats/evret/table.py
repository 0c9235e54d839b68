"""A table of CSV as queries, in the form that those of JSON have; and what its header lacks."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from evalcontract.formats._format import RowLayout
from evalcontract.formats.evret.faults import RefusedCell
from evalcontract.formats.evret.releases import ANSWERS, ID_KEYS, NAMES
from evalcontract.formats.evret.warnings import unread_by
from evalcontract.model.diagnostic import Problem
from evalcontract.model.nearest import nearest, normalise
from evalcontract.source.csv_table import CsvTable
from evalcontract.source.fault import ParseError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.formats._format import SchemaChecker
    from evalcontract.formats.evret.releases import Release

_MARK = "\ufeff"
# So much of a number Python refuses to read, and so deep a list.
# So many words a label has at the most, and so many characters a help shows.
_LABEL, _MOST = 5, 60
_TOO_MUCH = "this cell is more than Python's JSON parser reads"


def rows_of_table(
    table: CsvTable, release: Release, schema: SchemaChecker, *, has_mark: bool
) -> RowLayout:
    """Read the queries of a table.

    Lists stand as lists, an id that is missing is made up as the loader makes it up, and columns
    that are not read are left out. A cell at which the loader stops is a `RefusedCell`.
    """
    names = tuple(table.header)
    if has_mark:  # the loader takes it for a part of the first name, and its quotes for themselves
        try:
            table = CsvTable(table.file, f"{_MARK}{table.text}", b"")
        except ParseError as fault:
            message = f"with its byte order mark the file is {fault.faults[0].message}"
            problem = Problem("evret/rejected", message, (), "save it as UTF-8 without a mark")
            return RowLayout(problems=(problem,), is_lost=True)
    header = Header(names, tuple(table.header), release)
    problems = header.problems(schema, has_rows=bool(table.records))
    if not header.has_text and table.records:
        return RowLayout(problems=tuple(problems), is_lost=True)
    if not table.records:
        message = "there are no queries: Evret loads the file, and refuses to evaluate it"
        problems.append(Problem("evret/no-queries", message, (), "add a query"))
    rows = []
    for number, cells in enumerate(table.records):
        problems += _extra(cells, number, len(table.header))
        rows.append(_query(table.header, cells, number, release))
        problems += _cuts(dict(zip(table.header, cells, strict=False)), number, release)
    return RowLayout(rows, (), tuple(problems))


def _query(names: list[str], cells: list[str], number: int, release: Release) -> dict[str, Any]:
    """Return a record as a query; what is missing at its end is None, as for the loader."""
    read: dict[str, Any] = dict(zip(names, cells, strict=False))
    read |= dict.fromkeys(names[len(cells) :])
    row: dict[str, Any] = {}
    for key in ("query_id", "id"):
        if read.get(key):
            row[key] = read[key]
    if not row:
        row["query_id"] = f"q{number + 1}"
    texts: dict[str, Any] = {key: read[key] for key in ("query_text", "query") if key in read}
    given = {key: text for key, text in texts.items() if text}
    row.update(given or [*texts.items()][:1])
    row |= {key: _list(read[key], key) for key in release.list_columns if key in read}
    return row


def _list(cell: str | None, name: str) -> list[Any] | RefusedCell:
    """Read a cell that holds a list: as JSON, or else as texts between commas."""
    if cell is None:
        message = f"the row ends before its column `{name}`, and Evret breaks off there"
        return RefusedCell("short-row", message, "add commas for the columns that stay empty")
    text = cell.strip()
    if not text:
        return []
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return [part.strip() for part in text.split(",") if part.strip()]
    except (ValueError, RecursionError):
        return RefusedCell("malformed-cell", _TOO_MUCH, "write a list of texts")
    if isinstance(value, list):
        return value
    message = f"a cell of `{name}` that is JSON must be a list, and this is none"
    advice = f"write a list: [{json.dumps(value if isinstance(value, str) else text)}]"
    return RefusedCell("malformed-cell", message, advice)


def _extra(cells: list[str], number: int, width: int) -> Iterator[Problem]:
    """Yield that a row goes on behind the header, unless nothing stands there."""
    if any(each.strip() for each in cells[width:]):
        message = f"the row has {len(cells)} cells and the header {width}: the others are dropped"
        advice = "put a cell that holds commas in double quotes"
        yield Problem("evret/extra-cell", message, (number, width), advice, row_index=number)


def _cuts(read: dict[str, str], number: int, release: Release) -> Iterator[Problem]:
    """Yield the cells that are taken apart at their commas, and hardly where that was meant."""
    for name in release.list_columns:
        text = read.get(name, "").strip()
        if not text or _is_json(text):
            continue
        place = (number, name)
        parts = [part for part in text.split(",") if part.strip()]
        if text.startswith("[") and (text.endswith("]") or text[1:2] in ("'", '"')):
            message = "this list is no JSON: it is cut at its commas, and keeps brackets and quotes"
            advice = 'write JSON; in the text of the file that is "[""a"", ""b""]"'
            yield Problem("evret/python-list", message, place, advice, row_index=number)
        elif name != ANSWERS and ";" in text:
            message = "this cell is cut at commas alone: its semicolons become part of an id"
            ids = ",".join(part.strip() for part in text.replace(";", ",").split(","))
            shown = ids if len(ids) <= _MOST else "a,b"
            advice = f'write commas, and the cell in double quotes: "{shown}"'
            yield Problem("evret/cut-cell", message, place, advice, row_index=number)
        elif name == ANSWERS and len(parts) > 1 and _is_sentence(text, parts):
            message = f"this cell is cut at its commas, into {len(parts)} answers"
            advice = 'if it is one, write JSON; in the text of the file that is "[""…""]"'
            yield Problem("evret/cut-cell", message, place, advice, row_index=number)


def _is_sentence(text: str, parts: list[str]) -> bool:
    """Whether a cell reads as one sentence rather than as a list of short labels."""
    return text.endswith((".", "!", "?")) or max(len(part.split()) for part in parts) > _LABEL


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except json.JSONDecodeError:
        return False
    except (ValueError, RecursionError):
        return True  # refused for another reason
    return True


_NAMES = tuple(name for pair in NAMES for name in pair)
_TEXTS = NAMES[1]
# What other programs put between cells.
_CUTS = {";": "semicolons", "\t": "tabs", "|": "bars"}


@dataclass(frozen=True)
class Header:
    """A header: its names as an author wrote them, and as the loader reads them."""

    written: tuple[str, ...]
    read: tuple[str, ...]
    release: Release

    @property
    def has_text(self) -> bool:
        """Whether there is a column that the text of a query can come from."""
        return any(name in self.read for name in _TEXTS)

    @cached_property
    def known(self) -> tuple[str, ...]:
        """The columns that the release reads."""
        return (*_NAMES, *self.release.list_columns)

    def problems(self, schema: SchemaChecker, *, has_rows: bool) -> list[Problem]:
        """Return what is wrong with the header of a table."""
        found: list[Problem] = []
        strangers = self._strangers()
        if not self.has_text and has_rows:
            meant = self._meant_text(strangers)
            found.append(self._no_text(meant))
            strangers = [each for each in strangers if each != meant and not self._is_uncut]
        elif hidden := self._hidden():
            found.append(hidden)
        found += self._unread(strangers, schema)
        found += self._doubled()
        others = [name for name in ID_KEYS if name in self.written and name not in self.known]
        if not any(name in self.read for name in self.release.columns):
            found += [unread_by(name, (name,), self.release) for name in others]
        if has_rows and self.has_text and not self._expects() and not found:
            found.append(self._nothing_expected())
        return found

    @property
    def _is_uncut(self) -> bool:
        return len(self.written) == 1 and self._cut_by is not None

    @property
    def _cut_by(self) -> str | None:
        """What stands between the names of a header that no commas cut."""
        return next((word for sign, word in _CUTS.items() if sign in self.written[0]), None)

    def _strangers(self) -> list[str]:
        unknown = [name for name in dict.fromkeys(self.written) if name not in self.known]
        return [name for name in unknown if name not in (*ID_KEYS, "metadata")]

    def _expects(self) -> bool:
        return any(name in self.read for name in self.release.list_columns)

    def _meant_text(self, strangers: list[str]) -> str | None:
        return next((each for each in (nearest(name, strangers) for name in _TEXTS) if each), None)

    def _no_text(self, meant: str | None) -> Problem:
        message = "the header has neither `query_text` nor `query`"
        if any(name in self.written for name in _TEXTS):
            hidden = self.written[0]
            message = f"the byte order mark before it hides `{hidden}`, which every row needs"
            advice: str | None = "save the file as UTF-8 without a mark"
            return Problem("evret/missing-key", message, (hidden,), advice)
        if meant is not None:
            message = f"{message}: names are compared to the letter, and `{meant}` is another"
            advice = "call it `query_text`"
        elif self._is_uncut:
            advice = f"put commas between the cells, not {self._cut_by}"
        else:
            advice = "add a column `query_text`"
        return Problem("evret/missing-key", message, (meant,) if meant is not None else (), advice)

    def _hidden(self) -> Problem | None:
        if self.written[:1] == self.read[:1] or self.written[0] not in self.known:
            return None
        message = f"the byte order mark before it hides the column `{self.written[0]}`"
        advice = "save the file as UTF-8 without a mark"
        return Problem("evret/hidden-column", message, (self.written[0],), advice)

    def _unread(self, strangers: list[str], schema: SchemaChecker) -> Iterator[Problem]:
        folded = {normalise(name): name for name in self.known}
        there = dict.fromkeys((each for each in self.written if each in self.known), "")
        for name in strangers:
            known = folded.get(normalise(name))
            if known and known not in self.read:
                message = f"the column `{name}` is not read: names are compared to the letter"
                advice = f"call it `{known}`"
                yield Problem("evret/near-miss-key", message, (name,), advice, on_key=True)
            else:
                found = schema.unread({**there, name: ""}, ())
                yield from (each for each in found if each.path == (name,))

    def _doubled(self) -> Iterator[Problem]:
        for name, count in Counter(self.read).items():
            if count > 1 and name in self.known:
                message = f"{count} columns are called `{name}`, and only the last one is read"
                advice = "keep one of them"
                yield Problem("evret/duplicate-column", message, (name,), advice, on_key=True)

    def _nothing_expected(self) -> Problem:
        columns = " or ".join(f"`{name}`" for name in self.release.list_columns[:2])
        message = "no column says what is expected: every metric is 0.0, whatever is retrieved"
        return Problem("evret/nothing-expected", message, (), f"add a column {columns}")
