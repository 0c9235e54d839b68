"""Near-miss keys: a key that no schema knows, and that looks like one that it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Problem
from evalcontract.model.nearest import nearest, normalise
from evalcontract.structure.schemas import branches, follow, known_keys

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.path import Path
    from evalcontract.structure.schemas import Schema

#: Keys with this prefix are the author's own, and never a near miss.
OWN_PREFIX = "x_"
# Below these an author writes what they like.
_FREE = frozenset({"metadata"})


def near_misses(
    value: Any,
    schema: Schema,
    root: Schema,
    kind: str,
    path: Path = (),
    also: frozenset[str] = frozenset(),
) -> Iterator[Problem]:
    """Yield the near-miss keys of a value and of all that its schema describes below it.

    `also` are keys of the value itself that another schema describes.

    Only mappings that the schema leaves open are looked at: in a closed one an unknown key is
    a fault of structure already.
    """
    schema = follow(schema, root)
    if isinstance(value, list):
        items = schema.get("items")
        if isinstance(items, dict):
            for index, part in enumerate(value):
                yield from near_misses(part, items, root, kind, (*path, index))
        return
    if not isinstance(value, dict):
        return
    known = {**known_keys(schema, value, root), **{key: {} for key in sorted(also)}}
    parts = list(branches(schema, value, root))
    if known and all(part.get("additionalProperties") is not False for part in parts):
        required = [key for part in parts for key in part.get("required", ())]
        yield from _unknown_keys(value, known, required, kind, path)
    for key, inner in known.items():
        if key in value and key not in _FREE:
            yield from near_misses(value[key], inner, root, kind, (*path, key))


def _unknown_keys(
    value: dict[str, Any], known: dict[str, Schema], required: list[str], kind: str, path: Path
) -> Iterator[Problem]:
    missing = [key for key in required if key not in value]
    for key in value:
        if key in known or key.startswith(OWN_PREFIX):
            continue
        meant = meant_key(key, known, value, missing)
        if meant:
            yield near_miss(kind, key, meant, path)


def meant_key(
    key: str, known: dict[str, Schema], value: dict[str, Any], missing: list[str]
) -> str | None:
    """Return the known key that an unknown one stands for; None where it is its own.

    A key that is missing, and required, is taken from one edit however short it is.
    """
    return (
        nearest(key, missing, limit=1)
        or nearest(key, [each for each in known if each not in value and each not in missing])
        or next((each for each in known if normalise(each) == normalise(key)), None)
    )


def near_miss(kind: str, key: str, meant: str, path: Path) -> Problem:
    """Name a key that looks like another."""
    return Problem(
        f"{kind}/near-miss-key",
        f"unknown key `{key}`",
        (*path, key),
        f"did you mean `{meant}`?",
        on_key=True,
    )
