"""Apply fixes to a parsed value, independently of its text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Move, Rename, Write

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.model.diagnostic import Fix, Path


def fixed(value: Any, fixes: Iterable[Fix]) -> Any:
    """Return a copy of a value with fixes applied.

    Raises:
        LookupError: a path does not exist, or the target of a move or a rename does.

    """
    copy = _Copy(value)
    # Paths refer to the original value: apply the deepest first, and values before their keys.
    for fix in sorted(fixes, key=lambda fix: (-len(fix.path), not isinstance(fix.edit, Write))):
        copy.make(fix)
    return copy.value


class _Copy:
    """A copy-on-write copy of a value; a part that aliases share is copied for each path."""

    def __init__(self, value: Any) -> None:
        self._own: dict[int, Any] = {}
        self.value = self._copied(value)

    def make(self, fix: Fix) -> None:
        *parents, last = fix.path
        holder = self._at(parents)
        match fix.edit:
            case Write(new) if not isinstance(holder[last], dict | list):
                holder[last] = new
            case Rename(key):
                _put(holder, key, holder[last])
                del holder[last]
            case Move(to):
                self._move(fix.path, to)
            case _:
                raise LookupError(fix.path)

    def _move(self, path: Path, to: Path) -> None:
        *parents, key = path
        holder = self._at(parents)
        part = holder[key]
        *home, name = to
        above = self._at(home[:-1])
        if home and isinstance(home[-1], str) and isinstance(above, dict):
            above.setdefault(home[-1], {})
        _put(self._at(home), name, part)
        del holder[key]
        if not holder and parents and isinstance(parents[-1], str):
            del self._at(parents[:-1])[parents[-1]]

    def _at(self, path: Iterable[str | int]) -> Any:
        """Return the mapping or list at a path, copying the parts on the way to it."""
        value = self.value
        for step in path:
            value[step] = value = self._copied(value[step])
        return value

    def _copied(self, part: Any) -> Any:
        if not isinstance(part, dict | list):
            raise LookupError  # noqa: TRY004 - the path does not exist
        if id(part) not in self._own:
            part = part.copy()
            self._own[id(part)] = part  # keeps it alive, so that its id is not reused
        return part


def _put(holder: Any, key: str | int, part: Any) -> None:
    if not isinstance(holder, dict) or key in holder:
        raise LookupError(key)
    holder[key] = part
