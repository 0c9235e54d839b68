"""Codes that were renamed: their old names go on working; `docs/versioning.md` says how long."""

from __future__ import annotations

#: What is called otherwise since 1.0: the old name of each code, and the present one. An old name
#: is never given to another fault, so none is ever removed from here.
RENAMED: dict[str, str] = {}


def current_code(name: str) -> str:
    """Return the present name of a renamed code; any other name as it is."""
    return RENAMED.get(name, name)
