"""The page of figures, from what was measured. Nothing here runs anything."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from about import ABOUT, HOW, data_of
from notes import NOTES
from ratios import digits, measure, verdict, worst

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plan import Group, Sizes
    from ratios import Goal, Measured, Round
    from timing import Run

    #: The rounds of each group, by its name.
    Rounds = Mapping[str, Sequence[Round]]


@dataclass(frozen=True, slots=True)
class Machine:
    """What it ran on, in general words; a peak of memory below `least` cannot be told."""

    cores: int
    loads: tuple[float, ...]
    versions: tuple[str, ...]
    least: float


def page_of(groups: Sequence[Group], rounds: Rounds, machine: Machine, sizes: Sizes) -> str:
    """Return the page as Markdown, the same whenever the figures are."""
    noted = [group for group in groups if group.name in NOTES]
    notes = [f"**{group.goals[0].title}.** {NOTES[group.name]}" for group in noted]
    parts = (
        "# Performance",
        ABOUT,
        _trust(machine),
        "## Goals",
        table_of(groups, rounds),
        *(("## Out of reach, and why", *notes) if notes else ()),
        "## Case by case",
        _cases(groups, rounds),
        "## What the commands cost",
        _costs(groups, rounds, machine.least),
        "## The data",
        data_of(sizes),
        "## How it is measured",
        HOW,
        "## Machine and versions",
        "\n".join(f"- {line}" for line in machine.versions),
    )
    return "\n\n".join(parts) + "\n"


def table_of(groups: Sequence[Group], rounds: Rounds) -> str:
    """Return the table of goals."""
    lines = ["| work | worst case | median | must | aim | met |", "|---|---|---|---|---|---|"]
    for group in groups:
        of = rounds.get(group.name, ())
        lines += [_line(goal, group.reason(goal), of) for goal in group.goals]
    return "\n".join(lines)


def _line(goal: Goal, reason: str, rounds: Sequence[Round]) -> str:
    sign = "≥" if goal.high else "≤"
    bounds = (
        "" if bound is None else f"{sign} {_number(bound, goal)}" for bound in (goal.must, goal.aim)
    )
    if reason or not rounds:
        met = f"not measured: {reason or 'not asked for'}"
        return f"| {goal.title} | | | {' | '.join(bounds)} | {met} |"
    every = [measure(case, rounds) for case in goal.cases]
    last = worst(goal, every)
    middle = _number(statistics.median(each.median for each in every), goal)
    name = f"{last.case.name}: " if last.case.name else ""
    value = f"{name}{_median(last, goal)}"
    cells = (goal.title, value, middle, *bounds, verdict(goal, last.median))
    return f"| {' | '.join(cells)} |"


def _median(measured: Measured, goal: Goal) -> str:
    low, high = (_number(end(measured.values), goal) for end in (min, max))
    middle = _number(measured.median, goal)
    return f"**{middle}** ({low} to {high}, n={len(measured.values)})"


def _number(value: float, goal: Goal) -> str:
    return f"{value:.{digits(goal)}f}" + (" MB" if goal.is_memory else "")


def _cases(groups: Sequence[Group], rounds: Rounds) -> str:
    """Return the table of the cases, where a goal has several."""
    lines = ["| work | case | median (smallest to largest) |", "|---|---|---|"]
    for group in groups:
        for goal in group.goals:
            if len(goal.cases) > 1 and not group.reason(goal) and rounds.get(group.name):
                every = [measure(case, rounds[group.name]) for case in goal.cases]
                lines += [
                    f"| {goal.title} | {one.case.name} | {_median(one, goal)} |" for one in every
                ]
    return "\n".join(lines)


def _costs(groups: Sequence[Group], rounds: Rounds, least: float) -> str:
    """Return the table of the commands."""
    lines = [
        "| command | processor | time | rows/s | peak memory | n |",
        "|---|---|---|---|---|---|",
    ]
    for group in groups:
        for command in group.commands:
            runs = [each[command.key] for each in rounds.get(group.name, ()) if command.key in each]
            if runs:
                cells = (command.what, *_cost(runs, command.rows, least), str(len(runs)))
                lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


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
