"""The benchmark runs, and what it measures on is sound; how long anything takes is not asserted."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from evalcontract import DatasetLoader

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "bench"))

from dialects import DIALECTS  # noqa: E402
from environments import Installed  # noqa: E402 - the benchmark is no package
from files import write_all  # noqa: E402
from graded import OUTPUTS  # noqa: E402
from layouts import LAYOUTS  # noqa: E402
from needs import SHARED_VARIABLE  # noqa: E402
from notes import NOTES  # noqa: E402
from plan import make_plan  # noqa: E402
from rows import FAULTS, ONE_BAD_IN, rows, unlike_rows  # noqa: E402
from shapes import SHAPES, TABLES  # noqa: E402
from subject import QUICK, Sizes, Subject  # noqa: E402

# What the benchmark is made of covers nothing of the package that other tests do not.
pytestmark = [pytest.mark.no_cover, pytest.mark.slow]

ROWS = 500
PARTS = 10
YAML = [layout.__name__ for layout in LAYOUTS.values()]
JSONL = [shape.__name__ for shape in SHAPES.values()]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write all files, with few rows."""
    folder = tmp_path_factory.mktemp("bench")
    write_all(folder, Sizes(ROWS, ROWS, ROWS, ROWS, PARTS))
    return folder


def lines_of(data: Path, name: str) -> list[Any]:
    """Return the rows of a JSONL file."""
    text = (data / "jsonl" / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def rows_of(data: Path, name: str) -> list[Any]:
    """Return the rows of a YAML file."""
    text = (data / "yaml" / f"{name}.yaml").read_text(encoding="utf-8")
    return list(yaml.load(text, yaml.CSafeLoader)["questions"])


def run_ours(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command as the benchmark does."""
    command = [sys.executable, "-m", "evalcontract", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


LIBRARY = ("rubrics", "judges")


@pytest.mark.thorough
def test_clean_files_are_clean(data: Path) -> None:
    files = [each for each in data.glob("*/*.*") if each.suffix in {".yaml", ".jsonl"}]
    left_out = (*LIBRARY, "dialects")
    clean = [str(each) for each in files if each.stem != "bad" and each.parent.name not in left_out]
    outputs = {name.replace(" ", "_") for name in OUTPUTS}
    clean = [name for name in clean if Path(name).stem not in outputs]
    others = ["tiny", "hundred", "thousand", "own", "most", "shuffled", "rows of graded outputs"]
    assert len(clean) == len(YAML) + len(JSONL) + 2 * len(TABLES) + len(others)
    done = run_ours("validate-dataset", "--strict", *clean)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert "no findings" in done.stdout


@pytest.mark.thorough
@pytest.mark.parametrize("name", DIALECTS)
def test_files_of_other_systems_are_clean(data: Path, name: str) -> None:
    file = data / "dialects" / f"{name}.jsonl"
    done = run_ours("validate-dataset", "--strict", "--dialect", DIALECTS[name], str(file))
    assert (done.returncode, done.stdout) == (0, f"1 dataset ({ROWS} rows): no findings\n")
    # What is compared has as many bytes.
    assert 0.8 < file.stat().st_size / (data / "dialects" / "mlflow.jsonl").stat().st_size < 1.2


def test_many_files_are_clean(data: Path) -> None:
    done = run_ours("check", "--strict", "--no-cache", str(data / "many"))
    assert done.returncode == 0, done.stdout
    says = f"{PARTS // 5} datasets ({PARTS // 5 * 50} rows), {PARTS} rubrics, {PARTS} judges"
    assert f"{says}: no findings" in done.stdout


@pytest.mark.thorough
@pytest.mark.parametrize("shape", OUTPUTS)
def test_the_plain_script_gives_the_same_scores(data: Path, shape: str) -> None:
    outputs = data / "graded" / f"{shape.replace(' ', '_')}.jsonl"
    files = [str(data / "graded" / "rows.jsonl"), str(outputs)]
    script = [sys.executable, str(ROOT / "bench" / "plain_grade.py"), str(data / "row.schema.json")]
    plain = subprocess.run([*script, *files], capture_output=True, text=True, check=True).stdout
    ours = run_ours("grade", files[0], "--outputs", files[1], "--output-format", "json")
    checks = json.loads(ours.stdout)["summary"]["checks"]
    lines = {each["check"]: f"{each['mean']:.2f}" for each in checks}
    assert len(lines) == 6
    assert dict(line.split() for line in plain.splitlines()[:-1]) == lines


@pytest.mark.parametrize("name", ["bad.jsonl", "bad.yaml"])
def test_a_bad_row_has_one_finding(data: Path, name: str) -> None:
    loaded = DatasetLoader(strict=False).load(data / name.partition(".")[2] / name)
    found = [(each.code, each.row) for each in loaded.diagnostics]
    assert len(set(found)) == len(found) == ROWS // ONE_BAD_IN
    assert len({code for code, _ in found}) == len(FAULTS)
    assert all(each.place.span for each in loaded.diagnostics)


@pytest.mark.thorough
def test_layouts_hold_the_same_rows(data: Path) -> None:
    expected = list(unlike_rows(ROWS))
    for name in ("pyyaml", "plain", "folded", "by_hand"):
        assert rows_of(data, name) == expected, name
    for name in YAML:
        found = rows_of(data, name)
        assert [list(row) for row in found] == [list(row) for row in expected], name
        assert [row["id"] for row in found] == [row["id"] for row in expected], name


def test_neighbours_differ(data: Path) -> None:
    """A reader that is made for one form of row gains nothing here."""
    forms = [tuple(row) for row in rows_of(data, "plain")]
    assert sum(one == other for one, other in pairwise(forms)) < ROWS / 2
    assert len({tuple(row) for row in lines_of(data, "varied")}) > ROWS / 2


def test_a_small_file_has_about_forty_lines(data: Path) -> None:
    assert len((data / "yaml" / "tiny.yaml").read_text("utf-8").splitlines()) in range(35, 46)


def test_own_rows_are_what_the_page_says(data: Path) -> None:
    own = lines_of(data, "own")
    assert own == lines_of(data, "most") == list(rows(ROWS))
    assert 650 <= (data / "jsonl" / "own.jsonl").stat().st_size / ROWS <= 700
    assert sum(":" in row["input"] for row in own) == -(-ROWS // 3)
    ids = [row["id"] for row in own]
    others = [row["id"] for row in lines_of(data, "shuffled")]
    assert ids == sorted(others) != others


def test_shapes_are_what_they_are_called(data: Path) -> None:
    simple, three = lines_of(data, "simple")[0], lines_of(data, "three_keys")[0]
    assert len(three.keys() - simple.keys()) == 3
    assert all(row["context"]["messages"] for row in lines_of(data, "chat"))
    assert min(len(json.dumps(row)) for row in lines_of(data, "long_contexts")) > 1_500
    for row in lines_of(data, "tools"):
        call = row["context"]["messages"][0]["tool_calls"][0]["function"]
        assert json.loads(call["arguments"])["query"].startswith('say "')
    texts = (data / "jsonl" / "unicode.jsonl").read_text(encoding="utf-8").splitlines()
    assert [text.isascii() for text in texts] == [index % 2 == 1 for index in range(ROWS)]


def subject(missing: str = "") -> Subject:
    there, other = Installed(Path("there")), Installed(missing=missing)
    return Subject(there, other, other, other, other, Path("data"), Path("cache"), QUICK)


def test_a_ratio_is_of_commands_that_take_turns() -> None:
    for group in make_plan(subject()):
        keys = [each.key for each in group.commands]
        needed = set().union(*(goal.needs for goal in group.goals))
        assert len(set(keys)) == len(keys), group.name
        assert needed == set(keys), group.name


@pytest.mark.parametrize("is_there", [True, False])
def test_what_is_missing_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_there: bool
) -> None:
    monkeypatch.delenv(SHARED_VARIABLE, raising=False)
    if is_there:
        (tmp_path / "real" / "ai_eval").mkdir(parents=True)
        (tmp_path / "real" / "ai_eval" / "change_dataset.yaml").touch()
        monkeypatch.setenv(SHARED_VARIABLE, str(tmp_path))
    groups = {group.name: group for group in make_plan(subject("no network"))}
    reasons = {name: group.reason(group.goals[0]) for name, group in groups.items()}
    assert (SHARED_VARIABLE in reasons["real"]) is not is_there
    reasons = {name: reason for name, reason in reasons.items() if name != "real"}
    assert {name for name, reason in reasons.items() if not reason} == {
        *("memory", "bad", "grade", "dialects", "versions")
    }
    assert set(reasons.values()) == {"", "no network"}


def test_notes_are_of_groups() -> None:
    assert set(NOTES) <= {group.name for group in make_plan(subject())}


@pytest.mark.thorough
def test_quick_benchmark_runs() -> None:
    """On this environment, without the peers, which are no dependency of the tests."""
    page = ROOT / "docs" / "performance.md"
    before = page.stat().st_mtime_ns
    asked = ("--quick", "--no-peers", "--ours", sys.prefix, "--baseline", sys.prefix)
    command = [sys.executable, "bench/run.py", *asked]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    table = done.stdout.partition("\n\n")[0].splitlines()
    goals = [goal for group in make_plan(subject()) for goal in group.goals]
    assert len(table) == 2 + len(goals)
    assert all(line.count("|") == table[0].count("|") for line in table)
    assert page.stat().st_mtime_ns == before
