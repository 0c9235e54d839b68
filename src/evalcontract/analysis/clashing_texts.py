"""Texts that an output must contain, beside texts that it must not.

Texts are looked up in an index of the texts that may stand in them, so that thousands of checks do
not have to be held against one another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcontract.model.path import Path

Placed = tuple["Path", dict[str, Any]]

#: How many checks that look for the same text are told apart. One finding is enough to mend one.
_MOST_PLACES = 8
#: Texts up to this length are looked up by every part of another text; longer ones are searched.
_WINDOW = 64


class Clash(NamedTuple):
    """Two places of a rubric that contradict each other."""

    path: Path
    message: str
    advice: str
    other: Path
    other_message: str


class Texts(NamedTuple):
    """The texts of a check, where they stand, and whether their case matters."""

    check: Placed
    path: Path
    values: Sequence[str]
    sensitive: bool

    @property
    def name(self) -> str:
        """What the check is called."""
        return name_of(*self.check)


def name_of(path: Path, check: dict[str, Any]) -> str:
    """Return what a check is called."""
    return f"`{check['id']}`" if "id" in check else f"check {int(path[-1]) + 1}"


def implies(held: str, part: str, *, held_sensitive: bool, part_sensitive: bool) -> bool:
    """Tell whether a text that contains `held` contains `part` for certain, by their case rules."""
    if not part_sensitive:
        return part.lower() in held.lower()
    return part in held and (held_sensitive or part.lower() == part.upper())


def forbidden_in(placed: Placed) -> Texts | None:
    """Return the texts that a check forbids; None where it is of another kind."""
    path, check = placed
    if check["kind"] == "must_not_contain":
        sensitive = check.get("case_sensitive", False)
        return Texts(placed, (*path, "values"), check["values"], sensitive)
    if check["kind"] == "markdown_structure" and "forbidden_patterns" in check:
        values = check["forbidden_patterns"]
        return Texts(placed, (*path, "forbidden_patterns"), values, sensitive=True)
    return None


def asked_in(placed: Placed) -> Texts | None:
    """Return the texts that a check asks for; None where it is of another kind."""
    path, check = placed
    if check["kind"] == "must_contain_any":
        sensitive = check.get("case_sensitive", False)
        return Texts(placed, (*path, "values"), check["values"], sensitive)
    if check["kind"] == "markdown_structure" and "required_sections" in check:
        values = check["required_sections"]
        return Texts(placed, (*path, "required_sections"), values, sensitive=False)
    return None


class _Index:
    """Texts by their letters without case: which of them stand in another text for certain."""

    def __init__(self) -> None:
        self.places: dict[str, list[tuple[int, int]]] = {}
        self.lengths: set[int] = set()
        self.long: dict[str, None] = {}
        self.lists: list[Texts] = []

    def add(self, texts: Texts) -> None:
        for index, value in enumerate(texts.values):
            folded = value.lower()
            found = self.places.setdefault(folded, [])
            if len(found) < _MOST_PLACES:
                found.append((len(self.lists), index))
            if len(folded) <= _WINDOW:
                self.lengths.add(len(folded))
            else:
                self.long[folded] = None
        self.lists.append(texts)

    def within(self, held: str, *, sensitive: bool) -> Iterator[tuple[int, int]]:
        """Yield the list and the index of each text that a text implies."""
        for part in self._parts(held.lower()):
            for number, index in self.places[part]:
                texts = self.lists[number]
                if implies(
                    held,
                    texts.values[index],
                    held_sensitive=sensitive,
                    part_sensitive=texts.sensitive,
                ):
                    yield number, index

    def _parts(self, folded: str) -> set[str]:
        found = {part for part in self.long if part in folded}
        for length in self.lengths:
            for start in range(len(folded) - length + 1):
                part = folded[start : start + length]
                if part in self.places:
                    found.add(part)
        return found


def clashing_texts(checks: Sequence[Placed]) -> Iterator[Clash]:
    """Yield the texts that one check asks for and another one forbids."""
    index = _Index()
    for forbidden in filter(None, map(forbidden_in, checks)):
        index.add(forbidden)
    if not index.lists:
        return
    for asked in filter(None, map(asked_in, checks)):
        blocked: dict[int, dict[int, int]] = {}
        for number, value in enumerate(asked.values):
            for other, text in index.within(value, sensitive=asked.sensitive):
                if index.lists[other].check is not asked.check:
                    first = blocked.setdefault(other, {})
                    first[number] = min(text, first.get(number, text))
        for other in sorted(blocked):
            yield _clash(asked, index.lists[other], blocked[other])


def _clash(asked: Texts, by: Texts, blocked: dict[int, int]) -> Clash:
    """Say that some values, by their index, hold a text that is forbidden, by its index."""
    index = min(blocked)
    value, text = asked.values[index], by.values[blocked[index]]
    every = asked.path[-1] == "required_sections" or len(blocked) == len(asked.values)
    said = f"{by.name} forbids it" if text == value else f"{by.name} forbids `{text}`"
    return Clash(
        (*asked.path, index),
        f"no output can pass both: `{value}` is asked for here, and {said}"
        if every
        else f"`{value}` can never match: {said}",
        "take it out of one of the two checks",
        (*by.path, blocked[index]),
        "forbidden here",
    )


def always_one(checks: Sequence[Placed]) -> Iterator[Clash]:
    """Yield where what fails one check, which forbids, passes another for certain."""
    index = _Index()
    for placed in checks:
        asked = asked_in(placed) if placed[1]["kind"] == "must_contain_any" else None
        if asked is not None:
            index.add(asked)
    for placed in checks:
        by = forbidden_in(placed) if placed[1]["kind"] == "must_not_contain" else None
        if by is None or not index.lists:
            continue
        passing: set[int] | None = None
        for text in by.values:
            found = {number for number, _ in index.within(text, sensitive=by.sensitive)}
            passing = found if passing is None else passing & found
            if not passing:
                break
        for number in sorted(passing or ()):
            asked = index.lists[number]
            yield Clash(
                asked.path,
                f"every output passes this check or {by.name}, and one of them is enough",
                "take one of the two checks out, or combine them by all_pass",
                by.path,
                "what fails here passes there",
            )
