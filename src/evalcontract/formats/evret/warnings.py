"""Warn of what the loader silently accepts, but scores differently than intended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evalcontract.formats._findings import quoted
from evalcontract.formats.evret.releases import (
    ANSWERS,
    ID_KEYS,
    NAMES,
    READ_BY,
    Release,
    first_non_empty,
    ids_key,
    items_of,
    kind_of,
    label_of,
    parsed,
    shown,
    text_of,
)
from evalcontract.model.diagnostic import Path, Problem, Related


def query_warnings(row: dict[str, Any], path: Path, release: Release) -> Iterator[Problem]:
    """Yield the warnings of a valid query, except those of `missing_expectation`."""
    for names in NAMES:
        yield from _shadowed_name(row, names, path)
        yield from not_text(row, first_non_empty(row, names), path)
    yield from _shadowed_ids(row, path, release)
    yield from _unread_ids(row, path, release)
    for key in (ids_key(row, release), ANSWERS):
        if key:
            yield from _item_warnings(row.get(key), (*path, key))
    for key in release.lists:
        yield from read_as_missing(row, key, path, (None, []), "an empty list")


def missing_expectation(row: dict[str, Any], path: Path, release: Release) -> Problem | None:
    """Report a query without expectations, or with answers that do not count beside its ids."""
    query = parsed(row, release)
    if query.ids and query.answers:
        message = f"`{ANSWERS}` is ignored: {release.title} scores this query by document ids"
        advice = f"remove one of `{ids_key(row, release)}` and `{ANSWERS}`"
        return Problem("evret/ignored-answers", message, (*path, ANSWERS), advice)
    if query.ids or query.answers:
        return None
    message = "the query has no expectations: every metric is 0.0, whatever is retrieved"
    advice = f"write {quoted((*release.ids[:1], ANSWERS), ' or ')}"
    return Problem("evret/nothing-expected", message, path, advice)


def _unread_ids(row: dict[str, Any], path: Path, release: Release) -> Iterator[Problem]:
    """Yield the keys that only other releases read, unless another key has the same items."""
    read = items_of(row.get(ids_key(row, release) or ""))
    for key in ID_KEYS:
        if row.get(key) and key not in release.lists and items_of(row[key]) != (read or None):
            yield read_by_others(key, (*path, key), release)


def read_by_others(key: str, path: Path, release: Release) -> Problem:
    """Report a key that only other releases read."""
    message = f"{release.title} does not read `{key}`; {READ_BY[key]} does"
    advice = f"write `{release.preferred}`"
    if not release.ids:
        advice = f"{advice}, or use a release that reads document ids"
    return Problem("evret/other-release", message, path, advice, on_key=True)


def not_text(row: dict[str, Any], key: str | None, path: Path) -> Iterator[Problem]:
    """Yield a warning if a value is converted to a text."""
    if key is not None and not isinstance(row[key], str):
        yield _converted(row[key], f"`{key}`", (*path, key))


def read_as_missing(
    row: dict[str, Any], key: str, path: Path, plain: tuple[Any, ...], instead: str
) -> Iterator[Problem]:
    """Yield a warning if an empty value of a wrong type is read as missing."""
    value = row.get(key)
    if not value and not any(value == empty and type(value) is type(empty) for empty in plain):
        message = f"`{key}` is {kind_of(value)} (`{shown(value)}`), which is read as {instead}"
        yield Problem("evret/taken-for-absent", message, (*path, key), "remove it")


def _converted(value: Any, name: str, path: Path) -> Problem:
    text = shown(text_of(value))
    message = f"{name} is {kind_of(value)}, which is converted to the text `{text}`"
    advice = "write a text, or remove it" if value is None else "write it as a text, in quotes"
    return Problem("evret/not-text", message, path, advice)


def _shadowed_name(row: dict[str, Any], names: tuple[str, str], path: Path) -> Iterator[Problem]:
    first, second = names
    if row.get(first) and row.get(second) and text_of(row[first]) != text_of(row[second]):
        yield _shadowed(first, second, path)


def _shadowed_ids(row: dict[str, Any], path: Path, release: Release) -> Iterator[Problem]:
    used = ids_key(row, release)
    read = items_of(row.get(used)) if used else []
    for key in (*release.ids, *((release.last,) if release.last else ())):
        given = row.get(key)
        if key == used or not given or (isinstance(given, list) and items_of(given) in ([], read)):
            continue
        if used is not None and (read or key != release.last):
            yield _shadowed(used, key, path)
        elif key == release.last:
            yield _shadowed(ANSWERS, key, path)


def _shadowed(first: str, second: str, path: Path) -> Problem:
    return Problem(
        "evret/shadowed-key",
        f"`{second}` is ignored because of `{first}`",
        (*path, second),
        "remove one of them",
        on_key=True,
        related=(Related("this one is read", (*path, first), on_key=True),),
    )


def _item_warnings(values: Any, path: Path) -> Iterator[Problem]:
    """Yield the items of a list that are not texts, blank, or duplicates."""
    seen: dict[str, int] = {}
    for index, value in enumerate(values if isinstance(values, list) else ()):
        text = text_of(value)
        where = (*path, index)
        if not text:
            yield Problem("evret/blank-item", "a blank item is dropped", where, "remove it")
            continue
        if not isinstance(value, str):
            yield _converted(value, "an item", where)
        first = seen.setdefault(label_of(text), index)
        if first != index:
            message = f"duplicate item `{shown(text)}` in `{path[-1]}` counts once"
            related = (Related("first here", (*path, first)),)
            yield Problem("evret/repeated-item", message, where, "remove it", related=related)
