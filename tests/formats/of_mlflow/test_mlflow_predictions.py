"""What will become of MLflow's scorers on a record."""

from __future__ import annotations

from typing import Any

from tables import every_case

from evalcontract.formats.mlflow import Mlflow

Q = {"inputs": {"question": "How deep?"}, "outputs": "Nine metres."}
TRACE = {
    "info": {
        "assessments": [
            {"assessment_name": "expected_response", "expectation": {"value": "Nine metres."}},
            {"assessment_name": "safety", "feedback": {"value": "yes"}},
        ]
    },
    "data": {"spans": []},
}


def states(row: dict[str, Any], variant: str = "evaluate") -> dict[str, str]:
    return {each.name: each.state for each in Mlflow(variant).predict(row)}


def expecting(**expectations: Any) -> dict[str, Any]:
    return {**Q, "expectations": expectations}


@every_case(
    ("row", "scorer", "state"),
    [
        (Q, "Safety", "run"),
        (Q, "Guidelines", "run"),
        (Q, "Correctness", "fail"),
        (expecting(expected_facts=["9 m"]), "Correctness", "run"),
        (expecting(expected_response="9 m"), "Correctness", "run"),
        (expecting(expected_response=None), "Correctness", "fail"),
        (expecting(expected_response="9 m", expected_facts=["9 m"]), "Correctness", "fail"),
        (expecting(expected_response="9 m", expected_facts=None), "Correctness", "run"),
        (expecting(expected_facts="9 m"), "Correctness", "fail"),
        (expecting(expected_facts=["9 m"]), "Equivalence", "fail"),
        (expecting(expected_response="9 m"), "Equivalence", "run"),
        (expecting(guidelines=[]), "ExpectationsGuidelines", "fail"),
        (expecting(guidelines={"a": 1}), "ExpectationsGuidelines", "fail"),
        (expecting(guidelines=["Be brief."]), "ExpectationsGuidelines", "run"),
        (expecting(guidelines="Be brief."), "ExpectationsGuidelines", "run"),
        (expecting(expected_facts=["9 m"]), "RetrievalSufficiency", "fail"),
        (Q, "RetrievalSufficiency", "fail"),
        (Q, "RetrievalGroundedness", "fail"),
        (Q, "ToolCallCorrectness", "run"),
        (expecting(expected_tool_calls=["a"]), "ToolCallCorrectness", "fail"),
        (
            expecting(expected_tool_calls=[{"name": "a", "arguments": []}]),
            "ToolCallCorrectness",
            "fail",
        ),
        ({"trace": TRACE}, "ToolCallCorrectness", "run"),
        ({"trace": TRACE}, "RetrievalRelevance", "run"),
        ({"trace": TRACE}, "Equivalence", "run"),
        ({"trace": TRACE, "expectations": {}}, "Equivalence", "fail"),
        (Q, "UserFrustration", "skip"),
        ({"inputs": {"goal": "Book a berth"}}, "UserFrustration", "run"),
    ],
)
def test_state_of_a_scorer(row: dict[str, Any], scorer: str, state: str) -> None:
    assert states(row)[scorer] == state


def test_a_failing_scorer_says_why_and_where() -> None:
    both = expecting(expected_response="9 m", expected_facts=["9 m"])
    found = {each.name: each for each in Mlflow("oss").predict(both)}
    assert found["Correctness"].field == "expectations.expected_facts"
    assert found["Correctness"].reason == (
        "it takes one of `expected_response` and `expected_facts`, not both"
    )
    assert {each.kind for each in found.values()} == {"scorer"}
    without = {each.name: each for each in Mlflow("oss").predict({"inputs": {}})}
    assert without["Safety"].reason == "the output is what `predict_fn` gives"


def test_recall_of_documents_is_databricks_alone() -> None:
    row = expecting(expected_retrieved_context=[{"doc_uri": "s3://port/charts.md"}])
    assert "document_recall" not in states(row, "oss")
    assert states(row, "managed")["document_recall"] == "run"
    (recall,) = [each for each in Mlflow("managed").predict(Q) if each.name == "document_recall"]
    assert recall.state == "skip"
    assert "per public documentation" in str(recall.reason)


def test_a_trace_counts_only_where_it_is_read() -> None:
    assert states({**Q, "trace": TRACE}, "oss")["RetrievalRelevance"] == "fail"
