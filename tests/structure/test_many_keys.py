"""A bundle with thousands of keys: what a row costs does not grow with them, nor with the rows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from doors import Options, check_workspaces
from texts import facts
from work import calls_of

if TYPE_CHECKING:
    from pathlib import Path

    from evalcontract import Diagnostic

KEYS = 1000
BUNDLE = json.dumps({"properties": {f"field_{n}_text": {"type": "string"} for n in range(KEYS)}})


def check(folder: Path, row: dict[str, Any], count: int) -> list[Diagnostic]:
    """Check that many rows with the same keys, whose bundle is large."""
    (folder / "bundles").mkdir(exist_ok=True)
    (folder / "bundles" / "large.schema.json").write_text(BUNDLE, encoding="utf-8")
    rows = [{"id": f"r{number}", "bundle": "large", **row} for number in range(count)]
    (folder / "rows.json").write_text(json.dumps({"questions": rows}), encoding="utf-8")
    return check_workspaces(folder, Options(root=folder)).diagnostics


@pytest.mark.parametrize(
    ("key", "value", "named"),
    [
        ("feild_7_text", 1, "field_7_text"),
        ("field_7_text", 5, "field_7_text"),
    ],
)
def test_another_row_is_not_held_against_every_key(
    tmp_path: Path, key: str, value: Any, named: str
) -> None:
    row = {"input": "a", "criteria": "c", key: value}
    few, many = 4, 12
    found = check(tmp_path, row, few)
    assert [named in facts(f"{each.message} {each.help}") for each in found] == [True] * few
    first, all_ = (calls_of(check, tmp_path, row, n) for n in (few, many))
    assert (all_ - first) / (many - few) < KEYS
