"""The page of figures, from what was measured. Nothing here runs anything."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from about import ABOUT, HOW, data_of
from ratios import digits

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plan import Sizes
    from ratios import Measured, Row
    from timing import Run

VERDICTS = {"both": "must and aim", "must": "must", "none": "**no**", "": ""}


@dataclass(frozen=True, slots=True)
class Machine:
    """What it ran on, in general words."""

    python: str
    system: str
    cores: int
    loads: tuple[float, ...]
    versions: tuple[str, ...]
    #: A command's peak memory cannot be told below this.
    least_megabytes: float


@dataclass(frozen=True, slots=True)
class Cost:
    """A command, and all its runs."""

    what: str
    rows: int
    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """All that was measured; `missing` says why a row was not."""

    measured: Mapping[str, Measured]
    missing: Mapping[str, str]
    costs: Sequence[Cost]


def page_of(
    rows: Sequence[Row],
    figures: Figures,
    machine: Machine,
    sizes: Sizes,
    notes: Mapping[str, str],
) -> str:
    """Return the page as Markdown, the same whenever the figures are."""
    parts = (
        "# Performance",
        ABOUT,
        f"The load was {load_of(machine)}, on {machine.cores} cores. {trust_of(machine)}",
        "## Goals",
        table_of(rows, figures),
        *notes_of(rows, notes),
        "## What the commands cost",
        costs_of(figures.costs, machine.least_megabytes),
        "## The data",
        data_of(sizes),
        "## How it is measured",
        HOW,
        "## Machine and versions",
        machine_of(machine),
    )
    return "\n\n".join(parts) + "\n"


def table_of(rows: Sequence[Row], figures: Figures) -> str:
    """Return the table of goals."""
    lines = [
        "| work | median (smallest to largest, n) | by processor time | must | aim | met |",
        "|---|---|---|---|---|---|",
    ]
    lines += (line_of(row, figures) for row in rows)
    return "\n".join(lines)


def line_of(row: Row, figures: Figures) -> str:
    """Return a row's line of the table."""
    measured = figures.measured.get(row.key)
    if measured is None:
        reason = figures.missing.get(row.key) or "not asked for"
        cells = ["", "", *goals_of(row), f"not measured: {reason}"]
    else:
        met = VERDICTS[measured.verdict(row)]
        if met and measured.by_cpu(row):
            met += " (by processor time)"
        cpu = number_of(statistics.median(measured.cpu), row) if measured.cpu else ""
        cells = [values_of(measured.wall, row), cpu, *goals_of(row), met]
    return f"| {row.title} | {' | '.join(cells)} |"


def goals_of(row: Row) -> Iterator[str]:
    """Yield the two goals."""
    sign = "≥" if row.high else "≤"
    for goal in (row.must, row.aim):
        yield "" if goal is None else f"{sign} {number_of(goal, row)}"


def values_of(values: Sequence[float], row: Row) -> str:
    """Return the median, the ends and the number of some values."""
    middle = number_of(statistics.median(values), row)
    low, high = number_of(min(values), row), number_of(max(values), row)
    return f"**{middle}** ({low} to {high}, n={len(values)})"


def number_of(value: float, row: Row) -> str:
    """Return a value with as many digits as mean anything."""
    return f"{value:.{digits(row)}f}" + (" MB" if row.is_memory() else "")


def notes_of(rows: Sequence[Row], notes: Mapping[str, str]) -> Iterator[str]:
    """Yield the notes, in the order of the table."""
    noted = [row for row in rows if row.key in notes]
    if noted:
        yield "## Out of reach, and why"
    for row in noted:
        yield f"**{row.title}.** {notes[row.key]}"


def costs_of(costs: Sequence[Cost], least: float) -> str:
    """Return the table of the commands."""
    lines = [
        "| command | time | processor | rows/s | peak memory | n |",
        "|---|---|---|---|---|---|",
    ]
    for cost in costs:
        seconds = statistics.median(run.seconds for run in cost.runs)
        cpu = statistics.median(run.cpu for run in cost.runs)
        peak = max(run.megabytes for run in cost.runs)
        cells = (
            cost.what,
            seconds_of(seconds),
            seconds_of(cpu),
            f"{cost.rows / seconds:,.0f}" if cost.rows > 1 else "",
            f"{peak:,.0f} MB" if peak > least else f"at most {peak:.0f} MB",
            str(len(cost.runs)),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def seconds_of(seconds: float) -> str:
    """Return a time, in milliseconds where it is short."""
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"


def load_of(machine: Machine) -> str:
    """Return the load that the machine had before the groups."""
    low, high = min(machine.loads), max(machine.loads)
    return f"{low:.1f}" if low == high else f"{low:.1f} to {high:.1f}"


def trust_of(machine: Machine) -> str:
    """Return how far the figures can be trusted."""
    if max(machine.loads) > machine.cores:
        return "**The machine was busy with other work: these figures are provisional.**"
    return "No figure is surer than the line on noise lets it."


def machine_of(machine: Machine) -> str:
    """Return what it ran on."""
    lines = (
        f"Python {machine.python}, {machine.system}, {machine.cores} cores.",
        *machine.versions,
    )
    return "\n".join(f"- {line}" for line in lines)
