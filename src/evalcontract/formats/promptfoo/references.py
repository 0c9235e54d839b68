"""Replace each `$ref` in a configuration of promptfoo by what it names in the same file.

promptfoo replaces them before it reads anything else; keys beside a `$ref` count more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

if TYPE_CHECKING:
    from evalcontract.model.diagnostic import Path

KEY = "$ref"
#: How many values the references of a file may name in all, how many of them may lead to one
#: another, and how deeply what comes of them may be nested.
_MAX_VALUES, _MAX_STEPS, _MAX_DEPTH = 200_000, 50, 100
_TOO_MANY = "the references of the file name too many values, which are not looked at"
_TOO_DEEP = "references lead to one another too often, and are not looked at"


class UnresolvedError(Exception):
    """A reference that is not replaced: where it stands, and why.

    It `is_elsewhere` if it names another file, so that promptfoo may find what we do not look for.
    """

    def __init__(self, path: Path, reason: str, *, is_elsewhere: bool = False) -> None:
        super().__init__(reason)
        self.path = path
        self.reason = reason
        self.is_elsewhere = is_elsewhere

    def at(self, path: Path) -> UnresolvedError:
        """Return the error at another place."""
        return UnresolvedError(path, self.reason, is_elsewhere=self.is_elsewhere)


class References:
    """The references of one configuration."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._values_left = _MAX_VALUES
        self._steps = 0
        # What a name stands for, how many values that has and how deeply it is nested; or why it
        # stands for nothing.
        self._targets: dict[str, tuple[Any, int, int] | UnresolvedError] = {}

    def replaced(self, value: Any, path: Path) -> Any:
        """Return a value without references; the same value if it has none.

        Raises:
            UnresolvedError: a reference leads nowhere, to itself or to another file.

        """
        if not _has_reference(value):
            return value
        if len(path) > _MAX_DEPTH:
            raise UnresolvedError(path, _TOO_DEEP, is_elsewhere=True)
        if isinstance(value, list):
            return [self.replaced(each, (*path, at)) for at, each in enumerate(value)]
        name = value.get(KEY)
        rest = {
            key: self.replaced(each, (*path, key))
            for key, each in value.items()
            if key != KEY or not _is_reference(each)
        }
        if not _is_reference(name):
            return rest
        target = self._target(name, path)
        if not rest:
            return target
        return {**(target if isinstance(target, dict) else {}), **rest}

    def _target(self, name: str, path: Path) -> Any:
        """Return what a name stands for, without references."""
        if name not in self._targets:
            self._targets[name] = UnresolvedError(path, f"`{name}` leads to itself")
            self._steps += 1
            try:
                target = self.replaced(self._named(name, path), path)
                self._targets[name] = target, *_measured(target)
            except UnresolvedError as error:
                self._targets[name] = error
            finally:
                self._steps -= 1
        known = self._targets[name]
        if isinstance(known, UnresolvedError):  # where the first of the references stands
            raise known.at((*path, KEY))
        target, size, depth = known
        self._values_left -= size
        if self._values_left < 0 or len(path) + depth > _MAX_DEPTH:
            reason = _TOO_MANY if self._values_left < 0 else _TOO_DEEP
            raise UnresolvedError((*path, KEY), reason, is_elsewhere=True)
        return target

    def _named(self, name: str, path: Path) -> Any:
        """Return what a JSON pointer of the file names."""
        if not name.startswith("#"):
            reason = f"`{name}` is not looked at"
            raise UnresolvedError((*path, KEY), reason, is_elsewhere=True)
        if self._steps > _MAX_STEPS:
            raise UnresolvedError((*path, KEY), _TOO_DEEP, is_elsewhere=True)
        value = self._root
        for step in name.split("/")[1:]:
            key = unquote(step).replace("~1", "/").replace("~0", "~")
            if isinstance(value, list) and _is_index(key, value):
                value = value[int(key)]
            elif isinstance(value, dict) and key in value:
                value = value[key]
            else:
                raise UnresolvedError((*path, KEY), f"there is no `{name}`")
        return value


def _is_reference(value: Any) -> bool:
    """Whether promptfoo follows a name: a pointer in the file, or the name of another one."""
    if not isinstance(value, str) or not value:
        return False
    return value == "#" or value.startswith("#/") or not value.startswith("#")


def _is_index(key: str, values: list[Any]) -> bool:
    is_number = key.isascii() and key.isdigit() and len(key) <= len(str(len(values)))
    return is_number and int(key) < len(values)


def _measured(value: Any) -> tuple[int, int]:
    """Return how many values a value has, itself included, and how deeply it is nested.

    Of a value with too many it is enough to know that.
    """
    level, size, depth = [value], 0, 0
    while level and size <= _MAX_VALUES:
        size, depth = size + len(level), depth + 1
        parts = (each.values() if isinstance(each, dict) else each for each in level
                 if isinstance(each, dict | list))  # fmt: skip
        level = [part for each in parts for part in each]
    return size, depth


def _has_reference(value: Any) -> bool:
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, dict):
            if _is_reference(each.get(KEY)):
                return True
            pending += each.values()
        elif isinstance(each, list):
            pending += each
    return False
