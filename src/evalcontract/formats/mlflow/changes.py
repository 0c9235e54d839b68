"""What tells one mapping from another, small enough to be kept beside it."""

from __future__ import annotations

from typing import Any, NamedTuple

from evalcontract.model.same import same


class Change(NamedTuple):
    """What makes one mapping of another: values to set, and the ways to keys to leave out.

    Mappings below the keys that are called nested are compared key by key, all others as a whole.
    """

    set: dict[str, Any]
    absent: list[list[str]]

    def __bool__(self) -> bool:
        return bool(self.set or self.absent)


def difference(
    have: dict[str, Any], want: dict[str, Any], nested: frozenset[str] = frozenset()
) -> Change:
    """Return what makes the mapping `want` of the mapping `have`."""
    found = Change({}, [])
    for key, value in want.items():
        if key in have and same(have[key], value):
            continue
        before = have.get(key)
        if key in nested and isinstance(before, dict) and isinstance(value, dict):
            inner = difference(before, value)
            if inner.set:
                found.set[key] = inner.set
            found.absent.extend([key, *way] for way in inner.absent)
        else:
            found.set[key] = value
    found.absent.extend([key] for key in have if key not in want)
    return found


def applied(
    have: dict[str, Any], change: Change, nested: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """Return what a change makes of a mapping; the inverse of `difference`."""
    gone = {tuple(way) for way in change.absent}
    made = {key: value for key, value in have.items() if (key,) not in gone}
    for key in nested:
        if isinstance(made.get(key), dict):
            parts = made[key].items()
            made[key] = {name: part for name, part in parts if (key, name) not in gone}
    for key, value in change.set.items():
        before = made.get(key)
        if key in nested and isinstance(before, dict) and isinstance(value, dict):
            made[key] = {**before, **value}
        else:
            made[key] = value
    return made


def is_change(value: dict[str, Any]) -> bool:
    """Whether a mapping is a change, as `written` writes it."""
    ways = value.get("absent", [])
    return (
        isinstance(value.get("set", {}), dict)
        and isinstance(ways, list)
        and all(
            isinstance(way, list) and way and all(isinstance(step, str) for step in way)
            for way in ways
        )
    )


def written(change: Change) -> dict[str, Any]:
    """Write a change as a mapping without what is empty."""
    return {key: part for key, part in zip(("set", "absent"), change, strict=True) if part}


def read(value: dict[str, Any]) -> Change:
    """Read what `written` wrote."""
    return Change(value.get("set", {}), value.get("absent", []))
