"""Keys that a schema leaves open, and that are hardly the author's own.

A near miss looks like a known key; a misplaced one is known elsewhere; a foreign one is what
another tool calls one of ours. All that is known is derived from the schemas, except for the
names of other tools, and the ordinary words that only look like a near miss.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Problem
from evalcontract.model.nearest import edit_distance, normalise
from evalcontract.structure.schemas import branches, follow, known_keys, load, properties
from evalcontract.structure.words import ORDINARY, how_to_write, our_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.model.path import Path
    from evalcontract.structure.schemas import Schema

#: Keys with this prefix are the author's own, and never a near miss.
OWN_PREFIX = "x_"
# Below these an author writes what they like.
_FREE = frozenset({"metadata"})
# Keys below a known one that are ordinary words elsewhere.
_ANYBODYS = frozenset({"name", "provider"})
_SHORT, _SAFE, _LONG = 3, 8, 12


@dataclass(frozen=True, slots=True)
class Miss:
    """A key of the mapping at `path` that is hardly the author's own.

    `meant` is the known key that it stands for, or that it belongs below; `fault` is the second
    half of its code.
    """

    path: Path
    key: str
    meant: str
    fault: str
    advice: str


def near_misses(
    value: Any,
    schema: Schema,
    root: Schema,
    also: Schema | None = None,
    path: Path = (),
    outer: frozenset[str] = frozenset(),
) -> Iterator[Miss]:
    """Yield such keys of a value and of all that its schema describes below it.

    `also` is a second schema of the value itself; `outer` are the keys known one mapping further
    out. Only mappings that the schema leaves open are looked at: in a closed one an unknown key
    is a fault of structure already.
    """
    schema = follow(schema, root)
    if isinstance(value, list):
        items = schema.get("items", {})
        for index, part in enumerate(value):
            yield from near_misses(part, items, root, None, (*path, index), outer)
        return
    if not isinstance(value, dict):
        return
    ours = known_keys(schema, value, root)
    known = {**{key: {} for key in properties(also or {})}, **ours}
    parts = list(branches(schema, value, root))
    unknown = [key for key in value if key not in known and not key.startswith(OWN_PREFIX)]
    is_open = all(part.get("additionalProperties") is not False for part in parts)
    if unknown and known and is_open:
        required = [key for part in (*parts, also or {}) for key in part.get("required", ())]
        missing = [key for key in required if key not in value]
        homes = {key: home for key, home in _homes(ours, root).items() if key not in known}
        looker = _Looker(value, known, missing, homes, outer, path)
        for key in unknown:
            yield from looker.look(key)
    names = frozenset(known)
    for key, inner in ours.items():
        if key in value and key not in _FREE:
            yield from near_misses(value[key], inner, root, None, (*path, key), names)


@dataclass(frozen=True, slots=True)
class _Looker:
    value: dict[str, Any]
    known: dict[str, Schema]
    missing: list[str]
    homes: dict[str, str]
    outer: frozenset[str]
    path: Path

    def look(self, key: str) -> Iterator[Miss]:
        home = self.homes.get(key)
        meant = meant_key(key, self.known, self.value, self.missing)
        if home is not None and home != meant:
            advice = f"it belongs below `{home}`: `{home}: {{{key}: …}}`"
            yield Miss(self.path, key, home, "misplaced-key", advice)
        elif meant:
            yield Miss(self.path, key, meant, "near-miss-key", f"did you mean `{meant}`?")
        elif key in self.outer and _is_telling(key):
            advice = f"it belongs one level up, beside `{self.path[-1]}`"
            yield Miss(self.path, key, key, "misplaced-key", advice)
        elif ours := our_key(key, self.known, self.value, self.missing):
            yield Miss(self.path, key, ours, "foreign-key", how_to_write(ours))


def meant_key(
    key: str, known: Iterable[str], value: dict[str, Any], missing: Iterable[str]
) -> str | None:
    """Return the known key that an unknown one stands for; None where it is its own.

    One edit is enough for a key that is required and missing, however short it is, and for any
    that is not there; two for a long one. A known key that is there too is meant only where it
    is long, so that a second copy of it can hardly be on purpose.
    """
    names = tuple(known)
    return _meant(key, names, frozenset(value).intersection(names), tuple(missing))


# The rows of a dataset ask the same again and again, and a bundle may know thousands of keys.
@lru_cache(maxsize=256)
def _meant(
    key: str, known: tuple[str, ...], there: frozenset[str], missing: tuple[str, ...]
) -> str | None:
    folded = normalise(key)
    absent = [each for each in known if each not in there]
    wanted = _within(folded, missing, 1)
    if wanted or folded in ORDINARY:
        return wanted
    return (
        next((each for each in known if normalise(each) == folded), None)
        or _within(folded, [each for each in absent if len(each) >= _SHORT], 1)
        or _within(folded, [each for each in absent if len(each) >= _LONG], 2)
        or _counted(folded, absent)
        or _shortened(folded, absent)
        or _within(folded, [each for each in known if len(each) >= _SAFE], 1, same_end=True)
    )


def _within(
    word: str, candidates: Iterable[str], limit: int, *, same_end: bool = False
) -> str | None:
    """Return the nearest candidate within some edits; `same_end` leaves plurals alone."""
    best: tuple[int, str] | None = None
    size = len(word)
    for candidate in candidates:
        if abs(len(candidate) - size) > limit:
            continue
        distance = edit_distance(word, candidate, limit)
        if same_end and word.rstrip("s") == candidate.rstrip("s"):
            continue
        if distance <= limit and (best is None or distance < best[0]):
            best = (distance, candidate)
    return best[1] if best else None


def _counted(word: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate that differs by singular and plural, in any of its words."""
    single = _singular(word)
    return next((each for each in candidates if _singular(each) == single), None)


