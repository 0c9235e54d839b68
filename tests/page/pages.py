"""Make HTML reports with the command, as a user does, and read the data in them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from doors import command_line

if TYPE_CHECKING:
    from pathlib import Path

_DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


def report(dataset: Path, *arguments: str | Path) -> Path:
    """Write the report of a dataset beside it; return its path."""
    page = dataset.parent.parent / "report.html"
    assert command_line("report", dataset, "-o", page, "--force", *arguments) == 0
    return page


def data_of(page: Path) -> dict[str, Any]:
    """Return the data of a page."""
    match = _DATA.search(page.read_text(encoding="utf-8"))
    assert match
    data: dict[str, Any] = json.loads(match[1])
    return data
