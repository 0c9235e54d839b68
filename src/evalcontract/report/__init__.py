"""The output formats, one per file. They yield text; the command line prints it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.report import json as json_report
from evalcontract.report import text as text_report
from evalcontract.source.plugins import entry_points

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcontract.report.report import Write

#: Every built-in output format, by the name that `--output-format` takes.
FORMATS: dict[str, Write] = {
    "text": text_report.write,
    "json": json_report.write,
}


def report_formats() -> Mapping[str, Write]:
    """Return the built-in output formats, and the entry points of `evalcontract.reports`.

    Raises:
        PluginError: one does not load, is not callable, or has the name of a built-in format.

    """
    return {**FORMATS, **entry_points("reports", _fault_of)}


def _fault_of(name: str, write: Any) -> str | None:
    if not callable(write):
        return "is not callable"
    return "has a name that is taken: the format is built in" if name in FORMATS else None
