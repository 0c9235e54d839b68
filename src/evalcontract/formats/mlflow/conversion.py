"""Convert records of MLflow to rows of evalcontract and back; what neither has is preserved."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evalcontract.formats._conversion import (
    OURS,
    Loss,
    OurRow,
    Reader,
    TheirRow,
    Writer,
    conversation_of,
    criteria_of,
    default_id,
    guidelines_of,
    losses_of,
    own_expectations,
    reference_of,
    with_bundle,
    with_renamed_key,
)
from evalcontract.formats._fields import reason_against, reason_for
from evalcontract.formats._findings import is_list_of
from evalcontract.formats._residual import (
    Form,
    Residual,
    ResidualPlace,
    applied,
    difference,
    is_row,
    restored,
)
from evalcontract.formats.mlflow import records as expected
from evalcontract.formats.mlflow.evaluate import MIXED_TRACES
from evalcontract.formats.mlflow.fields import FIELDS
from evalcontract.formats.mlflow.inputs import history_of, read_inputs, write_inputs
from evalcontract.formats.mlflow.oss import Granularity, Merging, OutputTypes, mixed_goal
from evalcontract.formats.mlflow.records import TOOL_CALLS, expected_calls, expected_tools
from evalcontract.formats.mlflow.sources import for_databricks, for_store
from evalcontract.model.diagnostic import Path, Problem
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import json_equal

#: How a record was written, for converting it back: `input_key`, `input_form`, `criteria_from`,
#: `expects` and `trace`.
Hints = dict[str, Any]

_NAMED_BY = {"oss": "dataset_record_id", "managed": "dataset_record_id", "evaluate": "request_id"}


def as_row(record: dict[str, Any], variant: str, index: int) -> tuple[dict[str, Any], Hints]:
    """Convert a record to a row, and return the hints for converting it back."""
    read, hints = read_inputs(record)
    name = record.get(_NAMED_BY[variant])
    id_ = name if isinstance(name, str) and name else default_id(index)
    row: dict[str, Any] = {"id": id_, **read}
    expectations = record.get("expectations")
    if isinstance(expectations, dict):
        row |= _expected(expectations, hints)
    # The open-source store stores absent outputs as an empty mapping.
    if "outputs" in record and (variant != "oss" or record["outputs"] != {}):
        row["recorded_output"] = record["outputs"]
    if variant == "evaluate" and isinstance(record.get("trace"), dict | str):
        row["trace"] = record["trace"]
        hints["trace"] = True
    return with_bundle(row), hints


def as_record(row: dict[str, Any], hints: Hints, variant: str, index: int) -> dict[str, Any]:
    """Convert a row to a record."""
    record = write_inputs(row, hints, is_optional=variant == "evaluate")
    if expectations := _expectations(row, hints):
        record["expectations"] = expectations
    answer = conversation_of(row).answer
    if "recorded_output" in row or answer is not None:
        record["outputs"] = row.get("recorded_output", answer)
    if hints.get("trace") and variant == "evaluate" and "trace" in row:
        record["trace"] = row["trace"]
    if variant != "oss" and row["id"] != default_id(index):
        record[_NAMED_BY[variant]] = row["id"]
    return record


def _expected(expectations: dict[str, Any], hints: Hints) -> dict[str, Any]:
    row: dict[str, Any] = {}
    response: Any = expectations.get(expected.RESPONSE)
    guidelines: Any = expectations.get(expected.GUIDELINES)
    if _is_text(guidelines):
        row["criteria"], hints["criteria_from"] = guidelines, "guideline"
    elif criteria := criteria_of(guidelines):
        row["criteria"] = criteria
    if of_row := _of_row(expectations):
        row["expected"] = of_row
    if _are_filled(facts := expectations.get(expected.FACTS)):
        row["expected_facts"] = facts
        if _is_text(response):
            hints["expects"] = "both"
    if tools := expected_tools(expectations.get(expected.TOOL_CALLS)):
        row["expected_tools"] = tools
    if documents := _documents(expectations.get(expected.CONTEXT), "doc_uri", "id"):
        row["expected_documents"] = documents
    return row


def _of_row(expectations: dict[str, Any]) -> dict[str, Any]:
    """Return the reference answer and the author's own expectations, in the author's order."""
    own = own_expectations({"expected": expectations})
    return {
        "reference" if key == expected.RESPONSE else key: part
        for key, part in own.items()
        if key not in expected.RESERVED or (key == expected.RESPONSE and _is_text(part))
    }


def _expectations(row: dict[str, Any], hints: Hints) -> dict[str, Any]:
    expectations: dict[str, Any] = {}
    reference, facts = reference_of(row), row.get("expected_facts")
    is_both = hints.get("expects") == "both"
    if reference and (is_both or not facts or facts == [reference]):
        expectations[expected.RESPONSE] = reference
    if _are_filled(facts) and (is_both or expected.RESPONSE not in expectations):
        expectations[expected.FACTS] = facts
    criteria = row.get("criteria")
    if isinstance(criteria, str) and criteria.strip():
        is_text = hints.get("criteria_from") == "guideline"
        expectations[expected.GUIDELINES] = criteria if is_text else guidelines_of(criteria)
    if calls := expected_calls(row.get("expected_tools")):
        expectations[expected.TOOL_CALLS] = calls
    if documents := _documents(row.get("expected_documents"), "id", "doc_uri"):
        expectations[expected.CONTEXT] = documents
    own = own_expectations(row)
    return expectations | {key: own[key] for key in own if key not in expected.RESERVED}


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _are_filled(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_text, value))


def _documents(documents: Any, old: str, new: str) -> list[Any]:
    """Return documents with their names under another key; none unless all can be converted."""
    if not is_list_of(documents, dict):
        return []
    for document in documents:
        is_named = isinstance(document.get(old), str) and new not in document
        if not is_named or not isinstance(document.get("content", ""), str):
            return []
    return [with_renamed_key(document, old, new) for document in documents]


#: Mappings of a record that are compared key by key.
NESTED: dict[str, Any] = {"expectations": {}, "tags": {}}
#: Mappings of a row that are compared key by key.
NESTED_OURS: dict[str, Any] = {"expected": {}}
_IN_ROW = ResidualPlace("metadata", "mlflow", "_metadata")
_IN_RECORD = ResidualPlace("tags", OURS, "tags")
_FORM = Form("set", "absent", has_paths=True)
_TEXTS = frozenset({"input_key", "input_form", "criteria_from", "expects", "variant"})


class RecordResidual(NamedTuple):
    """What a row preserves of a record.

    `residual` is what the row cannot represent, `hints` how the record was written (see
    `mapping`), `variant` the dialect of the record.
    """

    residual: Residual
    hints: dict[str, Any]
    variant: str = "oss"


def split_row(row: dict[str, Any]) -> tuple[dict[str, Any], RecordResidual]:
    """Split a row from what it preserves; a mapping of another form belongs to the author."""
    bare, written = _IN_ROW.split(row, _is_of_record)
    written = written or {}
    residual = _FORM.read(written) or Residual({}, [])
    hints = {k: v for k, v in written.items() if k not in ("set", "absent", "variant")}
    return bare, RecordResidual(residual, hints, written.get("variant", "oss"))


def join_row(row: dict[str, Any], kept: RecordResidual) -> dict[str, Any]:
    """Add what a row preserves; the inverse of `split_row`."""
    written = {**_FORM.written(kept.residual), **kept.hints}
    if written and kept.variant != "oss":
        written["variant"] = kept.variant
    return _IN_ROW.joined(row, written)


def split_record(record: dict[str, Any], variant: str) -> tuple[dict[str, Any], Residual | None]:
    """Split a record from what it preserves of a row; None if it preserves nothing.

    Only what a conversion to the same dialect can have written counts.
    """
    bare, written = _IN_RECORD.split(record, lambda kept: _is_of_row(kept, variant))
    return bare, None if written is None else _FORM.read(written)


def join_record(record: dict[str, Any], residual: Residual) -> dict[str, Any]:
    """Add what a record preserves of a row; the inverse of `split_record`."""
    return _IN_RECORD.joined(record, _FORM.written(residual))


def _is_of_record(kept: dict[str, Any]) -> bool:
    """Whether `join_row` can have written a mapping."""
    is_known = kept.keys() <= {"set", "absent", "trace", _IN_ROW.was, *_TEXTS}
    are_texts = all(isinstance(kept[key], str) for key in _TEXTS & kept.keys())
    is_valid = bool(kept) and is_known and are_texts and json_equal(kept.get("trace", True), True)
    return is_valid and _FORM.fits(kept)


def _is_of_row(kept: dict[str, Any], variant: str) -> bool:
    """Whether `join_record` can have written a mapping."""
    tags = kept.get("tags", {})
    # Only the open-source store accepts any empty value.
    is_accepted = isinstance(tags, dict) or tags is None or (variant == "oss" and not tags)
    is_known = kept.keys() <= {"set", "absent", "tags"} and bool(kept.keys() & {"set", "absent"})
    return is_accepted and is_known and _FORM.fits(kept)


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
        whole = join_row(ours, RecordResidual(residual, hints, self._variant))
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
        self._outputs = OutputTypes()
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
