"""What becomes of a row in `mlflow.genai.evaluate`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import stops_loader
from evalcontract.formats.mlflow import rejections
from evalcontract.formats.mlflow.records import RecordChecker
from evalcontract.model.diagnostic import Problem, Related

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.formats._format import SchemaChecker
    from evalcontract.model.path import Path


class EvaluateChecker(RecordChecker):
    """What `mlflow.genai.evaluate` does with rows."""

    named_by = "request_id"

    def __init__(self, schema: SchemaChecker) -> None:
        super().__init__(schema)
        self._first: Path | None = None
        self._has_traces = False
        self._is_told = False

    def refused(self, problems: list[Problem], row: Any, path: Path) -> list[Problem]:
        """Leave out what is refused of NaN: as a column it counts as nothing, else as a number."""
        found = [each for each in problems if not _is_nan(row, each.path[len(path) :])]
        if self._first is None and isinstance(row, dict) and "trace" not in row:
            found = rejections.told_missing(found, row, path, "inputs")
        if not stops_loader(found):
            return found
        is_told = any(each.code == "mlflow/missing-key" for each in found)
        return [*found, *self._of_all(row, path, is_told=is_told)]

    def in_order(self, row: dict[str, Any], path: Path) -> Iterable[Problem]:
        """Yield what only the first row must have, and what all must have alike."""
        return self._of_all(row, path)

    def must_expect(self, row: dict[str, Any]) -> bool:
        """Tell that a trace may bring what is expected."""
        return "trace" not in row

    def finish(self) -> Iterable[Problem]:
        """Say that there are no rows."""
        if self._first is None:
            yield Problem("mlflow/no-rows", "there are no rows: `evaluate` refuses them", ())

    def _of_all(self, row: Any, path: Path, *, is_told: bool = False) -> Iterator[Problem]:
        is_first = self._first is None
        self._first = self._first or path
        if not isinstance(row, dict):
            return
        has_trace = "trace" in row
        if is_first:
            self._has_traces = has_trace
            if not has_trace and not is_told and not isinstance(row.get("inputs"), dict):
                yield self._first_inputs(row, path)
        elif has_trace is not self._has_traces and not self._is_told:
            self._is_told = True
            message = "a trace stands in some rows and not in others: `evaluate` fails"
            related = (Related("the first row", self._first or ()),)
            where = (*path, "trace") if has_trace else path
            advice = "give every row a `trace`, or none"
            yield Problem("mlflow/mixed-traces", message, where, advice, related=related)
        if has_trace and isinstance(row["trace"], str):
            yield from self._of_text(row["trace"], (*path, "trace"))

    def _first_inputs(self, row: dict[str, Any], path: Path) -> Problem:
        if "inputs" not in row:
            message = "`inputs` is missing in the first row, and there is no `trace` either"
            return Problem("mlflow/missing-key", message, path, "such as `inputs: {question: …}`")
        return Problem(
            "mlflow/wrong-type",
            "`inputs` must be a mapping in the first row, which stands for all",
            (*path, "inputs"),
            "write what the application is given by name: `inputs: {question: …}`",
        )

    def _of_text(self, text: str, path: Path) -> Iterator[Problem]:
        """Judge a trace that is written as a JSON text."""
        try:
            trace = json.loads(text)
        except (ValueError, RecursionError):
            message = "`trace` is a text, and no JSON: `evaluate` cannot read it"
            yield Problem("mlflow/malformed-value", message, path, "write the trace as a mapping")
            return
        faults = self._schema.faults(trace, (), of="trace") if isinstance(trace, dict) else None
        if faults is None or stops_loader(faults):
            what = faults[0].message if faults else "it is no mapping"
            message = f"the text of `trace` is not a trace of MLflow: {what}"
            yield Problem("mlflow/malformed-value", message, path, "write what `to_json` gives")


def _is_nan(row: Any, path: Path) -> bool:
    """Whether NaN stands at a place in a row where `evaluate` takes it."""
    value = row
    for step in path:
        value = value[step] if isinstance(value, dict) and step in value else None
    return path[:1] in (("expectations",), ("tags",)) and value != value  # noqa: PLR0124 - NaN
