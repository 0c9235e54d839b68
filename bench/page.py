"""The page of figures, from what was measured. Nothing here runs anything."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from about import ABOUT, HOW, data_of
from notes import NOTES
from ratios import digits, measure, verdict, worst

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ratios import Goal, Measured, Round
    from subject import Group, Sizes
    from timing import Run

    #: The rounds of each group, by its name.
    Rounds = Mapping[str, Sequence[Round]]


#: How many columns of each table say what a line is about.
_NAMES = (1, 2, 1)


@dataclass(frozen=True, slots=True)
class Machine:
    """What it ran on, in general words; a peak of memory below `least` cannot be told."""

    cores: int
    loads: tuple[float, ...]
    versions: tuple[str, ...]
    least: float


def page_of(groups: Sequence[Group], rounds: Rounds, machine: Machine, sizes: Sizes) -> str:
    """Return the page as Markdown, the same whenever the figures are."""
    notes = _notes(groups)
    parts = (
        "# Performance",
        ABOUT,
        _trust(machine),
        "## Goals",
        goals_of(groups, rounds),
        *(("## Out of reach, and why", *notes) if notes else ()),
        "## Case by case",
        cases_of(groups, rounds),
        "## What the commands cost",
        costs_of(groups, rounds, machine.least),
        "## The data",
        data_of(sizes),
        "## How it is measured",
        HOW,
        "## Machine and versions",
        "\n".join(f"- {line}" for line in machine.versions),
    )
    return "\n\n".join(parts) + "\n"


def goals_of(groups: Sequence[Group], rounds: Rounds) -> str:
    """Return the table of goals."""
    lines = [
        (goal.title, *_goal(goal, group.reason(goal), rounds.get(group.name, ())))
        for group in groups
        for goal in group.goals
    ]
    return _table(("work", "worst case", "median", "must", "aim", "met"), lines)


def _goal(goal: Goal, reason: str, rounds: Sequence[Round]) -> tuple[str, ...]:
    sign = "≥" if goal.high else "≤"
    bounds = [
        "" if bound is None else f"{sign} {_number(bound, goal)}" for bound in (goal.must, goal.aim)
    ]
    if not goal.is_measured(rounds):
        return "", "", *bounds, f"not measured: {reason or 'not asked for'}"
    every = [measure(case, rounds) for case in goal.cases]
    last = worst(goal, every)
    name = f"{last.case.name}: " if last.case.name else ""
    middle = _number(statistics.median(each.median for each in every), goal)
    return f"{name}{_median(last, goal)}", middle, *bounds, verdict(goal, last.median)


def _median(measured: Measured, goal: Goal) -> str:
    low, high = (_number(end(measured.values), goal) for end in (min, max))
    middle = _number(measured.median, goal)
    return f"**{middle}** ({low} to {high}, n={len(measured.values)})"


def _number(value: float, goal: Goal) -> str:
    return f"{value:.{digits(goal)}f}" + (" MB" if goal.is_memory else "")


def cases_of(groups: Sequence[Group], rounds: Rounds) -> str:
    """Return the table of the cases, where a goal has several."""
    lines = [
        (goal.title.partition(":")[0], case.name, _median(measure(case, rounds[group.name]), goal))
        for group in groups
        for goal in group.goals
        for case in goal.cases
        if case.name and goal.is_measured(rounds.get(group.name, ()))
    ]
    return _table(("work", "case", "median (smallest to largest)"), lines)


def costs_of(groups: Sequence[Group], rounds: Rounds, least: float) -> str:
    """Return the table of the commands."""
    lines = []
    for group in groups:
        for command in group.commands:
            runs = [each[command.key] for each in rounds.get(group.name, ()) if command.key in each]
            if runs:
                lines.append((command.what, *_cost(runs, command.rows, least), str(len(runs))))
    return _table(("command", "processor", "time", "rows/s", "peak memory", "n"), lines)


def amended(page: str, groups: Sequence[Group], rounds: Rounds, sizes: Sizes) -> str:
    """Return a page with the figures of some groups in place of those that it has, or added.

    The others stay, though they were measured at another time.
    """
    tables = (goals_of(groups, rounds), cases_of(groups, rounds), costs_of(groups, rounds, 0))
    for table, columns in zip(tables, _NAMES, strict=True):
        head, _, *new = table.split("\n")
        start = page.index(f"{head}\n")
        end = page.index("\n\n", start)
        lines = {tuple(line.split(" | ")[:columns]): line for line in page[start:end].split("\n")}
        lines |= {tuple(line.split(" | ")[:columns]): line for line in new}
        page = page[:start] + "\n".join(lines.values()) + page[end:]
    for text, title in ((data_of(sizes), "## The data"), (HOW, "## How it is measured")):
        start = page.index(f"{title}\n\n")
        end = page.index("\n\n## ", start)
        page = f"{page[:start]}{title}\n\n{text}{page[end:]}"
    end = page.index("\n\n## Case by case")
    for note in _notes(groups):
        start = page.find(note[: note.index("**", 2)])
        if start >= 0:
            stop = page.find("\n\n", start)
            page, end = page[:start].rstrip("\n") + page[stop:], end - (stop - start) - 2
        page = f"{page[:end]}\n\n{note}{page[end:]}"
    return page


def _notes(groups: Sequence[Group]) -> list[str]:
    noted = [group for group in groups if group.name in NOTES]
    return [f"**{group.goals[0].title}.** {NOTES[group.name]}" for group in noted]


def _table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    escaped = ([cell.replace("|", r"\|") for cell in line] for line in lines)
    every = (head, ["---"] * len(head), *escaped)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in every)


def _cost(runs: Sequence[Run], rows: int, least: float) -> Iterator[str]:
    seconds = statistics.median(run.seconds for run in runs)
    cpu = statistics.median(run.cpu for run in runs)
    peak = max(run.megabytes for run in runs)
    yield _time(cpu)
    yield _time(seconds)
    yield f"{rows / cpu:,.0f}" if rows >= 100 and cpu else ""
    yield f"{peak:,.0f} MB" if peak > least else f"at most {peak:.0f} MB"


def _time(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"


def _trust(machine: Machine) -> str:
    low, high = min(machine.loads), max(machine.loads)
    load = f"The load was {low:.1f} to {high:.1f}, on {machine.cores} cores."
    if high > machine.cores:
        return f"{load} **The machine was busy with other work: these figures are provisional.**"
    return f"{load} No figure is surer than the line on noise lets it."
