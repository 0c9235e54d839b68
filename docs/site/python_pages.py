"""The reference of the Python API, from the docstrings of the public names."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import evalcontract
from evalcontract import plugin

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

_API = """\
# Python API

All names of the package `evalcontract`. [Python](../python.md) shows how they are used.
"""
_PLUGIN = """\
# Plugin API

The names of the module `evalcontract.plugin`. [Write a plugin](../guides/plugins.md) shows how they
are used. Those that it shares with `evalcontract` are in the [Python API](python.md).
"""


def python_pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each page."""
    yield "reference/python.md", _page(_API, evalcontract, [*evalcontract.__all__])
    own = [name for name in plugin.__all__ if name not in evalcontract.__all__]
    yield "reference/plugin.md", _page(_PLUGIN, plugin, own)


def _page(introduction: str, module: ModuleType, names: list[str]) -> str:
    shown = [name for name in names if not name.startswith("__")]
    return "\n".join([introduction, *(_entry(module, name) for name in shown)])


def _entry(module: ModuleType, name: str) -> str:
    value = getattr(module, name)
    path = f"{module.__name__}.{name}"
    if inspect.isclass(value):
        directive, options = "autoclass", ["   :members:"]
    elif callable(value):
        directive, options = "autofunction", []
    else:
        directive, options = "autodata", []
    return "\n".join(
        [f"## {name}\n", "```{eval-rst}", f".. {directive}:: {path}", *options, "```\n"]
    )
