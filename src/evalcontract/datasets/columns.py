"""The columns of a table as keys of rows: which key each is read as, and what its cells hold.

`schema/columns.json` has the names of columns. A column that has none of them, and that the caller
does not name, is one of `metadata`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from evalcontract.formats._conversion import Loss
from evalcontract.model.errors import UsageError
from evalcontract.model.nearest import nearest, normalise
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import listed
from evalcontract.source.installed import table
from evalcontract.structure.schemas import definition, properties

#: Columns and the keys of rows that they are read as, such as `("answer", "expected.reference")`.
#: The key of a list may have the separator of its items behind it, as `tags[;]`.
ColumnKeys = tuple[tuple[str, str], ...]

INPUT, METADATA = "input", "metadata"
#: The keys of recorded outputs that other keys may be read as, and what they hold: a text, or a
#: list of calls; what else may stand in their place.
RECORDED: Mapping[str, tuple[type, ...]] = {"output": (str, list, dict), "tool_calls": (list, dict)}
#: What `--map` calls the id of a recorded output, since `id` is that of a row.
OUTPUT_ID = "output.id"
_SEPARATORS = ("|", "\r\n", "\n", "\r")


class Column(NamedTuple):
    """One column: its name, and the key of a row that it is read as.

    `path` is that key, and one below it, as of `expected.reference`. `is_guessed`: its name is
    another than that of the key, and the caller does not name it. `is_other`: it has a name that
    nobody knows, and is one of `metadata`. `separator`: what alone is between the items of a list.
    """

    name: str
    path: tuple[str, ...]
    is_guessed: bool = False
    is_other: bool = False
    separator: str | None = None

    @property
    def key(self) -> str:
        """The key with dots, such as `expected.reference`."""
        return ".".join(self.path)


def path_of(key: str) -> tuple[str, ...] | None:
    """Return the path of a key such as `expected.reference`; None if rows have no such key."""
    first, dot, rest = key.partition(".")
    if dot:
        return (first, rest) if first in table("columns")["open"] and rest else None
    return (key,) if key in _known() or key.startswith("x_") else None


def of_outputs(columns: ColumnKeys) -> tuple[ColumnKeys, ColumnKeys]:
    """Divide columns and keys: those of the rows of a dataset, and those of recorded outputs."""
    outputs = tuple(pair for pair in columns if pair[1] in RECORDED or pair[1] == OUTPUT_ID)
    named = tuple((name, "id" if key == OUTPUT_ID else key) for name, key in outputs)
    return tuple(pair for pair in columns if pair not in outputs), named


def checked(pairs: Iterable[tuple[str, str]], others: Collection[str] = ()) -> ColumnKeys:
    """Return columns and their keys, as the caller names them; `others` are no keys of rows.

    Raises:
        UsageError: rows have no such key, or a column or a key is named twice.

    """
    given = tuple(pairs)
    for column, whole in given:
        if whole in others:
            continue
        key, separator = _split_separator(whole)
        if separator is not None and key not in table("columns")["lists"]:
            raise UsageError(f"`{key}` is no list, so `{whole}` cannot have a separator")
        if path_of(key) is None:
            near = nearest(key, [*_known(), *_names(), *others])
            advice = f"did you mean `{near}`?" if near else f"rows have {listed(_known())}"
            raise UsageError(f"cannot map `{column}` to `{key}`: rows have no such key; {advice}")
    bare = [(column, _split_separator(whole)[0]) for column, whole in given]
    for what, names in zip(("column", "key"), zip(*bare, strict=True), strict=False):
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise UsageError(f"the {what} `{twice}` is mapped twice")
    return given


def columns_of(header: Sequence[str], mapping: ColumnKeys) -> list[Column]:
    """Return the columns of a header, each with the key of a row.

    Of two columns with the same name the last one is read, as by `csv.DictReader`.

    Raises:
        UsageError: the header has no column that the caller names.

    """
    index_of = {name: index for index, name in enumerate(header)}
    columns = {name: _column(name, key, index_of, header=header) for name, key in mapping}
    paths = {column.path for column in columns.values()}
    folded: dict[str, str] = {}
    for name in index_of:
        folded.setdefault(_folded(name), name)
    for key, names in table("columns")["columns"].items():
        path = path_of(key)
        column = next((folded[n] for n in names if n in folded and folded[n] not in columns), None)
        if path is None or path in paths or column is None:
            continue
        columns[column] = Column(column, path, _folded(column) != key)
        paths.add(path)
    return [columns.get(name) or _other(name, index) for name, index in index_of.items()]


def key_named(name: str) -> str | None:
    """Return the key that a column is read as by its name, if no other one is; None if by none."""
    columns = table("columns")["columns"]
    return next((key for key, names in columns.items() if _folded(name) in names), None)


def meant_by(name: str) -> str | None:
    """Return the name of a column that is probably misspelled; None if it is one of its own."""
    if "." in name:
        return None
    return nearest(name, _names())


def names_of(key: str) -> Sequence[str]:
    """Return the names of the columns that are read as a key."""
    names: Sequence[str] = table("columns")["columns"][key]
    return names


def value_of(column: Column, cell: str) -> Any:
    """Return the value of a cell that is not empty: a text, or a list where the key holds one.

    A list is JSON, or texts between `|` or on lines of their own, or between the separator of the
    column.
    """
    if column.key not in table("columns")["lists"]:
        return cell
    text = cell.strip()
    if text.startswith("["):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            pass  # a text that begins with a bracket
        else:
            if isinstance(value, list):
                return value
    between = column.separator or _SEPARATORS[0]
    for separator in _SEPARATORS[1:] if column.separator is None else ():
        text = text.replace(separator, between)
    return [part.strip() for part in text.split(between) if part.strip()]


def cell_of(key: str, value: Any) -> str | None:
    """Return a value as the text of a cell; None if `value_of` would not restore it."""
    if key not in table("columns")["lists"]:
        return value or None if isinstance(value, str) else None
    if not isinstance(value, list) or not value:
        return None
    if all(isinstance(part, str) and _is_plain(part) for part in value):
        text = f" {_SEPARATORS[0]} ".join(value)
        if not text.startswith("["):
            return text
    return json.dumps(value, ensure_ascii=False)


def _is_plain(text: str) -> bool:
    return bool(text) and text == text.strip() and not any(sep in text for sep in _SEPARATORS)


def _split_separator(key: str) -> tuple[str, str | None]:
    """Return a key without the separator behind it, and the separator; None if there is none."""
    bare, _, separator = key.removesuffix("]").rpartition("[")
    return (bare, separator) if key.endswith("]") and bare and separator else (key, None)


def _column(name: str, key: str, index_of: dict[str, int], header: Sequence[str]) -> Column:
    key, separator = _split_separator(key)
    path = path_of(key)
    if name not in index_of or path is None:
        near = nearest(name, index_of)
        advice = f"did you mean `{near}`?" if near else f"the columns are {listed(header)}"
        raise UsageError(f"there is no column `{name}`; {advice}")
    return Column(name, path, separator=separator)


def _other(name: str, index: int) -> Column:
    first, dot, rest = name.partition(".")
    if dot and rest and first in table("columns")["open"]:
        return Column(name, (first, rest))
    return Column(name, (METADATA, name.strip() or f"column_{index + 1}"), is_other=True)


def _folded(name: str) -> str:
    """Return the name of a column in lower case with underscores; dots stay."""
    return ".".join(normalise(part) for part in name.strip().split("."))


@cache
def _known() -> tuple[str, ...]:
    return tuple(properties(definition("row", of="dataset")))


@cache
def _names() -> tuple[str, ...]:
    return tuple(name for names in table("columns")["columns"].values() for name in names)


_NO_COLUMN = "a table has no column for it"
_NO_TEXT = "a cell is a text, and the value is none"
_EMPTY = "an empty cell is no value"
_NO_ROOT = "a table contains only rows; YAML and JSON can represent it"


class OurTable:
    """The rows of a table: keys are columns, such as `input` and `expected.reference`.

    A list is texts between `|`, or JSON where these would not be read as the same list.
    """

    def __init__(self) -> None:
        self._header: dict[str, None] = {}

    def cells(self, row: dict[str, Any]) -> tuple[dict[str, str], list[Loss]]:
        """Return a row as cells by the names of their columns, and what is lost."""
        cells: dict[str, str] = {}
        losses: list[Loss] = []
        for key, value in row.items():
            is_open = isinstance(value, dict) and path_of(f"{key}.any") is not None
            parts = value.items() if is_open else ((None, value),)
            for name, part in parts:
                path = (key,) if name is None else (key, name)
                column = ".".join(path)
                cell, reason = _cell(column, path, part)
                if reason is not None:
                    losses.append(Loss(path, reason, is_kept=False))
                if cell is not None:
                    cells[column] = cell
        self._header |= dict.fromkeys(cells)
        return cells, losses

    def wrap(
        self, rows: list[Any], root: dict[str, Any]
    ) -> tuple[tuple[list[str], list[Any]], Sequence[Loss]]:
        """Return the header and the rows, and what is lost of the keys in `root`."""
        return ([*self._header], rows), [Loss((key,), _NO_ROOT, is_kept=False) for key in root]


def _cell(column: str, path: tuple[str, ...], value: Any) -> tuple[str | None, str | None]:
    """Return the cell of a value, and why it is lost if reading the cell does not restore it."""
    if path_of(column) != path:
        return None, _NO_COLUMN
    cell = cell_of(column, value)
    if cell is not None:
        return cell, None
    return None, _EMPTY if value in ("", []) else _NO_TEXT
