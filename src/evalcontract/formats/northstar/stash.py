"""What a case says and a row of ours has no place for: kept under `metadata.northstar`.

`written` is a part of the case: what does not come back by itself, as it was written. `unwritable`
are values that are no JSON (NaN, halves of characters), as Python writes them, with their paths.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from evalcontract.formats.northstar.lax import RefusedError
from evalcontract.model.same import same

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcontract.model.path import Path

#: The key below `metadata` of a row of ours.
THEIRS = "northstar"
_SECTIONS = ("expected", "metrics")


def written(case: Mapping[str, Any], native: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a case that `native`, the case as it comes back, does not say."""
    found: dict[str, Any] = {}
    for key, value in case.items():
        if key in _SECTIONS:
            _put(found, key, value, native)
        elif key == "metadata":
            there = native.get(key, {})
            rest = {k: v for k, v in value.items() if k not in there or not same(v, there[k])}
            if rest or key not in native:
                found[key] = rest
        elif key not in native or not same(value, native[key]):
            found[key] = value
    return found


def _put(found: dict[str, Any], key: str, value: Any, native: Mapping[str, Any]) -> None:
    """Put the part of a mapping below a key that `native` does not say, if there is any."""
    if not isinstance(value, dict):
        if key not in native or not same(value, native[key]):
            found[key] = value
        return
    inner: dict[str, Any] = {}
    for name, part in value.items():
        if name == "trace":
            _put(inner, name, part, native.get(key) or {})
        elif name not in (there := native.get(key) or {}) or not same(part, there[name]):
            inner[name] = part
    if inner or key not in native:
        found[key] = inner


def restored(
    native: Mapping[str, Any] | None, kept: Any, forms: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return a mapping with what was kept of it, where that still means the same.

    What was changed since is left as it is. None stands for a mapping that is not there.
    """
    if not isinstance(kept, dict):
        return None if native is None else dict(native)
    found = dict(native or {})
    for key, value in kept.items():
        form = forms.get(key)
        if form is not None and not callable(form):
            inner = restored(found.get(key), value, form)
            if inner is not None or (value is None and key not in found):
                found[key] = inner
        elif form is not None and _means(form, value, found.get(key)):
            found[key] = value
    return found


def _means(form: Any, value: Any, now: Any) -> bool:
    try:
        return same(form(value), now)
    except (RefusedError, AttributeError, LookupError, TypeError):
        return False  # somebody else has written here


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
        return by if same(value, stand_in) else value
    copy = value.copy()
    copy[path[0]] = _replaced(value[path[0]], path[1:], stand_in, by)
    return copy
