"""What the rows of a dataset mean: digests of many rows, whatever their layout and their order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from hashlib import sha256, shake_256
from itertools import chain
from operator import itemgetter
from typing import Any

from evalcontract.meaning.view import KnownField, normal_reference, plain, reader_of, view_of
from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple
from evalcontract.source.encoding import canonical_bytes


class RowsMeaning(NamedTuple):
    """What some rows mean, whatever their order: their number, and the sum of their digests.

    It takes no more memory for many rows. The digests are so long that nobody finds other rows with
    the same sum.
    """

    number: int = 0
    total: int = 0

    def plus(self, rows: Iterable[Any], bundle: Any = None) -> RowsMeaning:
        """Return it with more rows; `bundle` is the one of rows that name none."""
        canonical = _row_reader().canonical
        texts = [canonical(row, bundle) for row in rows]
        numbers = [int.from_bytes(shake_256(text).digest(_BYTES), "big") for text in texts]
        return self.joined(RowsMeaning(len(numbers), sum(numbers)))

    def joined(self, other: RowsMeaning) -> RowsMeaning:
        """Return it with the rows of another."""
        total = (self.total + other.total) % (1 << 8 * _BYTES)
        return RowsMeaning(self.number + other.number, total)

    def digest(self, root: Mapping[str, Any]) -> str:
        """Return the SHA-256 of the dataset with these rows; `root` has its keys but for them."""
        own = view_of(Kind.DATASET, {**root, "questions": []}).digest
        return sha256(f"{own} {self.number} {self.total:x}".encode()).hexdigest()


# As long as the sums of digests need to be: shorter ones can be forged.
_BYTES = 256


class _Shape(NamedTuple):
    """What rows with the same keys, and values of the same types, have in common.

    Most rows of a dataset have a few shapes. `values_of` returns the values that are in normal form
    as they are if all items of the lists that `lists_of` returns are texts; they are those of the
    fields `names`. `references` are the keys of references, with the names of their fields,
    `others` those of which nothing is known. What is wording only is left out.
    """

    names: tuple[str, ...]
    values_of: Callable[[dict[str, Any]], tuple[Any, ...]]
    lists_of: Callable[[dict[str, Any]], tuple[list[Any], ...]]
    references: tuple[tuple[str, str], ...]
    others: tuple[tuple[str, KnownField], ...]

    @classmethod
    def of(cls, row: dict[str, Any], known: Mapping[str, KnownField]) -> _Shape:
        """Return the shape of a row."""
        fields = {key: known[key] for key in row if not known[key].is_wording}
        texts = [key for key, field in fields.items() if field.keeps_texts]
        kept = [key for key in texts if row[key].__class__ in (str, list)]
        references = [
            key for key, field in fields.items() if field.is_reference and row[key].__class__ is str
        ]
        others = fields.keys() - {*kept, *references}
        return cls(
            tuple(fields[key].name for key in kept),
            _getter(kept),
            _getter([key for key in kept if row[key].__class__ is list]),
            tuple((key, fields[key].name) for key in references),
            tuple((key, fields[key]) for key in row if key in others),
        )


def _getter(keys: list[str]) -> Callable[[dict[str, Any]], tuple[Any, ...]]:
    if len(keys) > 1:
        return itemgetter(*keys)
    return lambda row: tuple([row[key] for key in keys])


# Authors may write rows with any number of keys.
_MOST_SHAPES = 1000
_ABOVE = "questions[]"
_are_texts = frozenset({str}).issuperset


class _RowReader:
    """Reads what rows say in normal form: their ids, and their fields that are not wording only."""

    def __init__(self) -> None:
        self._reader = reader_of(Kind.DATASET)
        self._schema = self._reader.item_schema("questions")
        self._shapes: dict[tuple[object, ...], _Shape] = {}

    def canonical(self, row: Any, bundle: Any) -> bytes:
        """Return what is the same for all rows with the same meaning; see `RowsMeaning.plus`."""
        if not isinstance(row, dict):
            return canonical_bytes(plain(row))
        if bundle is not None and "bundle" not in row:
            row = {**row, "bundle": bundle}
        shape = self._shape_of(row)
        if not _are_texts(map(type, chain.from_iterable(shape.lists_of(row)))):
            fields = self._reader.fields(row, self._schema, _ABOVE)
            values = {field.name: normal for field, normal in fields if not field.is_wording}
            return canonical_bytes([values.pop("id", None), values])
        values = dict(zip(shape.names, shape.values_of(row), strict=True))
        for key, name in shape.references:
            values[name] = normal_reference(row[key])
        for key, field in shape.others:
            for inner, normal in self._reader.of_field(field, row[key]):
                values[inner.name] = normal
        return canonical_bytes([values.pop("id", None), values], is_of_texts=not shape.others)

    def _shape_of(self, row: dict[str, Any]) -> _Shape:
        key = (*row, *map(type, row.values()))
        shape = self._shapes.get(key)
        if shape is None:
            shape = _Shape.of(row, self._reader.known_fields(row, self._schema, _ABOVE))
            if len(self._shapes) < _MOST_SHAPES:
                self._shapes[key] = shape
        return shape


@cache
def _row_reader() -> _RowReader:
    return _RowReader()
