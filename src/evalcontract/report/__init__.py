"""One output format one file; a report is text, and who prints it is the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.report import json as json_report
from evalcontract.report import text as text_report

if TYPE_CHECKING:
    from evalcontract.report.report import Write

#: Every built-in output format, by the name that `--output-format` takes.
FORMATS: dict[str, Write] = {
    "text": text_report.write,
    "json": json_report.write,
}
