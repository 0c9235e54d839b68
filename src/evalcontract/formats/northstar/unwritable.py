"""Values of a case that only Python accepts as JSON: NaN, infinity and lone surrogates.

Each is preserved as Python writes it, with its path, and replaced by a stand-in.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import has_lone_surrogate
from evalcontract.model.values import json_equal

if TYPE_CHECKING:
    from evalcontract.model.diagnostic import Path


def without_unwritable(value: Any) -> tuple[Any, list[list[Any]]]:
    """Return a value that is valid JSON, and what was replaced: paths, each with Python's text."""
    replaced: list[list[Any]] = []
    return _plain(value, (), replaced), sorted(replaced, key=json.dumps)


def _plain(value: Any, path: Path, replaced: list[list[Any]]) -> Any:
    match value:
        case float() if not math.isfinite(value):
            replaced.append([*path, json.dumps(value)])
            return None
        case str() if has_lone_surrogate(value):
            replaced.append([*path, json.dumps(value)])
            return value.encode("utf-8", "replace").decode()
        case dict() if any(map(has_lone_surrogate, value)):
            replaced.append([*path, json.dumps(value)])
            return {}
        case dict():
            return {key: _plain(part, (*path, key), replaced) for key, part in value.items()}
        case list():
            return [_plain(part, (*path, index), replaced) for index, part in enumerate(value)]
    return value


def with_unwritable(case: dict[str, Any], kept: Any) -> dict[str, Any]:
    """Restore the values that were replaced, where their stand-ins are unchanged."""
    for entry in kept if isinstance(kept, list) else ():
        try:
            *path, text = entry
            value = json.loads(text)
            case = _replaced(case, path, without_unwritable(value)[0], value)
        except (AttributeError, LookupError, RecursionError, TypeError, ValueError):
            continue  # the entry is foreign, or its place is gone
    return case


def _replaced(value: Any, path: list[Any], stand_in: Any, by: Any) -> Any:
    """Return a copy of a value with another part at a path, if the stand-in is there."""
    if not path:
        return by if json_equal(value, stand_in) else value
    copy = value.copy()
    copy[path[0]] = _replaced(value[path[0]], path[1:], stand_in, by)
    return copy
