"""Find checks of a rubric that contradict each other; only certain contradictions are reported.

Checks are compared through an index, so the work grows with the number of checks, not of pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from evalcontract.analysis.texts import composed, folded
from evalcontract.model.diagnostic import Path
from evalcontract.model.startup import NamedTuple

Placed = tuple[Path, dict[str, Any]]

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
        return folded(part) in folded(held)
    is_part = composed(part) in composed(held)
    return is_part and (held_sensitive or part.lower() == part.upper())


# The key of the texts that a check forbids or requires, by its kind.
_FORBIDDING = {"must_not_contain": "values", "markdown_structure": "forbidden_patterns"}
_REQUIRING = {"must_contain_any": "values", "markdown_structure": "required_sections"}


def forbidden_texts(placed: Placed) -> Texts | None:
    """Return the texts that a check forbids; None if there are none, or if rows have them."""
    return _texts(placed, _FORBIDDING)


def required_texts(placed: Placed) -> Texts | None:
    """Return the texts that a check requires; None if there are none, or if rows have them."""
    return _texts(placed, _REQUIRING)


def _texts(placed: Placed, keys: dict[str, str]) -> Texts | None:
    path, check = placed
    key = keys.get(check["kind"])
    if key not in check:
        return None
    has_choice = key == "values"
    sensitive = check.get("case_sensitive", False) if has_choice else key == "forbidden_patterns"
    return Texts(placed, (*path, key), check[key], sensitive)


class _Index:
    """An index of texts, case-folded, to find those that a given text implies."""

    def __init__(self) -> None:
        self.places: dict[str, list[tuple[int, int]]] = {}
        self.lengths: set[int] = set()
        self.long: dict[str, None] = {}
        self.lists: list[Texts] = []

    def add(self, texts: Texts) -> None:
        for index, value in enumerate(texts.values):
            key = folded(value)
            places = self.places.setdefault(key, [])
            if len(places) < _MAX_PLACES:
                places.append((len(self.lists), index))
            if len(key) <= _WINDOW:
                self.lengths.add(len(key))
            else:
                self.long[key] = None
        self.lists.append(texts)

    def within(self, held: str, *, sensitive: bool) -> Iterator[tuple[int, int]]:
        """Yield the list number and index of each text that `held` implies."""
        for part in self._parts(folded(held)):
            for number, index in self.places[part]:
                texts = self.lists[number]
                if implies(
                    held,
                    texts.values[index],
                    held_sensitive=sensitive,
                    part_sensitive=texts.sensitive,
                ):
                    yield number, index

    def _parts(self, text: str) -> set[str]:
        parts = {part for part in self.long if part in text}
        for length in self.lengths:
            for start in range(len(text) - length + 1):
                part = text[start : start + length]
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
    """Report required values that contain a forbidden text."""
    # `blocked` maps the index of each such value to the index of the forbidden text.
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


#: The ways to combine for which one passing check is enough.
ALTERNATIVES = ("any_pass", "max")


def find_clashes(checks: Sequence[Placed], combine: str) -> Iterator[Clash]:
    """Yield the contradictions among the checks of a rubric, each once.

    If one passing check is enough (`any_pass`, `max`), the checks are alternatives and may exclude
    each other. In that case, pairs of which one always passes are reported instead.
    """
    for path, check in checks:
        yield from _heading_levels(path, check)
    yield from _opposites(checks, combine)
    if combine in ALTERNATIVES:
        for placed in checks:
            yield from _tools([placed])
        yield from always_one(checks)
    else:
        yield from _tools(checks)
        yield from clashing_texts(checks)
        yield from _lengths(checks)
        yield from _formats(checks)


def _heading_levels(path: Path, check: dict[str, Any]) -> Iterator[Clash]:
    if check["kind"] != "markdown_structure" or not check.get("no_h1"):
        return
    key = next((key for key in ("min_headings", "required_sections") if check.get(key)), "")
    if check.get("max_heading_level") == 1 and key:
        message = "no output can pass: the only level that `max_heading_level` allows is forbidden"
        advice = "raise `max_heading_level`, or remove `no_h1`"
        yield Clash((*path, "no_h1"), message, advice, (*path, key), "headings are required here")


# Tools


def tool_names(expected: Sequence[Any]) -> list[str]:
    """Return the names of the expected tools, each a name or a dict with name and arguments."""
    return [tool["name"] if isinstance(tool, dict) else tool for tool in expected]


def min_calls(names: Sequence[str], *, any_tool: bool) -> int:
    """Return the minimum number of calls needed to call the expected tools."""
    return min(1, len(names)) if any_tool else len(set(names))


def forbidden_tools(checks: Sequence[Placed]) -> dict[str, Path]:
    """Return the tools that the checks forbid, each with the path of its first occurrence."""
    forbidden: dict[str, Path] = {}
    for path, check in checks:
        for index, name in enumerate(check.get("forbidden_tools", ())):
            forbidden.setdefault(name, (*path, "forbidden_tools", index))
    return forbidden


def _tools(checks: Sequence[Placed]) -> Iterator[Clash]:
    forbidden = forbidden_tools(checks)
    most: tuple[int, Path] = (0, ())
    for path, check in checks:
        names, any_tool = tool_names(check.get("expected_tools", ())), check.get("match") == "any"
        most = max(most, (min_calls(names, any_tool=any_tool), path), key=lambda calls: calls[0])
        shared = [index for index, name in enumerate(names) if name in forbidden]
        if shared:
            name = names[shared[0]]
            has_alternative = any_tool and len(shared) < len(names)
            yield Clash(
                (*path, "expected_tools", shared[0]),
                f"`{name}` can never match: it is forbidden"
                if has_alternative
                else f"no output can pass: `{name}` is both expected and forbidden",
                "remove it from one of the two lists",
                forbidden[name],
                "forbidden here",
            )
    least, expecting = most
    for path, check in checks:
        if "max_calls" in check and check["max_calls"] < least:
            yield Clash(
                (*path, "max_calls"),
                f"no output can pass: the limit on calls is {check['max_calls']}, "
                f"but the expected tools need {least}",
                f"allow at least {least}",
                (*expecting, "expected_tools"),
                "expected here",
            )


# Length and format


def _lengths(checks: Sequence[Placed]) -> Iterator[Clash]:
    requiring = [
        (path, check)
        for path, check in checks
        if check["kind"] == "must_contain_any" and "values" in check
    ]
    if not requiring:
        return
    path, check = max(requiring, key=_shortest)
    least = _shortest((path, check))
    for place, limits in checks:
        if least > limits.get("max_chars", least):
            yield Clash(
                (*place, "max_chars"),
                f"no output can pass both: {name_of(path, check)} requires at least {least} "
                "characters",
                f"allow at least {least} characters",
                (*path, "values"),
                "required here",
            )


def _shortest(placed: Placed) -> int:
    return min(map(len, placed[1]["values"]))


def _formats(checks: Sequence[Placed]) -> Iterator[Clash]:
    """Yield checks that require Markdown if another one requires JSON."""
    # A line of a JSON document starts with a bracket, a quote, a digit, a minus before a digit, a
    # comma, a colon or a letter of true, false and null. So no line is a heading or its underline
    # or opens a fenced block.
    json = next(((*placed, key) for placed in checks if (key := _of_json(placed[1]))), None)
    if json is None:
        return
    place, limits, key = json
    for path, check in checks:
        markdown = markdown_key(check)
        if markdown is not None:
            yield Clash(
                (*path, markdown),
                f"no output can pass both: {name_of(place, limits)} requires the whole output to "
                "be JSON, which has no headings and no fenced blocks",
                "remove one of the two checks",
                (*place, key),
                "requires JSON",
            )


def _of_json(check: dict[str, Any]) -> str | None:
    if check["kind"] == "format" and check.get("format") == "json":
        return "format"
    whole = check["kind"] == "json_schema" and check.get("extract", "whole") == "whole"
    return "kind" if whole else None


def markdown_key(check: dict[str, Any]) -> str | None:
    """Return the key by which a check requires headings or fenced blocks, or None."""
    match check:
        case {"kind": "markdown_structure"}:
            keys = ("min_headings", "required_sections", "min_code_blocks")
            return next((key for key in keys if check.get(key)), None)
        case {"kind": "php_lint", "on_no_code": "fail"}:
            return "on_no_code"
        case {"kind": "json_schema", "extract": "first_fence"}:
            return "extract"
    return None


def _opposites(checks: Sequence[Placed], combine: str) -> Iterator[Clash]:
    """Yield patterns that must match in one check and must not match in another."""
    first: dict[tuple[Any, ...], Placed] = {}
    for path, check in checks:
        if check["kind"] != "regex":
            continue
        same = (check["pattern"], frozenset(check.get("flags", ())), check.get("match", "search"))
        negate = check.get("negate", False)
        first.setdefault((*same, negate), (path, check))
        if (*same, not negate) in first:
            place, limits = first[*same, not negate]
            yield Clash(
                (*path, "pattern"),
                f"every output passes this check or {name_of(place, limits)}, and one is enough"
                if combine in ALTERNATIVES
                else f"no output can pass both: {name_of(place, limits)} requires the opposite",
                "remove one of the two checks",
                (*place, "pattern"),
                "the same pattern",
            )
