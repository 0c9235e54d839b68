"""Measure the commands against others, and print a Markdown table.

Times differ from machine to machine and from minute to minute, so what counts is the ratio of
two commands that run in turns. Both are whole commands, from the start of the interpreter on.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import peer
from samples import write_workspace
from timing import Pairs, in_turns, median_seconds, peak_megabytes

if TYPE_CHECKING:
    from timing import Command, Run

HERE = Path(__file__).parent
WORK = HERE / ".work"
SCHEMA = HERE.parent / "schema" / "dataset.schema.json"
PYTHON = sys.executable
OURS = (PYTHON, "-m", "evalcontract")


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured."""

    yaml_rows: int
    jsonl_rows: int
    long_repeats: int
    short_repeats: int


FULL = Sizes(yaml_rows=10_000, jsonl_rows=100_000, long_repeats=3, short_repeats=15)
QUICK = Sizes(yaml_rows=100, jsonl_rows=1_000, long_repeats=1, short_repeats=1)


@dataclass(frozen=True, slots=True)
class Case:
    """Two commands that are compared; `rows` is what each of them reads."""

    title: str
    ours: Command
    other_name: str
    other: Command
    repeats: int
    rows: int = 0
    at_least: float | None = None


def find_cases(sizes: Sizes, *, with_peer: bool) -> list[Case]:
    """List what is compared; writes the data, and installs the peer, where they are not there."""
    files = write_workspace(
        WORK / f"rows-{sizes.yaml_rows}-{sizes.jsonl_rows}",
        yaml_rows=sizes.yaml_rows,
        jsonl_rows=sizes.jsonl_rows,
    )
    long, short = sizes.long_repeats, sizes.short_repeats
    validate = (*OURS, "validate-dataset", "--strict")
    large, lines, small = (str(files[name]) for name in ("large", "lines", "small"))
    floor = (PYTHON, str(HERE / "floor.py"), lines)
    nothing = (PYTHON, "-c", "pass")
    cases = [
        Case("JSONL, clean", (*validate, lines), "orjson alone", floor, long, sizes.jsonl_rows),
        Case("`--version`", (*OURS, "--version"), "`python -c pass`", nothing, short),
        Case("noise: `python -c pass` twice", nothing, "itself", nothing, short),
    ]
    if with_peer:
        theirs = (*peer.install(WORK), "--schemafile", str(SCHEMA))
        name = f"check-jsonschema {peer.VERSION}"
        rows = sizes.yaml_rows
        must = 10.0
        cases[:0] = [
            Case("YAML, clean", (*validate, large), name, (*theirs, large), long, rows, must),
            Case("YAML, 40 lines", (*validate, small), name, (*theirs, small), short),
        ]
    return cases


def line_of(case: Case, pairs: Pairs) -> str:
    """Return the case's line of the table."""
    ratios = pairs.ratios()
    middle = statistics.median(ratios)
    goal = "" if case.at_least is None else f">= {case.at_least:g}"
    cells = [
        case.title + (f", {case.rows:,} rows" if case.rows else ""),
        *(cell_of(runs, case.rows) for runs in (pairs.first, pairs.second)),
        case.other_name,
        f"**{middle:.2f}** ({ratios[0]:.2f} to {ratios[-1]:.2f}, n={len(ratios)})",
        goal,
    ]
    return f"| {' | '.join(cells)} |"


def cell_of(runs: tuple[Run, ...], rows: int) -> str:
    """Return a command's median time, its rows a second, and its memory."""
    seconds = median_seconds(runs)
    speed = f", {rows / seconds:,.0f} rows/s" if rows else ""
    return f"{seconds * 1000:,.0f} ms{speed}, {peak_megabytes(runs):.0f} MB"


def main() -> int:
    """Measure; the exit code is 1 where a ratio misses what it must be."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="little data, once, no verdict")
    parser.add_argument("--no-peer", action="store_true", help="install nothing")
    asked = parser.parse_args()
    cases = find_cases(QUICK if asked.quick else FULL, with_peer=not asked.no_peer)
    print(
        f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}, load "
        f"{os.getloadavg()[0]:.1f} at the start. The ratio is the other's time by ours, pair by "
        "pair: median (smallest to largest). No ratio means more than the noise's spread lets it.\n"
    )
    print("| what | evalcontract | the other | which other | ratio | must be |")
    print("|---|---|---|---|---|---|", flush=True)
    missed = []
    for case in cases:
        pairs = in_turns(case.ours, case.other, repeats=case.repeats, warm_up=case.repeats > 5)
        print(line_of(case, pairs), flush=True)
        if case.at_least is not None and statistics.median(pairs.ratios()) < case.at_least:
            missed.append(case.title)
    if asked.quick or not missed:
        return 0
    print(f"\nMissed: {', '.join(missed)}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
