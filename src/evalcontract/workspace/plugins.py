"""Entry points of other people's packages: looked up late, and loud when broken."""

from __future__ import annotations

import os
import sys
from importlib.machinery import PathFinder
from typing import Any

from evalcontract.model.errors import PluginError


def entry_points(group: str) -> dict[str, Any]:
    """Load every entry point of `evalcontract.{group}`, by name, in order of the names.

    Raises:
        PluginError: one does not load, or two have the same name.

    """
    if not _may_have(group):
        return {}
    from importlib.metadata import entry_points as installed  # slow to import

    found: dict[str, Any] = {}
    for point in sorted(installed(group=f"evalcontract.{group}"), key=lambda each: each.name):
        owner = point.dist.name if point.dist else point.value
        if point.name in found:
            raise PluginError(f"two packages give `{point.name}` to evalcontract.{group}")
        try:
            found[point.name] = point.load()
        except Exception as error:
            message = f"{owner}: `{point.name}` of evalcontract.{group} does not load: {error}"
            raise PluginError(message) from error
    return found


def _may_have(group: str) -> bool:
    """Whether a package may give something to a group; only False is certain.

    Packages lie in folders as a rule, and there a look is a twentieth of what importing
    `importlib.metadata` costs. It is asked about everything else: archives, finders of others.
    """
    name = f"evalcontract.{group}".encode()
    others = [each for each in sys.meta_path if each is not PathFinder]
    if any(hasattr(each, "find_distributions") for each in others):
        return True
    return any(_may_be_in(each or ".", name) for each in sys.path)


def _may_be_in(folder: str, name: bytes) -> bool:
    try:
        inside = os.listdir(folder)  # noqa: PTH208 - names are all that is needed
    except NotADirectoryError:
        return True
    except OSError:
        return False
    for each in inside:
        if each.endswith(".egg"):
            return True
        if each.endswith((".dist-info", ".egg-info")):
            try:
                with open(f"{folder}/{each}/entry_points.txt", "rb") as points:  # noqa: PTH123
                    if name in points.read():
                        return True
            except OSError:
                continue
    return False
