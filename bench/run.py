"""Measure the commands of an installed wheel against others, and write docs/performance.md.

What was measured is kept by groups, until the code changes: `--only yaml,jsonl` measures some
groups anew, and the page is written as soon as all of them are known. Each figure of the page has
the commit and the day on which it was measured, and each group its machine. `--short` takes a fifth
of the rows and at most three rounds.
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
from typing import TYPE_CHECKING, Any

from environments import (
    CODE,
    HERE,
    ROOT,
    Installed,
    MissingError,
    install_ours,
    install_peers,
    install_with_a_rule,
    install_with_arrow,
    state_of,
)
from page import STROKES, Figures, Setting, Taken, cases_of, costs_of, goals_of, page_of
from plan import make_plan
from subject import FULL, QUICK, SHORT, Subject
from timing import Run, run, smallest_measurable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ratios import Round
    from subject import Group, Sizes

WORK = HERE / ".work"
PAGE = ROOT / "docs" / "performance.md"
DATA = tuple(
    f"bench/{name}.py"
    for name in (
        *(
            "rows",
            "layouts",
            "shapes",
            "graded",
            "dialects",
            "workspaces",
            "versions",
            "files",
            "columnar",
        ),
    )
)
SCRIPTS = (
    *("floor", "plain_script", "plain_grade", "read_both", "plan", "subject", "timing"),
    "keystrokes",
)
SHORT_ROUNDS = 3
STROKE_ROWS = 5_000
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
        with_arrow=other if asked.ours else install_with_arrow(WORK),
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


class Kept:
    """What was measured with this code and these sizes, by groups; a file keeps it.

    `strokes` is what `keystrokes.py` printed.
    """

    def __init__(self, sizes: Sizes, *, is_kept: bool) -> None:
        self._file = WORK / f"rounds-{'-'.join(map(str, astuple(sizes)))}.json"
        self._is_kept = is_kept
        self.taken: dict[str, Taken] = {}
        self.rounds: dict[str, list[Round]] = {}
        self.strokes = ""
        if is_kept and self._file.exists():
            self._read(json.loads(self._file.read_bytes()))

    def _read(self, found: dict[str, Any]) -> None:
        if found["state"] != state_of(MEASURED):
            return
        self.taken = {name: Taken(**each) for name, each in found["taken"].items()}
        self.strokes = found["strokes"]
        self.rounds = {
            name: [{key: Run(*cost) for key, cost in each.items()} for each in rounds]
            for name, rounds in found["rounds"].items()
        }

    def write(self) -> None:
        """Write the file."""
        if not self._is_kept:
            return
        found = {
            "state": state_of(MEASURED),
            "taken": {name: asdict(each) for name, each in self.taken.items()},
            "strokes": self.strokes,
            "rounds": {
                name: [{key: astuple(cost) for key, cost in each.items()} for each in rounds]
                for name, rounds in self.rounds.items()
            },
        }
        self._file.write_text(json.dumps(found), encoding="utf-8")

    @property
    def figures(self) -> Figures:
        """The figures, for the page."""
        return Figures(self.rounds, self.taken, self.strokes)


def taken_now() -> Taken:
    """Return of what commit figures are that are measured now, and on what machine."""
    commit = _git("rev-parse", "--short=10", "HEAD") or "unknown"
    changed = _git("status", "--porcelain", "--", *(f":(glob){each}" for each in MEASURED))
    return Taken(
        commit=f"{commit}+" if changed else commit,
        date=f"{dt.datetime.now(tz=dt.UTC):%Y-%m-%d}",
        cpu=_processor(),
        cores=os.cpu_count() or 1,
        python=platform.python_version(),
        load=os.getloadavg()[0],
    )


def _git(*arguments: str) -> str:
    command = ["git", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def _processor() -> str:
    """Return the model of the processor, as far as the system tells it."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, "") or platform.processor() or platform.machine()


