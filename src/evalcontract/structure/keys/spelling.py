"""Find the known key that an unknown key was meant to be, by its spelling."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from evalcontract.model.nearest import edit_distance, normalise
from evalcontract.structure.keys.aliases import EVERYDAY_WORDS

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

_SHORT, _LONG = 3, 12
# From this length on, two edits leave no doubt.
_CERTAIN_LONG = 10
_KEY_AND_VALUE = re.compile(r"(?P<key>[A-Za-z_]\w*)(?:[:=]\s*|\s+)(?P<value>\S.*)")


def split_key_value(key: Any, value: Any) -> tuple[str, str] | None:
    """Split a key without a value into the key and value that were meant; None if it has one part.

    In a flow mapping, YAML reads `tpr:0.9`, `tpr 0.9` and `tpr=0.9` as a key without a value.
    """
    match = _KEY_AND_VALUE.fullmatch(key) if value is None and isinstance(key, str) else None
    return (match["key"], match["value"]) if match else None


def meant_key(
    key: str, known: Iterable[str], value: Container[str], missing: Iterable[str]
) -> str | None:
    """Return the known key that an unknown key was probably meant to be; None for a custom key.

    A missing required key matches within one edit, whatever its length. Other known keys match
    within one edit if they have three letters or more, or as singular and plural. Keys that are
    not in the mapping come first; they also match within two edits if they are long, or by their
    last words.
    """
    names = tuple(known)
    return _meant_key(key, names, frozenset(filter(value.__contains__, names)), tuple(missing))


def is_certain(key: str, meant: str, known: Iterable[str], *, is_closed: bool = False) -> bool:
    """Whether a key is so close to the known key `meant` that no other key can be meant.

    Words of up to three letters are close to many others: except for a plural, they are certain
    only in a closed mapping, which has no custom keys.
    """
    return _is_certain(key, meant, tuple(known), is_closed)


@lru_cache(maxsize=256)
def _is_certain(key: str, meant: str, known: tuple[str, ...], is_closed: bool) -> bool:  # noqa: FBT001
    folded, target = normalise(key), normalise(meant)
    if folded == target or _singular(folded) == _singular(target):
        return True
    shorter = min(len(folded), len(target))
    limit = 2 if shorter >= _CERTAIN_LONG else 1
    distance = edit_distance(folded, target, limit)
    if distance > limit or (shorter <= _SHORT and not is_closed):
        return False
    others = (name for name in known if name != meant)
    return all(edit_distance(folded, normalise(name), distance) > distance for name in others)


# Cached: rows repeat their keys, and a bundle may define thousands.
@lru_cache(maxsize=256)
def _meant_key(
    key: str, known: tuple[str, ...], value: frozenset[str], missing: tuple[str, ...]
) -> str | None:
    folded = normalise(key)
    required = _nearest_within(folded, missing, 1)
    if required or folded in EVERYDAY_WORDS:
        return required
    absent = [name for name in known if name not in value]
    present = [name for name in known if name in value]
    return (
        next((name for name in known if normalise(name) == folded), None)
        or _one_edit(folded, absent)
        or _one_edit(folded, present)
        or _match_plural(folded, absent)
        or _match_plural(folded, [name for name in present if len(name) >= _SHORT])
        or _nearest_within(folded, [name for name in absent if len(name) >= _LONG], 2)
        or _match_suffix(folded, known, value)
    )


def _one_edit(word: str, candidates: Iterable[str]) -> str | None:
    return _nearest_within(word, [name for name in candidates if len(name) >= _SHORT], 1)


def _nearest_within(word: str, candidates: Iterable[str], limit: int) -> str | None:
    """Return the nearest candidate within a number of edits."""
    best: tuple[int, str] | None = None
    size = len(word)
    for candidate in candidates:
        if abs(len(candidate) - size) > limit:
            continue
        distance = edit_distance(word, candidate, limit)
        if distance <= limit and (best is None or distance < best[0]):
            best = (distance, candidate)
    return best[1] if best else None


def _match_plural(word: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate that differs only by singular and plural, in any of its words."""
    singular = _singular(word)
    return next((name for name in candidates if _singular(name) == singular), None)


_IRREGULAR = {"criterion": "criteria", "criterias": "criteria", "indices": "index"}


@lru_cache(maxsize=16_384)
def _singular(word: str) -> str:
    parts = (_IRREGULAR.get(part, part) for part in word.split("_"))
    return "_".join(part.removesuffix("s") for part in parts)


def _match_suffix(word: str, known: Iterable[str], value: Container[str]) -> str | None:
    """Return the only known key that ends with the word, or extends it by `_ref`.

    `facts` matches `expected_facts`, `rubric` matches `rubric_ref`; `score` is ambiguous.
    """
    matches = [name for name in known if name.endswith(f"_{word}") or name == f"{word}_ref"]
    return matches[0] if len(matches) == 1 and matches[0] not in value else None
