"""Whatever is done to a workspace, the commands keep what they promise; see `fuzz_commands`."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from examples import examples
from fuzz_commands import (
    DIALECTS,
    check_cache,
    check_commands,
    check_conversion,
    check_fix,
    check_parallel,
    check_places,
    kind_of,
    write,
)
from fuzz_seeds import value_of, workspaces
from hypothesis import given
from hypothesis import strategies as st
from mutation import altered, mutated, written

from evalcontract.datasets import row_check as dataset_check
from evalcontract.source import jsonl
from evalcontract.structure.exact import validator_for
from evalcontract.structure.native import native_for
from evalcontract.structure.schemas import load

if TYPE_CHECKING:
    import random

    from fuzz_seeds import Files

ODD_NAMES = (
    *("datasets/a b.yaml", "datasets/é.json", "datasets/::error::x.yaml", "datasets/-x.yaml"),
    *("datasets/a\nb.yaml", "datasets/\x1b[31m.yaml", "datasets/[a].yaml", "datasets/.yaml"),
    *("datasets/" + "a" * 200 + ".yaml", "rubrics/a@1.0.0.yaml", "rubrics/deep/1.0.0.yaml"),
    *("evalcontract.toml", "x.yaml", "x.jsonl", "x.csv", "datasets/x.json", "judges/x.json"),
    *("targets/x.json", "bundles/x.schema.json", "schemas/x.json", "rubrics/x.schema.json"),
)
chances = st.randoms(use_true_random=False)


@cache
def values() -> list[Any]:
    """Return the values of all files, whose parts may stand anywhere."""
    found = [value_of(name, data) for files in workspaces() for name, data in files.items()]
    return [value for value in found if value is not None]


@st.composite
def changed_workspaces(draw: st.DrawFn) -> Files:
    """Draw a workspace of which one to three files are changed, renamed or mixed with others."""
    chance = draw(chances)
    files = dict(draw(st.sampled_from(workspaces())))
    if chance.random() < 0.3:
        files |= draw(st.sampled_from(workspaces()))
    for _ in range(draw(st.integers(1, 3))):
        name = draw(st.sampled_from(sorted(files)))
        files[name] = changed(name, files[name], chance)
        if chance.random() < 0.1:
            files[draw(st.sampled_from(ODD_NAMES))] = files.pop(name)
    return files


def changed(name: str, data: bytes, chance: random.Random) -> bytes:
    """Change the value of a file, or its bytes."""
    value = value_of(name, data)
    if value is None or chance.random() < 0.25:
        return mutated(data, chance)
    return written(name, altered(value, chance, values()), chance)


@pytest.mark.slow
@examples(300)
@given(changed_workspaces())
def test_no_command_crashes(files: Files) -> None:
    with TemporaryDirectory() as folder:
        check_commands(Path(folder), write(Path(folder), files))


@pytest.mark.slow
@examples(600)
@given(changed_workspaces())
def test_findings_are_inside_of_files(files: Files) -> None:
    with TemporaryDirectory() as folder:
        check_places(Path(folder), write(Path(folder), files))


@pytest.mark.slow
@examples(300)
@given(changed_workspaces())
def test_fixing_twice_is_fixing_once(files: Files) -> None:
    with TemporaryDirectory() as folder:
        check_fix(Path(folder), write(Path(folder), files))


@pytest.mark.slow
@examples(300)
@given(changed_workspaces(), chances)
def test_what_is_converted_comes_back(files: Files, chance: random.Random) -> None:
    with TemporaryDirectory() as folder:
        names = write(Path(folder), files)
        datasets = [name for name in names if kind_of(name) == "dataset"]
        data = [name for name in datasets if Path(name).suffix in (".yaml", ".json", ".jsonl")]
        if data:
            check_conversion(Path(folder), chance.choice(data), chance.choice(DIALECTS))


@pytest.mark.slow
@examples(300)
@given(changed_workspaces())
def test_a_cache_changes_nothing(files: Files) -> None:
    with TemporaryDirectory() as folder, TemporaryDirectory() as cache_folder:
        write(Path(folder), files)
        check_cache(Path(folder), Path(cache_folder))


@pytest.fixture
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let several processes check even a small file."""
    monkeypatch.setattr(dataset_check, "MIN_PART_BYTES", 1000)
    monkeypatch.setattr(jsonl, "BLOCK_BYTES", 1000)


@pytest.mark.slow
@pytest.mark.usefixtures("_small_parts")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="one process checks everything there")
@examples(60)
@given(chances)
def test_several_processes_find_the_same(chance: random.Random) -> None:
    rows = [row for value in values() for row in _rows_of(value)]
    lines = []
    for number in range(60):
        row = chance.choice(rows)
        if chance.random() < 0.2:
            row = altered(row, chance, rows)
        elif isinstance(row, dict):
            row = {**row, "id": f"row_{number}"}
        line = json.dumps(row).encode()
        lines.append(mutated(line, chance) if chance.random() < 0.1 else line)
    with TemporaryDirectory() as folder:
        check_parallel(Path(folder), lines)


def _rows_of(value: Any) -> list[Any]:
    rows = value.get("questions") if isinstance(value, dict) else value
    return rows if isinstance(rows, list) else []


SCHEMAS = ("dataset", "rubric", "judge", "target")
ENGINES = {name: (validator_for(load(name)), native_for(load(name))) for name in SCHEMAS}


@pytest.mark.slow
@examples(3000)
@given(st.sampled_from(SCHEMAS), chances)
def test_both_engines_have_one_verdict(name: str, chance: random.Random) -> None:
    value = altered(chance.choice(values()), chance, values())
    try:
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except ValueError:
        return  # not JSON: no document has such a value
    exact, native = ENGINES[name]
    assert exact.is_valid(value) == native.is_valid(value), value
