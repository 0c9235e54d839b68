"""What checkers of rows share: findings by code, lookups of values, graders and predictions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, TypeGuard

from evalcontract.formats._format import Format, RowChecker, SchemaChecker
from evalcontract.model.diagnostic import Path, Problem, Related
from evalcontract.model.values import clipped

_IGNORED_KEYS = ("near-miss-key", "misplaced-key", "foreign-key", "ignored-key")


def is_ignored_key(problem: Problem) -> bool:
    """Whether a problem reports a key that the loader silently ignores."""
    return problem.code.partition("/")[2] in _IGNORED_KEYS


def stops_loader(problems: Iterable[Problem]) -> bool:
    """Whether the loader rejects a value in which the schema reports these problems."""
    return not all(map(is_ignored_key, problems))


def is_below(problem: Problem, path: Path) -> bool:
    """Whether a problem is at a path or below it."""
    return problem.path[: len(path)] == path


def without(problems: Iterable[Problem], path: Path) -> list[Problem]:
    """Drop the problems at a path and below it."""
    return [problem for problem in problems if not is_below(problem, path)]


def missing_key(
    system: str, message: str, path: Path, key: str, near: str | None, advice: str | None
) -> Problem:
    """Report a missing key: at the key `near` that was probably meant, if there is one."""
    code = f"{system}/missing-key"
    if near is None:
        return Problem(code, message, path, advice)
    return Problem(
        code, message, (*path, near), f"`{near}` is not read: rename it to `{key}`", on_key=True
    )


def near_miss(system: str, message: str, path: Path, near: str) -> Problem:
    """Report a key, the last one of a path, that was probably meant as `near`."""
    return Problem(f"{system}/near-miss-key", message, path, f"did you mean `{near}`?", on_key=True)


def ragged_row(system: str, title: str, index: int, cells: int, width: int) -> Problem:
    """Report a row of a table that has not as many cells as the loader takes."""
    message = f"the row has {cells} cells, and the header {width}: {title} stops here"
    advice = "put a cell that contains commas in double quotes"
    return Problem(f"{system}/ragged-row", message, (index,), advice, row_index=index)


def bom_rejected(system: str, message: str) -> Problem:
    """Report a byte order mark at which the loader stops."""
    return Problem(f"{system}/rejected", message, (), "save it as UTF-8 without a byte order mark")


class FirstRows:
    """Remembers the first row of each name; stores one index per name."""

    def __init__(self) -> None:
        self._first: dict[str | bytes, str | int] = {}

    def before(self, name: str | bytes, path: Path) -> Path | None:
        """Return the path of the first row with a name if it comes before the row at `path`."""
        index = path[-1] if path else 0
        first = self._first.setdefault(name, index)
        return None if first == index else (*path[:-1], first)

    def duplicate(self, name: Any, path: Path, key: str, problem: Problem) -> Iterator[Problem]:
        """Yield a problem, with its place below `path` at `key`, if an earlier row has the name.

        `{name}` in the message stands for the name, `{clipped}` for its beginning, `{number}` for
        the earlier row, from 1, and `{key}` for the key. A name that is no string is not compared.
        """
        if isinstance(name, str) and (first := self.before(name, path)):
            number = int(first[-1]) + 1
            message = problem.message.format(
                name=name, clipped=clipped(name), number=number, key=key
            )
            related = (Related("first used here", (*first, key)),)
            yield problem._replace(message=message, path=(*path, key), related=related)


class SystemChecker(RowChecker):
    """One pass over the rows of a dialect: their names, and which of them expect nothing."""

    def __init__(self, dialect: Format, schema: SchemaChecker) -> None:
        self._variant = dialect.variant
        self._schema = schema
        self._names = FirstRows()
        self._bare: list[Path] = []

    def bare_rows(self, problem: Problem) -> Iterator[Problem]:
        """Yield a problem for each row that expects nothing."""
        for path in self._bare:
            index = path[-1] if path and isinstance(path[-1], int) else 0
            yield problem._replace(path=path, row_index=index)


def misspelled_messages(schema: SchemaChecker, messages: Any, path: Path) -> Iterator[Problem]:
    """Yield the keys of chat messages that are probably misspelled."""
    for index, message in enumerate(messages if isinstance(messages, list) else ()):
        if isinstance(message, dict):
            yield from schema.near_misses(message, (*path, index), "message")


def mapping_at(value: dict[str, Any], *keys: str) -> dict[str, Any]:
    """Return the mapping below some keys; an empty one if there is none."""
    for key in keys:
        inner = value.get(key)
        value = inner if isinstance(inner, dict) else {}
    return value


def is_list_of(value: Any, type_: type) -> TypeGuard[list[Any]]:
    """Whether a value is a list whose items have a type; an empty list is one."""
    return isinstance(value, list) and all(isinstance(item, type_) for item in value)


def without_keys(value: dict[str, Any], keys: Iterable[str | None]) -> dict[str, Any]:
    """Return a mapping without some keys."""
    dropped = {*keys}
    return {key: part for key, part in value.items() if key not in dropped}


def parsed_json(text: str, default: Any = None) -> Any:
    """Parse a JSON text; return the default if it is not valid."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return default


def may_be_json(cell: str) -> bool:
    """Whether a cell is read as JSON: one that begins as a mapping, a list or a text does."""
    return cell.lstrip()[:1] in ("{", "[", '"')


def has_lone_surrogate(text: str) -> bool:
    """Whether a text holds half of a surrogate pair, which UTF-8 cannot encode."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def as_json(value: Any) -> str:
    """Format a value as JSON with all characters as they are."""
    return json.dumps(value, ensure_ascii=False)
