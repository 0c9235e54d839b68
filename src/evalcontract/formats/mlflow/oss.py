"""What becomes of a record in the open-source store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import without
from evalcontract.formats.mlflow import rejections
from evalcontract.formats.mlflow.records import RecordChecker
from evalcontract.formats.mlflow.sources import id_of
from evalcontract.formats.mlflow.store_rules import Granularity, Merging, Outputs, mixed_goal
from evalcontract.model.diagnostic import Problem, Related

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.formats._format import SchemaChecker
    from evalcontract.model.path import Path

_USER = "mlflow.user"
_MOST_OF_SQLITE = 2**63


class StoreChecker(RecordChecker):
    """What `merge_records` of the open-source store does."""

    def __init__(self, schema: SchemaChecker) -> None:
        super().__init__(schema)
        self._merging = Merging()
        self._granularity = Granularity()
        self._outputs = Outputs()
        self._first: Path | None = None

    def check(self, row: Any, path: Path, *, is_clean: bool) -> Iterable[Problem]:
        """Check the next record; of one that is merged into an earlier one less is read."""
        inputs = row.get("inputs") if isinstance(row, dict) else None
        self._first = self._merging.first_with(inputs, path) if isinstance(inputs, dict) else None
        return super().check(row, path, is_clean=is_clean)

    def refused(self, problems: list[Problem], row: Any, path: Path) -> list[Problem]:
        """Say the findings of the schema as the store refuses."""
        found = rejections.told_missing(problems, row, path, "inputs")
        if self._first is not None:
            found = without(found, (*path, "source"))
            if not row.get("expectations"):
                found = without(found, (*path, "expectations"))
        found = rejections.in_open_source(found, row, path)
        mixed = mixed_goal(row.get("inputs") if isinstance(row, dict) else None, path)
        if mixed:
            found = [*without(found, (*path, "inputs")), mixed]
        return rejections.explained(found, path)

    def in_order(self, row: dict[str, Any], path: Path) -> Iterable[Problem]:
        """Yield what the store holds against a record for those before it, or cannot write."""
        inputs = row["inputs"]
        found = [*self._granularity.observe(inputs, path)]
        if row.get("outputs") is not None:
            found += self._outputs.observe(row["outputs"], path)
        if self._first is not None:
            found.append(self._merged(self._first, path))
        elif row.get("source"):
            key, value = id_of(row["source"])
            found += _unstorable(value, (*path, "source", "source_data", key))
        if row.get("tags") and _USER in row["tags"]:
            found += _unstorable(row["tags"][_USER], (*path, "tags", _USER))
        return found

    def finish(self) -> Iterable[Problem]:
        """Say what the reserved input does, where nothing shows that it is meant."""
        return self._granularity.finish()

    def _merged(self, first: Path, path: Path) -> Problem:
        number = int(first[-1]) + 1
        return Problem(
            "mlflow/equal-inputs",
            f"`inputs` are those of record {number}: MLflow merges this record into that one",
            (*path, "inputs"),
            "make the inputs differ, or write one record",
            related=(Related("the record with the same inputs", (*first, "inputs")),),
        )


def _unstorable(value: Any, path: Path) -> Iterator[Problem]:
    """Say that a value does not fit into the column of the store that it is copied into."""
    is_half = isinstance(value, str) and any("\ud800" <= each <= "\udfff" for each in value)
    is_large = isinstance(value, int) and not -_MOST_OF_SQLITE <= value < _MOST_OF_SQLITE
    if isinstance(value, dict | list) or is_half or is_large:
        message = f"`{path[-1]}` is copied into a column of texts, and does not fit in there"
        yield Problem("mlflow/wrong-type", message, path, "write a text")
