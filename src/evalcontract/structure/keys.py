"""Near-miss keys: a key that no schema knows, and that looks like one that it does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Problem
from evalcontract.model.nearest import nearest, normalise
from evalcontract.structure.schemas import branches, follow, known_keys, properties

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.path import Path
    from evalcontract.structure.schemas import Schema

#: Keys with this prefix are the author's own, and never a near miss.
OWN_PREFIX = "x_"
# Below these an author writes what they like.
_FREE = frozenset({"metadata"})


@dataclass(frozen=True, slots=True)
class Miss:
    """An unknown key of the mapping at `path`, and the known one that it stands for."""

    path: Path
    key: str
    meant: str


def near_misses(
    value: Any, schema: Schema, root: Schema, also: Schema | None = None, path: Path = ()
) -> Iterator[Miss]:
    """Yield the near-miss keys of a value and of all that its schema describes below it.

    `also` is a second schema of the value itself. Only mappings that the schema leaves open are
    looked at: in a closed one an unknown key is a fault of structure already.
    """
    schema = follow(schema, root)
    if isinstance(value, list):
        for index, part in enumerate(value):
            yield from near_misses(part, schema.get("items", {}), root, None, (*path, index))
        return
    if not isinstance(value, dict):
        return
    known = {**properties(also or {}), **known_keys(schema, value, root)}
    parts = list(branches(schema, value, root))
    if known and all(part.get("additionalProperties") is not False for part in parts):
        required = [key for part in (*parts, also or {}) for key in part.get("required", ())]
        missing = [key for key in required if key not in value]
        for key in value:
            if key not in known and not key.startswith(OWN_PREFIX):
                meant = meant_key(key, known, value, missing)
                if meant:
                    yield Miss(path, key, meant)
    for key, inner in known.items():
        if key in value and key not in _FREE:
            yield from near_misses(value[key], inner, root, None, (*path, key))


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


def near_miss(kind: str, miss: Miss) -> Problem:
    """Say that a key looks like another."""
    advice = f"did you mean `{miss.meant}`?"
    path = (*miss.path, miss.key)
    return Problem(f"{kind}/near-miss-key", f"unknown key `{miss.key}`", path, advice, on_key=True)
