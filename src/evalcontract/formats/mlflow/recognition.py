"""Recognise records of MLflow by their keys, and for which of its loaders they are."""

from __future__ import annotations

from typing import Any

from evalcontract.formats.mlflow.exports import first_exported
from evalcontract.formats.mlflow.sources import is_documented
from evalcontract.model.nearest import nearest
from evalcontract.source.installed import table

OSS, MANAGED, EVALUATE = "oss", "managed", "evaluate"
_INPUTS, _OUTPUTS, _TRACE = "inputs", "outputs", "trace"
# The keys that a record or a row for `evaluate` may have.
_COLUMNS = frozenset({_INPUTS, _OUTPUTS, _TRACE, "expectations", "tags", "source", "request_id"})
# The keys of a trace that `Trace.to_dict` writes.
_TRACE_PARTS = frozenset({"info", "data"})


def recognised(value: dict[str, Any]) -> str | None:
    """Return the variant of a record by its `inputs` and `expectations`, or by its trace.

    `expectations` may be misspelled, so that the check can report it.
    """
    if isinstance(row := first_exported(value), dict):
        return recognised(row) or perhaps_recognised(row)
    trace = value.get(_TRACE)
    if trace is not None and "trace_metadata" in value:
        return EVALUATE
    is_trace = isinstance(trace, dict) and trace.keys() >= _TRACE_PARTS
    if is_trace and not {"input", "request"} & value.keys():  # rows of others may have one, too
        return EVALUATE
    expectations = [key for key in value if nearest(key, ("expectations",))]
    has_expectations = any(isinstance(value[key], dict) for key in expectations)
    if not isinstance(value.get(_INPUTS), dict) or not has_expectations:
        return None
    return _variant_of(value)


def perhaps_recognised(value: dict[str, Any]) -> str | None:
    """Return the variant of a record that has nothing but its inputs, or outputs besides.

    Mappings of `inputs` and `outputs` alone are not recognised: they may be examples of another
    system, whose outputs are the expected ones.
    """
    inputs, outputs = value.get(_INPUTS), value.get(_OUTPUTS)
    columns = {*_COLUMNS, *table("formats/mlflow.columns")["dropped"]} - {"id"}
    if not isinstance(inputs, dict) or not inputs or not value.keys() <= columns:
        return None
    if isinstance(outputs, dict) and value.keys() == {_INPUTS, _OUTPUTS}:
        return None
    return _variant_of(value)


def _variant_of(value: dict[str, Any]) -> str:
    if _TRACE in value or "request_id" in value:
        return EVALUATE
    source = value.get("source")
    if is_documented(source):
        return MANAGED
    is_stored = isinstance(source, dict) and "source_type" in source
    columns = table("formats/mlflow.columns")["of_databricks"]
    return MANAGED if not is_stored and not value.keys().isdisjoint(columns) else OSS
