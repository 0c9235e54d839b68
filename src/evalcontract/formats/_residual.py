"""Preserve what another format cannot represent, so that converting back restores it.

Let `f` convert a row to another format and `g` back; each may lose something. What `f(g(x))` lacks
of `x` is the residual. It is stored in `g(x)`, in its metadata, and the same the other way round,
so both round trips give the same row. `difference` computes a residual and `applied` applies it.
`Form` is how it is written, `ResidualPlace` where. Those of a system never change, so that files
converted by an earlier version can still be converted back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import json_equal

Row = dict[str, Any]
#: The keys whose mappings are compared key by key, each with its own such keys.
Nested = Mapping[str, Any]

_FLAT: Nested = {}
_LISTS = ("expected_facts", "expected_tools", "must_contain_any", "must_not_contain", "tags")
#: The types of the keys of a row, so that a foreign mapping is not mistaken for one.
TYPES: dict[str, type] = {
    **dict.fromkeys(("id", "input", "criteria", "rubric_ref", "bundle"), str),
    **dict.fromkeys(("expected", "metadata"), dict),
    **dict.fromkeys(_LISTS, list),
}


class Residual(NamedTuple):
    """The difference of two mappings: values to set, and the paths of keys to remove."""

    set: Row
    absent: list[list[str]]

    def __bool__(self) -> bool:
        return bool(self.set or self.absent)


def difference(have: Row, want: Row, nested: Nested = _FLAT) -> Residual:
    """Return the residual that turns the mapping `have` into the mapping `want`."""
    residual = Residual({}, [])
    for key, value in want.items():
        before = have.get(key)
        if key in nested and isinstance(before, dict) and isinstance(value, dict):
            inner = difference(before, value, nested[key])
            if inner.set:
                residual.set[key] = inner.set
            residual.absent.extend([key, *path] for path in inner.absent)
        elif key not in have or not json_equal(before, value):
            residual.set[key] = value
    residual.absent.extend([key] for key in have if key not in want)
    return residual


def applied(have: Row, residual: Residual, nested: Nested = _FLAT) -> Row:
    """Apply a residual to a mapping; if nothing has changed since, the inverse of `difference`."""
    absent = {tuple(steps) for steps in residual.absent}
    result = {key: value for key, value in have.items() if (key,) not in absent}
    for key in nested:
        if isinstance(result.get(key), dict) and (inner := [s[1:] for s in absent if s[0] == key]):
            result[key] = applied(result[key], Residual({}, [*map(list, inner)]), nested[key])
    for key, value in residual.set.items():
        before = result.get(key, {})
        is_joined = key in nested and isinstance(value, dict) and isinstance(before, dict)
        inner_set = Residual(value, [])
        result[key] = applied(before, inner_set, nested[key]) if is_joined else value
    return result


def restored(
    plain: Row, residual: Residual, nested: Nested, row: Row, read: Callable[[Row], Row]
) -> Row:
    """Apply what a row preserves to its conversion, unless the row was edited since.

    `plain` is the conversion of the row alone, and `read` converts back. If what is preserved gives
    the row again, all of it counts; otherwise only the values that what is read does not depend on.
    """
    if not residual:
        return plain
    whole = applied(plain, residual, nested)
    seen, now = read(whole), None
    if all(json_equal(part, row.get(key)) for key, part in seen.items()):
        others = [key for key, part in row.items() if key not in seen and part is not None]
        now = read(plain) if others else {}
        if now.keys().isdisjoint(others):
            return whole
    now = now or read(plain)
    for piece in _pieces(residual, nested):
        whole = applied(plain, piece, nested)
        if json_equal(read(whole), now):
            plain = whole
    return plain


def _pieces(residual: Residual, nested: Nested) -> Iterator[Residual]:
    """Yield the parts of a residual, each a single value or an absent key."""
    for key, value in residual.set.items():
        parts = value if key in nested and isinstance(value, dict) else None
        yield from (
            [Residual({key: value}, [])]
            if parts is None
            else [Residual({key: {name: part}}, []) for name, part in parts.items()]
        )
    for path in residual.absent:
        yield Residual({}, [path])


class Form(NamedTuple):
    """How a residual is written as a mapping.

    `set` and `absent` are its keys; without `set`, the values to set stand beside `absent`. What is
    absent are paths of keys; a path of one key is that key, unless the form `has_paths` only.
    """

    set: str | None
    absent: str
    has_paths: bool = False

    def written(self, residual: Residual) -> Row:
        """Return a residual as a mapping without empty parts."""
        absent: list[Any] = residual.absent
        if not self.has_paths:
            absent = [path[0] if len(path) == 1 else path for path in residual.absent]
        whole = residual.set if self.set is None else {self.set: residual.set}
        kept = whole if residual.set else {}
        return {**kept, self.absent: absent} if absent else {**kept}

    def read(self, kept: Row) -> Residual | None:
        """Return the residual that `written` wrote; None if the mapping has another form."""
        absent = kept.get(self.absent, [])
        given = kept.get(self.set, {}) if self.set else {**kept}
        if not isinstance(given, dict) or not isinstance(absent, list):
            return None
        if self.set is None:
            given.pop(self.absent, None)
        if not self.has_paths:
            absent = [[path] if isinstance(path, str) else path for path in absent]
        return Residual(given, absent) if all(map(_is_path, absent)) else None

    def has_written(self, kept: Row, was: str) -> bool:
        """Whether a mapping has no other keys than `written` gives, and `was` of its place."""
        is_known = self.set is None or kept.keys() <= {self.set, self.absent, was}
        is_full = kept.get(self.set or self.absent, True) != {} and kept.get(self.absent) != []
        return is_known and is_full and self.read(kept) is not None


class ResidualPlace(NamedTuple):
    """Where a row preserves something: in the mapping under the key `below`, as `name`.

    If the key had a value that would be hidden or overwritten, `was` preserves that value.
    """

    below: str
    name: str
    was: str

    def joined(self, row: Row, kept: Row) -> Row:
        """Return a row with something preserved; the same row if there is nothing to preserve."""
        if not kept:
            return row
        before = row.get(self.below)
        if isinstance(before, dict) and before and self.name not in before:
            return {**row, self.below: {**before, self.name: kept}}
        was = {self.was: before} if self.below in row else {}
        return {**row, self.below: {self.name: {**kept, **was}}}

    def split(self, row: Row, is_kept: Callable[[Row], bool] | None = None) -> tuple[Row, Any]:
        """Return a row as it was before `joined`, and what it preserves.

        That is None if it preserves nothing, or if `is_kept` rejects it as foreign.
        """
        before = row.get(self.below)
        kept = before.get(self.name) if isinstance(before, dict) else None
        if not isinstance(before, dict) or not isinstance(kept, dict) or kept.keys() <= {self.was}:
            return row, None
        if is_kept is not None and not is_kept(kept):
            return row, None
        rest: Any = {key: part for key, part in before.items() if key != self.name}
        if self.was in kept:
            was = kept[self.was]
            rest = {**was, **rest} if isinstance(was, dict) else rest or was
            kept = {key: part for key, part in kept.items() if key != self.was}
        elif not rest:
            return {key: part for key, part in row.items() if key != self.below}, kept
        return {**row, self.below: rest}, kept


def is_row(row: Row) -> bool:
    """Whether the keys of a row have the types of evalcontract."""
    return all(isinstance(row.get(key, kind()), kind) for key, kind in TYPES.items())


def _is_path(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(key, str) for key in value)
