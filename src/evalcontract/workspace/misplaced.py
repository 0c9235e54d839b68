"""Reject settings in a file that is not read: the configuration is `evalcontract.toml`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from evalcontract.model.errors import ConfigurationError
from evalcontract.source import read_text
from evalcontract.workspace.configuration import FILE_NAME, SETTINGS
from evalcontract.workspace.discovery import display_name

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from evalcontract.source import Files

_TABLE = re.compile(
    r"""^[ \t]*\[[ \t]*(?:tool|"tool"|'tool')[ \t]*\.[ \t]*["']?evalcontract["']?[ \t]*[].]""",
    re.MULTILINE,
)
#: Names of YAML and JSON files that may be meant as a configuration.
_NAMES = frozenset(f"evalcontract{suffix}" for suffix in (".yaml", ".yml", ".json"))


def check_places(paths: Iterable[Path], files: Files) -> None:
    """Reject `.evalcontract.toml`, and a table `[tool.evalcontract]` in `pyproject.toml`.

    Raises:
        ConfigurationError: there is one of these.

    """
    for path in paths:
        name = display_name(path)
        if path.name != "pyproject.toml":
            raise ConfigurationError(f"{name}: is not read; rename it to `{FILE_NAME}`")
        text = read_text(path, name, files)
        table = _TABLE.search(text) if isinstance(text, str) else None
        if table and isinstance(text, str):
            line = text.count("\n", 0, table.start()) + 1
            raise ConfigurationError(
                f"{name}:{line}: settings in `pyproject.toml` are not read; "
                f"move the table `[tool.evalcontract]` to a file `{FILE_NAME}` beside it"
            )


def check_value(path: Path, value: Any) -> None:
    """Reject a YAML or JSON file called `evalcontract` that has settings.

    Raises:
        ConfigurationError: it has.

    """
    if path.name in _NAMES and isinstance(value, dict) and not SETTINGS.isdisjoint(value):
        raise ConfigurationError(
            f"{display_name(path)}: is not read; write the settings as TOML to `{FILE_NAME}`"
        )
