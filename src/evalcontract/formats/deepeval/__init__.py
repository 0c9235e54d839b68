"""Goldens of DeepEval, as `EvaluationDataset` reads them from files.

A script may give other names of keys to the loader; the file does not say so. Measured on
`deepeval` 4.3.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import predictions
from evalcontract.formats._format import Dialect, Format, codes_of_system
from evalcontract.formats.deepeval.checker import GoldenChecker
from evalcontract.formats.deepeval.fields import FIELDS
from evalcontract.formats.deepeval.reading import as_read, has_scenario
from evalcontract.formats.deepeval.rows import find_rows
from evalcontract.model.nearest import nearest

if TYPE_CHECKING:
    from evalcontract.formats._conversion import Reader, Writer
    from evalcontract.formats._format import GraderPrediction, RowChecker, SchemaChecker
    from evalcontract.source.external import ExternalFile

# Keys that only goldens have, beside their input.
_OWN = (
    *("expected_output", "actual_output", "retrieval_context", "tools_called", "source_file"),
    *("additional_metadata", "custom_column_key_values"),
)
# Keys of other systems and of ours, whose rows have some of the same keys.
_OTHERS = frozenset(
    {"inputs", "target", "ideal", "prompt", "evals", "queries", "cases", "vars", "question"}
    | {"id", "criteria", "expected", "expected_facts", "rubric_ref", "must_contain_any"}
)


def _name_of(row: Any) -> str | None:
    name = row.get("name") if isinstance(row, dict) else None
    return name if isinstance(name, str) and name else None


def _recognise(value: dict[str, Any]) -> Dialect | None:
    """Detect a golden by its input and a key of its own, or by its scenario."""
    if not _OTHERS.isdisjoint(value):
        return None
    keys = {nearest(key, (*_OWN, "input")) if key not in _OWN else key for key in value}
    is_golden = "input" in value and not keys.isdisjoint(_OWN)
    is_conversation = "scenario" in value and not {
        "turns", "expected_outcome", "user_description", "persona"
    }.isdisjoint(value)  # fmt: skip
    is_file = isinstance(value.get("goldens"), list)  # which the loaders refuse
    return Dialect(DEEPEVAL, None) if is_golden or is_conversation or is_file else None


FACTS = {
    "of_input": lambda row, _: has_scenario(row),
    "of_scenario": lambda row, _: not has_scenario(row),
    "empty_list": lambda row, key: key in row and as_read({key: row[key]}).get(key) == [],
    "no_conditions": lambda row, _: not _conditions(row),
}


def _conditions(row: dict[str, Any]) -> bool:
    given = row.get("expectations")
    return isinstance(given, dict) and any(given.get(k) for k in ("must", "must_not", "mustNot"))


def _predict(row: Any, _variant: str | None) -> Iterator[GraderPrediction]:
    return predictions("deepeval", row, None, FACTS)


def _checker(_variant: str | None, schema: SchemaChecker) -> RowChecker:
    return GoldenChecker(schema)


def _reader(_read: ExternalFile, _variant: str | None) -> Reader:
    from evalcontract.formats.deepeval.conversion import GoldenReader  # a check does not need it

    return GoldenReader()


def _writer(medium: str, _variant: str | None) -> Writer:
    from evalcontract.formats.deepeval.conversion import GoldenWriter  # a check does not need it

    return GoldenWriter(is_table=medium == "csv")


DEEPEVAL = Format(
    name="deepeval",
    title="DeepEval",
    variants=(),
    media=("json", "jsonl", "csv"),
    basis="`EvaluationDataset` and the metrics of deepeval 4.3.1, run",
    find_rows=find_rows,
    row_checker=_checker,
    name_of=_name_of,
    recognise=_recognise,
    predict=_predict,
    reader=_reader,
    writer=_writer,
    codes=codes_of_system(
        "deepeval",
        rejected=(
            "ragged-row",
            "malformed-value",
            "number-column",
            "mixed-goldens",
            "unknown-value",
        ),
        silently_accepted=("empty-input", "null-text", "other-kind", "shifted-columns", "no-rows"),
        guesses=("list-as-text", "no-expectation"),
    ),
    fields=FIELDS,
    has_text_lines=True,
)
