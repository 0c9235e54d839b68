"""Texts that an output must contain, beside texts that it must not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.path import Path


@dataclass(frozen=True, slots=True)
class Clash:
    """Two places of a rubric that contradict each other."""

    path: Path
    message: str
    advice: str
    other: Path
    other_message: str


def name_of(path: Path, check: dict[str, Any]) -> str:
    """Return what a check is called."""
    return f"`{check['id']}`" if "id" in check else f"check {int(path[-1]) + 1}"


@dataclass(frozen=True, slots=True)
class _Texts:
    path: Path
    values: list[str]
    sensitive: bool


def implies(held: str, part: str, *, held_sensitive: bool, part_sensitive: bool) -> bool:
    """Tell whether a text that contains `held` contains `part` for certain, by their case rules."""
    if not part_sensitive:
        return part.lower() in held.lower()
    return part in held and (held_sensitive or part.lower() == part.upper())


def _forbidden(path: Path, check: dict[str, Any]) -> _Texts | None:
    if check["kind"] == "must_not_contain":
        return _Texts((*path, "values"), check["values"], check.get("case_sensitive", False))
    if check["kind"] == "markdown_structure" and "forbidden_patterns" in check:
        values = check["forbidden_patterns"]
        return _Texts((*path, "forbidden_patterns"), values, sensitive=True)
    return None


def _blocked(value: str, *, sensitive: bool, by: _Texts) -> int | None:
    """Return which forbidden text stands in every output that contains a value."""
    for index, text in enumerate(by.values):
        if implies(value, text, held_sensitive=sensitive, part_sensitive=by.sensitive):
            return index
    return None


def texts(one: tuple[Path, dict[str, Any]], other: tuple[Path, dict[str, Any]]) -> Iterator[Clash]:
    """Yield that a text asked for in one check is forbidden in another."""
    path, check = one
    by = _forbidden(*other)
    if by is None:
        return
    if check["kind"] == "must_contain_any":
        key, sensitive = "values", check.get("case_sensitive", False)
    elif check["kind"] == "markdown_structure":
        key, sensitive = "required_sections", False
    else:
        return
    values = check.get(key, [])
    blocked = [_blocked(each, sensitive=sensitive, by=by) for each in values]
    index = next((n for n, found in enumerate(blocked) if found is not None), None)
    if index is None:
        return
    text, name = by.values[blocked[index] or 0], name_of(*other)
    every = key == "required_sections" or None not in blocked
    said = f"{name} forbids it" if text == values[index] else f"{name} forbids `{text}`"
    yield Clash(
        (*path, key, index),
        f"no output can pass both: `{values[index]}` is asked for here, and {said}"
        if every
        else f"`{values[index]}` can never count: {said}",
        "take it out of one of the two checks",
        (*by.path, blocked[index] or 0),
        "forbidden here",
    )


def always_one(
    one: tuple[Path, dict[str, Any]], other: tuple[Path, dict[str, Any]]
) -> Iterator[Clash]:
    """Yield that what fails the one check, which forbids, passes the other."""
    path, check = one
    by = _forbidden(*other)
    if check["kind"] != "must_contain_any" or by is None or other[1]["kind"] != "must_not_contain":
        return
    sensitive = check.get("case_sensitive", False)
    if all(
        any(
            implies(text, value, held_sensitive=by.sensitive, part_sensitive=sensitive)
            for value in check["values"]
        )
        for text in by.values
    ):
        yield Clash(
            (*path, "values"),
            f"every output passes this check or {name_of(*other)}, and one of them is enough",
            "take one of the two checks out, or combine them by all_pass",
            by.path,
            "what fails here passes there",
        )
