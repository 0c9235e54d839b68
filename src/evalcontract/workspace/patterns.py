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
    names, end = [relative], len(relative)
    while (end := relative.rfind("/", 0, end)) > 0:
        names.append(relative[:end])
    for pattern in patterns:
        normalized = _normalized(pattern)
        for name in names:
            if fnmatch(name, normalized):
                return True
    return False


def selects(pattern: str, relative: str) -> bool:
    """Whether a pattern matches a file, starting at any folder of its path.

    `*` matches within one folder, `**` any number of folders.
    """
    names = relative.split("/")
    reached = set(range(len(names)))  # the parts of the path that the next part may match
    for part in _normalized(pattern).split("/"):
        if part == "**":
            reached = set(range(min(reached), len(names) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(names) and fnmatch(names[at], part)}
        if not reached:
            return False
    return len(names) in reached


def _normalized(pattern: str) -> str:
    return pattern.removeprefix("./").rstrip("/")
