"""The gate that reads YAML: a pattern of rows that only clean rows have.

libyaml gives an event for each scalar, and Python makes a value of each: that is nearly all of
the time. But the rows of a dataset look alike. From some of which nothing is to be said a shape is
made (`shape_of`), and their layout is taken note of; both together are one pattern of a whole row.
Of what it matches no value is made: its keys and the kinds of its values are those of the shape.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import islice, repeat
from typing import TYPE_CHECKING, Any

from evalcontract.source import place_rows
from evalcontract.structure.applied import UnfitError
from evalcontract.structure.engine import native_for
from evalcontract.structure.shape import FEW, any_same, has_twice
from evalcontract.structure.shape_of import record_of
from evalcontract.structure.yaml_layout import Layout
from evalcontract.structure.yaml_pattern import UNIQUE, UNIQUE_IN_LINE, RowPattern
from evalcontract.structure.yaml_scalars import ANY_REST, REST, SIMPLE_REST

if TYPE_CHECKING:
    from evalcontract.structure.schemas import Schema

# So many rows are matched at a time.
_MOST_ROWS = 500
# So many times rows may turn out to have colons in their texts.
_PATIENCE = 3
_BETWEEN = "\0"  # stands in no text
# What a row of the simple pattern hardly has; in a text of some lines it may be overlooked.
_OTHER_COLONS = re.compile(r"[#\t]|:[^\n]*:")
# What tells how a line begins; rows whose lines begin alike are laid out alike.
_BEGINNINGS = re.compile(r"""^ *(?:- +)*(?:[\w.-]+: ?)?['"|>[{]?""", re.MULTILINE)


class YamlGate:
    """A gate for rows of a YAML dataset, made from rows that are known to be clean.

    `schema` is that of one row; `rows` are examples, which it accepts, and `texts` how they are
    written, each from its dash to the next.

    Raises:
        UnfitError: no pattern can say what the schema asks of such rows.

    """

    def __init__(self, schema: Schema, rows: list[Any], texts: list[str]) -> None:
        if not rows or not all(map(native_for(schema).is_valid, rows)):
            raise UnfitError
        dash = len(texts[0]) - len(texts[0].lstrip(" "))
        made = RowPattern(record_of(schema, rows), rows, _layout_of(texts), dash)
        self._text = made.text
        self._references = made.references
        self._columns, self._colons = made.columns, made.colons
        self._banned = made.banned
        self._unique = [n + 1 for n, each in enumerate(made.columns) if each in UNIQUE]
        is_worth = made.colons is not None and not any(map(_OTHER_COLONS.search, texts))
        self._patience = _PATIENCE if is_worth else 0

    @cached_property
    def _any(self) -> re.Pattern[str]:
        return re.compile(self._text.replace(REST, ANY_REST))

    @cached_property
    def _simple(self) -> re.Pattern[str]:
        return re.compile(self._text.replace(REST, SIMPLE_REST))

    def take(self, text: str, start: int) -> tuple[list[str], frozenset[str], int]:
        """Return the ids and the references of some rows from one on, and where they end.

        There are none where the first of them does not surely pass.
        """
        if self._patience:
            found = self._match(self._simple, text, start)
            if not found or self._is_simple(found, text, start):
                return self._kept(found, text, start)
            self._patience -= 1
        return self._kept(self._match(self._any, text, start), text, start)

    def _match(self, pattern: re.Pattern[str], text: str, start: int) -> list[re.Match[str]]:
        match = pattern.scanner(text, start).match  # type: ignore[attr-defined]
        return list(islice(iter(match, None), _MOST_ROWS))

    def _is_simple(self, found: list[re.Match[str]], text: str, start: int) -> bool:
        """Whether rows that match have no colons but those of their keys, no `#` and no tabs."""
        end = found[-1].end()
        colons = (self._colons or 0) * len(found)
        columns = zip(*(each.groups() for each in found), strict=True)
        for weight, column in zip(self._columns, columns, strict=True):
            if isinstance(weight, int):
                colons += weight * (len(column) - column.count(None))
        return (
            text.count(":", start, end) == colons
            and text.find("#", start, end) < 0
            and text.find("\t", start, end) < 0
        )

    def _kept(
        self, found: list[re.Match[str]], text: str, start: int
    ) -> tuple[list[str], frozenset[str], int]:
        """Keep what is asked of rows that match, up to the first that a pattern cannot refuse."""
        found = found[: self._fine(found, text, start)]
        if not found:
            return [], frozenset(), start
        references = set()
        if self._references is not None:
            which = self._columns.index("rubric_ref") + 1
            written = {each[which] for each in found}
            references = {_unquoted(each) for each in written if each is not None}
            if not references <= self._references:
                fine = [
                    each[which] is None or _unquoted(each[which]) in self._references
                    for each in found
                ]
                return self._kept(found[: fine.index(False)], text, start)
        which = self._columns.index("id") + 1
        ids = [_unquoted(each[which]) for each in found]
        return ids, frozenset(references), found[-1].end()

    def _fine(self, found: list[re.Match[str]], text: str, start: int) -> int:
        """Return how many rows have no banned word, and nothing twice in a list of single texts."""
        count = len(found)
        if self._banned and found and self._has_banned(text[start : found[-1].end()]):
            count = next((n for n, each in enumerate(found) if self._has_banned(each[0])), count)
        for which in self._unique:
            lists = [each[which] or "" for each in found[:count]]
            if self._columns[which - 1] == UNIQUE_IN_LINE or not _are_unique(lists):
                count = next((n for n, each in enumerate(lists) if not _is_unique(each)), count)
        return count

    def _has_banned(self, text: str) -> bool:
        folded = text.casefold()
        return any(word in folded for word in self._banned)


def _are_unique(lists: list[str]) -> bool:
    """Whether no text stands twice in a list, an item in each line; False may be too careful."""
    sizes = {*map(str.count, lists, repeat("\n"))}
    size = sizes.pop() if len(sizes) == 1 else 0
    is_even = 0 < size <= FEW
    every = ("" if is_even else _BETWEEN).join(filter(None, lists)).removesuffix("\n")
    if "'" in every or '"' in every:
        # Without its quotes a text is the same as one that has none: no blank stands beside them.
        every = every.replace('"', "").replace("'", "")
    if is_even:
        items = every.split("\n")
        return not any_same([items[number::size] for number in range(size)])
    return not has_twice([each.split("\n") for each in every.split("\n" + _BETWEEN)])


def _is_unique(items: str) -> bool:
    """Whether no text stands twice in a list; False may be too careful."""
    parts = items.removesuffix("\n").split("\n" if items.endswith("\n") else ",")
    stripped = {each.strip(" -'\"") for each in parts}
    return len(stripped) == len(parts)


def _layout_of(texts: list[str]) -> Layout:
    layout = Layout()
    known: set[str] = set()
    for text in texts:
        beginnings = set(_BEGINNINGS.findall(text))
        if not beginnings <= known:
            known |= beginnings
            layout.see(*place_rows(text))
    return layout


def _unquoted(text: str) -> str:
    return text[1:-1] if text[0] in "'\"" else text
