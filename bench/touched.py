"""What `check` costs after one rubric was changed, beside a check without a cache.

Each workspace has 200 rubrics, 200 judges and 40 datasets, in several layouts, one with a lock.
After a full check with the cache, one rubric is given another description, and the workspace is
checked with the cache and without, in turns, so that a busy machine slows both. A ratio is that of
the processor times of a pair; the table shows the median and the worst.

    python bench/touched.py [ROUNDS [FOLDER]]
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

from timing import Command, run
from workspaces import write_datasets, write_rubrics

RUBRICS, DATASETS, ROWS = 200, 40, 300
COMMAND = str(Path(sys.executable).with_name("evalcontract"))
#: How many rubrics the rows of a dataset refer to, and the format of the datasets, by layout.
LAYOUTS = {
    "YAML, 5 rubrics for a dataset": (5, "yaml"),
    "JSONL, 5 rubrics for a dataset": (5, "jsonl"),
    "YAML, 50 rubrics for a dataset": (50, "yaml"),
    "YAML, every rubric for every dataset": (RUBRICS, "yaml"),
    "JSONL, 5 rubrics for a dataset, with a lock": (5, "jsonl"),
}


def write_workspace(folder: Path, rubrics: int, ending: str) -> None:
    """Write a workspace whose datasets refer to so many rubrics each."""
    write_rubrics(folder, RUBRICS)

    def rubric_of(row: int) -> int:
        number, place = divmod(row, ROWS)
        return (number * rubrics + place % rubrics) % RUBRICS

    write_datasets(folder, DATASETS, rubric_of, rows_of_each=ROWS, endings=(ending,))


def ratios(folder: Path, work: Path, rounds: int) -> list[float]:
    """Return the processor time of a check with a changed rubric by that of one without a cache."""
    checked = Command("cached", "check", (COMMAND, "check", str(folder)), exits=0)
    anew = Command("anew", "check", (COMMAND, "check", str(folder), "--no-cache"), exits=0)
    run(checked, work)
    touched = folder / "rubrics" / "quality_7.yaml"
    text, found = touched.read_text(encoding="utf-8"), []
    for number in range(rounds):
        touched.write_text(f"{text}description: version {number}\n", encoding="utf-8")
        found.append(run(checked, work).cpu / run(anew, work).cpu)
    return found


def main(rounds: int = 7, folder: str | None = None) -> None:
    """Print a table of the layouts."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        print("| layout | median | worst |\n|---|---|---|")
        for number, (layout, (rubrics, ending)) in enumerate(LAYOUTS.items()):
            top = Path(name, str(number))
            write_workspace(top / "workspace", rubrics, ending)
            if layout.endswith("with a lock"):
                locked = (COMMAND, "lock", str(top / "workspace"))
                run(Command("lock", "lock", locked, exits=0), top)
            found = ratios(top / "workspace", top, rounds)
            print(f"| {layout} | {statistics.median(found):.2f} | {max(found):.2f} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 7, *sys.argv[2:3])
