"""Identify the installation that an outcome depends on: code, packages and environment."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from evalcontract.model.startup import NamedTuple

# A package declares its plugins in this file, below such a heading.
_ENTRY_POINTS = "entry_points.txt"
_HEADING = "[evalcontract."
_INFO = (".dist-info", ".egg-info", ".egg")
# The code of a package in one of these folders changes only with its version.
_SITE_FOLDERS = frozenset({"site-packages", "dist-packages"})


class Installation(NamedTuple):
    """The fingerprint of an installation, and whether other packages extend it."""

    fingerprint: list[Any]
    has_plugins: bool


def installation_fingerprint() -> Installation | None:
    """Return the fingerprint of this installation; None if there is no reliable one.

    The metadata folders of installed packages have the versions in their names. A checkout of
    evalcontract may change without a new version, so the sizes and times of its files are included.
    The code of plugins is recorded after the run; see `loaded_code`.
    """
    finders = [finder for finder in sys.meta_path if finder is not PathFinder]
    if any(hasattr(finder, "find_distributions") for finder in finders):
        return None
    package = Path(__file__).parents[1]
    fingerprint: list[Any] = [sys.version, sys.platform, sys.path]
    fingerprint += [sys.get_int_max_str_digits(), sys.getfilesystemencoding()]
    try:
        fingerprint.append(os.getcwd())  # noqa: PTH109 - the names of files depend on it
        if not any(package.parent.glob("evalcontract-*.dist-info")):
            folders = (package, package.parents[1] / "schema")
            fingerprint += [code_in(folder) for folder in folders if folder.is_dir()]
        plugins: list[str] = []
        fingerprint += [_installed(folder or ".", plugins) for folder in dict.fromkeys(sys.path)]
    except (OSError, ValueError):
        return None
    return Installation([*fingerprint, plugins], bool(plugins))


def _installed(folder: str, plugins: list[str]) -> list[Any]:
    """Return the metadata folders in a folder of `sys.path`; add our entry points to `plugins`.

    Raises:
        ValueError: the folder contains eggs, which are not supported.

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
            with open(f"{folder}/{name}/{_ENTRY_POINTS}", encoding="utf-8") as file:  # noqa: PTH123 - faster
                text = file.read()
        except (FileNotFoundError, NotADirectoryError):
            continue
        plugins += [text] if _HEADING in text else []
    return names


def code_in(path: str | Path) -> list[tuple[str, int, int, int]]:
    """Return the files of a package, or one file, each with its size and the times of its changes.

    The second time is that of the last change of the file or of its metadata. It differs from
    before also where a program has set the modification time back.

    Raises:
        OSError: the state of a file cannot be read.

    """
    if not os.path.isdir(path):
        return [_state(os.fspath(path))]
    states = []
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in names:
            with suppress(FileNotFoundError):  # a broken link
                states.append(_state(f"{folder}/{name}"))
    return sorted(states)


def _state(path: str) -> tuple[str, int, int, int]:
    status = os.stat(path)  # noqa: PTH116 - faster, called for hundreds of files
    return path, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def loaded_code() -> list[str]:
    """Return the imported files that belong neither to Python nor to evalcontract.

    For a package that is not installed, but imported from a checkout, its whole folder is included.
    """
    paths: set[str] = set()
    known = {*sys.stdlib_module_names, "evalcontract"}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        package = name.partition(".")[0]
        if isinstance(file, str) and package not in known:
            paths.add(file)
            if _SITE_FOLDERS.isdisjoint(Path(file).parts):
                paths.update(getattr(sys.modules.get(package), "__path__", ()))
    return sorted(paths)
