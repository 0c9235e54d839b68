"""What decides, of a sound record, what becomes of the scorers that come with MLflow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._predictions import predictions, value_at
from evalcontract.formats.mlflow import expectations as expected
from evalcontract.formats.mlflow.store_rules import GOAL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from evalcontract.formats._format import GraderPrediction
    from evalcontract.formats._predictions import Fact, Row


def scorers(record: dict[str, Any], variant: str) -> Iterator[GraderPrediction]:
    """Yield what will become of each scorer on a sound record."""
    trace = record.get("trace") if variant == "evaluate" else None
    expectations = record.get("expectations")
    if "expectations" not in record and isinstance(trace, dict):
        expectations = _assessed(trace)
    seen = {**record, "trace": trace, "expectations": expectations}
    return predictions("mlflow", seen, variant, FACTS)


def _assessed(trace: dict[str, Any]) -> dict[str, Any]:
    """Return the expectations that people noted on a trace."""
    noted = trace["info"].get("assessments")
    return {
        str(each.get("assessment_name")): each["expectation"].get("value")
        for each in (noted if isinstance(noted, list) else ())
        if isinstance(each, dict) and isinstance(each.get("expectation"), dict)
    }


def _expected(record: Row, name: str) -> Any:
    return value_at(record, f"expectations.{name}")


def _has_unreadable_facts(record: Row, _: str) -> bool:
    facts = _expected(record, expected.FACTS)
    return facts is not None and not expected.are_texts(facts)


def _has_unreadable_calls(record: Row, _: str) -> bool:
    calls = _expected(record, expected.TOOL_CALLS)
    return bool(calls) and expected.unnamed_call(calls) is not None


def _has_both(record: Row, _: str) -> bool:
    return None not in (_expected(record, expected.FACTS), _expected(record, expected.RESPONSE))


def _is_no_conversation(record: Row, _: str) -> bool:
    inputs = record.get("inputs")
    return record["trace"] is None and not (isinstance(inputs, dict) and GOAL in inputs)


#: What the verdicts of `mlflow.graders.json` go by.
FACTS: Mapping[str, Fact] = {
    "facts_and_response": _has_both,
    "facts_unreadable": _has_unreadable_facts,
    "guidelines_unreadable": lambda record, _: (
        not expected.are_guidelines(_expected(record, expected.GUIDELINES))
    ),
    "calls_unreadable": _has_unreadable_calls,
    "no_conversation": _is_no_conversation,
}