_IRREGULAR = {"criterion": "criteria", "criterias": "criteria", "indices": "index"}


@lru_cache(maxsize=16_384)
def _singular(word: str) -> str:
    parts = (_IRREGULAR.get(part, part) for part in word.split("_"))
    return "_".join(part.removesuffix("s") for part in parts)


def _shortened(word: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate of which the first words, or the last `ref`, were dropped.

    `facts` for `expected_facts`, `rubric` for `rubric_ref`.
    """
    for each in candidates:
        if each.endswith(f"_{word}") or each == f"{word}_ref":
            return each
    return None


def _homes(known: dict[str, Schema], root: Schema) -> dict[str, str]:
    """Return the keys that belong below a known key, each with that key.

    Through a list only keys of several words count: `tags` beside `questions` is anybody's.
    """
    homes: dict[str, str] = {}
    for name, schema in known.items():
        inner = follow(schema, root)
        items = follow(inner.get("items", {}), root) if name not in _FREE else {}
        for key in (
            *inner.get("properties", {}),
            *filter(_is_telling, items.get("properties", {})),
        ):
            if key not in known and key not in generic_keys():
                homes.setdefault(key, name)
    return homes


def _is_telling(key: str) -> bool:
    return "_" in key


@cache
def generic_keys() -> frozenset[str]:
    """Return the keys that tell nothing of their place: those at the top of several schemas."""
    roots = [properties(load(name)) for name in ("dataset", "rubric", "judge", "target")]
    every = [key for root in roots for key in root]
    return frozenset(key for key in every if every.count(key) > 1) | _ANYBODYS


_SENTENCES = {
    "near-miss-key": "unknown key `{}`",
    "misplaced-key": "`{}` is known, but not here",
    "foreign-key": "`{}` is another tool's name",
}


def near_miss(kind: str, miss: Miss) -> Problem:
    """Say that a key is hardly the author's own."""
    message = _SENTENCES[miss.fault].format(miss.key)
    path = (*miss.path, miss.key)
    return Problem(f"{kind}/{miss.fault}", message, path, miss.advice, on_key=True)
