"""Measure the commands of an installed wheel against others, and write docs/performance.md.

What was measured is kept by groups, until the code changes: `--only yaml,jsonl` measures some
groups anew, and the page is written as soon as all of them are known.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import platform
import subprocess
import sys
from dataclasses import asdict, astuple
from pathlib import Path
from typing import TYPE_CHECKING

from environments import (
    CODE,
    HERE,
    ROOT,
    Installed,
    MissingError,
    install_ours,
    install_peers,
    install_with_a_rule,
    state_of,
)
from page import Machine, amended, cases_of, costs_of, goals_of, page_of
from plan import make_plan
from subject import FULL, QUICK, Subject
from timing import Run, run, smallest_measurable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ratios import Round
    from subject import Group, Sizes

WORK = HERE / ".work"
KEPT = WORK / "rounds.json"
PAGE = ROOT / "docs" / "performance.md"
DATA = tuple(
    f"bench/{name}.py"
    for name in ("rows", "layouts", "shapes", "graded", "dialects", "workspaces", "files")
)
SCRIPTS = ("floor", "plain_script", "read_both", "plan", "subject", "timing")
COMMANDS = tuple(f"bench/{name}.py" for name in SCRIPTS)
#: What a figure depends on.
MEASURED = (*CODE, *DATA, *COMMANDS)
LIBRARIES = ("orjson", "jsonschema-rs", "jsonschema", "pyyaml")
PEERS = ("check-jsonschema", "sourcemeta-jsonschema", "orjson", "jsonschema-rs")


def write_data(sizes: Sizes) -> Path:
    """Write the data where it is not there; return its folder."""
    data = WORK / f"data-{'-'.join(map(str, astuple(sizes)))}"
    done = data / ".done"
    month = f"{dt.datetime.now(tz=dt.UTC):%Y-%m}"  # what judges say of themselves grows old
    now = f"{state_of((*DATA, 'schema/dataset.schema.json'))} {month}"
    if not done.exists() or done.read_text() != now:
        say("writing the data")
        numbers = [f"--{name}={number}" for name, number in asdict(sizes).items()]
        subprocess.run([sys.executable, str(HERE / "files.py"), str(data), *numbers], check=True)
        done.write_text(now)
    return data


def install(asked: argparse.Namespace, sizes: Sizes) -> Subject:
    """Install all that is measured."""
    say("installing")
    ours = install_ours(WORK, asked.ours)
    other = Installed(missing="it is measured of this checkout alone")
    none = Installed(missing="no `--baseline` was given")
    return Subject(
        ours=ours,
        peers=Installed(missing="left out") if asked.no_peers else install_peers(WORK, ours),
        with_rule=other if asked.ours else install_with_a_rule(WORK),
        before=install_ours(WORK, asked.baseline) if asked.baseline else none,
        data=write_data(sizes),
        cache=WORK / "cache",
        sizes=sizes,
    )


def measure_group(group: Group, rounds: int) -> list[Round]:
    """Run the commands in turns; of several rounds a first one is not counted: it fills caches."""
    found: list[Round] = []
    for number in range(rounds + (rounds > 1)):
        say(f"{group.name}: round {number} of {rounds}")
        found.append({each.key: run(each, WORK) for each in group.commands if not each.missing})
    return found[-rounds:]


def kept() -> dict[str, tuple[float, list[Round]]]:
    """Return the load and the rounds of each group that was measured with this code."""
    state, groups = json.loads(KEPT.read_bytes()) if KEPT.exists() else ("", {})
    if state != state_of(MEASURED):
        return {}
    return {
        name: (load, [{key: Run(*cost) for key, cost in each.items()} for each in rounds])
        for name, (load, rounds) in groups.items()
    }


def keep(known: dict[str, tuple[float, list[Round]]]) -> None:
    """Keep what was measured."""
    groups = {
        name: (load, [{key: astuple(cost) for key, cost in each.items()} for each in rounds])
        for name, (load, rounds) in known.items()
    }
    KEPT.write_text(json.dumps([state_of(MEASURED), groups]), encoding="utf-8")


def machine_now(of: Subject, loads: Sequence[float]) -> Machine:
    """Return what this runs on, in general words."""
    ours, peers = of.ours.versions(), {} if of.peers.missing else of.peers.versions()
    system = f"Python {platform.python_version()}, {platform.system()}, {platform.machine()}"
    return Machine(
        cores=os.cpu_count() or 1,
        loads=tuple(loads),
        versions=(
            f"{system}, {os.cpu_count()} cores.",
            f"evalcontract {ours['evalcontract']} with {_listed(LIBRARIES, ours)}.",
            f"Peers: {_listed(PEERS, peers) or 'none'}.",
        ),
        least=smallest_measurable(),
    )


def _listed(names: Sequence[str], versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {versions[name]}" for name in names if name in versions)


def say(text: str) -> None:
    """Tell how far it is, beside the table."""
    print(text, file=sys.stderr, flush=True)


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="little data, one round, no page")
    parser.add_argument("--no-peers", action="store_true", help="ours alone, no page")
    parser.add_argument("--only", metavar="GROUP[,GROUP]", help="some groups")
    parser.add_argument("--rounds", type=int, metavar="NUMBER", help="so many at the most")
    found = "a wheel, or an environment that has it"
    parser.add_argument("--baseline", type=Path, help=f"the version before: {found}")
    parser.add_argument("--ours", type=Path, help=f"another than this checkout: {found}; no page")
    parser.add_argument("--amend", action="store_true", help="put `--only` into the page as it is")
    parser.add_argument("--page", action="store_true", help="measure nothing, write the page")
    return parser.parse_args()


def main() -> int:
    """Measure; print the table, and write the page where all of it is known."""
    asked = parse()
    sizes = QUICK if asked.quick else FULL
    WORK.mkdir(exist_ok=True)
    of = install(asked, sizes)
    plan = make_plan(of)
    names = [group.name for group in plan]
    chosen = asked.only.split(",") if asked.only else [] if asked.page else names
    if set(chosen) - set(names):
        say(f"there are the groups {', '.join(names)}")
        return 2
    is_kept = not (asked.quick or asked.no_peers or asked.ours)
    known = kept() if is_kept else {}
    for group in plan:
        if group.name in chosen:
            load = os.getloadavg()[0]
            most = 1 if asked.quick else group.rounds
            known[group.name] = load, measure_group(group, min(asked.rounds or most, most))
            if is_kept:
                keep(known)
    rounds = {name: found for name, (_, found) in known.items()}
    unknown = [name for name in names if name not in known]
    if is_kept and not unknown:
        machine = machine_now(of, [load for load, _ in known.values()])
        PAGE.write_text(page_of(plan, rounds, machine, sizes), encoding="utf-8")
    elif is_kept and asked.amend:
        known_groups = [group for group in plan if group.name in chosen]
        page = amended(PAGE.read_text(encoding="utf-8"), known_groups, rounds, sizes)
        PAGE.write_text(page, encoding="utf-8")
    elif is_kept:
        say(f"{PAGE.name} stays as it was: not measured with this code: {', '.join(unknown)}")
    shown = [group for group in plan if group.name in known]
    tables = goals_of(shown, rounds), cases_of(shown, rounds), costs_of(shown, rounds, 0)
    print("\n\n".join(tables))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (MissingError, RuntimeError) as error:
        sys.exit(f"{error}\nThe groups before are kept: go on with `--only`.")
