"""Equality of JSON data. Python's `==` treats 1, true and 1.0 as equal; JSON does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Hashable


def json_equal(one: Any, two: Any) -> bool:
    """Whether two values are the same JSON data: 1 differs from 1.0 and true, NaN equals NaN."""
    if one is two:
        return True
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(json_equal(one[key], two[key]) for key in one)
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(map(json_equal, one, two))
    if isinstance(one, str) and isinstance(two, str):
        return one == two
    if type(one) is not type(two):
        return False
    return repr(one) == repr(two) if isinstance(one, float) else bool(one == two)


def hashable(value: Any) -> Hashable:
    """Return what is equal, and has the same hash, for values that JSON Schema treats as equal.

    These are 1 and 1.0, but not 1 and true.
    """
    if isinstance(value, dict):
        return dict, frozenset((key, hashable(part)) for key, part in value.items())
    if isinstance(value, list):
        return list, tuple(map(hashable, value))
    return (bool, value) if isinstance(value, bool) else value
