"""What will become of the scorers that come with MLflow on a record.

What a scorer asks for is that of MLflow 3.18's own scorers; for `document_recall`, which is
Databricks' alone, that of its public documentation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.formats._format import GraderPrediction
from evalcontract.formats.mlflow import traps
from evalcontract.formats.mlflow.file_state import GOAL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_RUN, _SKIP, _FAIL = "run", "skip", "fail"
_KIND = "scorer"
_EXPECTED = f"expectations.{traps.RESPONSE}"
_FACTS = f"expectations.{traps.FACTS}"
_GUIDELINES = f"expectations.{traps.GUIDELINES}"
_CALLS = f"expectations.{traps.TOOL_CALLS}"
_CONTEXT = f"expectations.{traps.CONTEXT}"

# State, reason, field.
_Verdict = tuple[str, str | None, str | None]


class _Row(NamedTuple):
    """What scorers ask of a record."""

    expectations: dict[str, Any]
    has_outputs: bool
    has_trace: bool
    is_conversation: bool


def predictions(row: dict[str, Any], variant: str | None) -> Iterator[GraderPrediction]:
    """Yield what will become of each scorer on a sound row."""
    asked = _asked(row, variant)
    for name, verdict in _SCORERS.items():
        yield GraderPrediction(name, _KIND, *verdict(asked))
    if variant == "managed":
        yield GraderPrediction("document_recall", _KIND, *_document_recall(asked))


def _asked(row: dict[str, Any], variant: str | None) -> _Row:
    trace = row.get("trace") if variant == "evaluate" else None
    expectations = row.get("expectations")
    if "expectations" not in row and isinstance(trace, dict):
        expectations = _assessed(trace)
    inputs = row.get("inputs")
    return _Row(
        expectations if isinstance(expectations, dict) else {},
        row.get("outputs") is not None or trace is not None,
        trace is not None,
        isinstance(inputs, dict) and GOAL in inputs,
    )


def _assessed(trace: dict[str, Any]) -> dict[str, Any]:
    """Return the expectations that people noted on a trace."""
    noted = trace["info"].get("assessments")
    return {
        str(each.get("assessment_name")): each["expectation"].get("value")
        for each in (noted if isinstance(noted, list) else ())
        if isinstance(each, dict) and isinstance(each.get("expectation"), dict)
    }


def _of_output(row: _Row) -> _Verdict:
    if row.has_outputs:
        return _RUN, None, None
    return _RUN, "the output is what `predict_fn` gives", "outputs"


def _of_trace(row: _Row) -> _Verdict:
    if row.has_trace:
        return _RUN, None, None
    return _SKIP, "it needs a trace: one is there where `predict_fn` runs", "trace"


def _of_conversation(row: _Row) -> _Verdict:
    if row.has_trace or row.is_conversation:
        return _RUN, None, None
    return _SKIP, "it scores whole conversations", f"inputs.{GOAL}"


def _ground_truth(row: _Row) -> _Verdict | None:
    """Return why the expected response or facts cannot be used; None where they can."""
    facts = row.expectations.get(traps.FACTS)
    response = row.expectations.get(traps.RESPONSE)
    if facts is None and response is None:
        return _FAIL, f"it needs `{traps.RESPONSE}` or `{traps.FACTS}`", _FACTS
    if facts is not None and not traps.are_texts(facts):
        return _FAIL, f"`{traps.FACTS}` is no list of texts", _FACTS
    return None


def _correctness(row: _Row) -> _Verdict:
    has_both = None not in map(row.expectations.get, (traps.FACTS, traps.RESPONSE))
    if has_both:
        return _FAIL, f"it takes one of `{traps.RESPONSE}` and `{traps.FACTS}`, not both", _FACTS
    return _ground_truth(row) or _of_output(row)


def _sufficiency(row: _Row) -> _Verdict:
    return _ground_truth(row) or _of_trace(row)


def _equivalence(row: _Row) -> _Verdict:
    if row.expectations.get(traps.RESPONSE) is None:
        return _FAIL, f"it needs `{traps.RESPONSE}`", _EXPECTED
    return _of_output(row)


def _guidelines(row: _Row) -> _Verdict:
    guidelines = row.expectations.get(traps.GUIDELINES)
    if not guidelines:
        return _FAIL, f"it needs `{traps.GUIDELINES}`", _GUIDELINES
    if not traps.are_guidelines(guidelines):
        return _FAIL, f"`{traps.GUIDELINES}` is no list of texts", _GUIDELINES
    return _of_output(row)


def _tool_calls(row: _Row) -> _Verdict:
    calls = row.expectations.get(traps.TOOL_CALLS)
    if calls and traps.unnamed_call(calls) is not None:
        return _FAIL, f"`{traps.TOOL_CALLS}` cannot be read", _CALLS
    state, reason, field = _of_trace(row)
    if state == _RUN and not calls:
        return _RUN, "a model judges the calls, without any to compare with", _CALLS
    return state, reason, field


def _document_recall(row: _Row) -> _Verdict:
    if not row.expectations.get(traps.CONTEXT):
        return _SKIP, f"it needs `{traps.CONTEXT}`, per public documentation", _CONTEXT
    return _RUN, None, None


_SCORERS: dict[str, Callable[[_Row], _Verdict]] = {
    "Correctness": _correctness,
    "Equivalence": _equivalence,
    "ExpectationsGuidelines": _guidelines,
    **dict.fromkeys(("Guidelines", "RelevanceToQuery", "Safety"), _of_output),
    **dict.fromkeys(("Completeness", "Fluency", "Summarization"), _of_output),
    **dict.fromkeys(("PIIDetection", "RegexMatch", "ResponseLength"), _of_output),
    "RetrievalSufficiency": _sufficiency,
    **dict.fromkeys(("RetrievalGroundedness", "RetrievalRelevance"), _of_trace),
    "ToolCallCorrectness": _tool_calls,
    "ToolCallEfficiency": _of_trace,
    **dict.fromkeys(
        (
            "ConversationCompleteness",
            "ConversationalGuidelines",
            "ConversationalRoleAdherence",
            "ConversationalSafety",
            "ConversationalToolCallEfficiency",
            "KnowledgeRetention",
            "UserFrustration",
        ),
        _of_conversation,
    ),
}
