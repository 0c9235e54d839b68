"""The pure parts of the benchmark: ratios, verdicts, the page."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tables import every_case

sys.path.append(str(Path(__file__).parents[2] / "bench"))

import environments
from environments import state_of
from page import STROKES, Figures, Setting, Taken, cases_of, goals_of, page_of
from ratios import Case, Goal, measure, verdict, worst
from subject import FULL, Group
from timing import Command, Run, run

HIGH = Goal("speed", (Case("theirs", "ours"),), must=2, aim=3)
LOW = Goal(
    "part", (Case("ours", "theirs", "a"), Case("theirs", "ours", "`|`")), 0.5, 0.25, high=False
)
MEMORY = Goal("peak", (Case("ours", name="x"), Case("theirs", name="y")), 160, 100, high=False)
COMMANDS = (Command("ours", "ours", ("x",), 1000), Command("theirs", "theirs", ("x",)))
GROUP = Group("one", 3, COMMANDS, (HIGH, LOW, MEMORY))
SETTING = Setting(("evalcontract 1.0.", "Peers: none."), 25)
TAKEN = Taken("1a2b3c4d5e", "2026-06-01", "A Processor", 2, "3.11.7", 0.5)


def round_of(ours: float, theirs: float) -> dict[str, Run]:
    return {"ours": Run(9, ours, 90), "theirs": Run(9, theirs, 119.6)}


ROUNDS = [round_of(1, 2), round_of(2, 6), round_of(1, 4)]


def test_ratios_are_round_by_round_and_of_processor_time() -> None:
    assert measure(HIGH.cases[0], ROUNDS).values == (2, 3, 4)
    assert measure(MEMORY.cases[0], ROUNDS).values == (90, 90, 90)


def test_the_worst_case_is_the_furthest_from_the_goal() -> None:
    every = [measure(case, ROUNDS) for case in LOW.cases]
    assert worst(LOW, every).case.name == "`|`"
    assert worst(replace(LOW, high=True), every).case.name == "a"


@every_case(
    ("goal", "value", "expected"),
    [
        (HIGH, 3.1, "must and aim"),
        (HIGH, 2.999, "must and aim"),  # it is shown as 3.00
        (HIGH, 2.0, "must"),
        (HIGH, 1.9, "**no**"),
        (LOW, 0.2, "must and aim"),
        (LOW, 0.5, "must"),
        (LOW, 0.51, "**no**"),
        (MEMORY, 160.4, "must"),
        (MEMORY, 161.0, "**no**"),
        (Goal("no goal", HIGH.cases), 1.0, ""),
    ],
)
def test_verdict(goal: Goal, value: float, expected: str) -> None:
    assert verdict(goal, value) == expected


def test_a_ratio_is_compared_with_another_of_the_same_round() -> None:
    rounds = [{**each, "a": Run(9, 6, 90), "b": Run(9, 3, 90)} for each in ROUNDS]
    assert measure(Case("theirs", "ours", beside=("a", "b")), rounds).values == (1, 1.5, 2)


def figures(strokes: str = "", **groups: list[dict[str, Run]]) -> Figures:
    """Return what was measured of some groups, and of the key strokes."""
    return Figures(groups, dict.fromkeys((*groups, STROKES), TAKEN), strokes)


def test_lines_of_the_table() -> None:
    end = "| `1a2b3c4d5e` | 2026-06-01 |"
    assert goals_of((GROUP,), figures(one=ROUNDS)).splitlines()[2:] == [
        f"| speed | **3.00** (2.00 to 4.00, n=3) | 3.00 | ≥ 2.00 | ≥ 3.00 | must and aim {end}",
        rf"| part | `\|`: **3.00** (2.00 to 4.00, n=3) | 1.67 | ≤ 0.50 | ≤ 0.25 | **no** {end}",
        (
            "| peak | y: **120 MB** (120 MB to 120 MB, n=3) | 105 MB | ≤ 160 MB | ≤ 100 MB | must "
            f"{end}"
        ),
    ]


def test_what_was_not_measured_is_told() -> None:
    missing = replace(COMMANDS[1], missing="no network")
    group = replace(GROUP, commands=(COMMANDS[0], missing), goals=(HIGH,))
    line = "| speed |  |  | ≥ 2.00 | ≥ 3.00 | not measured: {} |"
    without = [{"ours": each["ours"]} for each in ROUNDS]
    assert (
        goals_of((group,), figures(one=without))
        .splitlines()[2]
        .startswith(line.format("no network"))
    )
    (told,) = goals_of((group,), figures()).splitlines()[2:]
    assert told == f"{line.format('no network')}  |  |"
    assert "not measured: not asked for |  |  |" in goals_of((GROUP,), figures())


def test_what_was_measured_before_is_shown() -> None:
    """A page can be written again on a machine that has no peers, or without `--baseline`."""
    missing = replace(COMMANDS[1], missing="no network")
    group = replace(GROUP, commands=(COMMANDS[0], missing))
    assert goals_of((group,), figures(one=ROUNDS)) == goals_of((GROUP,), figures(one=ROUNDS))


def test_figures_of_two_commits_are_told_apart() -> None:
    others = replace(GROUP, name="two")
    later = replace(TAKEN, commit="ffffff0000+", date="2026-07-01")
    both = Figures({"one": ROUNDS, "two": ROUNDS}, {"one": TAKEN, "two": later})
    lines = cases_of((GROUP, others), both).splitlines()[2:]
    ends = [line.split(" | ")[-2:] for line in lines]
    assert ends[0] == ["`1a2b3c4d5e`", "2026-06-01 |"]
    assert ends[-1] == ["`ffffff0000+`", "2026-07-01 |"]


STROKES_TABLE = """\
YAML of 2 rows; seconds, median of 1.

