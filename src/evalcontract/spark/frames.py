"""Data frames of findings on the rows of a data frame."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcontract._version import __version__
from evalcontract.api.batch_runs import (
    STATES,
    BatchCoverage,
    BatchGrader,
    coverage_columns,
    result_columns,
)
from evalcontract.api.batches import (
    CHECKED,
    COLUMNS,
    BatchCheck,
    BatchSettings,
    Line,
    SharedFiles,
    unread_line,
)
from evalcontract.api.findings import Workspace
from evalcontract.api.in_memory import Nulls, keeps_nulls
from evalcontract.checks.coverage import CoverageTotals
from evalcontract.datasets.passes import NATIVE
from evalcontract.grading.summary import Summary
from evalcontract.model.errors import UsageError
from evalcontract.model.values import clipped, listed
from evalcontract.source.tables.columnar import CAST

if TYPE_CHECKING:
    from pyarrow import RecordBatch
    from pyspark.sql import Column, DataFrame, SparkSession

    Worker = Callable[[Iterable[RecordBatch]], Iterator[RecordBatch]]

_TEXTS = ", ".join(f"{name} string" for name in COLUMNS)
_SCHEMA = f"{_TEXTS}, {CHECKED} long"
# So many of the first rows show whether they are those of another tool.
_HEAD = 500
# The key of `metadata` with what a row ignores.
_OURS = "evalcontract"
#: The types of Spark whose values Arrow batches do not hold.
_OTHER_TYPES = (
    *("CalendarIntervalType", "YearMonthIntervalType", "VariantType", "UserDefinedType"),
    *("GeographyType", "GeometryType"),
)


def validate(
    frame: DataFrame,
    *,
    workspace: str | Path | Workspace | None = None,
    dialect: str = NATIVE,
    key: str | None = None,
    nulls: Nulls = "absent",
    strict: bool | None = None,
    on_day: date | None = None,
) -> DataFrame:
    """Return the findings on the rows of a data frame, as a data frame with a line for each.

    Its columns are those of `COLUMNS`. `row` is the value of the column `key`, as a text, or else
    the id or name of the row; findings on rubrics and judges have a `place` instead. The other
    parameters are those of `evalcontract.validate`; the workspace is read here, and sent to the
    executors once. What only a whole dataset shows, such as repeated ids, Spark aggregates. Rows of
    other systems are checked in one task, since their loaders compare them with each other. Of a
    stream, only what each row shows is told.

    Raises:
        UsageError: there is no such dialect, folder or column, or its system reads whole files.
        ConfigurationError: the configuration of the workspace cannot be used.

    """
    settings = BatchSettings(dialect, key, keeps_nulls(nulls), strict, on_day)
    found = lines_of(frame, BatchCheck(workspace, settings))
    return found.where("code is not null").drop(CHECKED)


def summary(findings: DataFrame) -> DataFrame:
    """Return how many findings there are of each code, on how many rows, and one of the rows."""
    from pyspark.sql import functions

    counts = functions.count("*").alias("findings")
    rows = functions.count_distinct("row").alias("rows")
    example = functions.min("row").alias("example")
    groups = findings.groupBy("code", "severity").agg(counts, rows, example)
    return groups.orderBy("severity", functions.desc("findings"), "code")


def coverage(
    frame: DataFrame,
    *,
    workspace: str | Path | Workspace | None = None,
    dialect: str = NATIVE,
    key: str | None = None,
    nulls: Nulls = "absent",
) -> DataFrame:
    """Return which checks will run on the rows of a data frame, with a line for each.

    Beside the `row`, its `rubric` and the `fault` for which its checks are unknown, it has the
    numbers of checks by what becomes of them (`run`, `skip`, `vacuous`, `unavailable`, `fail`), and
    the `checks` themselves. The parameters are those of `validate`; `totals` sums it up.

    Raises:
        UsageError, ConfigurationError: as for `validate`.

    """
    check = BatchCoverage(workspace, BatchSettings(dialect, key, keeps_nulls(nulls)))
    rows = _supported(frame)
    rows = rows.coalesce(1) if check.needs_one_part else rows
    return rows.mapInArrow(Shared(rows, check).worker(_COVERAGE), ddl_of(coverage_columns()))


def totals(covered: DataFrame) -> CoverageTotals:
    """Return the sums of what `coverage` returned."""
    from pyspark.sql import functions

    sums = [functions.sum(state).alias(state) for state in STATES]
    checks = sum((functions.col(state) for state in STATES), functions.lit(0))
    empty = functions.sum((checks == 0).cast("int")).alias("rows_without_checks")
    idle = functions.sum((functions.col("run") == 0).cast("int")).alias(
        "rows_on_which_nothing_runs"
    )
    (row,) = covered.agg(*sums, functions.count("*").alias("rows"), empty, idle).collect()
    return CoverageTotals(**{name: value or 0 for name, value in row.asDict().items()})


def grade(
    frame: DataFrame,
    outputs: DataFrame,
    *,
    workspace: str | Path | Workspace | None = None,
    nulls: Nulls = "absent",
) -> DataFrame:
    """Grade outputs by the rubrics of rows, joined by id, and return a line for each row.

    `outputs` are records with an `id` and an `output`. A line has the `outcome`, the `score`, or
    the `low` and `high` that it lies between, and the `result` as a line of the results of
    `evalcontract grade`. No judge is asked: its checks are unavailable. A row without an output, or
    with several, is undecided; of rows with the same id, one has the output, whichever comes first.
    `statistics` sums it up.

    Raises:
        UsageError: as for `validate`, or rows have several outputs.
        ConfigurationError: as for `validate`.

    """
    from pyspark.sql import Window, functions

    grader = BatchGrader(workspace, BatchSettings(NATIVE, None, keeps_nulls(nulls)))
    rows, answers = _supported(frame), _supported(outputs)
    if "sample" in answers.columns:
        raise UsageError("outputs with a `sample` are graded by `evalcontract grade`")
    named = functions.col("id").cast("string").alias("id")
    number = functions.row_number().over(Window.partitionBy("id").orderBy(functions.lit(0)))
    whole = functions.struct("*")
    numbered = rows.select(named, whole.alias("row")).withColumn("is_first", number == 1)
    first, count = functions.first("answer").alias("answer"), functions.count("*").alias("answers")
    grouped = answers.select(named, whole.alias("answer")).groupBy("id").agg(first, count)
    grouped = grouped.withColumn("is_first", functions.lit(True))
    joined = numbered.join(grouped, ["id", "is_first"], "left").select("row", "answer", "answers")
    worker = Shared(rows, grader).worker((*_GRADER, "__call__"))
    return joined.mapInArrow(worker, ddl_of(result_columns()))


def statistics(graded: DataFrame) -> Summary:
    """Return what the results of `grade` come to: the sums of all parts, merged here."""
    no_files = SharedFiles(b"", "")
    grader = BatchGrader(None, BatchSettings(), no_files)
    worker = Shared(graded, grader).worker((*_GRADER, "sums"))
    summary = Summary()
    for row in graded.mapInArrow(worker, "sums binary").collect():
        summary.merge(pickle.loads(row.sums))  # noqa: S301 - executors made it
    return summary


def ddl_of(columns: Mapping[str, Any]) -> str:
    """Return columns with types of Arrow as Spark declares them."""
    return ", ".join(f"{name} {_ddl(kind)}" for name, kind in columns.items())


def _ddl(kind: Any) -> str:
    if kind.num_fields and str(kind).startswith("list"):
        return f"array<{_ddl(kind.value_type)}>"
    if kind.num_fields:
        fields = (kind.field(at) for at in range(kind.num_fields))
        return f"struct<{', '.join(f'{field.name}: {_ddl(field.type)}' for field in fields)}>"
    return {"int64": "bigint"}.get(str(kind), str(kind))


def _supported(frame: DataFrame) -> DataFrame:
    return frame.drop(*_unsupported_columns(frame))


def lines_of(frame: DataFrame, check: BatchCheck) -> DataFrame:
    """Return the findings on a data frame, and for each part a line with the rows checked."""
    key, others = check.settings.key, _unsupported_columns(frame)
    if key is not None and key not in frame.columns:
        raise UsageError(f"there is no column `{clipped(key)}`: `key` names a column of the rows")
    rows = frame.drop(*others)
    shared = Shared(rows, check)
    if frame.isStreaming:
        if check.needs_one_part:
            raise UsageError("rows of a stream cannot be compared with each other, as these are")
        return shared.mapped(rows, "__call__")
    told = [_line_of_column(*other) for other in others.items()]
    if head := check.of_another_tool(rows.limit(_HEAD).toArrow().to_batches()):
        return constant(rows.sparkSession, [*told, *head])
    parts = [shared.mapped(rows.coalesce(1) if check.needs_one_part else rows, "__call__")]
    if not check.needs_one_part:
        parts += [shared.mapped(again, "repeats") for again in _repeated(rows, key)]
    parts += [
        shared.mapped(_groups(rows), "whole"),
        *([constant(rows.sparkSession, told)] if told else []),
    ]
    return reduce(type(rows).unionByName, parts)


def _repeated(rows: DataFrame, key: str | None) -> Iterator[DataFrame]:
    """Yield the ids that earlier rows have, each with what names its row; sorted by that.

    The metadata of rows are there, too, if they may ignore something.
    """
    from pyspark.sql import Window, functions

    if not _is_text(rows, "id"):
        return
    name = functions.col(_quoted(key or "id")).cast("string").alias("row")
    named = rows.select("id", name, *_ignores(rows))
    number = functions.row_number().over(Window.partitionBy("id").orderBy("row"))
    numbered = named.where("id is not null and id <> ''").withColumn("number", number)
    yield numbered.where("number > 1").drop("number")


def _ignores(rows: DataFrame) -> list[Column]:
    """Return the metadata of rows, without what is not ours; nothing if they have no such field."""
    from pyspark.sql import functions

    kind = rows.schema["metadata"].dataType if "metadata" in rows.columns else None
    if _OURS not in getattr(kind, "names", ()):
        return []
    ours = functions.col(f"metadata.{_OURS}").alias(_OURS)
    return [functions.struct(ours).alias("metadata")]


def _groups(rows: DataFrame) -> DataFrame:
    """Return what rows refer to, with their number; at least one group, in one part."""
    from pyspark.sql import functions

    keys = [
        (functions.col(key) if _is_text(rows, key) else functions.lit(None)).cast("string")
        for key in ("rubric_ref", "bundle")
    ]
    named = [key.alias(name) for key, name in zip(keys, ("rubric_ref", "bundle"), strict=True)]
    counts = rows.select(*named).groupBy("rubric_ref", "bundle").agg(functions.count("*"))
    columns = "rubric_ref string, bundle string, rows long"
    none = rows.sparkSession.createDataFrame([(None, None, 0)], columns)
    return counts.toDF("rubric_ref", "bundle", "rows").union(none).coalesce(1)


def _is_text(rows: DataFrame, column: str) -> bool:
    return column in rows.columns and rows.schema[column].dataType.typeName() == "string"


def _quoted(column: str) -> str:
    return "`{}`".format(column.replace("`", "``"))


def _unsupported_columns(frame: DataFrame) -> dict[str, str]:
    """Return the columns whose type JSON cannot hold, with their types."""
    if repeated := [name for name, count in Counter(frame.columns).items() if count > 1]:
        names = listed(f"`{clipped(name)}`" for name in repeated)
        raise UsageError(f"columns have the same name: {names}")
    kinds = ((field.name, field.dataType) for field in frame.schema.fields)
    return {name: kind.simpleString() for name, kind in kinds if not _is_supported(kind)}


def _is_supported(kind: Any) -> bool:
    if any(each.__name__ in _OTHER_TYPES for each in type(kind).__mro__):
        return False
    inner = [getattr(kind, name, None) for name in ("elementType", "keyType", "valueType")]
    inner += [field.dataType for field in getattr(kind, "fields", ())]
    return all(map(_is_supported, filter(None, inner)))


def _line_of_column(column: str, kind: str) -> Line:
    message = f"the column `{clipped(column)}` is not checked: JSON cannot hold its type `{kind}`"
    return unread_line(message, CAST, (column,))


def constant(session: SparkSession, lines: Sequence[Line]) -> DataFrame:
    """Return findings that are known already."""
    return session.createDataFrame([(*line, None) for line in lines], _SCHEMA)


#: What an executor calls: a module, a class of checks in it, and its method.
Task = tuple[str, str, str]
_CHECK = ("evalcontract.api.batches", "BatchCheck")
_COVERAGE = ("evalcontract.api.batch_runs", "BatchCoverage", "__call__")
_GRADER = ("evalcontract.api.batch_runs", "BatchGrader")


class Shared:
    """A check that executors share: the files of its workspace are sent to each of them once."""

    def __init__(self, frame: DataFrame, check: BatchCheck) -> None:
        self._settings = pickle.dumps(check.settings)
        self._digest = check.files.digest
        try:
            self._sent: Any = frame.sparkSession.sparkContext.broadcast(check.files.value)
        except AttributeError:  # of a session over Connect, whose plans are sent as they are
            self._sent = check.files

    def mapped(self, frame: DataFrame, method: str) -> DataFrame:
        """Return the findings that a method yields for the record batches of a data frame."""
        return frame.mapInArrow(self.worker((*_CHECK, method)), _SCHEMA)

    def worker(self, task: Task) -> Worker:
        """Return what executors call."""
        return _worker(self._settings, self._digest, self._sent, task, version=__version__)


def _worker(settings: bytes, digest: str, sent: Any, task: Task, *, version: str) -> Worker:
    """Return what executors call; it says so where this package is not, or is another version.

    It is pickled by its value: it uses no name of this module.
    """

    def work(batches: Iterable[RecordBatch]) -> Iterator[RecordBatch]:
        import importlib
        import pickle
        import platform

        try:
            import evalcontract
        except ImportError:
            here = None
        else:
            here = evalcontract.__version__
        module, name, method = task
        if here == version:
            from evalcontract.api.batches import SharedFiles

            files = SharedFiles(sent.value, digest)
            check = getattr(importlib.import_module(module), name)
            yield from getattr(check(None, pickle.loads(settings), files), method)(batches)  # noqa: S301
            return
        found = f"evalcontract {here}" if here else "no evalcontract"
        why = f"the executor on {platform.node()} has {found}, and the driver {version}"
        if name != "BatchCheck":
            raise RuntimeError(why)
        import pyarrow as pa

        rows = sum(batch.num_rows for batch in batches)
        what = f"{rows:,} rows are" if method == "__call__" else "the dataset as a whole is"
        line = {
            "row": None, "code": "source/unsupported", "severity": "error", "path": "$",
            "message": f"{what} not checked: {why}",
            "help": f"install evalcontract {version} on all executors", "place": None,
        }  # fmt: skip
        columns = {name: pa.array([text], pa.string()) for name, text in line.items()}
        yield pa.record_batch({**columns, "rows": pa.array([0], pa.int64())})

    return work
