"""The pure parts of the benchmark: ratios, verdicts, the page, and the rounds that are kept."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "bench"))

from goals import ROWS
from page import Cost, Figures, Machine, page_of, table_of
from plan import FULL, Plan
from ratios import Measured, Row, measure
from run import commands_of, limit, select
from store import Round, Store, state_of
from timing import Command, Run, run

HIGH = Row("high", "speed", ("theirs",), "ours", must=2, aim=3)
LOW = Row("low", "part", ("ours",), "theirs", high=False, must=0.5, aim=0.25)
MEMORY = Row("memory", "peak", ("ours", "theirs"), high=False, must=160, aim=100)


def round_of(ours: float, theirs: float, cpu: float = 1) -> dict[str, Run]:
    return {"ours": Run(ours, ours * cpu, 90), "theirs": Run(theirs, theirs, 120)}


def test_ratios_are_round_by_round() -> None:
    rounds = [round_of(1, 2), round_of(2, 6), round_of(1, 4)]
    assert measure(HIGH, rounds) == Measured((2, 3, 4), (2, 3, 4))
    assert measure(MEMORY, rounds) == Measured((120, 120, 120))


def test_a_ratio_less_the_start() -> None:
    row = Row("net", "net", ("all",), "tenth", "one", factor=0.1, high=False)
    runs = {"all": Run(10.5, 10.5, 1), "tenth": Run(1.5, 1.5, 1), "one": Run(0.5, 0.5, 1)}
    assert measure(row, [runs]).wall == (1.0,)


@pytest.mark.parametrize(
    ("row", "values", "expected"),
    [
        (HIGH, (3.0, 3.1, 3.2), "both"),
        (HIGH, (2.999, 2.999), "both"),  # it is shown as 3.00
        (HIGH, (2.0, 2.0), "must"),
        (HIGH, (1.9, 1.9), "none"),
        (LOW, (0.2, 0.2), "both"),
        (LOW, (0.5, 0.5), "must"),
        (LOW, (0.51, 0.51), "none"),
        (MEMORY, (160.4,), "must"),
        (MEMORY, (161.0,), "none"),
        (Row("no_goal", "", ("a",), "b"), (1.0,), ""),
    ],
)
def test_verdict(row: Row, values: tuple[float, ...], expected: str) -> None:
    assert Measured(values, () if row.is_memory() else values).verdict(row) == expected


def test_processor_time_decides_where_the_machine_is_busy() -> None:
    noisy = Measured((1.0, 1.5, 3.5), (3.0, 3.1, 3.2))
    assert noisy.by_cpu(HIGH)
    assert noisy.verdict(HIGH) == "both"
    assert not Measured((3.0, 3.2), (1.0, 1.0)).by_cpu(HIGH), "wall time is steady"
    assert not Measured((1.0, 3.5), (1.0, 4.0)).by_cpu(HIGH), "neither is"
    two = Row("two", "", ("a",), "b", must=2, aim=3, cpu_serves=False)
    assert noisy.verdict(two) == "none"


def test_lines_of_the_table() -> None:
    measured = {"high": Measured((2.0, 2.5, 2.2), (2.1, 2.4, 2.3)), "memory": Measured((99.6,))}
    table = table_of((HIGH, MEMORY, LOW), Figures(measured, {"low": "no network"}, ()))
    assert table.splitlines()[2:] == [
        "| speed | **2.20** (2.00 to 2.50, n=3) | 2.30 | ≥ 2.00 | ≥ 3.00 | must |",
        "| peak | **100 MB** (100 MB to 100 MB, n=1) |  | ≤ 160 MB | ≤ 100 MB | must and aim |",
        "| part |  |  | ≤ 0.50 | ≤ 0.25 | not measured: no network |",
    ]


def test_the_page_says_all_of_it() -> None:
    machine = Machine("3.11.7", "Linux, x86_64", 2, (0.5, 1.25), ("peers: none.",), 25)
    costs = [Cost("ours, large", 1000, (Run(2, 1.9, 90), Run(4, 2.1, 91)))]
    costs.append(Cost("ours, small", 0, (Run(0.05, 0.04, 25),)))
    figures = Figures({"high": Measured((2.0,), (2.0,))}, {}, costs)
    page = page_of((HIGH, LOW), figures, machine, FULL, {"low": "Nothing can be done."})
    assert page == page_of((HIGH, LOW), figures, machine, FULL, {"low": "Nothing can be done."})
    assert "The load was 0.5 to 1.2, on 2 cores." in page
    assert "provisional" not in page
    busy = replace(machine, loads=(0.5, 2.1))
    assert "these figures are provisional" in page_of((HIGH,), figures, busy, FULL, {})
    assert "**part.** Nothing can be done." in page
    assert "| ours, large | 3.00 s | 2.00 s | 333 | 91 MB | 2 |" in page
    assert "| ours, small | 50 ms | 40 ms |  | at most 25 MB | 1 |" in page
    assert "1,000,000 rows" in page
    assert page.endswith("- peers: none.\n")


def test_rounds_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "rounds.jsonl"
    store = Store(file, "now")
    first, second = Round(1, "a", 0.5, round_of(1, 2)), Round(2, "a", 0.5, round_of(3, 4))
    store.add(first)
    store.add(second)
    Store(file, "other").add(Round(7, "a", 0.5, round_of(5, 6)))
    with file.open("a") as broken:
        broken.write('["now", 3, "a"')
    again = Store(file, "now")
    assert again.last_session() == 2
    assert again.rounds(["ours"]) == [second]
    assert again.rounds(["ours"], session=1) == [first]
    assert again.rounds(["ours", "no_such"]) == []


def test_a_state_is_of_the_content(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("1")
    before = state_of(["*.py"], tmp_path)
    assert state_of(["*.py"], tmp_path) == before
    (tmp_path / "a.py").write_text("2")
    assert state_of(["*.py"], tmp_path) != before


def test_only_what_is_asked_for_is_run() -> None:
    keys = ("clean", "floor", "bad", "pass")
    plan = Plan({"lines": tuple(Command(key, key, ("x",)) for key in keys)}, {})
    rows = select(ROWS, "jsonl-bad")
    assert [row.key for row in rows] == ["jsonl-bad"]
    assert [row.key for row in select(ROWS, "noise,jsonl-bad")] == ["jsonl-bad", "noise"]
    assert select(ROWS, None) == ROWS
    assert select(ROWS, "no_such") == ()
    assert [each.key for each in commands_of(plan, rows)["lines"]] == ["clean", "bad"]


def test_rounds_are_limited() -> None:
    assert limit(FULL, None) == FULL
    assert max(limit(FULL, 4).rounds.values()) == 4
    assert min(limit(FULL, 4).rounds.values()) == min(FULL.rounds.values())


def test_a_command_that_does_not_do_its_work_is_no_figure(tmp_path: Path) -> None:
    python = (sys.executable, "-c")
    good = Command("x", "x", (*python, "print('3 rows')"), says="3 rows")
    assert run(good, tmp_path).seconds > 0
    with pytest.raises(RuntimeError, match="should exit with 0 and say '4 rows'"):
        run(Command("x", "x", (*python, "print('3 rows')"), says="4 rows"), tmp_path)
    with pytest.raises(RuntimeError, match="it exited with 1"):
        run(Command("x", "x", (*python, "exit(1)")), tmp_path)


def test_a_folder_is_emptied_before_the_run(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    (folder / "old").touch()
    run(Command("x", "x", (sys.executable, "-c", "pass"), empties=folder), tmp_path)
    assert not folder.exists()
