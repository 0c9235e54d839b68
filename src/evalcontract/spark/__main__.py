"""Check tables: `python -m evalcontract.spark`, or `spark-submit` with this file."""

from __future__ import annotations

import argparse
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING

from evalcontract.api.batches import BatchCheck, BatchSettings, Line, unread_line
from evalcontract.datasets.passes import NATIVE
from evalcontract.model.diagnostic import Diagnostic, Place, Severity
from evalcontract.model.errors import EvalContractError, NothingToCheck
from evalcontract.model.values import clipped, escape_controls, many
from evalcontract.policy import BUG, USAGE, exit_status
from evalcontract.source.tables.columnar import reason_of
from evalcontract.spark import frames

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    Load = Callable[[Sequence[str]], DataFrame]

_LONGEST = 300
_NULLS = "what a null in a column is: an absent key (the default), or a value"
_STRICT, _SOFT = (f"report faults as {each}s" for each in ("error", "warning"))
_INSTALL = "pip install 'evalcontract[spark]'"


def main(arguments: Sequence[str] | None = None) -> int:
    """Check what the arguments name, print a summary, and return the exit code of `evalcontract`.

    That is 0 without errors, 1 with errors, 2 for wrong arguments, and 3 for a bug.
    """
    options = _parser().parse_args(arguments)
    try:
        from pyspark.errors import PySparkException  # an extra, and slow to import
        from pyspark.sql import SparkSession
    except ImportError as error:
        name = (error.name or "pyspark").partition(".")[0]
        return _refuse(f"this needs {name}: {_INSTALL}")
    try:
        check = BatchCheck(options.workspace, _settings(options))
        session = SparkSession.builder.appName("evalcontract").getOrCreate()
        return _run(session, check, options)
    except EvalContractError as error:
        return _refuse(str(error))
    except PySparkException as error:
        return _refuse(f"Spark fails: {clipped(reason_of(error), _LONGEST)}")
    except Exception:  # noqa: BLE001 - any other exception is a bug
        lines = traceback.format_exc().splitlines()
        sys.stderr.writelines(f"{escape_controls(line)}\n" for line in lines)
        return BUG


def _refuse(message: str) -> int:
    sys.stderr.write(f"error: {escape_controls(message)}\n")
    return USAGE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m evalcontract.spark",
        description="Check the rows of tables on Spark; exit with 0, or 1 if there are errors.",
    )
    parser.add_argument("tables", nargs="+", help="paths, or names of tables with --format table")
    parser.add_argument("--workspace", help="the folder with rubrics, judges and settings")
    parser.add_argument("--format", default="parquet", help="what Spark reads the paths as")
    parser.add_argument("--dialect", default=NATIVE, help="the format of the rows")
    parser.add_argument("--key", help="the column that findings name rows by")
    parser.add_argument("--nulls", choices=("absent", "kept"), default="absent", help=_NULLS)
    parser.add_argument("--output", help="write the findings to this folder, as Parquet")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--strict", dest="forced", action="store_true", default=None, help=_STRICT)
    mode.add_argument("--soft", dest="forced", action="store_false", help=_SOFT)
    return parser


def _settings(options: argparse.Namespace) -> BatchSettings:
    keeps_nulls = options.nulls == "kept"
    return BatchSettings(options.dialect, options.key, keeps_nulls, options.forced)


def _run(session: SparkSession, check: BatchCheck, options: argparse.Namespace) -> int:
    """Check all tables; if that fails, find the files that cannot be, and check the others."""

    def load(tables: Sequence[str]) -> DataFrame:
        if options.format == "table":
            return reduce(lambda one, other: one.unionByName(other), map(session.table, tables))
        frame = session.read.format(options.format).load([*tables])
        if not frame.inputFiles():
            raise NothingToCheck(f"there is nothing to check in {', '.join(tables)}")
        return frame

    tables = options.tables
    try:
        lines = frames.lines_of(load(tables), check).persist()
        groups, rows = _summed(lines)
    except EvalContractError:
        raise
    except Exception:  # noqa: BLE001 - of Spark, its JVM or its connection
        good, lost = _sorted(tables, load, check, has_files=options.format != "table")
        lines = frames.constant(session, lost)
        lines = lines.union(frames.lines_of(load(good), check)) if good else lines
        groups, rows = _summed(lines.persist())
    if options.output:
        lines.where("code is not null").drop("rows").write.parquet(options.output)
    for text in _report(groups, rows):
        sys.stdout.write(f"{text}\n")
    return exit_status(found for found, *_ in groups)


def _sorted(
    tables: Sequence[str], load: Load, check: BatchCheck, *, has_files: bool
) -> tuple[list[str], list[Line]]:
    """Return the files that can be checked, each tried alone, and a finding for each other one."""
    good: list[str] = []
    lost: list[Line] = []
    for table in tables:
        try:
            files = load([table]).inputFiles() if has_files else [table]
        except Exception as error:  # noqa: BLE001 - as above
            lost.append(_lost(table, error))
            continue
        for file in files:
            try:
                _summed(frames.lines_of(load([file]), check))
            except EvalContractError:
                raise
            except Exception as error:  # noqa: BLE001 - as above
                lost.append(_lost(file, error))
            else:
                good.append(file)
    return good, lost


def _lost(file: str, error: Exception) -> Line:
    message = f"it is not checked, since Spark fails on it: {clipped(reason_of(error), _LONGEST)}"
    return unread_line(message, "write it again, or leave it out", place=file)


#: The findings of a code, with how many there are, on how many rows, and one of these.
_Group = tuple[Diagnostic, int, int, str | None]


def _summed(lines: DataFrame) -> tuple[list[_Group], int]:
    """Return the findings by code, the worst first, and the number of rows that were checked."""
    from pyspark.sql import functions

    counted = lines.groupBy("code", "severity").agg(
        functions.count("*").alias("findings"),
        functions.count_distinct("row").alias("of"),
        functions.min("row").alias("example"),
        functions.min("message").alias("message"),
        functions.min("place").alias("place"),
        functions.sum("rows").alias("rows"),
    )
    groups, rows = [], 0
    for each in counted.collect():
        if each.code is None:
            rows = each.rows
            continue
        severity = Severity[each.severity.upper()]
        found = Diagnostic(each.code, severity, each.message, Place(each.place or ""))
        groups.append((found, each.findings, each.of, each.example))
    return sorted(groups, key=lambda group: (-group[0].severity, group[0].code)), rows


def _report(groups: Sequence[_Group], rows: int) -> Iterator[str]:
    severities: Counter[Severity] = Counter()
    for found, findings, of, example in groups:
        severities[found.severity] += findings
        where = f" on {many(of, 'row')}, such as `{clipped(example)}`" if example else ""
        place = f"{found.place}: " if found.place.file else ""
        text = f"{found.severity}[{found.code}]: {many(findings, 'finding')}{where}: "
        yield escape_controls(f"{text}{place}{found.message}")
    counts = [many(severities[each], str(each)) for each in reversed(Severity) if severities[each]]
    yield f"{many(rows, 'row')} checked: {', '.join(counts) or 'no findings'}"


if __name__ == "__main__":
    sys.exit(main())
