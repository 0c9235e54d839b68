"""What a value is once fixes are made in it, whatever text it came from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.fix import Move, Rename, Write

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.model.fix import Fix
    from evalcontract.model.path import Path


def fixed(value: Any, fixes: Iterable[Fix]) -> Any:
    """Return a value with fixes made in it; the value itself stays as it is.

    Raises:
        LookupError: there is nothing at a path, or there is where something is to go.

    """
    copy = _Copy(value)
    # What stands deeper comes first, and a value before its key: their paths are those of before.
    for fix in sorted(fixes, key=lambda each: (-len(each.path), not isinstance(each.edit, Write))):
        copy.make(fix)
    return copy.value


class _Copy:
    """A copy of a value, as far as it is changed; what two aliases share is copied for each."""

    def __init__(self, value: Any) -> None:
        self._own: dict[int, Any] = {}
        self.value = self._copied(value)

    def make(self, fix: Fix) -> None:
        *way, last = fix.path
        holder = self._at(way)
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
        *way, key = path
        holder = self._at(way)
        part = holder[key]
        *home, name = to
        above = self._at(home[:-1])
        if home and isinstance(home[-1], str) and isinstance(above, dict):
            above.setdefault(home[-1], {})
        _put(self._at(home), name, part)
        del holder[key]
        if not holder and way and isinstance(way[-1], str):
            del self._at(way[:-1])[way[-1]]

    def _at(self, path: Iterable[str | int]) -> Any:
        """Return the mapping or list at a path, copied on the way."""
        here = self.value
        for step in path:
            here[step] = here = self._copied(here[step])
        return here

    def _copied(self, part: Any) -> Any:
        if not isinstance(part, dict | list):
            raise LookupError  # noqa: TRY004 - the path leads nowhere
        if id(part) not in self._own:
            part = part.copy()
            self._own[id(part)] = part  # kept, so that nothing else gets its id
        return part


def _put(holder: Any, key: str | int, part: Any) -> None:
    if not isinstance(holder, dict) or key in holder:
        raise LookupError(key)
    holder[key] = part
