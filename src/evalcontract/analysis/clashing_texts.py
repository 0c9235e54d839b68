"""Find texts that an output must contain but that contain a forbidden text.

The forbidden texts are indexed, so that thousands of checks need not be compared in pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.analysis.normalized import normalized
from evalcontract.model.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcontract.model.path import Path

Placed = tuple["Path", dict[str, Any]]

#: The maximum number of occurrences that are kept for the same text.
_MAX_PLACES = 8
#: For texts up to this length, every substring of another text is looked up; longer texts are
#: searched for one by one.
_WINDOW = 64


class Clash(NamedTuple):
    """A contradiction between two places of a rubric."""

    path: Path
    message: str
    advice: str
    other: Path
    other_message: str


class Texts(NamedTuple):
    """The texts of a check, their path, and whether they are case-sensitive."""

    check: Placed
    path: Path
    values: Sequence[str]
    sensitive: bool

    @property
    def name(self) -> str:
        """The name of the check in messages."""
        return name_of(*self.check)


def name_of(path: Path, check: dict[str, Any]) -> str:
    """Return the name of a check in messages: its id, or else its number."""
    return f"`{check['id']}`" if "id" in check else f"check {int(path[-1]) + 1}"


def implies(held: str, part: str, *, held_sensitive: bool, part_sensitive: bool) -> bool:
    """Whether every text that contains `held` also contains `part`, by their case sensitivity."""
    if not part_sensitive:
        return normalized(part, case_sensitive=False) in normalized(held, case_sensitive=False)
    is_part = normalized(part) in normalized(held)
    return is_part and (held_sensitive or part.lower() == part.upper())


def forbidden_texts(placed: Placed) -> Texts | None:
    """Return the texts that a check forbids; None if there are none, or if rows have them."""
    path, check = placed
    if check["kind"] == "must_not_contain" and "values" in check:
        sensitive = check.get("case_sensitive", False)
        return Texts(placed, (*path, "values"), check["values"], sensitive)
    if check["kind"] == "markdown_structure" and "forbidden_patterns" in check:
        values = check["forbidden_patterns"]
        return Texts(placed, (*path, "forbidden_patterns"), values, sensitive=True)
    return None


def required_texts(placed: Placed) -> Texts | None:
    """Return the texts that a check requires; None if there are none, or if rows have them."""
    path, check = placed
    if check["kind"] == "must_contain_any" and "values" in check:
        sensitive = check.get("case_sensitive", False)
        return Texts(placed, (*path, "values"), check["values"], sensitive)
    if check["kind"] == "markdown_structure" and "required_sections" in check:
        values = check["required_sections"]
        return Texts(placed, (*path, "required_sections"), values, sensitive=False)
    return None


class _Index:
    """An index of texts, case-folded, to find those that a given text implies."""

    def __init__(self) -> None:
        self.places: dict[str, list[tuple[int, int]]] = {}
        self.lengths: set[int] = set()
        self.long: dict[str, None] = {}
        self.lists: list[Texts] = []

    def add(self, texts: Texts) -> None:
        for index, value in enumerate(texts.values):
            folded = normalized(value, case_sensitive=False)
            places = self.places.setdefault(folded, [])
            if len(places) < _MAX_PLACES:
                places.append((len(self.lists), index))
            if len(folded) <= _WINDOW:
                self.lengths.add(len(folded))
            else:
                self.long[folded] = None
        self.lists.append(texts)

    def within(self, held: str, *, sensitive: bool) -> Iterator[tuple[int, int]]:
        """Yield the list number and index of each text that `held` implies."""
        for part in self._parts(normalized(held, case_sensitive=False)):
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
        parts = {part for part in self.long if part in folded}
        for length in self.lengths:
            for start in range(len(folded) - length + 1):
                part = folded[start : start + length]
                if part in self.places:
                    parts.add(part)
        return parts


def clashing_texts(checks: Sequence[Placed]) -> Iterator[Clash]:
    """Yield the texts that one check requires and another one forbids."""
    index = _Index()
    for forbidden in filter(None, map(forbidden_texts, checks)):
        index.add(forbidden)
    if not index.lists:
        return
    for required in filter(None, map(required_texts, checks)):
        blocked: dict[int, dict[int, int]] = {}
        for number, value in enumerate(required.values):
            for other, text in index.within(value, sensitive=required.sensitive):
                if index.lists[other].check is not required.check:
                    first = blocked.setdefault(other, {})
                    first[number] = min(text, first.get(number, text))
        for other in sorted(blocked):
            yield _clash(required, index.lists[other], blocked[other])


def _clash(required: Texts, forbidden: Texts, blocked: dict[int, int]) -> Clash:
    """Report required values that contain a forbidden text.

    `blocked` maps the index of each such value to the index of the forbidden text.
    """
    index = min(blocked)
    value, text = required.values[index], forbidden.values[blocked[index]]
    is_fatal = required.path[-1] == "required_sections" or len(blocked) == len(required.values)
    reason = f"{forbidden.name} forbids " + ("it" if text == value else f"`{text}`")
    return Clash(
        (*required.path, index),
        f"no output can pass both: `{value}` is required here, but {reason}"
        if is_fatal
        else f"`{value}` can never match: {reason}",
        "remove it from one of the two checks",
        (*forbidden.path, blocked[index]),
        "forbidden here",
    )


def always_one(checks: Sequence[Placed]) -> Iterator[Clash]:
    """Yield pairs of checks of which every output passes at least one."""
    index = _Index()
    for placed in checks:
        required = required_texts(placed) if placed[1]["kind"] == "must_contain_any" else None
        if required is not None:
            index.add(required)
    for placed in checks:
        forbidden = forbidden_texts(placed) if placed[1]["kind"] == "must_not_contain" else None
        if forbidden is None or not index.lists:
            continue
        passing: set[int] | None = None
        for text in forbidden.values:
            implied = {number for number, _ in index.within(text, sensitive=forbidden.sensitive)}
            passing = implied if passing is None else passing & implied
            if not passing:
                break
        for number in sorted(passing or ()):
            required = index.lists[number]
            yield Clash(
                required.path,
                f"every output passes this check or {forbidden.name}, and one is enough",
                "remove one of the two checks, or use `combine: all_pass`",
                forbidden.path,
                "an output that fails this check passes the other",
            )
