"""The output formats, one per file. They yield text; the command line prints it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from evalcontract.report.report import Write
from evalcontract.source.installed import entry_points

#: The medium of each built-in output format, by the name that `--output-format` takes: `json` may
#: be escaped as JSON, `commands` are for a runner of CI and must not be changed, the rest is text.
#: A format is imported at first use.
FORMATS = {
    "text": "text",
    "concise": "text",
    "json": "json",
    "jsonl": "json",
    "github": "commands",
    "gitlab": "json",
    "junit": "text",
    "sarif": "json",
    "markdown": "text",
}


def write_of(name: str) -> Write:
    """Return the function that writes an output format.

    Raises:
        KeyError: there is no such format.
        PluginError: a format of another package cannot be used.

    """
    if name not in FORMATS:
        return _of_others()[name]
    write: Write = import_module(f"{__name__}.{name}").write
    return write


def format_names() -> list[str]:
    """Return the names of the built-in output formats, and of those of other packages.

    Raises:
        PluginError: a format of another package cannot be used.

    """
    return [*FORMATS, *_of_others()]


def _of_others() -> Mapping[str, Write]:
    """Return the entry points of `evalcontract.reports`."""
    return entry_points("reports", _fault_of)


def _fault_of(name: str, write: Any) -> str | None:
    if not callable(write):
        return "is not callable"
    return "has a name that is taken: the format is built in" if name in FORMATS else None
