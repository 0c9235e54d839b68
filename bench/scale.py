"""Measure rows per second on one core, two, and Spark with two executors; write docs/scale.md.

`EVALCONTRACT_PEERS=tests/peers/.venv/bin/python python bench/scale.py [--rows N] [--rounds N]`:
without Java and the environment of Spark, the page says that this was not measured. A time is that
of a whole process, from start to exit; start and rate are the line through two sizes.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PAGE = ROOT / "docs" / "scale.md"
SPARK = "Spark, two executors of one core"
#: The rows of the projection.
PROJECTED = 1_000_000_000
#: The smaller size is this part of the larger one.
PART = 8
FILES = 8
# Beyond this load, what is measured competes with others. Its own processes take two.
CORES = 2.5
INTRODUCTION = """\
# Scale

Written by `python bench/scale.py`, which measures on the machine that it runs on. A time is that of
a whole process, from start to exit; start and rate are those of the line through two sizes
({small:,} and {large:,} rows). The median of the rounds is given with the worst round. Rows
have an id, a text of 200 characters and two expected facts; ids are in no order, which is the
most expensive case. Measured at commit `{commit}` on {day}: {machine}. The load of the machine was
{load:.1f} at the start and {end:.1f} at the end{busy}.

"""


class Way(NamedTuple):
    """A way to check a dataset: what it is called, and its command for the file of some rows."""

    name: str
    command: Callable[[Path], list[str]]
    file: str
    environment: dict[str, str]


class Cost(NamedTuple):
    """What one process took: seconds, those of processors, and bytes of memory at its peak."""

    seconds: float
    processor: float
    memory: int


class Line(NamedTuple):
    """The costs of a way by the number of rows, and the line through the smaller and the larger."""

    costs: dict[int, Cost]

    @property
    def per_row(self) -> float | None:
        """The seconds for each further row; None if noise hides them."""
        (small, fast), (large, slow) = sorted(self.costs.items())
        return (slow.seconds - fast.seconds) / (large - small) if slow > fast else None

    @property
    def start(self) -> float:
        """The seconds that no row takes."""
        small, fast = min(self.costs.items())
        return max(fast.seconds - small * (self.per_row or 0), 0)

    @property
    def processor(self) -> float:
        """The seconds of processors for each further row."""
        (small, fast), (large, slow) = sorted(self.costs.items())
        return (slow.processor - fast.processor) / (large - small)


def write_rows(folder: Path, count: int) -> None:
    """Write the same rows as JSONL, as one Parquet file, and as a folder of Parquet files."""
    import pyarrow as pa  # not in the process that starts what is measured: that inherits its peak
    from pyarrow import parquet

    text = "Where is my order, and when does it come? " * 5
    numbers = [(number * 7_919 + 13) % count for number in range(count)]
    table = pa.table({
        "id": [f"q{number:09}" for number in numbers],
        "input": [f"{text[:190]} {number:09}" for number in numbers],
        "expected_facts": [[f"on day {number % 30}", "by post"] for number in numbers],
    })  # fmt: skip
    parquet.write_table(table, folder / "rows.parquet", row_group_size=1 << 16)
    (folder / "rows").mkdir()
    size = -(-count // FILES)
    for part in range(FILES):
        parquet.write_table(table.slice(part * size, size), folder / "rows" / f"{part}.parquet")
    with (folder / "rows.jsonl").open("w", encoding="utf-8") as file:
        for batch in table.to_batches(max_chunksize=10_000):
            file.writelines(f"{json.dumps(row)}\n" for row in batch.to_pylist())


def ways() -> Iterator[Way]:
    """Yield what can be measured here."""
    ours = [sys.executable, "-m", "evalcontract", "validate-dataset", "--dialect", "evalcontract"]
    ours.append("--no-cache")  # or the parts of a table are known from the round before

    def check(jobs: int) -> Callable[[Path], list[str]]:
        return lambda file: [*ours, "--jobs", str(jobs), str(file)]

    here = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    yield Way("JSONL, one process", check(1), "rows.jsonl", here)
    yield Way("JSONL, `--jobs 2`", check(2), "rows.jsonl", here)
    yield Way("Parquet, one process", check(1), "rows.parquet", here)
    peers = os.environ.get("EVALCONTRACT_PEERS")
    python = Path(peers).parents[1] / "spark/bin/python" if peers else None
    if python is None or not python.exists() or not shutil.which("java"):
        return
    settings = '["spark.master=local-cluster[2,1,1024]", "spark.ui.enabled=false"]'
    there = {
        **here, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_HOSTNAME": "localhost",
        "PYSPARK_PYTHON": str(python),
        "PYSPARK_SUBMIT_ARGS": " ".join(
            f"--conf {each}" for each in json.loads(settings)
        ) + " pyspark-shell",
    }  # fmt: skip
    yield Way(
        SPARK,
        lambda file: [str(python), "-m", "evalcontract.spark", str(file), "--soft"],
        "rows",
        there,
    )


def taken(way: Way, folder: Path) -> Cost:
    """Return what one process took; it must find nothing wrong."""
    before = time.perf_counter()
    with tempfile.TemporaryFile() as log:
        child = subprocess.Popen(
            way.command(folder / way.file), stdout=log, stderr=log, env=way.environment, cwd=folder
        )
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            log.seek(0)
            sys.exit(f"{way.name} failed: {log.read().decode()[-2000:]}")
    unit = 1 if sys.platform == "darwin" else 1024
    seconds = time.perf_counter() - before
    return Cost(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit)


def measured(way: Way, folders: dict[int, Path], rounds: int) -> Iterator[Line]:
    """Measure a way some times, each with both sizes."""
    for _ in range(rounds):
        line = Line({count: taken(way, folder) for count, folder in folders.items()})
        print(way.name, line, flush=True)
        yield line


def rates_of(lines: list[Line]) -> list[float]:
    """Return the rows per second of each round; none if noise hides one."""
    per_row = [each.per_row for each in lines]
    return [] if None in per_row else [1 / each for each in per_row if each]


def shown(numbers: list[float], form: str, worst: Callable[[list[float]], float]) -> str:
    """Return the median with the worst; or that noise hides them."""
    if not numbers:
        return "hidden by noise"
    return f"{median(numbers):{form}} ({worst(numbers):{form}})"


def page(found: dict[str, list[Line]], small: int, large: int) -> Iterator[str]:
    """Yield the tables of the page."""
    yield "| way | rounds | start, s: median (worst) | rows/s: median (worst) | seconds for "
    yield f"{large:,} rows: median (worst) | µs of processor time per row |\n"
    yield "| --- | --- | --- | --- | --- | --- |\n"
    for name, lines in found.items():
        starts, whole = ([each.start for each in lines], [x.costs[large].seconds for x in lines])
        processor = shown([1e6 * each.processor for each in lines], ".0f", max)
        cells = (
            str(len(lines)), shown(starts, ".1f", max), shown(rates_of(lines), ",.0f", min),
            shown(whole, ".1f", max), "not known" if name == SPARK else processor,
        )  # fmt: skip
        yield f"| {name} | {' | '.join(cells)} |\n"
    if SPARK not in found:
        yield f"\n{SPARK}: not measured. It takes Java and `make peers clusters`.\n"
    yield "\n## Where Spark pays off\n\n"
    yield from break_even(found)
    yield "\n## A billion rows\n\n"
    yield from projection(found)
    yield "\n## Memory of the check for repeated ids\n\n"
    yield from memory(found, small, large)


def break_even(found: dict[str, list[Line]]) -> Iterator[str]:
    """Yield from how many rows on Spark takes less time than one process."""
    if SPARK not in found:
        yield "Not measured.\n"
        return
    spark = rates_of(found[SPARK])
    start = median(each.start for each in found[SPARK])
    for name, lines in found.items():
        rates = rates_of(lines)
        if name == SPARK:
            continue
        if not spark or not rates:
            yield f"- {name}: not known, hidden by noise.\n"
            continue
        gain = 1 / median(rates) - 1 / median(spark)
        more = (start - median(each.start for each in lines)) / gain if gain > 0 else None
        from_ = "never with two executors, which are not faster" if more is None else (
            f"from some {more:,.0f} rows on"
        )  # fmt: skip
        yield f"- {name}: {from_}.\n"
    yield "\nOtherwise the command line is faster, and `--jobs` uses the cores of one machine.\n"


ASSUMPTIONS = """\
Extrapolated from the worst rate of each way, not measured. Assumptions: rows are like those above;
time grows linearly with the number of rows; executors have one core each and read from storage that
keeps up; each executor beyond two adds its full rate, since rows are checked independently, except
for the shuffle of ids, which here stays on the machine and on a cluster goes over its network; no
task is repeated.

