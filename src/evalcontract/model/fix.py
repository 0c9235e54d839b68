"""Fixes of findings: one small edit each, safe or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.path import format_path
from evalcontract.model.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcontract.model.path import Path

Scalar = str | int | float | bool | None


class Rename(NamedTuple):
    """Rename the key and keep its value."""

    key: str


class Move(NamedTuple):
    """Move the key with its value to another path, which ends with the new key.

    The target mapping is created if it is missing, and the source mapping is removed if it becomes
    empty.
    """

    to: Path


class Write(NamedTuple):
    """Replace the scalar."""

    value: Scalar


Edit = Rename | Move | Write


class Fix(NamedTuple):
    """An edit at a path.

    It is `safe` if it certainly preserves what the author meant. Other fixes are applied only on
    request.
    """

    path: Path
    edit: Edit
    safe: bool = True

    def relocated(self, change: Callable[[Path], Path]) -> Fix:
        """Return the same fix with its paths changed, for example prefixed."""
        edit = self.edit
        if isinstance(edit, Move):
            edit = Move(change(edit.to))
        return self._replace(path=change(self.path), edit=edit)

    @property
    def kind(self) -> str:
        """The name of the edit: `rename`, `move` or `write`."""
        return type(self.edit).__name__.lower()

    @property
    def target(self) -> Scalar:
        """The result of the edit: the new key, the new path as JSONPath, or the new value."""
        match self.edit:
            case Rename(key):
                return key
            case Move(to):
                return format_path(to)
            case Write(value):
                return value
