"""What a start imports: that, and not the checking, is what a small file waits for."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tables import every_case

from evalcontract.cli import outcome, start

SOURCE = Path(__file__).parents[2] / "src"
PROBE = """
import sys
before = set(sys.modules)
from evalcontract.cli import start
try:
    getattr(start, sys.argv.pop(1))()
except SystemExit as ended:
    assert not ended.code, ended.code
print(*sorted(set(sys.modules) - before))
"""
#: What of others takes long to import, and is needed only where something is wrong.
SLOW = {
    "click", "importlib.metadata", "importlib.resources", "jsonschema", "logging", "referencing",
    "shutil", "subprocess", "tempfile", "textwrap", "tomllib", "traceback", "yaml",
    # orjson imports the others, which takes as long as all of our own modules.
    "dataclasses", "inspect", "orjson", "platform", "uuid",
}  # fmt: skip
RUBRIC = """\
id: tone
version: "1.0.0"
checks:
  - {id: words, kind: must_not_contain, values: [stupid]}
  - {id: facts, kind: fact_match}
scoring: {combine: all_pass}
"""
DATASET = """\
questions:
  - id: refund_window
    input: How long can I return a lamp?
    expected_facts: [30 days]
    rubric_ref: rubric/tone@1.0.0
"""


def imported(script: str, *arguments: str, folder: Path) -> set[str]:
    """Run a script in a process of its own; return the modules that it imported."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE, script, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.slow
def test_version_imports_nothing(tmp_path: Path) -> None:
    modules = imported("evalcontract", "--version", folder=tmp_path)
    assert modules & {"yaml", "orjson", "jsonschema_rs", *SLOW} == set()


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--strict", "--jobs", "1"]])
@pytest.mark.parametrize("group", [False, True])
def test_a_clean_small_file_imports_little(
    tmp_path: Path, options: list[str], *, group: bool
) -> None:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "tone.yaml").write_text(RUBRIC, encoding="utf-8")
    (tmp_path / "data.yaml").write_text(DATASET, encoding="utf-8")
    call = ("evalcontract", "validate-dataset") if group else ("validate_dataset",)
    modules = imported(*call, *options, "data.yaml", folder=tmp_path)
    assert modules & SLOW == set()


@pytest.mark.parametrize("columns", [None, "", "0", "-3", "x", "70", " 90 ", "1_0"])
def test_the_width_is_that_of_shutil(monkeypatch: pytest.MonkeyPatch, columns: str | None) -> None:
    if columns is None:
        monkeypatch.delenv("COLUMNS", raising=False)
    else:
        monkeypatch.setenv("COLUMNS", columns)
    assert outcome.terminal_width() == shutil.get_terminal_size().columns


@pytest.mark.slow
@pytest.mark.parametrize("name", ["data.jsonl", "data.json"])
def test_rows_of_ours_alone_are_not_held_against_other_systems(tmp_path: Path, name: str) -> None:
    row = '{"id": "a", "input": "b", "expected_facts": ["c"]}\n'
    text = row if name.endswith("l") else f"[{row}]"
    (tmp_path / name).write_text(text, encoding="utf-8")
    modules = imported("validate_dataset", name, folder=tmp_path)
    assert "orjson" in modules
    assert modules & {"csv", "evalcontract.formats"} == set()


#: What a command may be told: files that have findings, that are not there, that a pattern does
#: not match, and options in every place, doubled, or with a value that is none.
TOLD = (
    "data.yaml", "data.yaml none.yaml", "no/*.yaml", ".", "--strict data.yaml",
    "data.yaml --soft", "--strict --soft data.yaml", "--soft data.yaml --strict",
    "--jobs 2 data.yaml", "--jobs=2 data.yaml", "data.yaml --jobs 0", "--jobs data.yaml",
    "data.yaml --jobs", "--jobs 01 data.yaml", "--strict", "--jobs 1", "-- data.yaml", "--stric x",
    "-q data.yaml", "--quiet --strict data.yaml", "--exit-zero --strict data.yaml",
)  # fmt: skip


@pytest.mark.costly
@every_case("told", TOLD)
def test_the_short_way_says_what_click_would(
    tmp_path: Path,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "data.yaml").write_text(DATASET.replace("input", "inputt"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for name in ("freeze", "set_threshold"):  # this process is not ours alone, and goes on
        monkeypatch.setattr(gc, name, lambda *_: None)

    def said(*options: str) -> tuple[object, str, str]:
        call = ["evalcontract", "validate-dataset", *options, *told.split()]
        monkeypatch.setattr(sys, "argv", call)
        with pytest.raises(SystemExit) as left:
            start.evalcontract()
        return (left.value.code, *capfd.readouterr())

    assert said() == said("--limit", "200")
