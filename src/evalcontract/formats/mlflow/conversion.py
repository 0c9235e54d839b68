"""RecordChecker of MLflow become rows of ours, and rows of ours become records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import OURS, Loss, OurRow, TheirRow
from evalcontract.formats._residual import Residual, applied, difference, is_row
from evalcontract.formats.mlflow.mapping import as_record, as_row
from evalcontract.formats.mlflow.residual import (
    NESTED,
    Kept,
    join_record,
    join_row,
    split_record,
    split_row,
)
from evalcontract.formats.mlflow.sources import for_databricks, for_store
from evalcontract.formats.mlflow.store_rules import Granularity, Merging, Outputs, mixed_goal
from evalcontract.model.diagnostic import Problem
from evalcontract.model.equality import json_equal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_NO_PLACE = {
    "source": "rows do not say where they come from",
    "tags": "tags of rows are texts without values",
    "outputs": "the store writes a mapping without keys where there are none",
}
_EXPECTATION = "no check of ours reads it"
_UNREAD = "MLflow does not read it, and neither do rows"
_REASONS = {
    "id": "the store gives records ids of its own",
    "rubric_ref": "MLflow's scorers are named where it is run, not in the data",
}
_SOURCES = {"oss": for_store, "managed": for_databricks}
_NO_COLUMN = "records have no place for it"


class MlflowReader:
    """`Reader` of records. Nothing stands around them, so the root is empty."""

    root: dict[str, Any] = {}  # noqa: RUF012 - never changed
    losses: tuple[Loss, ...] = ()

    def __init__(self, variant: str) -> None:
        self._variant = variant

    def read(self, row: Any, index: int) -> OurRow:
        """Turn a sound record into a row; what rows have no place for is kept in it."""
        record, besides = split_record(row, self._variant)
        plain, hints = as_row(record, self._variant, index)
        made = plain if besides is None else applied(plain, besides)
        if not (is_row(made) and made.get("id") and made.get("input")):
            record, besides, made = row, None, as_row(row, self._variant, index)[0]
        residual = difference(as_record(made, hints, self._variant, index), record, NESTED)
        losses = [*_losses(residual)]
        if besides is not None and not _is_derived(row, record, difference(plain, made)):
            reason = "it says in part what the record says already"
            losses.append(Loss(("tags", OURS), reason, is_kept=False))
        whole = join_row(made, Kept(residual, hints, self._variant))
        return OurRow(whole, losses=tuple(losses))


def _is_derived(row: dict[str, Any], record: dict[str, Any], residual: Residual) -> bool:
    """Whether a record would keep just this."""
    return json_equal(join_record(record, residual), row)


def _losses(residual: Residual) -> Iterator[Loss]:
    for key, value in residual.set.items():
        if key == "expectations" and isinstance(value, dict):
            for name in value:
                yield Loss((key, name), _EXPECTATION, is_kept=True)
        else:
            yield Loss((key,), _NO_PLACE.get(key, _UNREAD), is_kept=True)


class MlflowWriter:
    """`Writer` of records: what they have no place for is kept below `tags: {evalcontract: …}`."""

    says_rubrics = False

    def __init__(self, variant: str) -> None:
        self._variant = variant
        self._merging = Merging()
        self._granularity = Granularity()
        self._outputs = Outputs()
        self._has_traces: bool | None = None

    def write(
        self,
        row: dict[str, Any],
        rubric: dict[str, Any] | None,  # noqa: ARG002 - the row names it, and stays where it is
        index: int,
    ) -> TheirRow:
        """Turn a row into a record."""
        bare, kept = split_row(row)
        losses: list[Loss] = []
        residual = kept.residual
        if kept.variant != self._variant:
            residual = Residual(_translated(residual.set, self._variant), [])
            losses = [*_untranslated(kept.residual.set, residual.set)]
        record = self._record(bare, residual, kept.hints, index)
        besides = difference(as_row(record, self._variant, index)[0], bare)
        whole = join_record(record, besides)
        losses += [Loss((key,), _REASONS.get(key, _NO_COLUMN), True) for key in besides.set]
        return TheirRow(whole, tuple(losses), tuple(self._problems(whole, index)))

    def wrap(self, rows: list[Any], root: dict[str, Any]) -> tuple[Any, Sequence[Loss]]:
        """Return the list of records; nothing can stand around it."""
        reason = "nothing can stand around records"
        return rows, [Loss((key,), reason, is_kept=False) for key in root if key != "questions"]

    def _record(
        self, row: dict[str, Any], residual: Residual, hints: dict[str, Any], index: int
    ) -> dict[str, Any]:
        record = as_record(row, hints, self._variant, index)
        record = applied(record, residual, NESTED)
        if self._variant == "oss" and record.get("outputs") is not None:
            clash = [*self._outputs.observe(record["outputs"], (index,))]
            if clash:  # the store cannot hold both forms, so the tags have to
                del record["outputs"]
        return record

    def _problems(self, record: dict[str, Any], index: int) -> Iterator[Problem]:
        """Yield why MLflow would not take a record, or not as one of its own."""
        inputs = record.get("inputs")
        if self._variant == "evaluate":
            yield from self._of_evaluate(record)
        elif self._variant == "oss" and isinstance(inputs, dict):
            found = mixed_goal(inputs, ())
            held = [found] if found else [*self._granularity.observe(inputs, (index,))]
            yield from (each._replace(path=("input",), related=()) for each in held)
            first = self._merging.first_with(inputs, (index,))
            if first is not None:
                number = int(first[-1]) + 1
                yield Problem(
                    "mlflow/equal-inputs",
                    f"MLflow merges this row into row {number}, which has the same `input`",
                    ("input",),
                    "what tells the rows apart has to stand in `input`, too",
                )

    def _of_evaluate(self, record: dict[str, Any]) -> Iterator[Problem]:
        has_trace = "trace" in record
        if self._has_traces is None:
            if has_trace or isinstance(record.get("inputs"), dict):
                self._has_traces = has_trace
            else:
                message = "the first row must have inputs by name, and this one stands for no such"
                yield Problem("mlflow/wrong-type", message, ("input",), "let another row be first")
        elif has_trace is not self._has_traces:
            message = "a trace stands in some rows and not in others: `evaluate` fails"
            advice = "give every row a `trace`, or none"
            yield Problem("mlflow/mixed-traces", message, ("trace",) if has_trace else (), advice)


def _translated(set_: dict[str, Any], variant: str) -> dict[str, Any]:
    """Return what one MLflow keeps of a record as another one takes it."""
    found = {key: set_[key] for key in ("expectations", "tags") if isinstance(set_.get(key), dict)}
    if variant == "evaluate" and "expectations" in found:  # it refuses null among them
        expected = found["expectations"].items()
        found["expectations"] = {key: part for key, part in expected if part is not None}
    source = set_.get("source")
    source = _SOURCES[variant](source) if variant in _SOURCES else source
    return {**found, "source": source} if source else found


def _untranslated(before: dict[str, Any], after: dict[str, Any]) -> Iterator[Loss]:
    for key in before:
        if key not in after:
            reason = "this MLflow has no such column"
            yield Loss(("metadata", "mlflow", "set", key), reason, is_kept=False)
