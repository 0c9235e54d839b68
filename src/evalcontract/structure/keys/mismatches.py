"""Unknown keys of open mappings that are probably mistakes.

A near-miss key is a misspelling of a known key, a misplaced key is known at another level or in
another file, and a foreign key is the name that another tool uses. The known keys are derived from
the schemas; the names used by other tools and the common words that look like misspellings are
listed in `names`.

What is read in another file are the kinds of checks, and the keys of rubrics, their checks, judges,
targets and configurations. A key of several words always counts. A single word may be a custom key,
so it counts only if its value has the shape that the contract requires: `order: any`, but not
`order: 1042`. A single word outside of checks whose value may be any text never counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache, cached_property
from typing import Any

from evalcontract.model.diagnostic import Fix, Move, Path, Rename
from evalcontract.model.startup import NamedTuple
from evalcontract.structure.keys.names import (
    AliasMatch,
    canonical_key,
    distinct_name,
    is_alias,
    is_safe_closed_rename,
)
from evalcontract.structure.keys.spelling import (
    KeyNames,
    KnownKeys,
    generic_keys,
    is_compound,
    split_key_value,
)
from evalcontract.structure.native import Fits, NativeValidator, accepts, matches, native_for
from evalcontract.structure.parts import Schema, follow
from evalcontract.structure.schemas import OWN_PREFIX, branches, known_keys, load, properties

# `id` is one edit away from common words.
_SHORT = 2


class KeyInMapping(NamedTuple):
    """A key of the mapping at a path."""

    path: Path
    key: str
    mapping: Mapping[str, Any]

    @property
    def value(self) -> Any:
        """The value of the key."""
        return self.mapping[self.key]

    @property
    def key_path(self) -> Path:
        """The path of the key."""
        return (*self.path, self.key)


def rename_misspelled(
    entry: KeyInMapping,
    meant: str,
    known: Mapping[str, Schema],
    names: KeyNames,
    fits: Fits,
    missing: Collection[str] = (),
) -> Fix | None:
    """Rename a misspelled key, if its value has the shape that the known key requires.

    `known` are the known keys of the mapping, `names` the same for the search by spelling, and
    `missing` its missing required keys, which `known` may not describe.
    """
    if meant in entry.mapping or not fits.same_shape(entry.value, known.get(meant, {})):
        return None
    is_missing = meant in missing and len(meant) > _SHORT
    safe = names.is_certain(entry.key, meant, is_closed=is_missing)
    return Fix(entry.key_path, Rename(meant), safe)


def rename_alias(
    entry: KeyInMapping, canonical: str, schema: Schema, fits: Fits, *, safe: bool
) -> Fix | None:
    """Rename the key of another tool, if its value is valid for the canonical key."""
    if canonical in entry.mapping or not fits.fits(entry.value, schema):
        return None
    return Fix(entry.key_path, Rename(canonical), safe)


def move_key(
    entry: KeyInMapping, target_path: Path, target: Any, schema: Schema, fits: Fits
) -> Fix | None:
    """Move a key into the mapping `target` at `target_path`; None stands for a missing mapping.

    The value must be valid for `schema`; a schema that accepts any string makes the fix unsafe.
    """
    is_free = target is None or (isinstance(target, dict) and entry.key not in target)
    if not is_free or not fits.fits(entry.value, schema):
        return None
    return Fix(entry.key_path, Move((*target_path, entry.key)), not fits.is_any_text(schema))


def rename_unknown(
    entry: KeyInMapping,
    meant: str | None,
    known: Mapping[str, Schema],
    names: KeyNames,
    missing: Collection[str],
    fits: Fits,
) -> Fix | None:
    """Rename an unknown key of a closed mapping; the arguments are as for `rename_misspelled`."""
    if meant is None or meant not in known or meant in entry.mapping:
        return None
    if split_key_value(entry.key, entry.value):
        return None
    if names.is_certain(entry.key, meant, is_closed=True):
        misspelled = rename_misspelled(entry, meant, known, names=names, fits=fits)
        return misspelled and Fix(entry.key_path, Rename(meant))
    is_safe = is_safe_closed_rename(entry.key, meant)
    if is_safe is None:
        return None
    return rename_alias(entry, meant, known[meant], fits=fits, safe=is_safe and meant in missing)


def drop_conflicting_fixes(mismatches: Iterable[KeyMismatch]) -> list[KeyMismatch]:
    """Remove the fixes that would give two keys of one mapping the same name."""
    every = list(mismatches)
    edits = Counter((mismatch.path, mismatch.fix.edit) for mismatch in every if mismatch.fix)
    return [
        mismatch._replace(fix=None)
        if mismatch.fix and edits[mismatch.path, mismatch.fix.edit] > 1
        else mismatch
        for mismatch in every
    ]


_NESTED = (dict, list)


class KeyMismatch(NamedTuple):
    """A key of the mapping at `path` that is probably a mistake.

    `meant` is the known key that was meant, or the parent key of a misplaced one; it is empty if
    the key belongs in another file. `fault` is the second half of the code. A higher `rank` means
    a weaker guess. `fix` is None if there is no clear fix.
    """

    path: Path
    key: str
    meant: str
    fault: str
    advice: str
    rank: int = 0
    fix: Fix | None = None


class KeyMismatches:
    """Finds mismatched keys in a value, including nested mappings and lists.

    `bundle_schema` is a second schema for the value itself. Only open mappings are searched: in a
    closed mapping an unknown key is a schema violation, and with `additionalProperties: true` it
    is allowed. Known keys that do not depend on the value are cached for each subschema.
    """

    def __init__(self, schema: Schema, bundle_schema: Schema | None = None) -> None:
        self._root = schema
        self._bundle_schema = bundle_schema or {}
        self._cache: dict[tuple[int, bool], KnownKeys] = {}
        self._places: dict[tuple[str, ...], tuple[KnownKeys, frozenset[str]] | None] = {}
        self._fits = Fits(schema)

    def of(self, value: Any) -> Iterator[KeyMismatch]:
        """Yield the mismatched keys of a value."""
        return self._below(value, self._root, self._bundle_schema, path=(), parent=None)

    def is_custom(self, key: str, path: tuple[str, ...] = ()) -> bool:
        """Whether a key is reported in no mapping at a path, whatever that holds beside it.

        False if that is uncertain. It takes a fraction of the time of `of`.
        """
        if path not in self._places:
            self._places[path] = self._place(path)
        place = self._places[path]
        if place is None:
            return False
        known, around = place
        return not (
            key in around
            or key in known.parent_keys
            or known.meant_below(key)
            or split_key_value(key, None)
            or is_alias(key)
            or (known.rejects_words and is_read_elsewhere(key))
            or not known.spelling.is_unlike_all(key)
        )

    def _place(self, path: tuple[str, ...]) -> tuple[KnownKeys, frozenset[str]] | None:
        """Return the known keys at a path, and all names there and around it."""
        # None if they depend on the values.
        schema, bundle_schema = self._root, self._bundle_schema
        around: frozenset[str] = frozenset()
        for step in (*path, None):
            self._known_keys(schema, bundle_schema, {})
            known = self._cache.get((id(schema), bool(bundle_schema)))
            if known is None:
                return None
            around |= known.names
            if step is None:
                return known, around
            if step not in known.own:
                return None
            schema, bundle_schema = known.own[step], {}
        return None

    def _below(
        self, value: Any, schema: Any, bundle_schema: Schema, path: Path, parent: _Parent | None
    ) -> Iterator[KeyMismatch]:
        """Yield the mismatched keys of the value at a path; `parent` is the mapping around it."""
        if isinstance(value, list):
            nested = [
                (index, item) for index, item in enumerate(value) if isinstance(item, _NESTED)
            ]
            items = follow(schema, self._root).get("items", {}) if nested else {}
            for index, item in nested:
                yield from self._below(item, items, {}, path=(*path, index), parent=parent)
        if not isinstance(value, dict):
            return
        known = self._known_keys(schema, bundle_schema, value)
        names = known.names
        if known.is_open and not names.issuperset(value):
            unknown = [key for key in value if key not in names and not key.startswith(OWN_PREFIX)]
            missing = dict.fromkeys(key for key in known.required if key not in value)
            classifier = _KeyClassifier(value, known, missing, parent, path, self._fits)
            mismatches: list[KeyMismatch] = []
            for key in unknown:
                mismatches += classifier.classify(key)
            yield from drop_conflicting_fixes(_dedupe(mismatches))
        for key, subschema in known.nested:
            if isinstance(value.get(key), _NESTED):
                mapping = _Parent(value, known)
                yield from self._below(value[key], subschema, {}, path=(*path, key), parent=mapping)

    def _known_keys(self, schema: Any, bundle_schema: Schema, value: dict[str, Any]) -> KnownKeys:
        cache_key = (id(schema), bool(bundle_schema))
        known = self._cache.get(cache_key)
        if known is None:
            target = follow(schema, self._root)
            known = self._derive(target, bundle_schema, value)
            # An id is a safe key only for parts of the root schema, which are never freed.
            if schema and "allOf" not in target:
                self._cache[cache_key] = known
        return known

    def _derive(self, schema: Schema, bundle_schema: Schema, value: dict[str, Any]) -> KnownKeys:
        own = known_keys(schema, value, self._root)
        keys = {**{key: {} for key in properties(bundle_schema)}, **own}
        parts = list(branches(schema, value, self._root))
        required = [key for part in (*parts, bundle_schema) for key in part.get("required", ())]
        is_open = not any(isinstance(part.get("additionalProperties"), bool) for part in parts)
        return KnownKeys(
            keys,
            own,
            tuple(required),
            is_open=is_open and bool(keys),
            root=self._root,
            rejects_words=any(map(rejects_words, parts)),
        )


def meant_paths(value: Any, schema: Schema) -> frozenset[Path]:
    """Return the paths at which the mismatched keys of a value were meant to be.

    A key is not missing at one of these paths: the mismatch is reported instead.
    """
    paths: set[Path] = set()
    for mismatch in KeyMismatches(schema).of(value):
        if not mismatch.meant:
            continue
        paths.add((*mismatch.path, mismatch.meant))
        if mismatch.fault == "misplaced-key":
            is_one_up = mismatch.meant == mismatch.key
            parent = mismatch.path[:-1] if is_one_up else (*mismatch.path, mismatch.meant)
            paths.add((*parent, mismatch.key))
    return frozenset(paths)


def _dedupe(mismatches: list[KeyMismatch]) -> Iterator[KeyMismatch]:
    """Drop a guess if a better or earlier mismatch has the same `meant`."""
    meant: set[str] = set()
    paths: set[str] = set()
    for mismatch in sorted(mismatches, key=lambda mismatch: mismatch.rank):
        if not mismatch.rank or mismatch.meant not in meant:
            meant.add(mismatch.meant)
            paths.add(mismatch.key)
    yield from (mismatch for mismatch in mismatches if mismatch.key in paths)


class _Parent(NamedTuple):
    """The mapping around another mapping, with its known keys."""

    value: dict[str, Any]
    known: KnownKeys


class _KeyClassifier(NamedTuple):
    """Classifies the unknown keys of one mapping; `missing` are its missing required keys."""

    value: dict[str, Any]
    known: KnownKeys
    missing: dict[str, None]
    parent: _Parent | None
    path: Path
    fits: Fits

    def classify(self, key: str) -> Iterator[KeyMismatch]:
        known = self.known.keys
        pair = split_key_value(key, self.value[key])
        if pair and pair[0] in known and pair[0] not in self.value:
            advice = f"write `{pair[0]}: {pair[1]}`"
            yield KeyMismatch(self.path, key, pair[0], "near-miss-key", advice)
            return
        parent_keys = self.known.parent_keys.get(key)
        meant = self.known.spelling.meant(key, self.value, self.missing)
        if parent_keys is not None and parent_keys[0] != meant:
            yield self._misplaced(key, parent_keys)
        elif meant:
            both = " Both are present: keep one" if meant in self.value else ""
            advice = f"did you mean `{meant}`?{both}"
            names = self.known.spelling
            fix = rename_misspelled(
                self._entry(key), meant, known, names=names, fits=self.fits, missing=self.missing
            )
            yield KeyMismatch(self.path, key, meant, "near-miss-key", advice, 0, fix)
        elif self.parent and key in self.parent.known.names and is_compound(key):
            advice = f"it belongs one level up, beside `{self.path[-1]}`"
            fix = self._move_up(key, self.parent)
            yield KeyMismatch(self.path, key, key, "misplaced-key", advice, 0, fix)
        elif alias := canonical_key(key, known, self.value, missing=self.missing):
            advice, rank, fix = alias.advice, alias.rank, self._rename(key, alias)
            yield KeyMismatch(self.path, key, alias.key, "foreign-key", advice, rank, fix)
        elif below := self.known.meant_below(key) or distinct_name(key, self.known.parent_keys):
            parent = self.known.parent_keys[below][0]
            advice = f"{self._place_below(parent)}, as `{below}`"
            yield KeyMismatch(self.path, key, parent, "misplaced-key", advice)
        elif self.known.rejects_words:
            yield from self._read_elsewhere(key)

    def _read_elsewhere(self, key: str) -> Iterator[KeyMismatch]:
        """Yield the mismatch of a key that is read only in another place or another tool."""
        word = misplaced_words().get(key)
        if word and word.counts(self.value[key]):
            yield KeyMismatch(self.path, key, "", "misplaced-key", word.advice)
        elif advice := advice_for_check_flag(key):
            yield KeyMismatch(self.path, key, "", "foreign-key", advice)

    def _entry(self, key: str) -> KeyInMapping:
        return KeyInMapping(self.path, key, self.value)

    def _misplaced(self, key: str, parent_keys: list[str]) -> KeyMismatch:
        parent = parent_keys[0]
        advice = self._place_below(parent)
        if "items" not in self.known.keys[parent]:
            advice = f"{advice}: `{parent}: {{{key}: …}}`"
        schema = self.known.child_schema(parent, key) if len(parent_keys) == 1 else None
        target, target_path = self.value.get(parent), (*self.path, parent)
        is_null = parent in self.value and target is None
        fix = None
        if schema is not None and not is_null:
            fix = move_key(self._entry(key), target_path, target, schema=schema, fits=self.fits)
        return KeyMismatch(self.path, key, parent, "misplaced-key", advice, 0, fix)

    def _place_below(self, parent: str) -> str:
        of_items = "items" in self.known.keys[parent]
        return f"it belongs {'in each item of' if of_items else 'below'} `{parent}`"

    def _move_up(self, key: str, parent: _Parent) -> Fix | None:
        """Move a key one level up; None for an item of a list, which shares its parent."""
        if isinstance(self.path[-1], int):
            return None
        schema, target_path = parent.known.keys[key], self.path[:-1]
        return move_key(self._entry(key), target_path, parent.value, schema=schema, fits=self.fits)

    def _rename(self, key: str, alias: AliasMatch) -> Fix | None:
        if alias.is_safe_rename is None:
            return None
        schema, safe = self.known.keys[alias.key], alias.is_safe_rename
        return rename_alias(self._entry(key), alias.key, schema, fits=self.fits, safe=safe)


# Keywords of a schema that make up the shape of its values.
_SHAPE = ("type", "enum", "pattern")
# A text that a schema of specific texts rejects.
_ANY_TEXT = "text"
_FLAG_PREFIX = "check_"
_CHECK = "in a check of a rubric"
_ROOTS = {
    "rubric": "at the root of a rubric",
    "judge": "at the root of a judge",
    "target": "in `targets/{id}.yaml`",
    "configuration": "in `evalcontract.toml`",
}


class _Use(NamedTuple):
    """A place where a key is read, and the shape of its values there; None for any value."""

    # `kind` is the kind of check that reads the key, if only some kinds do.

    place: str
    shape: Schema | None = None
    kind: str | None = None


class MisplacedWord:
    """A key that is read elsewhere; `shape` is the schema of the values for which it counts."""

    def __init__(self, advice: str, shape: Schema) -> None:
        self.advice = advice
        self.shape = shape

    @cached_property
    def _validator(self) -> NativeValidator:
        return native_for(self.shape)

    def counts(self, value: Any) -> bool:
        """Whether the key with this value is a key of the contract rather than a custom key."""
        return accepts(self._validator, value)


def rejects_words(schema: Schema) -> bool:
    """Whether misplaced words are reported in the mappings of a schema: rows and root mappings."""
    mappings = (load("dataset")["$defs"]["row"], *map(load, ("dataset", "rubric", "judge")))
    return any(schema.get("properties") == mapping["properties"] for mapping in mappings)


def advice_for_check_flag(key: str) -> str | None:
    """Return the advice for a key such as `check_php_lint`, which other tools have in rows."""
    if not key.startswith(_FLAG_PREFIX):
        return None
    kind = key.removeprefix(_FLAG_PREFIX)
    return f"use a check of a rubric: `kind: {kind}`" if kind in _kinds() else None


def is_read_elsewhere(key: str) -> bool:
    """Whether a key with some value is one of the contract, or of other tools, for other places."""
    return key in misplaced_words() or advice_for_check_flag(key) is not None


@cache
def misplaced_words() -> dict[str, MisplacedWord]:
    """Return the keys of the contract that are reported where they are not known, by name."""
    uses: dict[str, list[_Use]] = {}
    for key, use in (*_of_roots(), *_of_checks(), *_of_rows()):
        if key not in generic_keys():
            uses.setdefault(key, []).append(use)
    for kind in _kinds():
        if is_compound(kind) or kind not in uses:
            uses[kind] = [_Use(_CHECK, None, kind)]
    return {key: _word(key_uses) for key, key_uses in uses.items()}


def _word(uses: list[_Use]) -> MisplacedWord:
    shapes = [{} if use.shape is None else use.shape for use in uses]
    shape = {"anyOf": [part for number, part in enumerate(shapes) if part not in shapes[:number]]}
    kinds = [f"`{use.kind}`" for use in uses if use.kind]
    places = [use.place for use in uses if not use.kind]
    if len(kinds) == 1:
        places.append(f"{_CHECK}: `kind: {kinds[0][1:]}")
    elif kinds:
        places.append(f"{_CHECK} of kind {' or '.join(kinds)}")
    advice = f"it belongs {', or '.join(dict.fromkeys(places))}"
    return MisplacedWord(advice, shape)


def _of_roots() -> Iterator[tuple[str, _Use]]:
    """Yield the keys of rubrics, judges, targets and configurations, and those one level below."""
    for name, place in _ROOTS.items():
        root = load(name)
        for key, schema in properties(root).items():
            # An empty list is no custom key where it stands for a required one: `checks: []`.
            is_required = key in root.get("required", ())
            yield from _use(key, schema, root, place=place, may_be_empty=is_required)
            for nested, subschema in follow(schema, root).get("properties", {}).items():
                yield from _use(nested, subschema, root, place=f"in a {name}, below `{key}`")


def _of_checks() -> Iterator[tuple[str, _Use]]:
    """Yield the keys of checks, and those one level below."""
    root = load("rubric")
    check = root["$defs"]["check"]
    by_kind = {kind: known_keys(check, {"kind": kind}, root) for kind in _kinds()}
    for kind, parameters in by_kind.items():
        for key, schema in parameters.items():
            if all(key in others for others in by_kind.values()):
                yield from _use(key, schema, root, place=_CHECK)
                continue
            shape = None if is_compound(key) else _shape(schema, root)
            yield key, _Use(_CHECK, shape, kind)
            for nested, subschema in follow(schema, root).get("properties", {}).items():
                yield from _use(nested, subschema, root, place=f"{_CHECK}, below `{key}`")


def _of_rows() -> Iterator[tuple[str, _Use]]:
    """Yield the keys of rows that no other file is likely to have."""
    for key in filter(is_compound, load("dataset")["$defs"]["row"]["properties"]):
        yield key, _Use("in a row of a dataset")


def _kinds() -> list[str]:
    return list(load("rubric")["$defs"]["check"]["properties"]["kind"]["enum"])


def _use(
    key: str, schema: Schema, root: Schema, place: str, *, may_be_empty: bool = False
) -> Iterator[tuple[str, _Use]]:
    """Yield a key with its place; nothing for a word whose value may be any text."""
    if is_compound(key):
        yield key, _Use(place)
        return
    shape = _shape(schema, root)
    if may_be_empty:
        shape = {keyword: part for keyword, part in shape.items() if keyword != "minItems"}
    if not _accepts_any_text(shape):
        yield key, _Use(place, shape)


def _accepts_any_text(shape: Schema) -> bool:
    is_text = shape.get("type", "string") == "string" and "enum" not in shape
    return is_text and matches(shape.get("pattern", ""), _ANY_TEXT)


def _shape(schema: Any, root: Schema) -> Schema:
    """Return the schema of the values that have the types of a schema, and its texts."""
    target = follow(schema, root)
    shape = {keyword: target[keyword] for keyword in _SHAPE if keyword in target}
    if "items" in target:
        shape |= {"items": _shape(target["items"], root), "minItems": 1}
    return shape
