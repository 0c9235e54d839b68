"""Predict which of MLflow's scorers will run on a record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import mapping_at
from evalcontract.formats._predictions import predictions, read_field
from evalcontract.formats.mlflow import expectations as expected
from evalcontract.formats.mlflow.inputs import read_trace
from evalcontract.formats.mlflow.store_rules import GOAL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from evalcontract.formats._format import GraderPrediction
    from evalcontract.formats._predictions import Fact, Row


def scorers(record: dict[str, Any], variant: str) -> Iterator[GraderPrediction]:
    """Yield the prediction for each scorer on a valid record."""
    trace = record.get("trace") if variant == "evaluate" else None
    expectations = record.get("expectations")
    if "expectations" not in record:
        expectations = _assessed(read_trace(trace))
    seen = {**record, "trace": trace, "expectations": expectations}
    return predictions("mlflow", seen, variant, FACTS)


def _assessed(trace: dict[str, Any]) -> dict[str, Any]:
    """Return the expectations among the assessments of a trace."""
    assessments = mapping_at(trace, "info").get("assessments")
    return {
        str(assessment.get("assessment_name")): assessment["expectation"].get("value")
        for assessment in (assessments if isinstance(assessments, list) else ())
        if isinstance(assessment, dict) and isinstance(assessment.get("expectation"), dict)
    }


def _expected(record: Row, name: str) -> Any:
    return read_field(record, f"expectations.{name}")


def _has_unreadable_facts(record: Row, _: str) -> bool:
    facts = _expected(record, expected.FACTS)
    return facts is not None and not expected.are_texts(facts)


def _has_unreadable_guidelines(record: Row, _: str) -> bool:
    return not expected.are_guidelines(_expected(record, expected.GUIDELINES))


def _has_unreadable_calls(record: Row, _: str) -> bool:
    calls = _expected(record, expected.TOOL_CALLS)
    return bool(calls) and expected.unnamed_call(calls) is not None


def _has_both(record: Row, _: str) -> bool:
    return None not in (_expected(record, expected.FACTS), _expected(record, expected.RESPONSE))


def _is_no_conversation(record: Row, _: str) -> bool:
    return record["trace"] is None and not (
        isinstance(inputs := record.get("inputs"), dict) and GOAL in inputs
    )


#: The facts that the verdicts of `mlflow.graders.json` refer to.
FACTS: Mapping[str, Fact] = {
    "facts_and_response": _has_both,
    "facts_unreadable": _has_unreadable_facts,
    "guidelines_unreadable": _has_unreadable_guidelines,
    "calls_unreadable": _has_unreadable_calls,
    "no_conversation": _is_no_conversation,
}
