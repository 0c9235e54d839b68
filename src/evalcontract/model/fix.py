"""What mends a finding: one small edit, and whether it is certain to be what its author meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evalcontract.model.path import format_path

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcontract.model.path import Path

Scalar = str | int | float | bool | None


class Rename(NamedTuple):
    """The key gets another name; what stands below it stays."""

    key: str


class Move(NamedTuple):
    """The key, with what stands below it, goes to another path, whose last step is the key itself.

    The mapping that it goes to is made where it is not there, and the one that it leaves goes if
    nothing is left in it.
    """

    to: Path


class Write(NamedTuple):
    """The scalar becomes another one."""

    value: Scalar


Edit = Rename | Move | Write


class Fix(NamedTuple):
    """An edit of what stands at a path.

    It is `safe` where it is certain to keep what the author meant; the others are made only for
    who asks for them.
    """

    path: Path
    edit: Edit
    safe: bool = True

    def relocated(self, change: Callable[[Path], Path]) -> Fix:
        """Return the same fix with its paths changed: below a prefix, say."""
        edit = self.edit
        if isinstance(edit, Move):
            edit = Move(change(edit.to))
        return self._replace(path=change(self.path), edit=edit)

    @property
    def kind(self) -> str:
        """The word for the edit: `rename`, `move` or `write`."""
        return type(self.edit).__name__.lower()

    @property
    def target(self) -> Scalar:
        """What comes of it: the new name, the new path as JSONPath, or the new value."""
        match self.edit:
            case Rename(key):
                return key
            case Move(to):
                return format_path(to)
            case Write(value):
                return value
