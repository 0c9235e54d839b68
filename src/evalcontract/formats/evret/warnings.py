"""Warn of what the loader silently accepts, but scores differently than intended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from evalcontract.formats.evret.releases import (
    ANSWERS,
    ID_KEYS,
    NAMES,
    READ_BY,
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
from evalcontract.model.nearest import nearest, normalise
from evalcontract.model.values import quoted

if TYPE_CHECKING:
    from evalcontract.formats._format import SchemaChecker
    from evalcontract.formats.evret.releases import Release


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


_NAMES = tuple(name for pair in NAMES for name in pair)
_TEXTS = NAMES[1]
_NO_BOM = "save the file as UTF-8 without a byte order mark"
# Delimiters of other programs.
_DELIMITERS = {";": "semicolons", "\t": "tabs", "|": "bars"}


@dataclass(frozen=True)
class Header:
    """A header: its names as they are written, and as the loader reads them."""

    written: tuple[str, ...]
    read: tuple[str, ...]
    release: Release

    @property
    def has_text(self) -> bool:
        """Whether there is a column for the text of a query."""
        return any(name in self.read for name in _TEXTS)

    @cached_property
    def known(self) -> tuple[str, ...]:
        """The columns that the release reads."""
        return (*_NAMES, *self.release.list_columns)

    def problems(self, schema: SchemaChecker, *, has_rows: bool) -> list[Problem]:
        """Return the problems of the header."""
        problems: list[Problem] = []
        unknown = self._unknown()
        if not self.has_text and has_rows:
            meant = self._meant_text(unknown)
            problems.append(self._no_text(meant))
            unknown = [] if self._delimiter else [name for name in unknown if name != meant]
        elif hidden := self._hidden():
            problems.append(hidden)
        problems += self._unread(unknown, schema)
        problems += self._duplicates()
        if not any(name in self.read for name in self.release.columns):
            others = [name for name in self.of_others if name in self.written]
            problems += [read_by_others(name, (name,), self.release) for name in others]
        has_list = any(name in self.read for name in self.release.list_columns)
        is_told = any(map(self._is_of_a_list, problems))
        if has_rows and self.has_text and not has_list and not is_told:
            problems.append(self._nothing_expected())
        return problems

    @property
    def of_others(self) -> tuple[str, ...]:
        """The columns of document ids that only other releases read."""
        return tuple(name for name in ID_KEYS if name not in self.known)

    def _is_of_a_list(self, problem: Problem) -> bool:
        """Whether a problem says why a column of expectations is not read."""
        texts = f"{problem.message} {problem.help}"
        return any(f"`{name}`" in texts for name in (*self.release.list_columns, *ID_KEYS))

    @property
    def _delimiter(self) -> str | None:
        """The delimiter of a header with a single name, if it is not the comma."""
        if len(self.written) != 1:
            return None
        return next((word for char, word in _DELIMITERS.items() if char in self.written[0]), None)

    def _unknown(self) -> list[str]:
        ignored = (*self.known, *ID_KEYS, "metadata")
        return [name for name in dict.fromkeys(self.written) if name not in ignored]

    def _meant_text(self, unknown: list[str]) -> str | None:
        return next(filter(None, (nearest(name, unknown) for name in _TEXTS)), None)

    def _no_text(self, meant: str | None) -> Problem:
        code = "evret/missing-key"
        message = "the header has neither `query_text` nor `query`"
        if any(name in self.written for name in _TEXTS):
            hidden = self.written[0]
            message = f"a byte order mark hides the required column `{hidden}`"
            return Problem(code, message, (hidden,), _NO_BOM)
        if meant is not None:
            message = f"{message}; names must match exactly, and `{meant}` does not"
            return Problem(code, message, (meant,), "rename it to `query_text`")
        advice = "add a column `query_text`"
        if self._delimiter:
            advice = f"put commas between the cells, not {self._delimiter}"
        return Problem(code, message, (), advice)

    def _hidden(self) -> Problem | None:
        if self.written[:1] == self.read[:1] or self.written[0] not in self.known:
            return None
        message = f"a byte order mark hides the column `{self.written[0]}`"
        return Problem("evret/hidden-column", message, (self.written[0],), _NO_BOM)

    def _unread(self, unknown: list[str], schema: SchemaChecker) -> Iterator[Problem]:
        known_names = {normalise(name): name for name in self.known}
        present = dict.fromkeys((name for name in self.written if name in self.known), "")
        for name in unknown:
            near = known_names.get(normalise(name))
            if near and near not in self.read:
                message = f"the column `{name}` is not read: names must match exactly"
                advice = f"rename it to `{near}`"
                yield Problem("evret/near-miss-key", message, (name,), advice, on_key=True)
            else:
                problems = schema.unread({**present, name: ""}, ())
                yield from (problem for problem in problems if problem.path == (name,))

    def _duplicates(self) -> Iterator[Problem]:
        for name, count in Counter(self.read).items():
            if count > 1 and name in self.known:
                message = f"{count} columns are named `{name}`: only the last one is read"
                advice = "remove the others"
                yield Problem("evret/duplicate-column", message, (name,), advice, on_key=True)

    def _nothing_expected(self) -> Problem:
        message = "no column has expectations: every metric is 0.0, whatever is retrieved"
        columns = quoted(self.release.list_columns[:2], " or ")
        return Problem("evret/nothing-expected", message, (), f"add a column {columns}")
