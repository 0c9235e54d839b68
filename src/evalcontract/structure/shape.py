"""The shapes of values that a typed gate reads, and how many keys stand in them.

A parser keeps the last of two equal keys in silence. Each key of a text has a colon, so as many
colons as there are keys, and colons in texts, in the values that were read means that no key was
dropped. A shape counts both, column by column: what is the same in every row needs no look.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import Any, Protocol


class RefusedError(Exception):
    """A value is not as its shape says, in what a type cannot say."""


class Shape(Protocol):
    """A type to read, and what a type cannot say of its values.

    `is_flat` promises that `count` has nothing to do: no keys, and nothing to refuse.
    """

    @property
    def type(self) -> Any:
        """What msgspec is to read."""
        ...

    @property
    def is_flat(self) -> bool:
        """Whether there is nothing to count, nor to look at."""
        ...

    def count(self, values: list[Any], *, is_plain: bool) -> int:
        """Return how many keys stand in the values of a column.

        `is_plain` says that all texts are of the visible characters of ASCII, and of spaces.

        Raises:
            RefusedError: one of them is not as it must be.

        """
        ...

    def colons(self, values: list[Any], enough: int) -> int:
        """Return how many colons stand in the texts of a column, keys included.

        Where there are `enough` of them it need not look on.
        """
        ...


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
    def is_flat(self) -> bool:
        """Whether any value of the type will do."""
        return not self.blanks and not self.banned

    def count(self, values: list[Any], *, is_plain: bool) -> int:
        """Return 0."""
        if self.banned:
            every = "\n".join(values).casefold()
            if any(word in every for word in self.banned):
                raise RefusedError
        if not self.blanks:
            return 0
        if is_plain:  # the only blank there is a space, and the type has no empty text
            is_refused = any(map(str.isspace, values))
        else:
            is_refused = "" in [each.lstrip(self.blanks) for each in values]
        if is_refused:
            raise RefusedError
        return 0

    def colons(self, values: list[Any], enough: int) -> int:  # noqa: ARG002
        """Return the number of colons in texts."""
        return "".join(values).count(":") if self.is_text else 0


@dataclass(frozen=True, slots=True)
class Listed:
    """A list of values of one shape; it may have to hold none twice."""

    type: Any
    item: Shape
    is_unique: bool = False

    @property
    def is_flat(self) -> bool:
        """Whether its items are, and any number of times."""
        return self.item.is_flat and not self.is_unique

    def count(self, values: list[Any], *, is_plain: bool) -> int:
        """Return the number of keys in all items."""
        if self.is_unique and sum(map(len, values)) != sum(map(len, map(set, values))):
            raise RefusedError
        if self.item.is_flat:
            return 0
        return self.item.count(list(chain.from_iterable(values)), is_plain=is_plain)

    def colons(self, values: list[Any], enough: int) -> int:
        """Return the number of colons in all items."""
        return self.item.colons(list(chain.from_iterable(values)), enough)


@dataclass(frozen=True, slots=True)
class Mapped:
    """A mapping from any keys to values of one shape."""

    type: Any
    value: Shape

    @property
    def is_flat(self) -> bool:
        """Never: it has keys."""
        return False

    def count(self, values: list[Any], *, is_plain: bool) -> int:
        """Return the number of keys, of the mappings and below."""
        inner = 0
        if not self.value.is_flat:
            below = list(chain.from_iterable(each.values() for each in values))
            inner = self.value.count(below, is_plain=is_plain)
        return sum(map(len, values)) + inner

    def colons(self, values: list[Any], enough: int) -> int:
        """Return the number of colons in keys and values."""
        keys = "".join(chain.from_iterable(values)).count(":")
        below = list(chain.from_iterable(each.values() for each in values))
        return keys + self.value.colons(below, enough - keys)


@dataclass(frozen=True, slots=True)
class Field:
    """A key of a record: the name of its attribute, and what was seen of its values."""

    attribute: str
    shape: Shape
    is_optional: bool
    has_colons: bool


@dataclass(frozen=True, slots=True)
class Record:
    """A mapping of known keys. `absent` is what an attribute holds where its key is not there."""

    type: Any
    fields: tuple[tuple[str, Field], ...]
    absent: Any

    @property
    def is_flat(self) -> bool:
        """Never: it has keys."""
        return False

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
        absent = self.absent
        return [each for each in found if each is not absent]

    def count(self, values: list[Any], *, is_plain: bool) -> int:
        """Return the number of keys, of the records and below."""
        total = 0
        for _, field in self.fields:
            if field.is_optional or not field.shape.is_flat:
                column = self._column(field, values)
                total += len(column)
                if not field.shape.is_flat:
                    total += field.shape.count(column, is_plain=is_plain)
            else:
                total += len(values)
        return total

    def colons(self, values: list[Any], enough: int) -> int:
        """Return the number of colons in keys and texts."""
        total = 0
        for key, field in sorted(self.fields, key=lambda each: not each[1].has_colons):
            if total >= enough:
                break
            column = self._column(field, values)
            total += key.count(":") * len(column)
            total += field.shape.colons(column, enough - total)
        return total


@dataclass(frozen=True, slots=True)
class OneOf:
    """A value of one of several shapes, told apart by the class of what was read."""

    type: Any
    shapes: tuple[tuple[Any, Shape], ...]

    @property
    def is_flat(self) -> bool:
        """Whether all of them are."""
        return all(shape.is_flat for _, shape in self.shapes)

    def count(self, values: list[Any], *, is_plain: bool) -> int:
        """Return the number of keys in all values."""
        return sum(
            shape.count([each for each in values if each.__class__ is class_], is_plain=is_plain)
            for class_, shape in self.shapes
            if not shape.is_flat
        )

    def colons(self, values: list[Any], enough: int) -> int:
        """Return the number of colons in all values."""
        return sum(
            shape.colons([each for each in values if each.__class__ is class_], enough)
            for class_, shape in self.shapes
        )
