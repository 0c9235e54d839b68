"""MLflow's evaluation datasets: of the open-source store, of Databricks, and for `evaluate`."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from evalcontract.formats._conversion import FACTS, GUIDELINES, documents_named
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
    from evalcontract.formats.mlflow.records import MlflowChecker
    from evalcontract.source.external import ExternalFile

_CHECKERS: dict[str, type[MlflowChecker]] = {
    OSS: StoreChecker,
    MANAGED: ManagedChecker,
    EVALUATE: EvaluateChecker,
}
_LOADERS = {OSS: "`merge_records`", MANAGED: "a dataset", EVALUATE: "`evaluate`"}


class Mlflow(Format):
    """Records of the open-source store, of Databricks, or for `evaluate`."""

    name = "mlflow"
    conversion = "evalcontract.formats.mlflow.conversion:MlflowLens"
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
    ways = MappingProxyType(
        {"facts": FACTS, "guidelines": GUIDELINES, "documents": documents_named("doc_uri")}
        | {"calls": (expected_tools, expected_calls)}
    )
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
        return _CHECKERS[self.variant](self, schema)

    def predict(
        self,
        row: Any,
        file: ExternalFile | None = None,
    ) -> Iterator[GraderPrediction]:
        return scorers(row, self.variant)
