"""What changed in meaning between two revisions of an artifact, and the version that it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from typing import Any, Final, TypeVar, cast

from evalcontract.meaning.view import ChangeClass, Item, Leaf, Leaves, View
from evalcontract.model.diagnostic import Path
from evalcontract.model.reference import Kind, Version
from evalcontract.model.startup import NamedTuple
from evalcontract.source.encoding import canonical

_T = TypeVar("_T")


class _Missing:
    def __repr__(self) -> str:
        return "MISSING"


#: The old value of what was added, and the new one of what was removed.
MISSING: Final = _Missing()


class Act(StrEnum):
    """What happened to a field, a check or a row."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    RENAMED = "renamed"


class Change(NamedTuple):
    """One change: of a field, or of a whole check or row.

    `name` is that of the field, such as `checks.tone.values`; of what was renamed, the new one.
    `old` and `new` are values in normal form, or the names of what was renamed. `path` leads to it
    in the new revision, and to the nearest thing above it where it was removed; `old_path` leads to
    it in the old revision, or to the nearest thing above it.
    """

    name: str
    act: Act
    rank: ChangeClass
    old: Any
    new: Any
    path: Path
    old_path: Path


def changes_of(old: View, new: View) -> list[Change]:
    """Return what changed between two revisions, the gravest changes first."""
    changes = [
        *_of_leaves(old.leaves, new.leaves, name="", old_path=(), path=()),
        *_of_items(old, new),
    ]
    return sorted(changes, key=lambda change: (-change.rank, change.name))


def _of_leaves(old: Leaves, new: Leaves, name: str, old_path: Path, path: Path) -> Iterator[Change]:
    for key in {**old, **new}:
        before, after = old.get(key), new.get(key)
        full = f"{name}.{key}" if name else key
        if before is None and after is not None:
            yield Change(full, Act.ADDED, after.rank, MISSING, after.value, after.path, old_path)
        elif before is not None and after is None:
            yield Change(full, Act.REMOVED, before.rank, before.value, MISSING, path, before.path)
        elif before is not None and after is not None and _differ(before, after):
            yield Change(
                full,
                Act.CHANGED,
                after.rank,
                old=before.value,
                new=after.value,
                path=after.path,
                old_path=before.path,
            )


def _differ(one: Leaf, two: Leaf) -> bool:
    if isinstance(one.value, str) and isinstance(two.value, str):
        return one.value != two.value
    return canonical(one.value) != canonical(two.value)


def _of_items(old: View, new: View) -> Iterator[Change]:
    """Yield the changes of checks or rows. One with another name that says the same was renamed."""
    pairs, removed, added = _paired([*old.items.values()], [*new.items.values()])
    for was, item in pairs:
        name = f"{item.path[0]}.{item.name}"
        if was.base != item.base:
            yield Change(
                name,
                Act.RENAMED,
                ChangeClass.ADDITIVE,
                old=was.base,
                new=item.base,
                path=item.path,
                old_path=was.path,
            )
        yield from _of_leaves(was.leaves, item.leaves, name=name, old_path=was.path, path=item.path)
    # A new row changes no score of an output that there is; a new check does.
    rank = ChangeClass.ADDITIVE if new.kind is Kind.DATASET else ChangeClass.BREAKING
    for item in added:
        name, above = f"{item.path[0]}.{item.name}", item.path[:1]
        yield Change(name, Act.ADDED, rank, MISSING, item.values, item.path, old_path=above)
    for item in removed:
        name, above = f"{item.path[0]}.{item.name}", item.path[:1]
        yield Change(
            name, Act.REMOVED, ChangeClass.BREAKING, item.values, MISSING, above, old_path=item.path
        )


def _paired(
    old: list[Item], new: list[Item]
) -> tuple[list[tuple[Item, Item]], list[Item], list[Item]]:
    """Return which items are the same ones, and which are only in the old or the new revision.

    They are those with the same name, if no other has it; then those with the same name that say
    the same; then those with the same name, in their order; then those that say the same; then rows
    with the same input.
    """
    pairs: list[tuple[Item, Item]] = []
    keys: list[Callable[[Item], object]] = [
        lambda item: item.base if item.name == item.base else id(item),
        lambda item: (item.base, canonical(item.values)),
        lambda item: item.base,
        lambda item: canonical(item.values),
        lambda item: canonical(item.leaves["input"].value) if "input" in item.leaves else id(item),
    ]
    for key in keys:
        more, old, new = matched(old, new, key, key)
        pairs += more
    return pairs, old, new


def matched(
    old: Iterable[_T],
    new: Iterable[_T],
    key_of_old: Callable[[_T], object],
    key_of_new: Callable[[_T], object],
) -> tuple[list[tuple[_T, _T]], list[_T], list[_T]]:
    """Pair what has the same key, each thing once and in order; return the rest of both, too.

    What has the key None is in no pair.
    """
    by_key: dict[object, list[_T]] = {}
    for one in old:
        by_key.setdefault(key_of_old(one), []).append(one)
    pairs, rest = [], []
    for each in new:
        key = key_of_new(each)
        same = by_key.get(key) if key is not None else None
        if same:
            pairs.append((same.pop(0), each))
        else:
            rest.append(each)
    return pairs, [one for same in by_key.values() for one in same], rest


def rank_of(changes: Iterable[Change]) -> ChangeClass | None:
    """Return the gravest class of some changes; None if there are none."""
    return max((change.rank for change in changes), default=None)


class VersionFault(StrEnum):
    """What is wrong with the version of a new revision."""

    SAME = "the version is the same"
    TOO_SMALL = "the bump is too small"
    DOWN = "the version went down"


def version_fault(old: Version, new: Version, rank: ChangeClass | None) -> VersionFault | None:
    """Return what is wrong with a version, given the gravest change since an older one.

    Wording needs no new version. A pre-release promises nothing: any later version will do. Before
    1.0.0, a new minor version says what a new major version says later, as in Cargo.
    """
    if new < old:
        return VersionFault.DOWN
    if rank is None or rank is ChangeClass.WORDING:
        return None
    if new == old:
        return VersionFault.SAME
    is_enough = old.is_prerelease or _place(old, new) <= _place_for(old, rank)
    return None if is_enough else VersionFault.TOO_SMALL


def _place(old: Version, new: Version) -> int:
    """Return the first number in which two versions differ: 0 for the major version."""
    pairs = zip((old.major, old.minor, old.patch), (new.major, new.minor, new.patch), strict=True)
    return next((place for place, (one, two) in enumerate(pairs) if one != two), 3)


def _place_for(old: Version, rank: ChangeClass) -> int:
    """Return the number that a change of this class has to raise."""
    place = ChangeClass.BREAKING - rank
    return min(place + 1, 2) if old.major == 0 else place


def next_version(old: Version, rank: ChangeClass) -> Version:
    """Return the lowest version that a change of this class may have.

    After a pre-release that is the next one: `2.0.0-rc.1` is followed by `2.0.0-rc.2`.
    """
    if old.is_prerelease:
        *before, last = old.pre
        return old._replace(pre=(*before, _raised(last)) if last.isdigit() else (*old.pre, "1"))
    place = _place_for(old, rank)
    numbers = str(old).split(".")
    raised = ".".join((*numbers[:place], _raised(numbers[place]), "0", "0")[:3])
    return cast("Version", Version.parse(raised))


def _raised(digits: str) -> str:
    """Return the next number, of any length: Python writes none of more than 4,300 digits."""
    head = digits.rstrip("9")
    before, last = head[:-1], int(head[-1:] or "0")
    return f"{before}{last + 1}{'0' * (len(digits) - len(head))}"
