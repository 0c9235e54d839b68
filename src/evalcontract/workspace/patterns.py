"""The patterns of a configuration: which files they mean, below its folder."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import PurePosixPath, PureWindowsPath


def fault_of(pattern: str) -> str | None:
    """Say why a pattern can mean no file of a workspace; None where it may."""
    parts = pattern.replace("\\", "/").split("/")
    if not pattern.strip():
        return "is empty"
    if PurePosixPath(pattern).is_absolute() or PureWindowsPath(pattern).drive:
        return "is absolute; patterns begin at the folder of the configuration"
    if ".." in parts:
        return "leads out with `..`; patterns begin at the folder of the configuration"
    return None


def excludes(patterns: tuple[str, ...], relative: str) -> bool:
    """Whether one of `patterns` means a file or a folder that it is in. `*` crosses folders."""
    path = PurePosixPath(relative)
    names = [relative, *(str(each) for each in path.parents if each.parts)]
    return any(fnmatch(name, _plain(pattern)) for pattern in patterns for name in names)


def selects(pattern: str, relative: str) -> bool:
    """Whether a pattern means a file, at whatever depth it begins.

    `*` stays in a folder, `**` stands for any number of them.
    """
    parts, names = _plain(pattern).split("/"), relative.split("/")
    return any(_match(parts, names[start:]) for start in range(len(names)))


def _match(parts: list[str], names: list[str]) -> bool:
    if not parts:
        return not names
    if parts[0] == "**":
        return any(_match(parts[1:], names[start:]) for start in range(len(names) + 1))
    return bool(names) and fnmatch(names[0], parts[0]) and _match(parts[1:], names[1:])


def _plain(pattern: str) -> str:
    return pattern.removeprefix("./").rstrip("/")
