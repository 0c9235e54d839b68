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


#: The columns that every table ends with.
TAKEN = ("commit", "date")
#: The name of the group of key strokes, which a script of its own measures.
STROKES = "keystrokes"


@dataclass(frozen=True, slots=True)
class Taken:
    """When and where figures were measured: of which commit, on which day (UTC), on what machine.

    `commit` ends in `+` if what is measured had changes that are in no commit. `load` is that of
    the machine before, in processes on average; `python` is the version of the interpreter.
    """

    commit: str
    date: str
    cpu: str
    cores: int
    python: str
    load: float

    @property
    def is_busy(self) -> bool:
        """Whether other work took a good part of the cores."""
        return self.load > self.cores


@dataclass(frozen=True, slots=True)
class Setting:
    """What the whole page is about: versions, and the peak of memory below which none is told."""

    versions: tuple[str, ...]
    least: float


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured, by the name of its group, and when; `strokes` is what its script printed.

    A group without `taken` was not measured.
    """

    rounds: Rounds
    taken: Mapping[str, Taken]
    strokes: str = ""

    def of(self, group: str) -> Sequence[Round]:
        """Return the rounds of a group."""
        return self.rounds.get(group, ())

    def named(self, group: str) -> tuple[str, str]:
        """Return the commit and the day of a group's figures."""
        found = self.taken.get(group)
        return (f"`{found.commit}`", found.date) if found else ("", "")


def page_of(groups: Sequence[Group], figures: Figures, setting: Setting, sizes: Sizes) -> str:
    """Return the page as Markdown, the same whenever the figures are."""
    notes = _notes(groups)
    parts = (
        "# Performance",
        ABOUT,
        _trust(figures.taken.values()),
        "## Goals",
        goals_of(groups, figures),
        *(("## Out of reach, and why", *notes) if notes else ()),
        "## Case by case",
        cases_of(groups, figures),
        "## What the commands cost",
        costs_of(groups, figures, setting.least),
        "## A key stroke in an editor",
        strokes_of(figures),
        "## The data",
        data_of(sizes),
        "## How it is measured",
        HOW,
        "## Machine and versions",
        machines_of(figures),
        "\n".join(f"- {line}" for line in setting.versions),
    )
    return "\n\n".join(parts) + "\n"


def goals_of(groups: Sequence[Group], figures: Figures) -> str:
    """Return the table of goals."""
    lines = [
        (
            goal.title,
            *_goal(goal, group.reason(goal), figures.of(group.name)),
            *figures.named(group.name),
        )
        for group in groups
        for goal in group.goals
    ]
    return _table(("work", "worst case", "median", "must", "aim", "met", *TAKEN), lines)


def strokes_of(figures: Figures) -> str:
    """Return what `keystrokes.py` printed; each line of its table gets commit and date."""
    lines = []
    for line in figures.strokes.splitlines():
        ends = figures.named(STROKES)
        if line.startswith("| typed"):
            ends = TAKEN
        elif line.startswith("| ---"):
            ends = ("---", "---")
        lines.append(f"{line} {' | '.join(ends)} |" if line.startswith("|") else line)
    return "\n".join(lines)


def machines_of(figures: Figures) -> str:
    """Return the table of what was measured when, and on what machine."""
    lines = [
        (name, each.cpu, str(each.cores), each.python, f"{each.load:.1f}", *figures.named(name))
        for name, each in figures.taken.items()
    ]
    return _table(("group", "processor", "cores", "Python", "load before", *TAKEN), lines)


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


def cases_of(groups: Sequence[Group], figures: Figures) -> str:
    """Return the table of the cases, where a goal has several."""
    lines = [
        (
            goal.title.partition(":")[0],
            case.name,
            _median(measure(case, figures.of(group.name)), goal),
            *figures.named(group.name),
        )
        for group in groups
        for goal in group.goals
        for case in goal.cases
        if case.name and goal.is_measured(figures.of(group.name))
    ]
    return _table(("work", "case", "median (smallest to largest)", *TAKEN), lines)


def costs_of(groups: Sequence[Group], figures: Figures, least: float) -> str:
    """Return the table of the commands."""
    lines = []
    for group in groups:
        for command in group.commands:
            runs = [each[command.key] for each in figures.of(group.name) if command.key in each]
            if runs:
                cost = _cost(runs, command.rows, least)
                lines.append((command.what, *cost, str(len(runs)), *figures.named(group.name)))
    return _table(("command", "processor", "time", "rows/s", "peak memory", "n", *TAKEN), lines)


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


def _trust(taken: Iterable[Taken]) -> str:
    every = [*taken]
    low, high = (end(each.load for each in every) for end in (min, max))
    commits = " and ".join(sorted({f"`{each.commit}` ({each.date})" for each in every}))
    load = (
        f"All figures are of {commits}: none was measured since. "
        f"The load of the machine before each group was {low:.1f} to {high:.1f}."
    )
    if any(each.is_busy for each in every):
        return f"{load} **The machine was busy with other work: these figures are provisional.**"
    return f"{load} No figure is surer than the line on noise lets it."
