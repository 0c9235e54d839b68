"""Check, cover and grade tables on a cluster of Spark on this machine; the results are JSON.

`python cluster.py FOLDER`: the folder has `rows`, `outputs`, and the workspace. The last line that
is printed is the answer. In the middle of a check, one of the two executors is killed.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from evalcontract.api.batch_runs import STATES
from evalcontract.api.batches import COLUMNS
from evalcontract.spark import coverage, grade, statistics, totals, validate
from evalcontract.spark.__main__ import main as check_tables


def executors() -> dict[int, str]:
    """Return the processes of executors that this process started, with their command lines."""
    found = {}
    for folder in Path("/proc").iterdir():
        try:
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            number = int(folder.name)
        except (OSError, ValueError):
            continue
        if "CoarseGrainedExecutorBackend" in command and os.getpgid(number) == os.getpgrp():
            found[number] = command
    return found


def kill_one_when(flag: Path, killed: list[int]) -> None:
    """Kill an executor as soon as a task has said that it is in the middle."""
    while not flag.exists():
        time.sleep(0.05)
    killed.append(min(executors()))
    os.kill(killed[0], signal.SIGKILL)


def slowed(frame: Any, flag: Path) -> Any:
    """Return the same rows; once it is armed, one task waits for the end of its executor."""
    armed = flag.with_name("armed")

    def wait(batches: Any) -> Any:
        for batch in batches:
            if armed.exists() and not flag.exists():
                flag.touch()
                time.sleep(3)
            yield batch

    return frame.mapInArrow(wait, frame.schema)


def told(frame: Any) -> list[list[Any]]:
    return sorted(([*row] for row in frame.select(*COLUMNS).collect()), key=repr)


def main() -> None:
    """Run all, and print what came of it."""
    folder = Path(sys.argv[1])
    session = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.executorEnv.PYTHONPATH", os.environ["PYTHONPATH"])
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    rows = session.read.parquet(str(folder / "rows"))
    outputs = session.read.parquet(str(folder / "outputs"))
    answer: dict[str, Any] = {"executors": len(executors())}
    killed: list[int] = []
    flag = folder / "flag"
    threading.Thread(target=kill_one_when, args=(flag, killed), daemon=True).start()
    found = validate(slowed(rows.repartition(6), flag), workspace=folder)
    (folder / "armed").touch()
    answer["findings"] = told(found)
    answer["killed"] = len(killed)
    covered = coverage(rows, workspace=folder)
    answer["coverage"] = sorted(
        [row.row, row.rubric, row.fault, *(row[state] for state in STATES)]
        for row in covered.collect()
    )
    answer["percent"] = totals(covered).percent
    graded = grade(rows, outputs, workspace=folder).persist()
    graded.write.parquet(str(folder / "results"))
    answer["results"] = sorted(row.result for row in graded.collect())
    answer["mean"] = statistics(graded).rows.mean
    stream = session.readStream.schema(rows.schema).parquet(str(folder / "rows"))
    (
        validate(stream, workspace=folder)
        .writeStream.format("parquet")
        .option("checkpointLocation", str(folder / "checkpoint"))
        .trigger(availableNow=True)
        .start(str(folder / "streamed"))
        .awaitTermination()
    )
    answer["streamed"] = told(session.read.parquet(str(folder / "streamed")))
    written = str(folder / "findings")
    arguments = ["--workspace", str(folder), "--strict", "--output", written]
    broken = folder / "broken"
    answer["status"] = check_tables([str(folder / "rows"), *arguments])
    answer["broken"] = check_tables([str(broken), "--workspace", str(folder)])
    answer["rows written"] = session.read.parquet(written).count()
    session.stop()
    sys.stdout.write(f"\n{json.dumps(answer)}\n")


if __name__ == "__main__":
    main()
