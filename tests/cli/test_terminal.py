"""What a terminal gets: colour, width, the progress bar, and nothing that it would act on."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import unicodedata
from itertools import product
from pathlib import Path

import pytest
from doors import command_line
from examples import some
from publishing import COMMAND, PUBLISHED
from tables import every_case
from terminals import cells, drawings, environment, on_terminal
from writing import write

ROOT = Path(__file__).parents[2]
WORKSPACES = ROOT / "fixtures" / "workspaces"
NAMES = sorted(path.name for path in WORKSPACES.iterdir() if path.is_dir())
# Nearly every case starts a process on a terminal of its own.
pytestmark = pytest.mark.slow

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
CHECK = [sys.executable, "-m", "evalcontract"]
#: Runs `evalcontract` with the patience of its progress bar set by the first argument.
IMPATIENT = """
import sys
from evalcontract.cli import output
output._DELAY_SECONDS = float(sys.argv.pop(1))
output._PAUSE_SECONDS = 0
from evalcontract.cli.start import evalcontract as main
main()
"""


def piped(command: list[str], cwd: Path, **more: str) -> tuple[str, str]:
    done = subprocess.run(
        command, cwd=cwd, env=environment(**more), capture_output=True, check=False
    )
    return done.stdout.decode(), done.stderr.decode()


# Colour


@every_case(
    ("arguments", "variables", "on_pty", "on_pipe"),
    some(
        [
            ("check --strict", {}, True, False),
            ("check --strict", {"NO_COLOR": "1"}, False, False),
            ("check --strict", {"NO_COLOR": ""}, True, False),
            ("check --strict", {"FORCE_COLOR": "1"}, True, True),
            ("check --strict", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
            ("check --strict", {"TERM": "dumb"}, False, False),
            ("explain dataset/duplicate-id", {}, True, False),
            ("explain dataset/duplicate-id", {"NO_COLOR": "1"}, False, False),
        ],
        times=12,
    ),
    ids=str,
)
def test_colour(arguments: str, variables: dict[str, str], *, on_pty: bool, on_pipe: bool) -> None:
    """Only on a terminal, never against NO_COLOR; and it changes nothing else."""
    folder = WORKSPACES / "nine_mistakes"
    shown, errors = on_terminal([*CHECK, *arguments.split()], folder, variables)
    plain, _ = piped([*CHECK, *arguments.split()], folder, **variables)
    assert errors == ""
    assert ("\x1b" in shown) is on_pty
    assert ("\x1b" in plain) is on_pipe
    assert COLOUR.sub("", shown) == COLOUR.sub("", plain)


def test_no_color_of_errors() -> None:
    """A message of wrong usage keeps to NO_COLOR too."""
    for variables, coloured in (({}, True), ({"NO_COLOR": "1"}, False)):
        shown, _ = on_terminal([*CHECK, "check", "action"], ROOT, variables, stream="stderr")
        assert "no dataset" in shown
        assert ("\x1b" in shown) is coloured


URL = f"{PUBLISHED}/rules/rubric/cycle/"


@pytest.mark.parametrize(
    ("variables", "expected"),
    some(
        [
            ({"FORCE_HYPERLINK": "1"}, True),
            ({"FORCE_HYPERLINK": "0", "WT_SESSION": "x"}, False),
            ({"FORCE_HYPERLINK": "1", "NO_COLOR": "1"}, False),
            ({"FORCE_HYPERLINK": "1", "TERM": "dumb"}, False),
        ],
        times=12,
    ),
)
def test_codes_are_links(variables: dict[str, str], *, expected: bool) -> None:
    """On a terminal only; without the marks, the text is the same."""
    command = [*COMMAND, "check"]
    shown, _ = on_terminal(command, WORKSPACES / "cycles", variables)
    plain, _ = on_terminal(command, WORKSPACES / "cycles", {**variables, "FORCE_HYPERLINK": "0"})
    link = f"\x1b]8;;{URL}\x1b\\rubric/cycle\x1b]8;;\x1b\\"
    assert (link in shown) is expected
    assert re.sub(r"\x1b\]8;;[^\x1b]*\x1b\\", "", shown) == plain
    piped = on_terminal(command, WORKSPACES / "cycles", variables, stream="stderr")[1]
    assert "\x1b]8" not in piped
    today, _ = on_terminal([*CHECK, "check"], WORKSPACES / "cycles", variables)
    assert "\x1b]8" not in today


def test_json_is_never_coloured() -> None:
    command = [*CHECK, "check", "--output-format", "json"]
    shown, _ = on_terminal(command, WORKSPACES / "nine_mistakes", {"FORCE_COLOR": "1"})
    assert "\x1b" not in shown
    assert len(json.loads(shown)["findings"]) >= 9


# The line of progress


@pytest.fixture(scope="module")
def stream_of_rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a JSONL dataset of several blocks."""
    folder = tmp_path_factory.mktemp("stream")
    row = '{{"id": "row_{0}", "input": "Where? {1}", "expected_facts": ["c"]}}\n'
    filler = "x" * 2000
    with (folder / "rows.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(row.format(number, filler) for number in range(2000))
    return folder


@pytest.mark.parametrize(
    ("patience", "stream", "appears"),
    [("0", "stderr", True), ("3600", "stderr", False), ("0", "stdout", False)],
)
def test_progress(patience: str, stream: str, stream_of_rows: Path, *, appears: bool) -> None:
    """It appears on standard error alone, only on a terminal, and only when a run lasts."""
    command = [sys.executable, "-c", IMPATIENT, patience, "validate-dataset", "rows.jsonl"]
    shown, other = on_terminal(command, stream_of_rows, stream=stream)
    errors, output = (shown, other) if stream == "stderr" else (other, shown)
    assert COLOUR.sub("", output) == "1 dataset (2,000 rows): no findings\n"
    if not appears:
        assert errors == ""
        return
    *seen, last = drawings(errors)
    assert _without_speed(seen[-1]) == "100 %, 2,000 rows, 0 s left, 0 findings: rows.jsonl"
    assert last == ""


LONG_NAMES = ["x" * 100, "\N{CJK UNIFIED IDEOGRAPH-6625}" * 60, "\x1b[31m"]


@every_case(("columns", "name"), some(product([5, 20, 40, 80, 120], LONG_NAMES), times=3))
def test_progress_leaves_nothing(
    name: str, columns: int, stream_of_rows: Path, tmp_path: Path
) -> None:
    """It stays on one line, or each step would be one more; and a name is shown, not sent."""
    name += ".jsonl"
    (tmp_path / name).symlink_to(stream_of_rows / "rows.jsonl")
    command = [sys.executable, "-c", IMPATIENT, "0", "validate-dataset", name]
    shown, _ = on_terminal(command, tmp_path, stream="stderr", columns=columns)
    *seen, last = drawings(shown, columns)
    assert any("%" in line for line in seen)
    assert last == ""


def _without_speed(line: str) -> str:
    return re.sub(r", [0-9,]+ rows a second", "", line)


def test_progress_counts_files_and_rows(tmp_path: Path) -> None:
    """Of a whole workspace, whose files are read at once."""
    row = "  - {id: a, input: b, expected_facts: [c]}\n  - {id: b, input: b, expected_facts: [c]}\n"
    files = {f"datasets/d{number}.yaml": f"questions:\n{row}" for number in range(1200)}
    write(tmp_path, files)
    command = [sys.executable, "-c", IMPATIENT, "0", "check", "--no-cache"]
    shown, _ = on_terminal(command, tmp_path, stream="stderr")
    *seen, last = drawings(shown)
    shown = _without_speed(seen[-1])
    assert re.match(r"1,200 of 1,200 files, 2,400 rows, 0 findings: \S+/d\d+\.yaml$", shown)
    assert last == ""


def test_progress_of_several_workspaces(tmp_path: Path) -> None:
    """The files of all are counted."""
    files = {
        f"{folder}/datasets/d{number}.json": '[{"id": "a", "input": "b", "expected_facts": ["c"]}]'
        for folder in ("one", "two")
        for number in range(2)
    }
    write(tmp_path, {**files, "one/evalcontract.toml": "", "two/evalcontract.toml": ""})
    command = [sys.executable, "-c", IMPATIENT, "0", "check", "--no-cache"]
    shown, _ = on_terminal(command, tmp_path, stream="stderr")
    assert [*map(_without_speed, drawings(shown))] == [
        "",
        "1 of 4 files, 1 row, 0 findings: one/datasets/d0.json",
        "2 of 4 files, 2 rows, 0 findings: one/datasets/d1.json",
        "3 of 4 files, 3 rows, 0 findings: two/datasets/d0.json",
        "4 of 4 files, 4 rows, 0 findings: two/datasets/d1.json",
        "",
    ]


@every_case("options", [["--quiet"], ["--output-format", "json", "--quiet"]], ids=str)
def test_no_progress_if_quiet(options: list[str], stream_of_rows: Path) -> None:
    command = [sys.executable, "-c", IMPATIENT, "0", "validate-dataset", "rows.jsonl", *options]
    shown, _ = on_terminal(command, stream_of_rows, stream="stderr")
    assert shown == ""


def test_no_progress_on_a_dumb_terminal(stream_of_rows: Path) -> None:
    command = [sys.executable, "-c", IMPATIENT, "0", "validate-dataset", "rows.jsonl"]
    shown, _ = on_terminal(command, stream_of_rows, {"TERM": "dumb"}, stream="stderr")
    assert shown == ""


def test_interrupted_progress(stream_of_rows: Path) -> None:
    """Control-C leaves nothing of the line, and no traceback."""
    interrupt = IMPATIENT.replace(
        "main()",
        "import os, signal\n"
        "advance = output.Bar.advance\n"
        "def stop(self, at):\n"
        "    advance(self, at)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "output.Bar.advance = stop\n"
        "main()",
    )
    command = [sys.executable, "-c", interrupt, "0", "validate-dataset", "rows.jsonl"]
    shown, output = on_terminal(command, stream_of_rows, stream="stderr")
    assert output == ""
    assert "rows.jsonl" in shown
    assert shown.rpartition("\r\x1b[K")[2].strip() in ("", "interrupted")


# Width


def frames_and_help(text: str) -> list[str]:
    """Return the lines of frames and of help; headings and places are as long as names are."""
    kept, in_help = [], False
    for line in text.splitlines():
        in_help = "= help: " in line or (in_help and line.startswith("  ") and "= " not in line[:8])
        if in_help or re.match(r" *\d* \|", line):
            kept.append(line)
    return kept


@every_case("name", NAMES)
@every_case("columns", [80, 50])
def test_nothing_is_wider_than_the_terminal(
    name: str,
    columns: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Frames and help fit into the width that there is."""
    monkeypatch.chdir(WORKSPACES / name)
    monkeypatch.setenv("COLUMNS", str(columns))
    command_line("check", "--strict", "--limit", "0")
    for line in frames_and_help(capsys.readouterr().out):
        assert cells(line) <= columns


def test_width_of_a_real_terminal() -> None:
    """The width is asked from the terminal itself."""
    folder = WORKSPACES / "jsonl_lines"
    command = [*CHECK, "check", "--strict"]
    wide, _ = on_terminal(command, folder, {"NO_COLOR": "1"}, columns=160)
    narrow, _ = on_terminal(command, folder, {"NO_COLOR": "1"}, columns=60)
    assert max(map(cells, frames_and_help(wide))) > 80
    assert max(map(cells, frames_and_help(narrow))) <= 60


@pytest.mark.parametrize("columns", [80, 40, 30])
def test_summaries_on_a_narrow_terminal(columns: int) -> None:
    """They are broken between words, in colour, too; on others, and elsewhere, they are whole."""
    shown, _ = on_terminal([*CHECK, "check", "demo", "--soft"], ROOT, columns=columns)
    plain, _ = piped([*CHECK, "check", "demo", "--soft"], ROOT)
    summary = plain.rpartition("\n\n")[2]
    assert summary.startswith("2 datasets")
    last = COLOUR.sub("", shown).rpartition("\n\n")[2]
    assert last.replace("\n  ", " ") == summary
    assert (last == summary) is (columns == 80)
    if columns == 40:
        assert all(cells(line) <= columns for line in last.splitlines())


@every_case(
    ("columns", "table"),
    [
        (40, "    no_insults (must_not_contain):\n      score 0.67, 95 % interval 0.21 to\n"),
        (80, "    no_insults     must_not_contain     0.67   0.21 to 0.94       2       1\n"),
    ],
)
def test_the_table_of_grade_on_a_narrow_terminal(columns: int, table: str) -> None:
    data = ("demo/datasets/smalltalk.jsonl", "--outputs", "demo/outputs/smalltalk.jsonl")
    shown, _ = on_terminal([*CHECK, "grade", *data], ROOT, columns=columns)
    assert table in shown
    assert all(cells(line) <= columns for line in shown.splitlines())


LONG = "x" * 500


@every_case(
    ("before", "after"),
    [
        ("", ""),
        ("春が来た、夏が来た", ""),
        ("e\N{COMBINING ACUTE ACCENT}te\N{COMBINING ACUTE ACCENT}", ""),
        ("ที่นี่", ""),
        ("\N{BLACK HEART SUIT}\N{VARIATION SELECTOR-16}", ""),
        ("\N{PARTY POPPER}\N{PARTY POPPER}", ""),
        ("\\t\\u001b[31m", ""),
        ("\t", ""),
        (LONG, ""),
        ("", LONG),
        (LONG, LONG),
        ("春" * 200, "夏" * 200),
        ("e\N{COMBINING ACUTE ACCENT}" * 200, "e\N{COMBINING ACUTE ACCENT}" * 200),
    ],
    ids=ascii,
)
def test_caret_stands_below_its_cells(
    before: str,
    after: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The carets are below exactly what is meant, whatever stands before it."""
    tab = "\t" if before == "\t" else ""
    before = before.strip("\t")
    row = f'{{"id": "i{before}",{tab} "input": "x", "expecteed_facts": [], "label": "{after}"}}\n'
    (tmp_path / "rows.jsonl").write_text(row, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    command_line("validate-dataset", "rows.jsonl")
    text, errors = capsys.readouterr()
    assert errors == ""
    lines = text.splitlines()
    source = next(line for line in lines if line.startswith("1 | "))
    carets = lines[lines.index(source) + 1]
    assert cells(source) <= 80
    start = source.index('"expecteed_facts"')
    assert cells(source[:start]) == carets.index("^")
    assert carets.count("^") == cells('"expecteed_facts"')
    assert carets.endswith("^")


ENCODINGS = ("ascii", "latin-1", "cp1252", "cp437", "shift_jis", "utf-8")
TEXTS = ("", "春が来た", "e\N{COMBINING ACUTE ACCENT}te\N{COMBINING ACUTE ACCENT}", "été", "ที่นี่",
         "\N{PARTY POPPER}", "\N{BLACK HEART SUIT}\N{VARIATION SELECTOR-16}",
         "春" * 200)  # fmt: skip


# Five for one of six encodings, so that each has its turn.
@every_case(("before", "encoding"), some(product(TEXTS, ENCODINGS), times=2), ids=ascii)
def test_caret_stands_below_its_cells_in_every_encoding(
    before: str, encoding: str, tmp_path: Path
) -> None:
    """A character that the encoding lacks is one `?`, however wide it would be."""
    row = f'{{"id": "i{before}", "input": "x", "expecteed_facts": []}}\n'
    (tmp_path / "rows.jsonl").write_text(row, encoding="utf-8")
    done = subprocess.run(
        [*CHECK, "validate-dataset", "rows.jsonl"],
        cwd=tmp_path,
        env=environment(PYTHONIOENCODING=encoding, PYTHONUTF8="0"),
        capture_output=True,
        check=False,
    )
    assert done.stderr == b""
    lines = done.stdout.decode(encoding).splitlines()
    source = next(line for line in lines if line.startswith("1 | "))
    carets = lines[lines.index(source) + 1]
    assert cells(source[: source.index('"expecteed_facts"')]) == carets.index("^")


# What a terminal would act on


#: Names of files, and texts, with what a terminal would act on.
ESCAPES = [
    ("rows.jsonl", '{"id": "\\u001b[2J", "input": 7}\n'),
    ("rows.jsonl", '{"id": "a", "input": "b", "expected": {"format": "\\u001b]0;x\\u0007"}}\n'),
    ("rows.jsonl", '{"id": "a", "input": "b", "rubric_ref": "\\u009b31m"}\n'),
    ("rows.jsonl", '{"id": "a", "input": "b\u202e\u009b31m", "expecteed_facts": []}\n'),
    ("rows.jsonl", '{"id": "a\x1b[31m", "input": "b"}\n'),
    ("rows.jsonl", '{"id": "a", "input": "b", "bundle": "x\\u001b[31m"}\n'),
    ("rows.yaml", "questions:\n  - id: a\x1b[31m\n"),
    ("rows.yaml", 'questions:\n  - {id: "\\e[31m", input: 7, "expecteed_facts\\e": 1}\n'),
    ("rows.yaml", 'questions:\n  - {id: "a\\r", input: 7, "a\\e": 1, "a\\e": 2}\n'),
    ("\x1b[31mred.yaml", "questions: 7\n"),
    ("\x1b[31mred.yaml", "questions:\n - {id: a, input: b}\n - {id: a, input: b}\n"),
    ("\x1b]0;title\x07.json", '{"name": "left out"}'),
]


def with_good_rows(folder: Path, name: str, text: str) -> None:
    """Write a file, and a dataset without a fault beside it."""
    (folder / name).write_text(text, encoding="utf-8")
    (folder / "good.yaml").write_text("questions:\n - {id: x, input: x}\n", encoding="utf-8")


@every_case(("name", "text"), ESCAPES, ids=ascii)
def test_no_escape_is_printed(
    name: str,
    text: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Control characters of data and of file names are shown by a sign, and never sent."""
    with_good_rows(tmp_path, name, text)
    monkeypatch.chdir(tmp_path)
    for command in (["check", "--verbose"], ["validate-dataset", name]):
        command_line(*command)
        shown, errors = capsys.readouterr()
        assert errors == ""
        assert {each for each in shown if unicodedata.category(each) in ("Cc", "Cf")} == {"\n"}


@pytest.mark.parametrize(("name", "text"), [ESCAPES[0], ESCAPES[9]], ids=ascii)
def test_no_escape_reaches_the_terminal(name: str, text: str, tmp_path: Path) -> None:
    """The same on a real one."""
    with_good_rows(tmp_path, name, text)
    shown, errors = on_terminal([*CHECK, "check", "--verbose"], tmp_path, {"NO_COLOR": "1"})
    assert errors == ""
    assert {each for each in shown if unicodedata.category(each) in ("Cc", "Cf")} == {"\n"}


def test_no_escape_in_messages_of_usage(tmp_path: Path) -> None:
    """What was typed is shown in the same way."""
    for arguments in (
        ["validate-dataset", "\x1b[31m*.yaml"],
        ["explain", "\x1b[31m"],
        ["check", "\x1b[31m"],
    ):
        shown, _ = on_terminal(
            [*CHECK, *arguments], tmp_path, {"NO_COLOR": "1", "TERM": "dumb"}, stream="stderr"
        )
        assert "\x1b" not in shown, arguments


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
@pytest.mark.parametrize("output", ["text", "json"])
def test_file_name_that_is_not_utf8(output: str, tmp_path: Path) -> None:
    """A name that is no text is still a file that can be checked; the report stays UTF-8."""
    (tmp_path / "datasets").mkdir()
    name = os.fsdecode(os.fsencode(tmp_path) + b"/datasets/caf\xe9.yaml")
    Path(name).write_text("questions: 7", encoding="utf-8")
    done = subprocess.run(
        [*CHECK, "check", "--output-format", output],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, b"")
    assert b"dataset/no-questions" in done.stdout
    done.stdout.decode("utf-8")


def test_output_that_is_not_utf8() -> None:
    """A terminal of another encoding gets signs for what it cannot show, and no traceback."""
    command = [*CHECK, "check", "--strict"]
    done = subprocess.run(
        command,
        cwd=WORKSPACES / "jsonl_lines",
        env=environment(PYTHONIOENCODING="ascii", PYTHONUTF8="0"),
        capture_output=True,
        check=False,
    )
    assert done.stderr == b""
    assert done.returncode == 1
    assert b"dataset/duplicate-id" in done.stdout


# A reader that goes away


@pytest.mark.parametrize(
    ("rows", "output", "reader"),
    some(
        [
            (3000, "text", "head -1"),
            (3000, "text", "true"),
            (3000, "json", "head -1"),
            (3000, "json", "true"),
            (1, "text", "true"),
        ],
        times=8,
    ),
)
def test_closed_pipe(reader: str, output: str, rows: int, tmp_path: Path) -> None:
    """Somebody who reads no further gets no traceback."""
    text = "".join(f'{{"id": "row_{n}", "input": {n}}}\n' for n in range(rows))
    (tmp_path / "rows.jsonl").write_text(text, encoding="utf-8")
    options = f"--limit 0 --output-format {output}"
    command = f'"{sys.executable}" -m evalcontract validate-dataset rows.jsonl {options} | {reader}'
    _, errors = piped(["sh", "-c", command], tmp_path)
    assert errors == ""
