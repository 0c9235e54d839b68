"""Write JSON by orjson where that is what Python's `json` writes, in less time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from json.encoder import encode_basestring
from typing import Any

import orjson

_SORTED = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def canonical_bytes(value: Any, *, is_of_texts: bool = False) -> bytes:
    """Return what `canonical` does in UTF-8; half of a surrogate pair is kept.

    `is_of_texts` says that the value, and all that it has, are texts, lists and mappings.
    """
    if is_of_texts or _is_written_alike((value,)):
        try:
            return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
        except orjson.JSONEncodeError:
            pass  # it has half of a surrogate pair or a long integer, or is nested deeply
    return _SORTED.encode(value).encode("utf-8", "surrogatepass")


def canonical(value: Any) -> str:
    """Return one line of JSON, the same for equal values: without spaces, with sorted keys."""
    return canonical_bytes(value).decode("utf-8", "surrogatepass")


# The types of values that both write alike. Floats have other forms, and NaN is none of JSON.
_ALIKE = frozenset({str, int, bool, type(None)})


def _is_written_alike(values: Iterable[Any]) -> bool:
    for value in values:
        kind = value.__class__
        if kind in _ALIKE:
            continue
        if kind is list:
            if not _is_written_alike(value):
                return False
        elif kind is not dict or not _is_written_alike(value.values()):
            return False
    return True


_BETWEEN = ",\n  "


def texts_as_json(texts: Sequence[str]) -> Sequence[str]:
    """Return each text as JSON; what is beyond ASCII stays as it is."""
    try:
        lines = orjson.dumps(texts, option=orjson.OPT_INDENT_2).decode()
    except orjson.JSONEncodeError:  # half of a surrogate pair
        return [*map(encode_basestring, texts)]
    # JSON has no line end in a text.
    return lines[len("[\n  ") : -len("\n]")].split(_BETWEEN) if texts else []