def setting_of(of: Subject) -> Setting:
    """Return the versions of what is measured, and what memory can be told."""
    ours, peers = of.ours.versions(), {} if of.peers.missing else of.peers.versions()
    return Setting(
        versions=(
            f"{platform.system()}, {platform.machine()}.",
            f"evalcontract {ours['evalcontract']} with {_listed(LIBRARIES, ours)}.",
            f"Peers: {_listed(PEERS, peers) or of.peers.missing or 'none'}.",
        ),
        least=smallest_measurable(),
    )


def measure_strokes(most: int) -> str:
    """Return what `keystrokes.py` prints, of so many strokes at the most.

    Raises:
        RuntimeError: it fails.

    """
    say(f"{STROKES}: some minutes")
    command = [sys.executable, str(HERE / "keystrokes.py"), str(STROKE_ROWS), str(min(most, 15))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return done.stdout.strip()


def _listed(names: Sequence[str], versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {versions[name]}" for name in names if name in versions)


def say(text: str) -> None:
    """Tell how far it is, beside the table."""
    print(text, file=sys.stderr, flush=True)


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="little data, one round, no page")
    parser.add_argument("--short", action="store_true", help="a fifth of the rows, three rounds")
    parser.add_argument("--no-peers", action="store_true", help="ours alone, no page")
    parser.add_argument("--only", metavar="GROUP[,GROUP]", help="some groups")
    parser.add_argument("--rounds", type=int, metavar="NUMBER", help="so many at the most")
    found = "a wheel, or an environment that has it"
    parser.add_argument("--baseline", type=Path, help=f"the version before: {found}")
    parser.add_argument("--ours", type=Path, help=f"another than this checkout: {found}; no page")
    parser.add_argument("--page", action="store_true", help="measure nothing, write the page")
    return parser.parse_args()


def main() -> int:
    """Measure; print the tables, and write the page where all of it is known."""
    asked = parse()
    sizes = QUICK if asked.quick else SHORT if asked.short else FULL
    WORK.mkdir(exist_ok=True)
    of = install(asked, sizes)
    plan = make_plan(of)
    is_kept = not (asked.quick or asked.no_peers or asked.ours)
    names = [*(group.name for group in plan), *([STROKES] if is_kept else [])]
    chosen = asked.only.split(",") if asked.only else [] if asked.page else names
    if set(chosen) - set(names):
        say(f"there are the groups {', '.join(names)}")
        return 2
    known = Kept(sizes, is_kept=is_kept)
    measure(known, plan, chosen, asked)
    unknown = [name for name in names if name not in known.taken]
    if is_kept and not unknown:
        page = page_of(plan, known.figures, setting_of(of), sizes)
        PAGE.write_text(page, encoding="utf-8")
    elif is_kept:
        say(f"{PAGE.name} stays as it was: not measured with this code: {', '.join(unknown)}")
    shown, figures = [group for group in plan if group.name in known.rounds], known.figures
    tables = goals_of(shown, figures), cases_of(shown, figures), costs_of(shown, figures, 0)
    print("\n\n".join((*tables, known.strokes)).rstrip())
    return 0


def measure(
    known: Kept, plan: Sequence[Group], chosen: Sequence[str], asked: argparse.Namespace
) -> None:
    """Measure the chosen groups, and keep what is found."""
    most = 1 if asked.quick else SHORT_ROUNDS if asked.short else sys.maxsize
    for group in plan:
        if group.name in chosen:
            taken = taken_now()
            rounds = min(asked.rounds or most, most, group.rounds)
            known.rounds[group.name] = measure_group(group, rounds)
            known.taken[group.name] = taken
            known.write()
    if STROKES in chosen:
        taken, known.strokes = taken_now(), measure_strokes(asked.rounds or most)
        known.taken[STROKES] = taken
        known.write()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (MissingError, RuntimeError) as error:
        sys.exit(f"{error}\nThe groups before are kept: go on with `--only`.")