| typed | in | ours |
| --- | --- | --- |
| a letter | a clean file | 0.1 |"""


def test_the_page_says_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("page.NOTES", {"one": "Nothing can be done."})
    measured = figures(STROKES_TABLE, one=ROUNDS)
    page = page_of((GROUP,), measured, SETTING, FULL)
    assert page == page_of((GROUP,), measured, SETTING, FULL)
    assert "The load of the machine before each group was 0.5 to 0.5." in page
    assert "provisional" not in page
    busy = replace(measured, taken={"one": replace(TAKEN, load=2.1)})
    assert "these figures are provisional" in page_of((GROUP,), busy, SETTING, FULL)

    assert "**speed.** Nothing can be done." in page
    assert "| part | a | **0.33** (0.25 to 0.50, n=3) | `1a2b3c4d5e` | 2026-06-01 |" in page
    assert "| ours | 1.00 s | 9.00 s | 1,000 | 90 MB | 3 | `1a2b3c4d5e` | 2026-06-01 |" in page
    assert "| a letter | a clean file | 0.1 | `1a2b3c4d5e` | 2026-06-01 |" in page
    assert "| one | A Processor | 2 | 3.11.7 | 0.5 | `1a2b3c4d5e` | 2026-06-01 |" in page
    assert "orjson.loads(line)" in page, "the plain script stands on it"
    assert page.endswith("- Peers: none.\n")
    assert lines_without_a_commit(page) == []


def test_the_page_says_of_what_commits_it_is() -> None:
    other = replace(TAKEN, commit="0a1b2c3d4e+", date="2026-05-30")
    figures = Figures({"one": ROUNDS}, {"one": TAKEN, STROKES: other})
    said = "All figures are of `0a1b2c3d4e+` (2026-05-30) and `1a2b3c4d5e` (2026-06-01): none was"
    assert said in page_of((GROUP,), figures, SETTING, FULL)
    written = (Path(__file__).parents[2] / "docs" / "performance.md").read_text(encoding="utf-8")
    (lines,) = re.findall(r"^All figures are of (.*?): none was", written, re.MULTILINE)
    of = re.findall(r"\| `(\w+\+?)` \| (\d{4}-\d\d-\d\d) \|$", written, re.MULTILINE)
    assert of
    assert lines == " and ".join(sorted({f"`{commit}` ({date})" for commit, date in of}))


PAGE = Path(__file__).parents[2] / "docs" / "performance.md"
_TAKEN = r"`[0-9a-f]{7,}\+?` \| [0-9]{4}-[0-9]{2}-[0-9]{2}"
TOLD = re.compile(rf"\| (?:{_TAKEN}|commit \| date|--- \| ---) \|$")


def lines_without_a_commit(page: str) -> list[str]:
    """Return the lines of tables that do not end with a commit and a date."""
    lines = [line for line in page.splitlines() if line.startswith("|")]
    assert lines, "a page without tables tells nothing"
    return [line for line in lines if TOLD.search(line) is None]


def test_every_line_of_the_page_names_commit_and_date() -> None:
    assert lines_without_a_commit(PAGE.read_text(encoding="utf-8")) == []


def test_a_peak_below_ours_cannot_be_told() -> None:
    page = page_of((GROUP,), figures(one=ROUNDS), replace(SETTING, least=95), FULL)
    assert "| ours | 1.00 s | 9.00 s | 1,000 | at most 90 MB | 3 |" in page


def test_a_state_is_of_the_content(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("1")
    before = state_of(["*.py"], tmp_path)
    assert state_of(["*.py"], tmp_path) == before
    (tmp_path / "a.py").write_text("2")
    assert state_of(["*.py"], tmp_path) != before


def test_an_environment_can_be_given(tmp_path: Path) -> None:
    assert environments.install_ours(tmp_path, tmp_path).folder == tmp_path


@pytest.mark.slow
def test_a_command_that_does_not_do_its_work_is_no_figure(tmp_path: Path) -> None:
    python = (sys.executable, "-c")
    good = Command("x", "x", (*python, "print('3 rows')"), says="3 rows")
    assert run(good, tmp_path).seconds > 0
    with pytest.raises(RuntimeError, match="should exit with 0 and say '4 rows'"):
        run(replace(good, says="4 rows"), tmp_path)
    with pytest.raises(RuntimeError, match="it exited with 1"):
        run(replace(good, arguments=(*python, "exit(1)")), tmp_path)


@pytest.mark.slow
def test_a_folder_is_emptied_before_the_run(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    (folder / "old").touch()
    run(Command("x", "x", (sys.executable, "-c", "pass"), empties=folder), tmp_path)
    assert not folder.exists()
