"""The benchmark runs, and what it measures on is sound; how long anything takes is not asserted."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from evalcontract import DatasetLoader

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "bench"))

from files import write_all  # noqa: E402 - the benchmark is no package
from goals import ROWS  # noqa: E402
from notes import NOTES  # noqa: E402
from peers import none_of_them  # noqa: E402
from plan import QUICK, Options, make_plan  # noqa: E402
from samples import FAULTS, ONE_BAD_IN, rows  # noqa: E402

LINES = 1_000
YAML = 500
PARTS = 10


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write all files, with few rows."""
    folder = tmp_path_factory.mktemp("bench")
    write_all(folder, lines=LINES, yaml=YAML, parts=PARTS)
    return folder


def values_of(file: Path) -> list[dict[str, object]]:
    """Return the rows of a JSONL file."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_both_forms_hold_the_same_rows(data: Path) -> None:
    datasets = data / "one" / "datasets"
    lines = (datasets / "clean.jsonl").read_text(encoding="utf-8").splitlines()
    whole = yaml.safe_load((datasets / "clean.yaml").read_text(encoding="utf-8"))
    assert whole == {"questions": [json.loads(line) for line in lines[:YAML]]}
    assert values_of(datasets / "clean.jsonl") == list(rows(LINES))
    assert 650 <= sum(map(len, lines)) / len(lines) <= 700
    assert len((datasets / "small.yaml").read_text("utf-8").splitlines()) in range(35, 46)


def test_the_files_are_what_the_page_says(data: Path) -> None:
    datasets = data / "one" / "datasets"
    clean = values_of(datasets / "clean.jsonl")
    assert sum(":" in str(row["input"]) for row in clean) == -(-LINES // 3)
    shuffled = values_of(datasets / "shuffled.jsonl")
    ids = [str(row["id"]) for row in shuffled]
    assert ids != sorted(ids) == [row["id"] for row in clean]
    own = values_of(datasets / "own.jsonl")
    assert all(len(row.keys() - plain.keys()) == 3 for row, plain in zip(own, clean, strict=True))
    rag = values_of(data / "rag" / "datasets" / "rag.jsonl")
    assert len({row["rubric_ref"] for row in rag}) == 200
    assert {row["bundle"] for row in rag} == {"rag"}
    bad = values_of(datasets / "bad.jsonl")
    changed = [row != plain for row, plain in zip(bad, clean, strict=True)]
    hundreds = [changed[first : first + ONE_BAD_IN] for first in range(0, LINES, ONE_BAD_IN)]
    assert [sum(hundred) for hundred in hundreds] == [1] * (LINES // ONE_BAD_IN)


def run_ours(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command as the benchmark does."""
    command = [sys.executable, "-m", "evalcontract", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "name", ["clean.jsonl", "shuffled.jsonl", "own.jsonl", "tenth.jsonl", "first.jsonl"]
)
def test_clean_lines_are_clean(data: Path, name: str) -> None:
    done = run_ours("validate-dataset", "--strict", str(data / "one" / "datasets" / name))
    assert (done.returncode, done.stderr) == (0, "")
    assert "no findings" in done.stdout


def test_other_clean_files_are_clean(data: Path) -> None:
    yamls = [str(data / "one" / "datasets" / name) for name in ("clean.yaml", "small.yaml")]
    done = run_ours("validate-dataset", "--strict", *yamls)
    assert (done.returncode, "no findings" in done.stdout) == (0, True), done.stdout
    done = run_ours("check", "--strict", str(data / "rag"))
    assert (done.returncode, "no findings" in done.stdout) == (0, True), done.stdout
    done = run_ours("check", "--strict", str(data / "many"))
    assert (done.returncode, "no findings" in done.stdout) == (0, True), done.stdout
    assert f"{PARTS} rubrics, {PARTS} judges" in done.stdout


@pytest.mark.parametrize(("name", "number"), [("bad.jsonl", LINES), ("bad.yaml", YAML)])
def test_a_bad_row_has_one_finding(data: Path, name: str, number: int) -> None:
    loaded = DatasetLoader(strict=False).load(data / "one" / "datasets" / name)
    found = [(each.code, each.row) for each in loaded.diagnostics]
    assert len(set(found)) == len(found) == number // ONE_BAD_IN
    assert len({code for code, _ in found}) == len(FAULTS)
    assert all(each.place.span for each in loaded.diagnostics)


def test_every_row_is_measured_by_one_group() -> None:
    """A ratio is of runs of one round."""
    peers = none_of_them("left out")
    for options in (Options(jobs=False, cache=False), Options(jobs=True, cache=True)):
        plan = make_plan(QUICK, Path("data"), options, peers)
        for row in ROWS:
            groups = [{each.key for each in group} for group in plan.groups.values()]
            measured = any(group.issuperset(row.needs()) for group in groups)
            assert measured != bool(plan.reason(row)), row.key


def test_options_that_are_there_are_used() -> None:
    peers = none_of_them("left out")
    old = make_plan(QUICK, Path("data"), Options(jobs=False, cache=False), peers)
    new = make_plan(QUICK, Path("data"), Options(jobs=True, cache=True), peers)
    assert old.missing["jobs"] == "this version has no option `--jobs`"
    commands = {each.key: each.arguments for group in new.groups.values() for each in group}
    assert " --jobs 1 --no-cache " in " ".join(commands["clean"])
    assert " --jobs 2 --no-cache " in " ".join(commands["jobs"])
    assert "--no-cache" not in commands["many_second"]


def test_notes_are_of_rows() -> None:
    keys = [row.key for row in ROWS]
    assert len(set(keys)) == len(keys)
    assert NOTES.keys() <= set(keys)


def pages() -> dict[str, int]:
    """Return when each page of the documentation was written."""
    return {path.name: path.stat().st_mtime_ns for path in (ROOT / "docs").iterdir()}


@pytest.mark.slow
def test_quick_benchmark_runs() -> None:
    """Without the peers, which are no dependency of the tests."""
    before = pages()
    command = [sys.executable, "bench/run.py", "--quick", "--no-peers"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    table = [line for line in done.stdout.splitlines() if line.startswith("|")]
    assert len(table) == 2 + len(ROWS)
    assert all(line.count("|") == table[0].count("|") for line in table)
    assert pages() == before
