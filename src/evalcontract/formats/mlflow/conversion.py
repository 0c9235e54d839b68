"""Convert records of MLflow to rows of evalcontract and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import OURS, Loss, OurRow, Reader, TheirRow, Writer
from evalcontract.formats._expectations import losses_of
from evalcontract.formats._fields import reason_against, reason_for
from evalcontract.formats._residual import Residual, applied, difference, is_row, restored
from evalcontract.formats.mlflow.evaluate import MIXED_TRACES
from evalcontract.formats.mlflow.expectations import TOOL_CALLS
from evalcontract.formats.mlflow.fields import FIELDS
from evalcontract.formats.mlflow.inputs import history_of
from evalcontract.formats.mlflow.mapping import as_record, as_row
from evalcontract.formats.mlflow.residual import (
    NESTED,
    NESTED_OURS,
    Kept,
    join_record,
    join_row,
    split_record,
    split_row,
)
from evalcontract.formats.mlflow.sources import for_databricks, for_store
from evalcontract.formats.mlflow.store_rules import Granularity, Merging, Outputs, mixed_goal
from evalcontract.formats.mlflow.tool_calls import expected_tools
from evalcontract.model.diagnostic import Problem
from evalcontract.model.values import json_equal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.diagnostic import Path

_BESIDE = "Correctness takes facts or a response, not both"
_RUN = "a record has the question and the answer; the run between them is a trace"
_SOURCES = {"oss": for_store, "managed": for_databricks}


class MlflowReader(Reader):
    """Converts records to rows, which preserve the rest in `metadata.mlflow`."""

    def __init__(self, variant: str, root: dict[str, Any] | None = None) -> None:
        self._variant = variant
        self._root = root or {}

    @property
    def root(self) -> dict[str, Any]:
        """What the file says of the dataset."""
        return self._root

    def read(self, row: Any, index: int) -> OurRow:
        """Convert a valid record."""
        record, kept = split_record(row, self._variant)
        plain, hints = as_row(record, self._variant, index)
        ours = plain if kept is None else applied(plain, kept, NESTED_OURS)
        if not (is_row(ours) and ours.get("id") and ours.get("input")):
            record, kept, ours = row, None, as_row(row, self._variant, index)[0]
        residual = difference(as_record(ours, hints, self._variant, index), record, NESTED)
        losses = [*_losses(residual, record, self._variant)]
        rest = difference(plain, ours, NESTED_OURS)
        if kept is not None and not json_equal(join_record(record, rest), row):
            reason = "it repeats what the record says already"
            losses.append(Loss(("tags", OURS), reason, is_kept=False))
        whole = join_row(ours, Kept(residual, hints, self._variant))
        return OurRow(whole, losses=tuple(losses))


def _losses(residual: Residual, record: dict[str, Any], variant: str) -> Iterator[Loss]:
    for key, value in residual.set.items():
        if key == "inputs" or record[key] in (None, {}, []):
            continue  # the question is there in another form, or nothing is
        names = value if key == "expectations" and isinstance(value, dict) else (None,)
        for name in names:
            path = (key,) if name is None else (key, name)
            if name is not None and record[key][name] is None:
                continue
            if name != TOOL_CALLS or expected_tools(record[key][name]) is None:
                yield Loss(path, reason_for(FIELDS, path, variant), is_kept=True)


class MlflowWriter(Writer):
    """Converts rows to records, which preserve the rest in `tags: {evalcontract: …}`."""

    def __init__(self, variant: str) -> None:
        self._variant = variant
        self._merging = Merging()
        self._granularity = Granularity()
        self._outputs = Outputs()
        self._has_traces: bool | None = None

    def write(self, row: dict[str, Any], rubric: dict[str, Any] | None, index: int) -> TheirRow:
        """Convert a row to a record; the row references its rubric."""
        del rubric
        bare, kept = split_row(row)
        losses: list[Loss] = []
        residual = kept.residual
        if kept.variant != self._variant:
            residual = Residual(_translated(residual.set, self._variant), [])
            losses = [*_untranslated(kept.residual.set, residual.set)]
        variant = self._variant
        plain = as_record(bare, kept.hints, variant, index)
        record = restored(
            plain, residual, NESTED, bare, lambda each: as_row(each, variant, index)[0]
        )
        self._drop_mixed_outputs(record, index)
        rest = difference(as_row(record, self._variant, index)[0], bare, NESTED_OURS)
        whole = join_record(record, rest)
        told = losses_of(rest, bare, self._reason, _BESIDE, _RUN)
        inputs = record.get("inputs")
        is_history = isinstance(inputs, dict) and "messages" in inputs and bool(history_of(bare))
        losses += (loss for loss in told if not (is_history and loss.path[0] == "context"))
        return TheirRow(whole, tuple(losses), tuple(self._problems(whole, index)))

    def _reason(self, path: Path) -> str:
        return reason_against(FIELDS, path, self._variant)

    def _drop_mixed_outputs(self, record: dict[str, Any], index: int) -> None:
        """Remove outputs that the store cannot combine with earlier ones; tags preserve them."""
        outputs = record.get("outputs")
        if self._variant != "oss" or outputs is None:
            return
        if [*self._outputs.observe(outputs, (index,))]:
            del record["outputs"]

    def _problems(self, record: dict[str, Any], index: int) -> Iterator[Problem]:
        """Yield why MLflow would reject a record, or merge it into another one."""
        inputs = record.get("inputs")
        if self._variant == "evaluate":
            yield from self._trace_problems(record)
        elif self._variant == "oss" and isinstance(inputs, dict):
            mixed = mixed_goal(inputs, ())
            problems = [mixed] if mixed else self._granularity.observe(inputs, (index,))
            yield from (problem._replace(path=("input",), related=()) for problem in problems)
            first = self._merging.first_with(inputs, (index,))
            if first is not None:
                number = int(first[-1]) + 1
                yield Problem(
                    "mlflow/equal-inputs",
                    f"row {number} has the same `input`: MLflow merges this row into it",
                    ("input",),
                    "make the `input` of the rows differ",
                )

    def _trace_problems(self, record: dict[str, Any]) -> Iterator[Problem]:
        has_trace = "trace" in record
        if self._has_traces is None:
            if has_trace or isinstance(record.get("inputs"), dict):
                self._has_traces = has_trace
            else:
                message = "`inputs` of the first row must be a mapping, and this one gives none"
                yield Problem("mlflow/wrong-type", message, ("input",), "put another row first")
        elif has_trace is not self._has_traces:
            yield MIXED_TRACES._replace(path=("trace",) if has_trace else ())


def _translated(set_: dict[str, Any], variant: str) -> dict[str, Any]:
    """Convert what a row preserves of a record to another dialect of MLflow."""
    kept = {key: set_[key] for key in ("expectations", "tags") if isinstance(set_.get(key), dict)}
    if variant == "evaluate" and "expectations" in kept:  # it rejects null in expectations
        expected = kept["expectations"].items()
        kept["expectations"] = {key: part for key, part in expected if part is not None}
    source = set_.get("source")
    source = _SOURCES[variant](source) if variant in _SOURCES else source
    return {**kept, "source": source} if source else kept


def _untranslated(before: dict[str, Any], after: dict[str, Any]) -> Iterator[Loss]:
    for key in before:
        if key not in after:
            reason = "this dialect of MLflow has no such column"
            yield Loss(("metadata", "mlflow", "set", key), reason, is_kept=False)
