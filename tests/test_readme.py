"""What the README and docs/commands.md show is what the commands print today."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from doors import command_line
from writing import write

from evalcontract.source import Document, read_stream
from evalcontract.structure.schemas import load, text_of

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
TODAY = datetime.now(tz=UTC).date()


Print = Callable[..., str]


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Print:
    """Return a function that runs `evalcontract` in a folder, and returns what it prints."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)

    def run(folder: Path, *command: str, exits: int = 0) -> str:
        monkeypatch.chdir(folder)
        code = command_line(*command)
        out, err = capsys.readouterr()
        assert code == exits, err
        return out

    return run


def blocks(page: str = README) -> list[str]:
    return re.findall(r"^```\w*\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("begins", "command", "exits"),
    [
        ("warning[judge/stale-validation]", ("check", "demo"), 1),
        ("demo/datasets/support.yaml", ("coverage", "demo/datasets/support.yaml"), 0),
        ("--- demo/datasets/support.yaml", ("fix", "--diff", "demo"), 1),
        (
            "rubric/polite@1.0.0: 3 rows",
            (
                *("grade", "demo/datasets/smalltalk.jsonl", "--soft"),
                *("--outputs", "demo/outputs/smalltalk.jsonl"),
            ),
            0,
        ),
    ],
)
def test_output(begins: str, command: tuple[str, ...], exits: int, printed: Print) -> None:
    shown = next(each for each in blocks(README + COMMANDS) if each.startswith(begins))
    output = printed(ROOT, *command, exits=exits)

    parts = [part.strip("\n") for part in shown.split("\n\n")]
    assert parts
    assert [part for part in parts if part not in output] == []


def test_the_first_screen(printed: Print, tmp_path: Path) -> None:
    """Its file, checked by its command, gives its output."""
    file = next(each for each in blocks() if each.startswith("questions:\n"))
    shown = next(each for each in blocks() if each.startswith("$ evalcontract validate-dataset"))
    command, output = shown.split("\n", 1)
    assert command == "$ evalcontract validate-dataset support.yaml"
    (tmp_path / "support.yaml").write_text(file, encoding="utf-8")
    assert printed(tmp_path, *command.split()[2:]) == output


def test_the_new_workspace(printed: Print, tmp_path: Path) -> None:
    """What `init` prints; the commands that it names run."""
    shown = next(each for each in blocks() if each.startswith("$ evalcontract init"))
    command, output = shown.split("\n", 1)
    assert printed(tmp_path, *command.split()[2:]) == output
    into, *others = (line.split() for line in output.partition("next:\n")[2].splitlines())
    assert into == ["cd", "evals"]
    assert len(others) == 3
    for _, *arguments in others:
        printed(tmp_path / "evals", *arguments)


def test_commands_are_those_of_the_makefile() -> None:
    targets = re.findall(
        r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    told = re.findall(r"^make ([a-z]+)$", README, re.MULTILINE)

    assert told == ["demo", "test"]
    assert set(told) <= set(targets)


# The files that the pages show

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*s.md"))]
NAMED = re.compile(r"^`(evals/\S+)`:\n\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)
VALIDATED = re.compile(r"(?<=validated_at: )[0-9-]{10}")


def named_files(*pages: Path) -> dict[str, str]:
    """Return the files of pages by name, with validations of this week."""
    files: dict[str, str] = {}
    for page in pages:
        for name, text in NAMED.findall(page.read_text(encoding="utf-8")):
            assert name not in files, f"{name} is shown twice"
            files[name] = VALIDATED.sub(str(TODAY - timedelta(days=3)), text)
    return files


def write_with_schemas(folder: Path, files: dict[str, str]) -> None:
    """Write files, and the schemas as `schema export` writes them."""
    kinds = ("dataset", "rubric", "judge", "target")
    names = [name for kind in kinds for name in (kind, f"editor/{kind}")]
    schemas = {f"evals/schema/{name}.schema.json": text_of(name) for name in names}
    write(folder, {**files, **schemas})


def test_files_of_the_readme_are_a_clean_workspace(printed: Print, tmp_path: Path) -> None:
    """A reader who copies each file to its name sees what the README says."""
    shown = next(each for each in blocks() if each.startswith("$ evalcontract check evals"))
    command, output = shown.split("\n", 1)
    assert command == "$ evalcontract check evals --strict"
    files = named_files(ROOT / "README.md")
    write_with_schemas(tmp_path, files)
    assert printed(tmp_path, "check", "evals", "--strict") == output

    # The tree of the workspace names the same files.
    tree = next(each for each in blocks() if each.startswith("evals/\n"))
    assert {f"evals/{line.split()[0]}" for line in tree.splitlines()[1:]} == set(files)


@pytest.mark.parametrize("mode", ["--soft", "--strict"])
def test_files_of_all_pages_are_a_clean_workspace(
    mode: str, printed: Print, tmp_path: Path
) -> None:
    files = named_files(*PAGES)
    assert len(files) >= 14
    write_with_schemas(tmp_path, files)
    assert printed(tmp_path, "check", "evals", mode).endswith(": no findings\n")


def test_every_row_of_the_readme_is_graded_whole(printed: Print, tmp_path: Path) -> None:
    write_with_schemas(tmp_path, named_files(*PAGES))
    assert printed(tmp_path, "coverage", "evals/datasets").endswith("checks will run: 100.0 %\n")


@pytest.mark.slow
def test_python_of_the_readme(tmp_path: Path) -> None:
    """It runs as it stands, above the files of the workspace."""
    write_with_schemas(tmp_path, named_files(ROOT / "README.md"))
    code = next(each for each in blocks() if each.startswith("from evalcontract import"))
    call = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("return_period ()\norder_status ()\n")


def test_every_parameter_is_shown_or_named() -> None:
    """The pages tell of each key that a rubric or a judge may have."""
    told = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    rubric, judge = (load(name) for name in ("rubric", "judge"))
    parts = [rubric, judge, *rubric["$defs"].values(), *judge["$defs"].values()]
    keys = {key for part in parts for key in part.get("properties", {})}
    words = set(re.findall(r"\w+", told))
    assert keys - words - {"$schema"} == set()


def test_how_yaml_is_read() -> None:
    """The table of docs/datasets.md, cell by cell."""
    page = (ROOT / "docs" / "datasets.md").read_text(encoding="utf-8")
    table = page.split("| written | read as |")[1].split("\n\n")[0]
    kinds: dict[str, Any] = {
        "text": str,
        "true": bool,
        "null": type(None),
        "a number": (int, float),
    }
    seen = 0
    for written, meaning in re.findall(r"^\| (`.*) \| (.*) \|$", table, re.MULTILINE):
        kind = next(of for name, of in kinds.items() if meaning.startswith(name))
        for scalar in re.findall(r"`([^`]+)`", written):
            source = read_stream(io.BytesIO(f"a: {scalar}\n".encode()), "a.yaml")
            assert isinstance(source, Document)
            assert isinstance(source.value["a"], kind), scalar
            seen += 1
    assert seen >= 15
