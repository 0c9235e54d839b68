"""What a verdict depends on besides files of a workspace: this program, and what is installed."""

from __future__ import annotations

import os
import sys
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

import evalcontract

# A package that gives us something says so in this file, below such a heading.
_POINTS = "entry_points.txt"
_HEADING = "[evalcontract."
_INFO = (".dist-info", ".egg-info")


def environment() -> list[Any] | None:
    """Return what tells one installation from another; None where that cannot be told.

    The versions of everything that is installed stand in the names of the folders that tell of
    it. Of code that may change without a new version, the sizes and times of files are taken.
    """
    if any(hasattr(each, "find_distributions") for each in sys.meta_path if each is not PathFinder):
        return None
    package = Path(evalcontract.__file__).parent
    found: list[Any] = [
        evalcontract.__version__,
        sys.version,
        sys.platform,
        sys.get_int_max_str_digits(),
        sys.getfilesystemencoding(),
        sys.path,
    ]
    try:
        if not (package.parent / f"evalcontract-{evalcontract.__version__}.dist-info").is_dir():
            found += [_code(package), _code(package.parents[1] / "schema")]
        found += [_installed(Path(each or ".")) for each in dict.fromkeys(sys.path)]
    except (OSError, LookupError, ValueError):
        return None
    return found


def _code(folder: Path) -> list[tuple[str, int, int]]:
    """Return the files of a package; none where there is no such folder."""
    found = []
    for here, folders, names in os.walk(folder):
        folders[:] = [each for each in folders if each != "__pycache__"]
        for name in names:
            path = os.path.join(here, name)  # noqa: PTH118 - hundreds of times
            status = os.stat(path)  # noqa: PTH116 - the same
            found.append((path, status.st_size, status.st_mtime_ns))
    return sorted(found)


def _installed(folder: Path) -> list[Any]:
    """Return what is installed in a folder of `sys.path`.

    Raises:
        LookupError: a package that gives us something cannot be found.

    """
    try:
        names = sorted(each for each in os.listdir(folder) if each.endswith((*_INFO, ".egg")))  # noqa: PTH208 - names
    except FileNotFoundError:
        return []
    except NotADirectoryError:  # an archive
        status = folder.stat()
        return [status.st_size, status.st_mtime_ns]
    if any(each.endswith(".egg") for each in names):
        raise LookupError("what is in an egg is not looked at")
    found: list[Any] = [names]
    for name in names:
        points = folder / name / _POINTS
        text = points.read_text(encoding="utf-8") if os.path.isfile(points) else ""
        if _HEADING in text:
            found += [text, [_module(each, folder) for each in _modules(text)]]
    return found


def _modules(points: str) -> list[str]:
    """Return the packages that entry points lead to."""
    lines = [line.partition("=")[2] for line in points.splitlines() if "=" in line]
    return sorted({value.partition(":")[0].strip().partition(".")[0] for value in lines})


def _module(name: str, folder: Path) -> Any:
    """Return what tells the code of a package from its next: beside its version, the version."""
    from importlib.util import find_spec  # rarely needed

    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise LookupError(f"there is no package {name}")
    origin = Path(spec.origin)
    home = origin.parent if spec.submodule_search_locations else origin
    if home.parent == folder and "site-packages" in folder.parts:
        return name
    if home.is_dir():
        return _code(home)
    status = home.stat()
    return [name, status.st_size, status.st_mtime_ns]
