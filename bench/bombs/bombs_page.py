"""The table of what bombs cost, and its place in docs/limits.md. Nothing here runs anything."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, NamedTuple

from costs import MAX_CPU, MAX_MEGABYTES

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Sequence

    from costs import Cost

BEGIN, END = "<!-- bombs: written by `make bombs` -->", "<!-- end of bombs -->"
SHOWN = 20


class Measured(NamedTuple):
    """What a command on a bomb cost; `grows` says what its `size` counts, `read` are bytes."""

    name: str
    grows: str
    size: int
    read: int
    command: str
    cost: Cost


def line_of(measured: Measured) -> str:
    """Return a line for the terminal; it ends in a mark if the command cost too much."""
    cost = measured.cost
    mark = "" if cost.is_met else f"  <-- exit status {cost.status}"
    return (
        f"{measured.name:34} {measured.command:16} {measured.read / 1000:7,.0f} KB "
        f"{cost.cpu:6.1f} s {cost.megabytes:6.0f} MB {cost.output / 1000:7,.0f} KB{mark}"
    )


def replaced(page: str, measured: Sequence[Measured], day: dt.date, commit: str) -> str:
    """Return the page with the table of these figures, of a commit, between its markers."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{_section(measured, day, commit)}\n\n{END}{after}"


def _section(measured: Sequence[Measured], day: dt.date, commit: str) -> str:
    ordered = sorted(measured, key=lambda one: one.cost.cpu, reverse=True)
    bombs = len({one.name for one in measured})
    cpu = [one.cost.cpu for one in measured]
    memory = [one.cost.megabytes for one in measured]
    missed = sum(not one.cost.is_met for one in measured)
    verdict = f"{missed} miss it" if missed else "all meet it"
    rows = "\n".join(_row(one) for one in ordered[:SHOWN])
    return f"""\
Measured on {day:%d %B %Y} at commit `{commit}`, and not since: processor time (user and system) \
of {len(measured)} commands on {bombs} inputs. \
The goal is {MAX_CPU:.0f} s and {MAX_MEGABYTES:.0f} MB; {verdict}.

| | median | worst |
| --- | --- | --- |
| processor time | {statistics.median(cpu):.1f} s | {max(cpu):.1f} s |
| peak memory | {statistics.median(memory):.0f} MB | {max(memory):.0f} MB |

The {min(SHOWN, len(ordered))} most costly:

| input | size | bytes | command | processor time | peak memory | output |
| --- | --- | --- | --- | --- | --- | --- |
{rows}"""


def _row(one: Measured) -> str:
    cost = one.cost
    cells = (
        one.grows.removesuffix("."),
        f"{one.size:,}",
        f"{one.read / 1000:,.0f} KB",
        f"`{one.command}`",
        f"{cost.cpu:.1f} s",
        f"{cost.megabytes:.0f} MB",
        f"{cost.output / 1000:,.0f} KB",
    )
    return f"| {' | '.join(cells)} |"
