"""What an outcome depends on besides files: this program, what is installed, and where it runs."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any, NamedTuple

# A package that gives us something says so in this file, below such a heading.
_POINTS = "entry_points.txt"
_HEADING = "[evalcontract."
_INFO = (".dist-info", ".egg-info", ".egg")
# What is installed into one of these changes with its version.
_INSTALLED = frozenset({"site-packages", "dist-packages"})


class Installation(NamedTuple):
    """What tells one installation from another; `has_plugins` if others' code runs in it."""

    fingerprint: list[Any]
    has_plugins: bool


def installation_fingerprint() -> Installation | None:
    """Return what tells this installation from another; None where that cannot be told.

    The versions of everything that is installed stand in the names of the folders that tell of
    it. Of a checkout of ours, which may change without a new version, the sizes and times of files
    are taken. The code of plugins is known when it has run; see `loaded_code`.
    """
    finders = [finder for finder in sys.meta_path if finder is not PathFinder]
    if any(hasattr(finder, "find_distributions") for finder in finders):
        return None
    package = Path(__file__).parents[1]
    found: list[Any] = [sys.version, sys.platform, sys.path]
    found += [sys.get_int_max_str_digits(), sys.getfilesystemencoding()]
    try:
        found.append(os.getcwd())  # noqa: PTH109 - findings call files by their way from here
        if not any(package.parent.glob("evalcontract-*.dist-info")):
            ours = (package, package.parents[1] / "schema")
            found += [code_in(folder) for folder in ours if folder.is_dir()]
        points: list[str] = []
        found += [_installed(folder or ".", points) for folder in dict.fromkeys(sys.path)]
    except (OSError, ValueError):
        return None
    return Installation([*found, points], bool(points))


def _installed(folder: str, points: list[str]) -> list[Any]:
    """Return what is installed in a folder of `sys.path`; add the entry points that are for us.

    Raises:
        ValueError: it has eggs, and what is in them is not looked at.

    """
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(_INFO))  # noqa: PTH208 - names
    except FileNotFoundError:
        return []
    except NotADirectoryError:  # an archive
        return code_in(folder)
    if any(name.endswith(".egg") for name in names):
        raise ValueError(f"there are eggs in {folder}")
    for name in names:
        try:
            with open(f"{folder}/{name}/{_POINTS}", encoding="utf-8") as file:  # noqa: PTH123 - often
                text = file.read()
        except (FileNotFoundError, NotADirectoryError):
            continue
        points += [text] if _HEADING in text else []
    return names


def code_in(path: str | Path) -> list[tuple[str, int, int]]:
    """Return the files of a package, or one file, with their sizes and the times of change.

    Raises:
        OSError: one cannot be looked at.

    """
    if not os.path.isdir(path):
        return [_state(os.fspath(path))]
    found = []
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in names:
            with suppress(FileNotFoundError):  # a link to nothing
                found.append(_state(f"{folder}/{name}"))
    return sorted(found)


def _state(path: str) -> tuple[str, int, int]:
    status = os.stat(path)  # noqa: PTH116 - hundreds of times
    return path, status.st_size, status.st_mtime_ns


def loaded_code() -> list[str]:
    """Return the files that were imported and are neither Python's nor ours.

    With them is the whole folder of each package that is worked on, and not installed.
    """
    found: set[str] = set()
    known = {*sys.stdlib_module_names, "evalcontract"}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        package = name.partition(".")[0]
        if isinstance(file, str) and package not in known:
            found.add(file)
            if _INSTALLED.isdisjoint(Path(file).parts):
                found.update(getattr(sys.modules.get(package), "__path__", ()))
    return sorted(found)
