"""Two lossy ways between mappings, made exact: what one loses, the result keeps aside.

Let `f` make theirs of ours and `g` ours of theirs. What `f(g(x))` lacks of `x` is kept aside under
`metadata` of `g(x)`, and the other way round, so that either way back gives the same mapping.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.formats._conversion import OURS
from evalcontract.model.same import same

if TYPE_CHECKING:
    from collections.abc import Callable

    Row = dict[str, Any]

_PLACE = "metadata"
# Names that no column has: of the keys that are one too many, and of what `metadata` was before.
_UNSET, _WAS = "_unset", "_metadata"
# What the keys of a row hold, so that nothing of somebody else's is taken for a row.
_TYPES: dict[str, type] = {
    **dict.fromkeys(("id", "input", "criteria", "rubric_ref", "bundle"), str),
    **dict.fromkeys(("expected", "metadata"), dict),
    **dict.fromkeys(("expected_facts", "expected_tools", "must_not_contain", "tags"), list),
}


class Exchange(NamedTuple):
    """Both ways between our rows and those of the system of a name; rows are counted from 0."""

    name: str
    theirs_of: Callable[[Row, int], Row]
    ours_of: Callable[[Row, int], Row]

    def to_ours(self, theirs: Row, index: int) -> Row:
        """Return a row of ours; what somebody else wrote in the place of ours is data as any."""
        plain, aside = split(theirs, OURS)
        ours = self._to_ours(plain, aside, index)
        return ours if aside is None or is_row(ours) else self._to_ours(theirs, None, index)

    def _to_ours(self, plain: Row, aside: Any, index: int) -> Row:
        ours = restored(self.ours_of(plain, index), aside)
        return joined(ours, self.name, kept_aside(plain, self.theirs_of(ours, index)))

    def to_theirs(self, ours: Row, index: int) -> Row:
        """Return a row of theirs."""
        plain, aside = split(ours, self.name)
        theirs = restored(self.theirs_of(plain, index), aside)
        return joined(theirs, OURS, kept_aside(plain, self.ours_of(theirs, index)))


def is_row(row: Row) -> bool:
    """Whether the keys of a row hold what those of ours do."""
    return all(isinstance(row.get(key, kind()), kind) for key, kind in _TYPES.items())


def kept_aside(original: Row, again: Row) -> Row:
    """Return what `restored` needs to make `original` of `again`; empty if they are the same.

    That is whole keys: those that have another value, and those that are one too many.
    """
    found: Row = {
        key: part
        for key, part in original.items()
        if key not in again or not same(part, again[key])
    }
    if more := [key for key in again if key not in original]:
        found[_UNSET] = more
    return found


def restored(again: Row, aside: Any) -> Row:
    """Return a mapping with what was kept aside; anything else in its place changes nothing."""
    if not isinstance(aside, dict):
        return again
    more = aside.get(_UNSET)
    kept = {k: v for k, v in again.items() if not isinstance(more, list) or k not in more}
    return {**kept, **{k: v for k, v in aside.items() if k not in (_UNSET, _WAS)}}


def joined(row: Row, name: str, aside: Row) -> Row:
    """Return a row with what is kept aside under a name below its `metadata`."""
    if not aside:
        return row
    before = row.get(_PLACE)
    if isinstance(before, dict) and before:
        return {**row, _PLACE: {**before, name: aside}}
    was = {_WAS: before} if _PLACE in row else {}
    return {**row, _PLACE: {name: {**aside, **was}}}


def split(row: Row, name: str) -> tuple[Row, Any]:
    """Return a row as it was before it was `joined`, and what was kept aside."""
    before = row.get(_PLACE)
    aside = before.get(name) if isinstance(before, dict) else None
    if not isinstance(before, dict) or not isinstance(aside, dict):
        return row, None
    rest = {key: part for key, part in before.items() if key != name}
    if rest or _WAS in aside:
        return {**row, _PLACE: rest or aside[_WAS]}, aside
    return {key: part for key, part in row.items() if key != _PLACE}, aside
