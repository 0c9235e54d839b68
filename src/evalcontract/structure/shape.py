"""The shapes of values that a typed gate reads, and how many strings stand in them.

A parser keeps the last of two equal keys in silence. Each string of a text, a key or a value, has
two quotes, so twice as many quotes as there are strings in the values that were read means that no
key was dropped. A shape counts the strings, column by column: where every value has as many there
is no need to look.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, zip_longest
from operator import attrgetter, eq
from typing import TYPE_CHECKING, Any, Protocol

from evalcontract.structure.shape_types import struct_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: Texts of a list of no more than these are compared with one another: to hash them takes longer.
FEW = 4
_NO_TEXT = float("nan")  # equals nothing, not even itself


class RefusedError(Exception):
    """A value is not as its shape says, in what a type cannot say."""


class Shape(Protocol):
    """A type to read, and what a type cannot say of its values."""

    @property
    def type(self) -> Any:
        """What msgspec is to read."""
        ...

    @property
    def strings(self) -> int | None:
        """How many strings stand in any value; None where a value has to be looked at.

        They are keys and texts. A value of which something may be refused has to be looked at.
        """
        ...

    def count(self, values: list[Any], *, is_plain: bool) -> int:
        """Return how many strings stand in the values of a column.

        `is_plain` says that all texts are of the visible characters of ASCII, of spaces, and of
        what ends a line or tabulates.

        Raises:
            RefusedError: one of them is not as it must be.

        """
        ...


def _count(shape: Shape, values: list[Any], *, is_plain: bool) -> int:
    """Return how many strings stand in values, which are looked at where it has to be."""
    known = shape.strings
    return shape.count(values, is_plain=is_plain) if known is None else known * len(values)


def has_twice(lists: list[list[str]]) -> bool:
    """Whether a text stands twice in one of the lists."""
    if max(map(len, lists), default=0) > FEW:
        return sum(map(len, lists)) != sum(map(len, map(set, lists)))
    return any_same(zip_longest(*lists, fillvalue=_NO_TEXT))


def any_same(columns: Iterable[Sequence[str | float]]) -> bool:
    """Whether two columns hold the same anywhere in the same place."""
    return any(any(map(eq, one, other)) for one, other in combinations(columns, 2))


@dataclass(frozen=True, slots=True)
class Scalar:
    """A text, a number, a truth value or null.

    A text may have to hold more than `blanks`, and none of the `banned` words, in any case.
    """

    type: Any
    is_text: bool = False
    blanks: str = ""
    banned: tuple[str, ...] = ()

    @property
    def strings(self) -> int | None:
        """Whether it is a text, if any value of the type will do."""
        return None if self.blanks or self.banned else int(self.is_text)

    def count(self, values: list[Any], *, is_plain: bool) -> int:
        """Return the number of texts."""
        if self.banned:
            every = "\n".join(values).casefold()
            if any(word in every for word in self.banned):
                raise RefusedError
        if self.blanks:
            if is_plain:  # no other blanks are there, and the type has no empty text
                is_refused = any(map(str.isspace, values))
            else:
                is_refused = "" in [each.lstrip(self.blanks) for each in values]
            if is_refused:
                raise RefusedError
        return len(values) if self.is_text else 0


@dataclass(frozen=True, slots=True)
class Listed:
    """A list of values of one shape; it may have to hold none twice."""

    type: Any
    item: Shape
    is_unique: bool = False

    @property
    def strings(self) -> int | None:
        """None of them, where its items have none and may stand there any number of times."""
        return 0 if self.item.strings == 0 and not self.is_unique else None

    def count(self, values: list[Any], *, is_plain: bool) -> int:
        """Return the number of strings in all items."""
        items = list(chain.from_iterable(values))
        if self.is_unique and has_twice(values):
            raise RefusedError
        return _count(self.item, items, is_plain=is_plain)


@dataclass(frozen=True, slots=True)
class Mapped:
    """A mapping from any keys to values of one shape."""

    type: Any
    value: Shape

    @property
    def strings(self) -> int | None:
        """Unknown: its keys are any number."""
        return None

    def count(self, values: list[Any], *, is_plain: bool) -> int:
        """Return the number of keys, and of strings below."""
        below = list(chain.from_iterable(each.values() for each in values))
        return len(below) + _count(self.value, below, is_plain=is_plain)


@dataclass(frozen=True, slots=True)
class Field:
    """A key of a record: the name of its attribute, and what was seen of its values."""

    attribute: str
    shape: Shape
    is_optional: bool


class Record:
    """A mapping of known keys."""

    def __init__(self, fields: tuple[tuple[str, Field], ...]) -> None:
        self.fields = fields
        self._looked_at: list[Field] = []
        self._known = 0
        for _, field in fields:
            below = field.shape.strings
            if field.is_optional or below is None:
                self._looked_at.append(field)
            else:
                self._known += 1 + below

    @cached_property
    def type(self) -> Any:
        """What msgspec is to read.

        Raises:
            UnfitError: it cannot be told.

        """
        return struct_of(self.fields)

    @cached_property
    def _absent(self) -> Any:
        """What an attribute holds where its key is not there."""
        import msgspec  # slow to import

        return msgspec.UNSET

    @property
    def strings(self) -> int | None:
        """The number of keys, and of strings below, where that is known of each."""
        return None if self._looked_at else self._known

    def column(self, key: str, values: list[Any]) -> list[Any]:
        """Return what stands at a key in each value that has it."""
        for name, field in self.fields:
            if name == key:
                return self._column(field, values)
        return []

    def _column(self, field: Field, values: list[Any]) -> list[Any]:
        found = map(attrgetter(field.attribute), values)
        if not field.is_optional:
            return list(found)
        absent = self._absent
        return [each for each in found if each is not absent]

    def count(self, values: list[Any], *, is_plain: bool) -> int:
        """Return the number of keys, of the records and below, and of texts."""
        total = self._known * len(values)
        for field in self._looked_at:
            column = self._column(field, values)
            total += len(column) + _count(field.shape, column, is_plain=is_plain)
        return total


@dataclass(frozen=True, slots=True)
class OneOf:
    """A value of one of several shapes, told apart by the class of what was read."""

    type: Any
    shapes: tuple[tuple[Any, Shape], ...]

    @property
    def strings(self) -> int | None:
        """As many as in each of the shapes, if that is the same."""
        every = {shape.strings for _, shape in self.shapes}
        return every.pop() if len(every) == 1 else None

    def count(self, values: list[Any], *, is_plain: bool) -> int:
        """Return the number of strings in all values."""
        return sum(
            _count(shape, [each for each in values if each.__class__ is class_], is_plain=is_plain)
            for class_, shape in self.shapes
        )
