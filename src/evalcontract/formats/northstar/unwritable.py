"""The values of a case that are no JSON, and that only Python reads: NaN, and halves of characters.

Each is kept as Python writes it, with its path; a stand-in takes its place meanwhile.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from evalcontract.model.equality import json_equal

if TYPE_CHECKING:
    from evalcontract.model.path import Path


def without_unwritable(value: Any) -> tuple[Any, list[list[Any]]]:
    """Return a value of JSON alone, and what it had besides: paths, each with Python's text."""
    found: list[list[Any]] = []
    return _plain(value, (), found), sorted(found, key=json.dumps)


def _plain(value: Any, path: Path, found: list[list[Any]]) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        found.append([*path, json.dumps(value)])
        return None
    if isinstance(value, str) and _is_broken(value):
        found.append([*path, json.dumps(value)])
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        if any(map(_is_broken, value)):
            found.append([*path, json.dumps(value)])
            return {}
        return {key: _plain(part, (*path, key), found) for key, part in value.items()}
    if isinstance(value, list):
        return [_plain(part, (*path, index), found) for index, part in enumerate(value)]
    return value


def _is_broken(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= each <= "\udfff" for each in text)


def with_unwritable(case: dict[str, Any], kept: Any) -> dict[str, Any]:
    """Return a case with values that are no JSON where their stand-ins still are."""
    for entry in kept if isinstance(kept, list) else ():
        try:
            *path, text = entry
            value = json.loads(text)
            case = _replaced(case, path, without_unwritable(value)[0], value)
        except (AttributeError, LookupError, RecursionError, TypeError, ValueError):
            continue  # somebody else has written here, or what it stood in is gone
    return case


def _replaced(value: Any, path: list[Any], stand_in: Any, by: Any) -> Any:
    """Return a copy of a value with another part at a path, if the stand-in is there."""
    if not path:
        return by if json_equal(value, stand_in) else value
    copy = value.copy()
    copy[path[0]] = _replaced(value[path[0]], path[1:], stand_in, by)
    return copy
