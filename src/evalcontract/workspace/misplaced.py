"""Reject settings in a file that is not read: the configuration is `evalcontract.toml`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.errors import ConfigurationError
from evalcontract.workspace.configuration import FILE_NAME, SETTINGS
from evalcontract.workspace.discovery import display_name

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

#: Names of YAML and JSON files that may be meant as a configuration.
_NAMES = frozenset(f"evalcontract{suffix}" for suffix in (".yaml", ".yml", ".json"))


def check_places(paths: Iterable[Path]) -> None:
    """Reject `.evalcontract.toml`.

    Raises:
        ConfigurationError: there is one.

    """
    for path in paths:
        name = display_name(path)
        raise ConfigurationError(f"{name}: is not read; rename it to `{FILE_NAME}`")


def check_value(path: Path, value: Any) -> None:
    """Reject a YAML or JSON file called `evalcontract` that has settings.

    Raises:
        ConfigurationError: it has.

    """
    if path.name in _NAMES and isinstance(value, dict) and not SETTINGS.isdisjoint(value):
        raise ConfigurationError(
            f"{display_name(path)}: is not read; write the settings as TOML to `{FILE_NAME}`"
        )
