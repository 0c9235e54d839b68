"""What is installed: entry points of other packages, files and tables of this one."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcontract.model.errors import InstallationError, PluginError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from importlib.resources.abc import Traversable


def entry_points(
    group: str, fault_of: Callable[[str, Any], str | None] | None = None
) -> dict[str, Any]:
    """Load all entry points of `evalcontract.{group}`; return them by name, sorted.

    `fault_of` takes the name and the object of an entry point, and returns why it is invalid, or
    None.

    Raises:
        PluginError: an entry point cannot be loaded or is invalid, or two have the same name.

    """
    loaded: dict[str, Any] = {}
    for point in sorted(_points(group), key=lambda point: point.name):
        owner = point.dist.name if point.dist else point.value
        if point.name in loaded:
            raise PluginError(f"two packages define `{point.name}` in evalcontract.{group}")
        try:
            loaded[point.name] = point.load()
        except Exception as error:
            message = f"{owner}: `{point.name}` of evalcontract.{group} cannot be loaded: {error}"
            raise PluginError(message) from error
        if fault_of and (fault := fault_of(point.name, loaded[point.name])):
            raise PluginError(f"`{point.name}` of evalcontract.{group} {fault}")
    return loaded


def packages(group: str) -> dict[str, tuple[str, str]]:
    """Return the packages of the entry points of `evalcontract.{group}`: name and version.

    They are by the name of the entry point. One that no installed package has is left out.
    """
    points = _points(group)
    return {point.name: (point.dist.name, point.dist.version) for point in points if point.dist}


def _points(group: str) -> Iterable[EntryPoint]:
    """Return the entry points of a group, where an installed package may define some."""
    # Importing `importlib.metadata` takes twenty times as long as searching the folders of
    # `sys.path`. It is only needed for archives and for import finders of other packages.
    others = [finder for finder in sys.meta_path if finder is not PathFinder]
    if not [finder for finder in others if hasattr(finder, "find_distributions")]:
        points = [_points_in(folder or os.curdir, _changed(folder)) for folder in sys.path]
        wanted = f"evalcontract.{group}".encode()
        if all(each is not None and wanted not in each for each in points):
            return ()
    from importlib.metadata import entry_points as installed  # slow to import

    return installed(group=f"evalcontract.{group}")


@lru_cache
def _points_in(folder: str, _mtime_ns: int) -> bytes | None:
    """Return the contents of the entry_points.txt files of a folder that mention evalcontract."""
    # The modification time is part of the cache key, so that new packages are noticed. None if an
    # archive or an egg may contain entry points, too.
    try:
        names = os.listdir(folder)  # noqa: PTH208 - only names are needed
    except NotADirectoryError:
        return None
    except OSError:
        return b""
    if ".egg/" in "/".join((*names, "")):  # no name has a slash
        return None
    contents: list[bytes] = []
    infos = [name for name in names if name.endswith((".dist-info", ".egg-info"))]
    for info in infos:
        try:
            with open(f"{folder}/{info}/entry_points.txt", "rb") as file:  # noqa: PTH123 - hundreds
                text = file.read()
        except OSError:
            continue
        if b"evalcontract." in text:
            contents.append(text)
    return b"\n".join(contents)


def _changed(folder: str) -> int:
    try:
        return os.stat(folder or os.curdir).st_mtime_ns  # noqa: PTH116 - may not be a valid path
    except (OSError, ValueError):
        return 0


def folder() -> Traversable:
    """Return the folder of the schemas: package data in a wheel, `schema/` in a checkout.

    The result is a `pathlib.Path`, except in an archive such as a zipapp.
    """
    here = Path(__file__)
    for parent in (here.parents[1], here.parents[3]):
        if (parent / "schema").is_dir():
            return parent / "schema"
    from importlib.resources import files  # slow to import, and only needed in an archive

    return files("evalcontract") / "schema"


def text_of(name: str) -> str:
    """Return the text of a file by its path in the folder, such as `rubric.schema.json`.

    Raises:
        InstallationError: the file is missing.

    """
    return _text(folder() / name, f"`{name}`")


def template(name: str) -> str:
    """Return the text of a file that `init` writes, such as `project/github.yaml`.

    Raises:
        InstallationError: the file is missing.

    """
    from importlib.resources import files  # slow to import, and only needed here

    return _text(files("evalcontract") / "templates" / name, f"the template `{name}`")


def _text(file: Traversable, what: str) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise InstallationError(f"{what} is not installed") from error


@cache
def table(name: str) -> dict[str, Any]:
    """Return the content of a JSON file by its name without `.json`.

    The result is cached: do not modify it.

    Raises:
        InstallationError: the file is missing.

    """
    value: dict[str, Any] = json.loads(text_of(f"{name}.json"))
    return value
