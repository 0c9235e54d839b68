"""The values of cells: texts, and lists that a cell holds as JSON or between separators."""

from __future__ import annotations

import json
from typing import Any

from evalcontract.formats._findings import parsed_json


def list_of(cell: str, separator: str) -> list[Any] | None:
    """Return the list that a cell holds; None if it is JSON of another form.

    Items between separators, or on lines of their own, are texts without the spaces around them.
    """
    text = cell.strip()
    if text.startswith("["):
        value = parsed_json(text)
        if isinstance(value, list):
            fits = all(isinstance(item, dict) or (isinstance(item, str) and item) for item in value)
            return value if fits else None
    parts = [part.strip() for line in text.splitlines() for part in line.split(separator)]
    return [part for part in parts if part]


def cell_of(items: list[Any], separator: str) -> str:
    """Return the cell that `list_of` reads as a list: with separators if possible, else JSON."""
    if all(isinstance(item, str) for item in items):
        cell = f"{separator} ".join(items)
        if list_of(cell, separator) == items:
            return cell
    return json.dumps(items, ensure_ascii=False)