| way | hours |
| --- | --- |
"""


def projection(found: dict[str, list[Line]]) -> Iterator[str]:
    """Yield what a billion rows would take, by the worst rate, with the assumptions."""
    yield ASSUMPTIONS
    for name, lines in found.items():
        rates = rates_of(lines)
        hours = f"{PROJECTED / min(rates) / 3600:.1f}" if rates else "not known"
        yield f"| {name} | {hours} |\n"
        for executors in (20, 200) if name == SPARK and rates else ():
            hours = f"{PROJECTED / (min(rates) / 2) / executors / 3600:.1f}"
            yield f"| Spark, {executors} executors of one core | {hours} |\n"


MEMORY = """
One process keeps each id once, and hashes of the ids if they are in no order; for ids in ascending
order, no hashes are needed. In Spark, memory is bounded: ids are sorted in parts, which spill to
disk, and equal ids meet in one task. Both are exact: ids with the same hash are compared.
"""


def memory(found: dict[str, list[Line]], small: int, large: int) -> Iterator[str]:
    """Yield what each id takes in one process."""
    for name, lines in found.items():
        if name == SPARK:
            continue
        peaks = {count: max(each.costs[count].memory for each in lines) for count in (small, large)}
        per_row = (peaks[large] - peaks[small]) / (large - small)
        yield f"- {name}: at most {peaks[large] / 1e6:.0f} MB for {large:,} rows, "
        yield f"{per_row:.0f} bytes per additional row; {PROJECTED * per_row / 1e9:.0f} GB for a "
        yield "billion, by extrapolation.\n"
    yield MEMORY


def machine() -> str:
    """Name the machine."""
    return f"{os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()}"


def commit() -> str:
    """Return the commit that is measured, with a `+` if there are changes."""

    def git(*arguments: str) -> str:
        call = ["git", "-C", str(ROOT), *arguments]
        return subprocess.run(call, capture_output=True, text=True, check=True).stdout.strip()

    changed = "+" if git("status", "--porcelain", "--", "src", "bench/scale.py") else ""
    return git("rev-parse", "--short=10", "HEAD") + changed


def main() -> None:
    """Measure all, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=800_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args()
    large, small = options.rows, options.rows // PART
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as top:
        folders = {}
        for count in (small, large):
            folders[count] = Path(top, str(count))
            folders[count].mkdir()
            writing = f"import scale, pathlib; scale.write_rows(pathlib.Path('.'), {count})"
            call = [sys.executable, "-c", writing]
            environment = {**os.environ, "PYTHONPATH": str(HERE)}
            subprocess.run(call, check=True, cwd=folders[count], env=environment)
        found: dict[str, list[Line]] = {}
        for way in ways():
            for line in measured(way, folders, options.rounds):
                found.setdefault(way.name, []).append(line)
                # So that what takes long is not lost if it is stopped.
                options.page.write_text(text_of(found, small, large, load), encoding="utf-8")


def text_of(found: dict[str, list[Line]], small: int, large: int, load: float) -> str:
    """Return the page."""
    end = os.getloadavg()[0]
    busy = (
        ", and others worked on it: these figures are provisional" if max(load, end) > CORES else ""
    )
    head = INTRODUCTION.format(
        small=small, large=large, commit=commit(), load=load, end=end, busy=busy, machine=machine(),
        day=dt.datetime.now(tz=dt.UTC).date(),
    )  # fmt: skip
    return head + "".join(page(found, small, large))


if __name__ == "__main__":
    main()
