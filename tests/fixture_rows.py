"""The rows of the fixtures, as tables of Arrow."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from rule_fixtures import FIXTURES, cases, name_of, placed_in

import evalcontract
from evalcontract.model.diagnostic import format_path
from evalcontract.source import read_file

if TYPE_CHECKING:
    from collections.abc import Iterator

if "CI" not in os.environ:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
import pyarrow as pa

#: How often each finding is told, by the columns of `evalcontract.api.batches`.
Told = Counter[tuple[str | None, ...]]


def table(rows: list[dict[str, Any]]) -> pa.Table:
    keys = dict.fromkeys(key for row in rows for key in row)
    return pa.table({key: [row.get(key) for row in rows] for key in keys})


def without_nulls(value: Any) -> Any:
    """Return a value without the keys that are null: a table has no way to write these."""
    if isinstance(value, dict):
        return {key: without_nulls(part) for key, part in value.items() if part is not None}
    return [*map(without_nulls, value)] if isinstance(value, list) else value


def datasets(tmp_path: Path) -> Iterator[tuple[str, Path, list[dict[str, Any]]]]:
    """Yield all datasets of the fixtures: a name, the workspace, and the rows that are mappings."""
    folders = [*(FIXTURES.parent / "workspaces").iterdir()]
    for number, case in enumerate((*cases(), *filter(Path.is_dir, folders))):
        folder = tmp_path / str(number)
        folder.mkdir()
        if case.parent.parent == FIXTURES:
            placed_in(case, folder)
        else:
            shutil.copytree(case, folder, dirs_exist_ok=True)
        for path in sorted((folder / "datasets").rglob("*")):
            source = read_file(path, path.name) if path.is_file() else None
            if source is None or source.unreadable:
                continue
            if source.document is None:
                value: Any = [row for batch in source.stream.batches() for row in batch.rows]
            else:
                value = source.document.value
            rows = value.get("questions") if isinstance(value, dict) else value
            if isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows):
                name = name_of(case) if case.parent.parent == FIXTURES else case.name
                yield f"{name}: {path.name}", folder, without_nulls(rows)


def expected(rows: Any, folder: Path, **options: Any) -> tuple[Told, int]:
    """Count the findings on rows in memory, with paths that begin in the row."""
    found = evalcontract.validate(rows, workspace=folder, **options)
    told: Told = Counter(
        (
            each.row,
            each.code,
            str(each.severity),
            _path(each),
            each.message,
            each.help,
            _place(each),
        )
        for each in found.diagnostics
    )
    return told, found.row_count


def _path(found: Any) -> str:
    is_of_rows = found.path and isinstance(found.path[0], int) and _place(found) is None
    return format_path(found.path[1:] if is_of_rows else found.path)


def _place(found: Any) -> str | None:
    return None if found.place.file.startswith("rows") else str(found.place)
