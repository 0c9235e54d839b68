"""Entry points of other people's packages: looked up late, and loud when broken."""

from __future__ import annotations

from typing import Any

from evalcontract.model.errors import PluginError


def entry_points(group: str) -> dict[str, Any]:
    """Load every entry point of `evalcontract.{group}`, by name, in order of the names.

    Raises:
        PluginError: one does not load, or two have the same name.

    """
    from importlib.metadata import entry_points as installed  # slow, and rarely needed

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
