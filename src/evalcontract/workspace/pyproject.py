"""Settings in `pyproject.toml`: the table `[tool.evalcontract]`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from evalcontract.model.errors import ConfigurationError
from evalcontract.model.startup import lazy_pattern
from evalcontract.source import read_text

if TYPE_CHECKING:
    from pathlib import Path

    from evalcontract.source import Files

PYPROJECT = "pyproject.toml"
_NAME = "evalcontract"
_PART = r"""(?:tool|"tool"|'tool')[ \t]*\.[ \t]*["']?evalcontract["']?[ \t]*"""
#: A line that begins the table, one of its tables, or a setting of it.
_TABLE = lazy_pattern(rf"^[ \t]*(?:\[[ \t]*{_PART}[].]|{_PART}[.=])", re.MULTILINE)
_HEADER = lazy_pattern(r"^[ \t]*\[")


def has_settings(path: Path, name: str, files: Files) -> bool:
    """Whether a `pyproject.toml` has a table for us.

    One that is not TOML has one if a line of it looks like its beginning, so that reading it
    explains the error; otherwise this is no concern of ours.
    """
    text = read_text(path, name, files)
    if not isinstance(text, str) or _NAME not in text:
        return False
    from evalcontract.source.toml import parse_toml  # slow to import

    try:
        return settings_in(parse_toml(text, name)) is not None
    except ConfigurationError:
        return _TABLE.search(text) is not None


def settings_in(table: dict[str, Any]) -> Any:
    """Return the value of `tool.evalcontract`; None if there is none."""
    tool = table.get("tool")
    return tool.get(_NAME) if isinstance(tool, dict) else None


def only_settings(text: str) -> str:
    """Return a text with blank lines for all that is certainly in tables of other tools."""
    lines: list[str] = []
    is_ours = True
    for line in text.splitlines():
        if _HEADER.match(line):
            is_ours = _TABLE.match(line) is not None or line.split("#")[0].strip() == "[tool]"
        lines.append(line if is_ours else "")
    return "\n".join(lines)


def line_of_table(text: str) -> int:
    """Return the line where the table begins, from 1."""
    table = _TABLE.search(text)
    return text.count("\n", 0, table.start()) + 1 if table else 1
