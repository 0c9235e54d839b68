"""Which known key an unknown one stands for, by how it is spelled."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from evalcontract.model.nearest import edit_distance, normalise
from evalcontract.structure.keys.aliases import EVERYDAY_WORDS

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

_SHORT, _LONG = 3, 12
# So near is a word to be that two edits leave no doubt.
_CERTAIN_LONG = 10
_GLUED = re.compile(r"(?P<key>[A-Za-z_]\w*)(?:[:=]\s*|\s+)(?P<rest>\S.*)")


def split_key_value(key: Any, part: Any) -> tuple[str, str] | None:
    """Take apart what stands as a key without a value: `tpr:0.9`, `tpr 0.9` or `tpr=0.9`.

    In braces YAML reads these as a key alone. Returns the key and the value that were meant.
    """
    found = _GLUED.fullmatch(key) if part is None and isinstance(key, str) else None
    return (found["key"], found["rest"]) if found else None


def meant_key(
    key: str, known: Iterable[str], value: Container[str], missing: Iterable[str]
) -> str | None:
    """Return the known key that an unknown one stands for; None where it is its own.

    One edit is enough for a key that is required and missing, however short it is, and for any
    of three letters; a plural counts as one. A key that is not there yet is meant rather than
    one that is, and only such a one may be two edits away, or be cut to its last words.
    """
    names = tuple(known)
    return _meant(key, names, frozenset(filter(value.__contains__, names)), tuple(missing))


def is_certain(key: str, meant: str, known: Iterable[str], *, is_closed: bool = False) -> bool:
    """Whether a key is so near to the known one that it stands for that nothing else can be meant.

    A word of three letters is near to many: beyond its plural that is enough only in a closed
    mapping, where no key is the author's own.
    """
    return _certain(key, meant, tuple(known), is_closed)


@lru_cache(maxsize=256)
def _certain(key: str, meant: str, known: tuple[str, ...], is_closed: bool) -> bool:  # noqa: FBT001
    folded, target = normalise(key), normalise(meant)
    if folded == target or _singular(folded) == _singular(target):
        return True
    shorter = min(len(folded), len(target))
    limit = 2 if shorter >= _CERTAIN_LONG else 1
    distance = edit_distance(folded, target, limit)
    if distance > limit or (shorter <= _SHORT and not is_closed):
        return False
    rivals = (each for each in known if each != meant)
    return all(edit_distance(folded, normalise(each), distance) > distance for each in rivals)


# The rows of a dataset ask the same again and again, and a bundle may know thousands of keys.
@lru_cache(maxsize=256)
def _meant(
    key: str, known: tuple[str, ...], value: frozenset[str], missing: tuple[str, ...]
) -> str | None:
    folded = normalise(key)
    wanted = _within(folded, missing, 1)
    if wanted or folded in EVERYDAY_WORDS:
        return wanted
    absent = [each for each in known if each not in value]
    there = [each for each in known if each in value]
    return (
        next((each for each in known if normalise(each) == folded), None)
        or _one_edit(folded, absent)
        or _one_edit(folded, there)
        or _match_plural(folded, absent)
        or _match_plural(folded, [each for each in there if len(each) >= _SHORT])
        or _within(folded, [each for each in absent if len(each) >= _LONG], 2)
        or _match_suffix(folded, known, value)
    )


def _one_edit(word: str, candidates: Iterable[str]) -> str | None:
    return _within(word, [each for each in candidates if len(each) >= _SHORT], 1)


def _within(word: str, candidates: Iterable[str], limit: int) -> str | None:
    """Return the nearest candidate within some edits."""
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
    """Return the candidate that differs by singular and plural, in any of its words."""
    single = _singular(word)
    return next((each for each in candidates if _singular(each) == single), None)


_IRREGULAR = {"criterion": "criteria", "criterias": "criteria", "indices": "index"}


@lru_cache(maxsize=16_384)
def _singular(word: str) -> str:
    parts = (_IRREGULAR.get(part, part) for part in word.split("_"))
    return "_".join(part.removesuffix("s") for part in parts)


def _match_suffix(word: str, known: Iterable[str], value: Container[str]) -> str | None:
    """Return the one known key of which the first words, or the last `ref`, were dropped.

    `facts` for `expected_facts`, `rubric` for `rubric_ref`; `score` may be any of two.
    """
    found = [each for each in known if each.endswith(f"_{word}") or each == f"{word}_ref"]
    return found[0] if len(found) == 1 and found[0] not in value else None
