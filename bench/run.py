"""Measure the commands against others, and write docs/performance.md.

Times differ from machine to machine and from minute to minute, so what counts is the ratio of
commands that run in turns. What was measured is kept, until the code changes: `--resume` goes on
where a run was broken off, `--only PATTERN` measures some lines of the table anew, `--page` only
writes the page again (after a change of the notes, say).
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import platform
import subprocess
import sys
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import peers
from goals import ROWS
from notes import NOTES
from page import Cost, Figures, Machine, page_of, table_of
from plan import FULL, QUICK, find_options, make_plan
from ratios import measure
from store import DATA, MEASURED, ROOT, Round, Store, state_of
from timing import environment, run, smallest_measurable

if TYPE_CHECKING:
    from plan import Plan, Sizes
    from ratios import Row
    from timing import Command

HERE = Path(__file__).parent
WORK = HERE / ".work"
PAGE = ROOT / "docs" / "performance.md"
#: Groups of short runs: a first round, which reads all from the disk, is not counted.
WARM = ("yaml", "start", "many")
LIBRARIES = ("orjson", "jsonschema-rs", "msgspec", "PyYAML")


def write_data(sizes: Sizes, work: Path) -> Path:
    """Write the data where it is not there; return its folder."""
    data = work / f"data-{sizes.lines}-{sizes.yaml}-{sizes.parts}"
    done = data / ".done"
    month = f"{dt.datetime.now(tz=dt.UTC):%Y-%m}"  # what judges say of themselves grows old
    now = f"{state_of(DATA)} {month}"
    if not done.exists() or done.read_text() != now:
        say(f"writing {sizes.lines:,} rows in five forms, and more")
        numbers = (str(number) for number in (sizes.lines, sizes.yaml, sizes.parts))
        subprocess.run([sys.executable, str(HERE / "files.py"), str(data), *numbers], check=True)
        done.write_text(now)
    return data


def select(rows: tuple[Row, ...], pattern: str | None) -> tuple[Row, ...]:
    """Return the rows whose key holds the pattern, or one of those that commas part."""
    parts = (pattern or "").split(",")
    return tuple(row for row in rows if any(part in row.key for part in parts))


def limit(sizes: Sizes, rounds: int | None) -> Sizes:
    """Return the sizes with so many rounds at the most."""
    most = rounds or max(sizes.rounds.values())
    return replace(sizes, rounds={name: min(most, n) for name, n in sizes.rounds.items()})


def commands_of(plan: Plan, rows: tuple[Row, ...]) -> dict[str, tuple[Command, ...]]:
    """Return the commands that the rows need, by group."""
    asked: dict[str, tuple[Command, ...]] = {}
    for name, commands in plan.groups.items():
        keys = {each.key for each in commands}
        needed = {key for row in rows if keys.issuperset(row.needs()) for key in row.needs()}
        asked[name] = tuple(each for each in commands if each.key in needed)
    return {name: commands for name, commands in asked.items() if commands}


def measure_all(
    asked: dict[str, tuple[Command, ...]], sizes: Sizes, store: Store, session: int
) -> None:
    """Run the groups, each as many rounds as are not there yet."""
    for name, commands in asked.items():
        keys = [each.key for each in commands]
        there = len(store.rounds(keys, session))
        load = os.getloadavg()[0]
        if name in WARM and there < sizes.rounds[name] > 1:
            for each in commands:
                run(each, WORK)
        for number in range(there, sizes.rounds[name]):
            say(f"{name}: round {number + 1} of {sizes.rounds[name]}")
            runs = {each.key: run(each, WORK) for each in commands}
            store.add(Round(session, name, load, runs))


def figures_of(plan: Plan, store: Store) -> tuple[Figures, tuple[float, ...]]:
    """Return all that is known of this state of the code, and the loads that the machine had."""
    measured, missing, loads = {}, {}, []
    for row in ROWS:
        rounds = store.rounds(row.needs())
        if rounds and not plan.reason(row):
            measured[row.key] = measure(row, [each.runs for each in rounds])
            loads += [each.load for each in rounds]
        else:
            missing[row.key] = plan.reason(row)
    costs: dict[str, Cost] = {}
    for commands in plan.groups.values():
        for each in commands:
            runs = tuple(done.runs[each.key] for done in store.rounds([each.key]))
            if runs:
                costs[each.key] = Cost(each.what, each.rows, runs)
    return Figures(measured, missing, tuple(costs.values())), tuple(loads)


def machine_now(loads: tuple[float, ...], had: peers.Peers) -> Machine:
    """Return what this runs on, in general words."""
    ours = subprocess.run(
        (sys.executable, "-m", "evalcontract", "--version"),
        capture_output=True,
        text=True,
        check=True,
        env=environment(WORK),
    ).stdout.strip()
    there = [peer.name for peer in had.all() if peer.command]
    return Machine(
        python=platform.python_version(),
        system=f"{platform.system()}, {platform.machine()}",
        cores=os.cpu_count() or 1,
        loads=loads,
        versions=(
            f"{ours}, with {', '.join(f'{name} {metadata.version(name)}' for name in LIBRARIES)}.",
            f"Peers: {', '.join(there) or 'none'}.",
        ),
        least_megabytes=smallest_measurable(),
    )


def say(text: str) -> None:
    """Tell how far it is, beside the table."""
    print(text, file=sys.stderr, flush=True)


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="little data, one round, no page")
    parser.add_argument("--no-peers", action="store_true", help="install nothing, write no page")
    parser.add_argument(
        "--only", metavar="PATTERN[,PATTERN]", help="lines whose key holds this, or that"
    )
    parser.add_argument("--rounds", type=int, metavar="NUMBER", help="so many at the most")
    parser.add_argument("--resume", action="store_true", help="go on with the run before")
    parser.add_argument("--page", action="store_true", help="measure nothing, write the page")
    parser.add_argument("--list", action="store_true", help="list the keys of the lines")
    asked = parser.parse_args()
    if not select(ROWS, asked.only):
        parser.error(f"no line has {asked.only!r} in its key: {', '.join(r.key for r in ROWS)}")
    return asked


def main() -> int:
    """Measure; print the table, and write the page where all of it is known."""
    asked = parse()
    if asked.list:
        print("\n".join(row.key for row in ROWS))
        return 0
    sizes = limit(QUICK if asked.quick else FULL, asked.rounds)
    WORK.mkdir(exist_ok=True)
    had = peers.none_of_them("left out") if asked.no_peers else peers.install(WORK)
    file = WORK / ("quick.jsonl" if asked.quick else "full.jsonl")
    store = Store(file, state_of(MEASURED))
    plan = make_plan(sizes, write_data(sizes, WORK), find_options(WORK), had)
    rows = select(ROWS, asked.only)
    session = store.last_session() + (0 if asked.resume and store.last_session() else 1)
    try:
        run(next(each for each in plan.groups["lines"] if each.key == "first"), WORK)  # compiles
        measure_all({} if asked.page else commands_of(plan, rows), sizes, store, session)
    except RuntimeError as error:
        say(f"{error}\nWhat was measured is kept: go on with --resume")
        return 1
    figures, loads = figures_of(plan, store)
    print(table_of(rows, figures))
    if asked.quick or asked.no_peers:
        return 0
    unknown = [key for key, reason in figures.missing.items() if not reason]
    if unknown:
        say(f"{PAGE.name} stays as it was: not measured with this code: {', '.join(unknown)}")
        return 0
    page = page_of(ROWS, figures, machine_now(loads, had), sizes, NOTES)
    PAGE.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
