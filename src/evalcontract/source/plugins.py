"""Entry points of other packages: loaded late, and checked before anything uses them."""

from __future__ import annotations

import os
import sys
from functools import lru_cache
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any

from evalcontract.model.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Callable


def entry_points(
    group: str, fault_of: Callable[[str, Any], str | None] | None = None
) -> dict[str, Any]:
    """Load every entry point of `evalcontract.{group}`, by name, in order of the names.

    `fault_of` takes the name and the object of an entry point, and returns why it cannot be used.

    Raises:
        PluginError: one does not load or cannot be used, or two have the same name.

    """
    if not _may_have(group):
        return {}
    from importlib.metadata import entry_points as installed  # slow to import

    loaded: dict[str, Any] = {}
    for point in sorted(installed(group=f"evalcontract.{group}"), key=lambda point: point.name):
        owner = point.dist.name if point.dist else point.value
        if point.name in loaded:
            raise PluginError(f"two packages give `{point.name}` to evalcontract.{group}")
        try:
            loaded[point.name] = point.load()
        except Exception as error:
            message = f"{owner}: `{point.name}` of evalcontract.{group} does not load: {error}"
            raise PluginError(message) from error
        if fault_of and (fault := fault_of(point.name, loaded[point.name])):
            raise PluginError(f"`{point.name}` of evalcontract.{group} {fault}")
    return loaded


def _may_have(group: str) -> bool:
    """Whether a package may give something to a group; only False is certain.

    Packages lie in folders as a rule, and there a look is a twentieth of what importing
    `importlib.metadata` costs. It is asked about everything else: archives, finders of others.
    """
    others = [finder for finder in sys.meta_path if finder is not PathFinder]
    if any(hasattr(finder, "find_distributions") for finder in others):
        return True
    points = _points_below(tuple((folder or os.curdir, _changed(folder)) for folder in sys.path))
    return points is None or f"evalcontract.{group}".encode() in points


@lru_cache(maxsize=1)
def _points_below(folders: tuple[tuple[str, int], ...]) -> bytes | None:
    """Return all lists of entry points in folders that name evalcontract.

    With each folder goes the time of its last change, so that a new package is seen. None where
    something else may hold some: an archive, an egg.
    """
    found = []
    for folder, _ in folders:
        try:
            names = os.listdir(folder)  # noqa: PTH208 - names are all that is needed
        except NotADirectoryError:
            return None
        except OSError:
            continue
        if any(name.endswith(".egg") for name in names):
            return None
        infos = [name for name in names if name.endswith((".dist-info", ".egg-info"))]
        found += [_points_in(f"{folder}/{name}/entry_points.txt") for name in infos]
    return b"\n".join(found)


def _changed(folder: str) -> int:
    try:
        return os.stat(folder or os.curdir).st_mtime_ns  # noqa: PTH116 - may be no path at all
    except (OSError, ValueError):
        return 0


def _points_in(path: str) -> bytes:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - hundreds of times
            text = file.read()
    except OSError:
        return b""
    return text if b"evalcontract." in text else b""
