"""A bundle with thousands of keys: what a row costs does not grow with them, nor with the rows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from doors import Options, check_workspaces
from texts import facts
from work import calls_of

from evalcontract.structure.key_messages import missing_key

if TYPE_CHECKING:
    from collections.abc import Iterator
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


def test_a_missing_key_is_not_compared_with_every_key() -> None:
    asked: list[str] = []

    class Asked(dict[str, Any]):
        def __iter__(self) -> Iterator[str]:
            for key in super().__iter__():
                asked.append(key)
                yield key

    value = Asked({f"key_{n}": n for n in range(KEYS)})
    root: dict[str, Any] = {}
    of_text = missing_key("dataset", "colour", (), value, {"colour": {"type": "string"}}, root)
    assert (of_text.message, asked) == ("`colour` is missing", [])
    known = {"colour": {"enum": ["red", {}, "key_7", "key_3"]}}
    of_words = missing_key("dataset", "colour", (), value, known, root)
    assert (of_words.help or "").startswith("write `colour: key_3`")


@pytest.mark.slow
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
