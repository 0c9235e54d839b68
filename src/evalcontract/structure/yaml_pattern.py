"""The pattern of a row of YAML, from its shape and its layout."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from evalcontract.structure import yaml_scalars as scalars
from evalcontract.structure.applied import UnfitError
from evalcontract.structure.shape import Listed, OneOf, Record, Scalar
from evalcontract.structure.yaml_layout import ITEM

if TYPE_CHECKING:
    from evalcontract.structure.shape import Shape
    from evalcontract.structure.yaml_layout import Layout, Way

_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_./@+-]*(?: [A-Za-z0-9_./@+-]+)*")
_ID, _REFERENCE = ("id",), ("rubric_ref",)
_NULL = r"(?: (?:null|~|Null|NULL))?+\n"
_BOOL = r"(?:true|false|True|False|TRUE|FALSE)"
#: What a group is that holds a list in which no text may stand twice.
UNIQUE_IN_LINES, UNIQUE_IN_LINE = "unique in lines", "unique in line"
UNIQUE = (UNIQUE_IN_LINES, UNIQUE_IN_LINE)
# A pattern that is longer takes too long to be made.
_MOST_CHARACTERS = 100_000


class RowPattern:
    """The pattern `text` of a whole row, from its dash in a column to the next, or to the end.

    `columns` say what its groups are: `id`, `rubric_ref`, or that of a key that may lack, with
    the number of keys that come with it. `colons` are those of the keys that are always there;
    None where they cannot be counted. A group of `UNIQUE` holds a list in which no text may
    stand twice. `references` are those that a row may have, `banned` words that no text may hold.

    No group stands inside of a possessive or atomic one, where some releases of Python lose track
    of it; and nothing is gained by going back, since no two ways begin alike.

    Raises:
        UnfitError: no pattern can say what the shape does.

    """

    def __init__(self, record: Record, rows: list[Any], layout: Layout, dash: int) -> None:
        self._layout = layout
        self.references: frozenset[str] | None = None
        self.banned: set[str] = set()
        self.columns: list[str | int] = []
        self.colons: int | None = 0
        self.text = self._row(record, rows, dash)
        if len(self.text) > _MOST_CHARACTERS:
            raise UnfitError

    def _row(self, record: Record, rows: list[Any], dash: int) -> str:
        names = dict(record.fields)
        if "id" not in names or names["id"].is_optional:
            raise UnfitError
        first = self._item(record, (), rows, dash)
        line = " " * dash + "-"
        rest = r"(?: *+(?:#[^\n]*+)?\n)*+"
        return rf"{line}{first}{rest}(?={line} |\Z)"

    def _item(self, shape: Shape, way: Way, values: list[Any], dash: int) -> str:
        """Return the pattern of what stands behind the dash of a list."""
        if isinstance(shape, Record) and way in self._layout.columns:
            column = self._layout.columns[way]
            return " " * (column - dash - 1) + self._fields(shape, way, values, column)
        return self._value(shape, way, values, dash)

    def _value(self, shape: Shape, way: Way, values: list[Any], column: int) -> str:
        """Return the pattern of what stands behind a key or a dash in a column."""
        if isinstance(shape, Scalar):
            return self._scalar(shape, way, column)
        if isinstance(shape, OneOf):
            if any(isinstance(each, Record) for _, each in shape.shapes):
                self.colons = None
            # A text comes last: its pattern is the longest.
            parts = sorted(shape.shapes, key=lambda each: getattr(each[1], "is_text", False))
            options = [
                self._value(inner, way, [v for v in values if _is_of(v, inner)], column)
                for _, inner in parts
            ]
            return rf"(?:{'|'.join(options)})"
        if isinstance(shape, Listed):
            return self._list(shape, way, values, column)
        if isinstance(shape, Record):
            return self._mapping(shape, way, values, column)
        raise UnfitError

    def _scalar(self, shape: Scalar, way: Way, column: int) -> str:
        type_, limits = scalars.meant(shape.type)
        words = scalars.literals(type_)
        if way in (_ID, _REFERENCE):
            return self._name(way, shape)
        if words is not None:
            return rf" {scalars.word(words)}\n"
        if type_ is str and shape.banned:
            return rf" {self._plain_text(shape, limits)}\n"
        if type_ is str:
            block, styles = self._layout.blocks.get(way, 0), self._layout.styles.get(way, set())
            seen = scalars.beside(shape.blanks) if shape.blanks else None
            return scalars.text(column, block, styles, limits, seen)
        if type_ is None:
            return _NULL
        number = _BOOL if type_ is bool else scalars.number(type_, limits)
        return rf" {number}\n"

    def _name(self, way: Way, shape: Scalar) -> str:
        """Return the pattern of a text that is kept: an id, or a reference."""
        type_, limits = scalars.meant(shape.type)
        words = scalars.literals(type_)
        if way == _REFERENCE and words is not None:
            self.references = frozenset(words)
            return self._group(_REFERENCE[0], scalars.simple())
        if way == _REFERENCE:
            raise UnfitError
        if words is not None:
            return self._group(_ID[0], scalars.word(words))
        return self._group(_ID[0], self._plain_text(shape, limits))

    def _plain_text(self, shape: Scalar, limits: dict[str, int]) -> str:
        """Return the pattern of a text whose characters stand there as they are, in one line."""
        type_, _ = scalars.meant(shape.type)
        if type_ is not str or limits.get("min_length", 0) > 1 or "max_length" in limits:
            raise UnfitError
        self.banned.update(shape.banned)
        return scalars.simple(scalars.beside(shape.blanks))

    def _group(self, name: str | int, pattern: str) -> str:
        self.columns.append(name)
        return rf" ({pattern})\n"

    def _list(self, shape: Listed, way: Way, values: list[Any], column: int) -> str:
        _, limits = scalars.meant(shape.type)
        least, most = limits.get("min_length", 0), limits.get("max_length", "")
        items = [item for each in values for item in each]
        options = [r" \[\]\n"] if not least else []
        dash = self._layout.columns.get(way)
        if items and dash is not None and (dash > column or (dash == column and self._is_key(way))):
            if isinstance(shape.item, Record):
                self.colons = None
            line = f"{' ' * dash}-{self._list_item(shape, way, items, dash)}"
            every = rf"(?>{line}){{{max(least, 1)},{most}}}+"
            options.append(r"\n" + self._once(shape, way, every, UNIQUE_IN_LINES))
        if items and way in self._layout.in_line:
            item = self._in_line(shape.item)
            count = f"{{{max(least - 1, 0)},{'' if most == '' else most - 1}}}"
            items_in_line = rf"{item}(?:, ?{item}){count}+"
            every = self._once(shape, way, items_in_line, UNIQUE_IN_LINE)
            options.append(rf" \[ ?{every} ?\]\n")
        if not options:
            raise UnfitError
        return rf"(?:{'|'.join(options)})"

    def _list_item(self, shape: Listed, way: Way, items: list[Any], dash: int) -> str:
        if not shape.is_unique:
            return self._item(shape.item, (*way, ITEM), items, dash)
        if not isinstance(shape.item, Scalar):
            raise UnfitError
        type_, limits = scalars.meant(shape.item.type)
        words = scalars.literals(type_)
        item = scalars.word(words) if words else self._plain_text(shape.item, limits)
        return rf" {item}\n"

    def _once(self, shape: Listed, way: Way, pattern: str, kind: str) -> str:
        """Return the pattern of the items of a list; they are kept if none may stand twice."""
        if not shape.is_unique:
            return pattern
        if ITEM in way:  # a group keeps the last list alone
            raise UnfitError
        self.columns.append(kind)
        return f"({pattern})"

    def _is_key(self, way: Way) -> bool:
        """Whether a list stands at a key: there its dashes may stand in the column of the key."""
        return bool(way) and way[-1] != ITEM

    def _in_line(self, shape: Shape) -> str:
        """Return the pattern of a scalar in a list of one line."""
        if not isinstance(shape, Scalar):
            raise UnfitError
        type_, limits = scalars.meant(shape.type)
        if type_ is str and limits.get("min_length", 0) <= 1 and "max_length" not in limits:
            self.banned.update(shape.banned)
            return scalars.flow_text(scalars.beside(shape.blanks))
        if type_ in (int, float):
            return rf"{scalars.number(type_, limits)}(?=[\],])"
        raise UnfitError

    def _mapping(self, shape: Record, way: Way, values: list[Any], column: int) -> str:
        """Return the pattern of a mapping below a key."""
        inner = self._layout.columns.get(way)
        may_be_empty = all(field.is_optional for _, field in shape.fields)
        empty = [r" \{\}\n"] if may_be_empty else []
        if not shape.fields:
            return empty[0]
        if inner is None or inner <= column or not self._is_key(way):
            raise UnfitError
        space = " " * inner
        fields = self._fields(shape, way, values, inner, is_first_optional=True)
        # One of the keys has to be there: no other pattern takes a line of this column.
        options = "|".join([*empty, rf"\n(?={space}[^ \n])" + fields])
        return rf"(?:{options})"

    def _fields(
        self,
        shape: Record,
        way: Way,
        values: list[Any],
        column: int,
        *,
        is_first_optional: bool = False,
    ) -> str:
        """Return the pattern of keys and values; the first key stands where it begins."""
        by_key = dict(shape.fields)
        space = " " * column
        found: list[str] = []
        for key in _in_order(values):
            field = by_key[key]
            if not _KEY.fullmatch(key) or key == ITEM:
                raise UnfitError
            begin = space if found or is_first_optional else ""
            if not begin and field.is_optional:
                raise UnfitError
            parts = [each[key] for each in values if key in each]
            below = (field.shape, (*way, key), parts, column)
            if field.is_optional:
                value, group = self._value_that_may_lack(*below)
                found.append(rf"(?:{group}{begin}{re.escape(key)}:{value})?")
            else:
                self._add_colons(1)
                found.append(rf"{begin}{re.escape(key)}:{self._value(*below)}")
        return "".join(found)

    def _add_colons(self, number: int) -> None:
        if self.colons is not None:
            self.colons += number

    def _value_that_may_lack(
        self, shape: Shape, way: Way, values: list[Any], column: int
    ) -> tuple[str, str]:
        """Return the pattern of a value, and a group that shows whether its key is there."""
        if ITEM in way:  # there may be many of them
            return self._value(shape, way, values, column), ""
        before, self.colons = self.colons, 0
        place = len(self.columns)
        self.columns.append(0)
        value = self._value(shape, way, values, column)
        weight, self.colons = self.colons, before
        if weight is None:
            self.colons = None
        else:
            self.columns[place] = weight + 1
        return value, "()"


def _in_order(values: list[dict[str, Any]]) -> list[str]:
    """Return all keys of some mappings, in an order that most of the mappings have."""
    order: list[str] = []
    known: set[str] = set()
    for each in values:
        if known.issuperset(each):
            continue
        at = 0
        for key in each:
            if key in known:
                at = order.index(key) + 1
            else:
                order.insert(at, key)
                known.add(key)
                at += 1
    return order


def _is_of(value: Any, shape: Shape) -> bool:
    """Whether a value is one that a shape was made for."""
    if isinstance(shape, Listed):
        return isinstance(value, list)
    if isinstance(shape, Record):
        return isinstance(value, dict)
    return not isinstance(value, dict | list)
