"""Folders that the real `datasets` of Hugging Face writes, and its verdicts on faulty ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from real_packages import ask_peer
from saved import naming, saved, splits
from test_saved import NAME, ROWS, faults, rows_in, write

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).parent / "saved_real.py"
TYPED = {
    "rows": [
        {"a": "x", "label": 1, "j": {"b": [1]}, "t": "2026-01-01", "raw": "x", "m": [[1, 2]]},
        {"a": None, "label": 0, "j": None, "t": None, "raw": None, "m": [[3, 4]]},
    ],
    "features": {
        "a": ["Value", "large_string"],
        "label": ["ClassLabel", 2],
        "j": ["Json"],
        "t": ["Value", "timestamp[us]"],
        "raw": ["Value", "binary"],
        "m": ["Array2D", [1, 2], "int32"],
    },
}
SAVED: list[dict[str, Any]] = [
    {"rows": ROWS},
    {"rows": ROWS, "shards": 2},
    {"rows": ROWS, "splits": ["train", "my split", "a.b-c"]},
    {"rows": [{"inputs": {"q": "a", "n": [1.5, None]}}, {"inputs": None}]},
    {"rows": [{"a": None}, {"a": None}]},
    TYPED,
]


def latin(files: dict[str, bytes]) -> dict[str, str]:
    return {name: data.decode("latin-1") for name, data in files.items()}


def present(value: Any) -> Any:
    """Return rows as they are loaded, without the keys that only their table forces on them."""
    if isinstance(value, dict):
        return {name: present(part) for name, part in value.items() if part is not None}
    return [*map(present, value)] if isinstance(value, list) else value


def found_in(folder: Path) -> Any:
    """Return the rows of a folder, or by the names of its splits."""
    inner = [path for path in folder.iterdir() if path.is_dir()]
    return {path.name: rows_in(path) for path in inner} if inner else rows_in(folder)


def test_what_it_saves_is_read_as_it_loads_it(tmp_path: Path) -> None:
    for number, answer in enumerate(ask_peer("", SCRIPT, "saved", SAVED)):
        files = {name: text.encode("latin-1") for name, text in answer["files"].items()}
        folder = write(tmp_path / str(number), files)
        assert found_in(folder) == present(answer["rows"]), SAVED[number]


def test_the_folders_of_other_tests_are_those_it_loads() -> None:
    folders = [saved(ROWS), saved(ROWS[:1], ROWS[1:]), splits(train=saved(ROWS))]
    assert ask_peer("", SCRIPT, "loaded", [*map(latin, folders)]) == [ROWS, ROWS, {"train": ROWS}]


def test_what_it_does_not_load_has_an_error(tmp_path: Path) -> None:
    """What it does load is a link out of the folder, and a file that lacks its last rows."""
    good = saved(ROWS)
    faulty = {
        "missing": naming("gone.arrow"),
        "cut": {NAME: good[NAME][:-20]},
        "no rows": naming(),
        "no name": naming(5),
        "no JSON": {"state.json": b"["},
        "other columns": saved(ROWS, [{"user_input": 5}]),
        "lacks its end": {NAME: good[NAME][:-8]},
    }
    folders = {name: {**good, **changed} for name, changed in faulty.items()}
    answers = ask_peer("", SCRIPT, "loaded", [*map(latin, folders.values())])
    assert [name for name, answer in zip(faulty, answers, strict=True) if answer == ROWS] == [
        "lacks its end"
    ]
    for name, files in folders.items():
        assert faults(write(tmp_path / name, files)), name


def test_its_datasets_in_memory_are_read_as_their_files() -> None:
    script = SCRIPT.with_name("in_memory_real.py")
    rows = [row for row in SAVED[-1]["rows"] if row["a"] is None] + SAVED[3]["rows"][:1]
    keys = dict.fromkeys(key for row in rows for key in row)
    columns = {key: [row.get(key) for row in rows] for key in keys}
    for found in ask_peer("", script, "", columns):
        assert found == present(rows)
