"""The glob patterns of a configuration, matched against paths relative to its folder."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import PurePosixPath, PureWindowsPath


def pattern_error(pattern: str) -> str | None:
    """Return why a pattern can match no file of a workspace, or None if it can."""
    parts = pattern.replace("\\", "/").split("/")
    if not pattern.strip():
        return "is empty"
    if PurePosixPath(pattern).is_absolute() or PureWindowsPath(pattern).drive:
        return "is absolute; patterns are relative to the folder of the configuration"
    if ".." in parts:
        return "contains `..`; patterns are relative to the folder of the configuration"
    return None


def excludes(patterns: tuple[str, ...], relative: str) -> bool:
    """Whether one of `patterns` matches a file or a folder above it; `*` also matches `/`."""
    path = PurePosixPath(relative)
    names = [relative, *(str(folder) for folder in path.parents if folder.parts)]
    return any(fnmatch(name, _normalized(pattern)) for pattern in patterns for name in names)


def selects(pattern: str, relative: str) -> bool:
    """Whether a pattern matches a file, starting at any folder of its path.

    `*` matches within one folder, `**` any number of folders.
    """
    parts, names = _normalized(pattern).split("/"), relative.split("/")
    return any(_match(parts, names[start:]) for start in range(len(names)))


def _match(parts: list[str], names: list[str]) -> bool:
    if not parts:
        return not names
    if parts[0] == "**":
        return any(_match(parts[1:], names[start:]) for start in range(len(names) + 1))
    return bool(names) and fnmatch(names[0], parts[0]) and _match(parts[1:], names[1:])


def _normalized(pattern: str) -> str:
    return pattern.removeprefix("./").rstrip("/")
