"""MLflow's evaluation datasets: of the open-source store, of Databricks, and for `evaluate`."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from evalcontract.formats._conversion import FACTS, GUIDELINES, Field, documents_named
from evalcontract.formats._format import (
    Format,
    RowChecker,
    RowLayout,
    SchemaChecker,
    codes_of_system,
)
from evalcontract.formats.mlflow.readers import EvaluateChecker, ManagedChecker, StoreChecker
from evalcontract.formats.mlflow.records import (
    EVALUATE,
    MANAGED,
    OSS,
    expected_calls,
    expected_tools,
    exported_rows,
    perhaps_recognised,
    recognised,
    scorers,
)
from evalcontract.model.diagnostic import Problem

if TYPE_CHECKING:
    from evalcontract.formats._graders import GraderPrediction
    from evalcontract.formats._lens import Lens
    from evalcontract.formats.mlflow.records import MlflowChecker
    from evalcontract.source.external import ExternalFile

_CHECKERS: dict[str, type[MlflowChecker]] = {
    OSS: StoreChecker,
    MANAGED: ManagedChecker,
    EVALUATE: EvaluateChecker,
}
_LOADERS = {OSS: "`merge_records`", MANAGED: "a dataset", EVALUATE: "`evaluate`"}


_EXPECTED = "expectations.expected_"
_UNLESS_EQUAL = "unless the only fact is the reference"
_LISTED = "several guidelines are a list with a `- ` before each"
_CALLS, _NAMED = (expected_tools, expected_calls), documents_named("doc_uri")
_NO_COLUMN = "records have no column for it"
_STORES = ("managed",)
_EVALUATE = ("evaluate",)

FIELDS = (
    Field(None, "id", "the store assigns its own record ids", ("oss",)),
    Field("dataset_record_id", "id", variants=_STORES),
    Field("request_id", "id", variants=_EVALUATE),
    Field("inputs", "input", "the text under `question` or a key like it; else all as lines"),
    Field("inputs.messages", "messages", "up to the question; the run after it is no input"),
    Field("inputs.messages", "context.history", "before the question, of a row without `messages`"),
    Field("inputs.*", "context.*", "written only where the row came from MLflow"),
    Field(f"{_EXPECTED}response", "expected.reference", "written only without other facts"),
    Field(f"{_EXPECTED}facts", "expected_facts", _UNLESS_EQUAL, (), *FACTS),
    Field("expectations.guidelines", "criteria", _LISTED, (), *GUIDELINES),
    Field(f"{_EXPECTED}tool_calls", "expected_tools", "names and `arguments`", (), *_CALLS),
    Field(f"{_EXPECTED}retrieved_context", "expected_documents", "`doc_uri` is `id`", (), *_NAMED),
    Field("expectations.*", "expected.*"),
    Field("expectations.reference", None, "`expected.reference` is the expected response"),
    Field("expectations.format", None, "`expected.format` is `json` or `text`, for checks"),
    Field("outputs", "recorded_output", "or the answer at the end of `messages`"),
    Field("trace", "trace", "written only where the row came from MLflow", _EVALUATE),
    Field("tags", None, "tags of rows have no values"),
    Field("source", None, "rows have no source"),
    *(
        Field(name, None, "the store sets it", _STORES)
        for name in ("create_time", "created_by", "last_update_time", "last_updated_by")
    ),
    Field("*", None, "neither MLflow nor evalcontract reads it"),
    Field(None, "expected.format", "no scorer of MLflow reads it"),
    Field(None, "rubric_ref", "MLflow's scorers are chosen at run time, not in the data"),
    Field(None, "context", "an application takes only the inputs that it knows"),
    Field(None, "trace", "only rows for `evaluate` have a trace", ("oss", "managed")),
    Field(None, "must_contain_any", "no scorer of MLflow reads it"),
    Field(None, "must_not_contain", "no scorer of MLflow reads it"),
    Field(None, "retrieved_documents", "MLflow takes them from the trace"),
    Field(None, "tags", "tags of records have values"),
    Field(None, "*", _NO_COLUMN),
)


class Mlflow(Format):
    """Records of the open-source store, of Databricks, or for `evaluate`."""

    name = "mlflow"
    title = "MLflow"
    variants = (OSS, MANAGED, EVALUATE)
    media = ("json", "jsonl", "yaml", "parquet")
    basis = (
        "MLflow 3.18.0, run on a SQLite store; 3.17.2 also rejects empty `tags` that are not a "
        "mapping, such as null. Of a trace, the keys that its parser knows are checked, neither "
        "spans nor most values; a lone surrogate or an unusual `request_id` may change the verdict "
        "of `evaluate`. `managed`: per public documentation of Databricks, never run."
    )
    codes = codes_of_system(
        "mlflow",
        rejected=(
            "unknown-key",
            "malformed-value",
            "mixed-goal",
            "mixed-granularity",
            "empty-inputs",
            "mixed-outputs",
            "mixed-traces",
            "documented-source",
            "open-source-source",
            "several-sources",
            "no-rows",
        ),
        silently_accepted=(
            "equal-inputs",
            "facts-and-response",
            "no-list-of-texts",
            "unreadable-tool-call",
            "no-expectations",
            "empty-tags",
        ),
        guesses=("misplaced-key", "reserved-goal"),
        notes=("data-frame", "export"),
    )
    fields = FIELDS
    readers = MappingProxyType({**_LOADERS, MANAGED: "Databricks"})
    named_by = ("dataset_record_id", "request_id", "id")

    @classmethod
    def recognise(cls, value: dict[str, Any]) -> Self | None:
        """Detect a record, an export or a data frame."""
        variant = recognised(value)
        return cls(variant) if variant else None

    @classmethod
    def may_recognise(cls, value: dict[str, Any]) -> Self | None:
        """Detect a record by keys that rows of other systems have as well."""
        variant = perhaps_recognised(value)
        return cls(variant) if variant else None

    def rows(self, file: ExternalFile, schema: SchemaChecker) -> RowLayout:
        if file.document is None:
            return RowLayout()
        value = file.document.value
        if isinstance(value, list):
            return RowLayout(value)
        if layout := exported_rows(value):
            return layout
        if self.variant == OSS and value in ({}, ""):
            return RowLayout([])
        advice = None
        if isinstance(value, dict):
            lists = [key for key, part in value.items() if isinstance(part, list)]
            if "inputs" in value:
                advice = "write `[` and `]` around the record"
            elif lists:
                advice = f"remove everything but the list of `{lists[0]}`"
        basis = ", per public documentation" if self.variant == MANAGED else ""
        loader = _LOADERS[self.variant]
        message = f"{loader} takes a list of records, not another value{basis}"
        return RowLayout.without_rows(Problem("mlflow/rejected", message, (), advice))

    def checker(self, schema: SchemaChecker) -> RowChecker:
        return _CHECKERS[self.variant](schema)

    def predict(
        self,
        row: Any,
        file: ExternalFile | None = None,
    ) -> Iterator[GraderPrediction]:
        return scorers(row, self.variant)

    def lens_class(self) -> type[Lens]:
        from evalcontract.formats.mlflow import conversion  # a check does not need it

        return conversion.MlflowLens
