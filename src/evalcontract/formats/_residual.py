"""What a row says and another system has no place for: the residual, kept beside what it became.

Let `f` make theirs of ours, and `g` ours of theirs; each may lose something. What `f(g(x))` lacks
of `x` is kept in `g(x)`, below `metadata` or what the system has for it, and the other way round:
so either way back gives the same row. A residual is `difference`, and `applied` undoes it. How it
is written is a `Form`, and where it stands a `ResidualPlace`; those of a system never change, so
that files which an earlier version converted still come back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.model.equality import json_equal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evalcontract.model.path import Path

    Row = dict[str, Any]
    #: The keys whose mappings are compared key by key, each with those inside it.
    Nested = Mapping[str, Any]
    #: Whether a value that was kept for a path still fits what stands there now, or is null.
    Fits = Callable[[Path, Any, Any], bool]

_FLAT: Nested = {}
# What the keys of a row hold, so that nothing of somebody else's is taken for a row.
_TYPES: dict[str, type] = {
    **dict.fromkeys(("id", "input", "criteria", "rubric_ref", "bundle"), str),
    **dict.fromkeys(("expected", "metadata"), dict),
    **dict.fromkeys(("expected_facts", "expected_tools", "must_not_contain", "tags"), list),
}


class Residual(NamedTuple):
    """What makes one mapping of another: values to set, and the ways to keys to leave out."""

    set: Row
    absent: list[list[str]]

    def __bool__(self) -> bool:
        return bool(self.set or self.absent)


def difference(have: Row, want: Row, nested: Nested = _FLAT) -> Residual:
    """Return what makes the mapping `want` of the mapping `have`."""
    found = Residual({}, [])
    for key, value in want.items():
        before = have.get(key)
        if key in nested and isinstance(before, dict) and isinstance(value, dict):
            inner = difference(before, value, nested[key])
            if inner.set:
                found.set[key] = inner.set
            found.absent.extend([key, *way] for way in inner.absent)
        elif key not in have or not json_equal(before, value):
            found.set[key] = value
    found.absent.extend([key] for key in have if key not in want)
    return found


def applied(
    have: Row, residual: Residual, nested: Nested = _FLAT, fits: Fits | None = None, path: Path = ()
) -> Row:
    """Return what a residual makes of a mapping, where each value `fits`.

    Where all do, and nothing was changed since, that is the inverse of `difference`.
    """
    gone = {tuple(way) for way in residual.absent}
    made = {key: value for key, value in have.items() if (key,) not in gone}
    for key in nested:
        if isinstance(made.get(key), dict) and (inner := [w[1:] for w in gone if w[0] == key]):
            made[key] = applied(made[key], Residual({}, [*map(list, inner)]), nested[key])
    for key, value in residual.set.items():
        before = made.get(key)
        if key in nested and isinstance(value, dict) and isinstance(made.get(key, {}), dict):
            inner_set = Residual(value, [])
            made[key] = applied(before or {}, inner_set, nested[key], fits, (*path, key))
        elif fits is None or fits((*path, key), value, before):
            made[key] = value
    return made


class Form(NamedTuple):
    """How a residual is written: below which keys, or what is set beside the others.

    What is absent are ways, or, unless the form `has_ways`, single keys.
    """

    set: str | None
    absent: str
    has_ways: bool = False

    def written(self, residual: Residual) -> Row:
        """Return a residual as a mapping without what is empty."""
        absent = residual.absent if self.has_ways else [key for (key,) in residual.absent]
        whole = residual.set if self.set is None else {self.set: residual.set}
        kept = whole if residual.set else {}
        return {**kept, self.absent: absent} if absent else {**kept}

    def read(self, kept: Row) -> Residual | None:
        """Return what `written` wrote; None where somebody else has written there."""
        absent = kept.get(self.absent, [])
        given = kept.get(self.set, {}) if self.set else {**kept}
        if not isinstance(given, dict) or not isinstance(absent, list):
            return None
        if self.set is None:
            given.pop(self.absent, None)
        ways = absent if self.has_ways else [[key] for key in absent]
        return Residual(given, ways) if all(map(_is_way, ways)) else None

    def fits(self, kept: Row) -> bool:
        """Whether a mapping may be one that `written` wrote."""
        return self.read(kept) is not None


class ResidualPlace(NamedTuple):
    """Where in a row something is kept: below a key that holds a mapping, under a name.

    What stood below the key before, and could not be seen any more, is kept there under `was`.
    """

    below: str
    name: str
    was: str

    def joined(self, row: Row, kept: Row) -> Row:
        """Return a row that keeps something; the same row where there is nothing to keep."""
        if not kept:
            return row
        before = row.get(self.below)
        if isinstance(before, dict) and before and self.name not in before:
            return {**row, self.below: {**before, self.name: kept}}
        was = {self.was: before} if self.below in row else {}
        return {**row, self.below: {self.name: {**kept, **was}}}

    def split(self, row: Row, is_kept: Callable[[Row], bool] | None = None) -> tuple[Row, Any]:
        """Return a row as it was before it was `joined`, and what it keeps.

        None where it keeps nothing, or what `is_kept` takes for somebody else's.
        """
        before = row.get(self.below)
        kept = before.get(self.name) if isinstance(before, dict) else None
        if not isinstance(before, dict) or not isinstance(kept, dict) or not kept:
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
    """Whether the keys of a row hold what those of ours do."""
    return all(isinstance(row.get(key, kind()), kind) for key, kind in _TYPES.items())


def _is_way(way: Any) -> bool:
    return isinstance(way, list) and bool(way) and all(isinstance(step, str) for step in way)
