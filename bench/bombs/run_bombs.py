"""Measure what small hostile workspaces cost, and write the table in docs/limits.md.

Processor time counts, user and system, so that a busy machine changes little. A command that takes
more than 5 s or 300 MB, or ends otherwise than with 0, 1 or 2, is marked.
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from all_bombs import BOMBS
from bomb import JSON
from bombs_page import Measured, line_of, replaced
from costs import cost_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bomb import Bomb

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "limits.md"


def measure(bomb: Bomb, times: float) -> Iterator[Measured]:
    """Write a bomb, and run its commands on it; its default size is taken so many times."""
    size = max(1, round(bomb.size * times))
    with tempfile.TemporaryDirectory() as work:
        folder, output = Path(work, "workspace"), Path(work, "output.txt")
        folder.mkdir()
        os.environ["EVALCONTRACT_CACHE_DIR"] = str(Path(work, "cache"))
        writing = (sys.executable, str(HERE / "all_bombs.py"), bomb.name, str(folder), str(size))
        read = int(subprocess.run(writing, check=True, capture_output=True).stdout)
        for arguments in bomb.commands:
            cost = cost_of(arguments, folder, output)
            yield Measured(bomb.name, bomb.grows, size, read, _brief(arguments), cost)


def _brief(arguments: Sequence[str]) -> str:
    return "json" if arguments == JSON else arguments[0]


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", metavar="NAME[,NAME]", help="some bombs; the page is not written")
    parser.add_argument("--times", type=float, default=1.0, help="a multiple of the default sizes")
    parser.add_argument("--list", action="store_true", help="list the bombs, and measure nothing")
    return parser.parse_args()


def main() -> int:
    """Measure; print each line as soon as it is known, and write the page if all were measured."""
    asked = parse()
    names = asked.only.split(",") if asked.only else [*BOMBS]
    if unknown := [name for name in names if name not in BOMBS]:
        print(f"there is no bomb {', '.join(unknown)}; `--list` lists them", file=sys.stderr)
        return 2
    if asked.list:
        print("\n".join(f"{bomb.name:34} {bomb.size:7,}  {bomb.grows}" for bomb in BOMBS.values()))
        return 0
    known: list[Measured] = []
    for name in names:
        for measured in measure(BOMBS[name], asked.times):
            known.append(measured)
            print(line_of(measured), flush=True)
    if not asked.only and asked.times == 1:
        text = PAGE.read_text(encoding="utf-8")
        today = dt.datetime.now(tz=dt.UTC).date()
        PAGE.write_text(replaced(text, known, today, _commit()), encoding="utf-8")
    return int(not all(measured.cost.is_met for measured in known))


def _commit() -> str:
    """Return the commit that is checked out."""
    command = ["git", "rev-parse", "--short=10", "HEAD"]
    done = subprocess.run(command, cwd=PAGE.parent, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


if __name__ == "__main__":
    sys.exit(main())
