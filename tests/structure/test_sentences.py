"""What is said of a fault of structure: every help can be typed as it stands there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from texts import plain, told

from evalcontract.structure.schemas import definition, load
from evalcontract.structure.validator import SchemaValidator

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

RUBRIC: dict[str, Any] = {
    "id": "a",
    "version": "1.0.0",
    "checks": [{"id": "c", "kind": "must_not_contain", "values": ["x"]}],
    "scoring": {"combine": "all_pass"},
}
JUDGE: dict[str, Any] = {"id": "a", "version": "1.0.0", "template": "{{ output }}"}
ROW: dict[str, Any] = {"id": "a", "input": "b", "criteria": "c"}


def said(kind: str, value: dict[str, Any], raw: str | None = None) -> tuple[str, str | None]:
    schema = definition("row", of="dataset") if kind == "dataset" else load(kind)
    (found,) = SchemaValidator(kind, schema).check(value, (), lambda _: raw)
    return f"{found.code}: {found.message}", found.help


# (a value, as it was written)
VERSIONS: list[tuple[Any, str]] = [
    (1, "1"),
    (1.1, "1.10"),
    ("1", "1"),
    ("v1.2", "v1.2"),
    ("01.0.0", "01.0.0"),
    ("latest", "latest"),
    ("", '""'),
]  # fmt: skip


@pytest.mark.messages
def test_versions(snapshot: SnapshotAssertion) -> None:
    said_of = [(raw, *said("rubric", {**RUBRIC, "version": value}, raw)) for value, raw in VERSIONS]
    assert told(said_of) == plain(snapshot)


CHECKS: list[dict[str, Any]] = [
    {"kind": "fact_match", "min_recall": "80%"},
    {"kind": "fact_match", "min_recall": "0,8"},
    {"kind": "fact_match", "min_recall": "0.8"},
    {"kind": "fact_match", "min_recall": "high"},
    {"kind": "fact_match", "min_recall": float("nan")},
    {"kind": "php_lint", "timeout_seconds": "10s"},
    {"kind": "markdown_structure", "min_headings": 1.5},
    {"kind": "regex", "pattern": "x", "negate": "yes"},
    {"kind": "regex", "pattern": "x", "negate": "Off"},
    {"kind": "regex", "pattern": "x", "negate": 0},
    {"kind": "regex", "pattern": "x", "negate": "true"},
    {"kind": "regex"},
    {"kind": "llm_judge"},
    {"kind": "llm_judge", "jury": ["judge/a@1.0.0"]},
    {"kind": "llm_judge", "judge_prompt_ref": ""},
    {"kind": "llm_judge", "judge_prompt_ref": "judges/a.yaml"},
    {"kind": "llm_judge", "judge_prompt_ref": "judge/a@v1"},
    {"kind": "llm_judge", "judge_prompt_ref": "judge/a@^1.0"},
    {"kind": "llm_judge", "judge_prompt_ref": "rubric/a@1.0.0"},
    {"kind": "llm_judge", "jury": {"aggregation": "weighted_avg", "judges": [
        {"judge_prompt_ref": "judge/a@1.0.0"}, {"judge_prompt_ref": "judge/b@1.0.0"}]}},
    {"kind": "contains"},
    {"kind": "regex", "pattern": "x", "match": "contains"},
    {"kind": "regex", "pattern": "x", "match": "fullmatch"},
    {"kind": "json_schema", "schema": True, "extract": "fence"},
    {"kind": "tool_usage", "expected_tools": ["a"], "order": "any_order"},
    {"kind": "regex", "pattern": "x", "flags": "ix"},
    {"kind": "json_schema"},
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.messages
def test_checks(snapshot: SnapshotAssertion) -> None:
    found = [
        (check, *said("rubric", {**RUBRIC, "checks": [{"id": "c", **check}]})) for check in CHECKS
    ]
    assert told(found) == plain(snapshot)


OTHERS: list[tuple[str, dict[str, Any]]] = [
    ("rubric", {"scoring": "weighted_avg"}),
    ("rubric", {"scoring": {"combine": "average"}}),
    ("rubric", {"scoring": {"combine": "weighted_average"}}),
    ("rubric", {"scoring": {"combine": "minimum"}}),
    ("rubric", {"id": "Tone Of Voice"}),
    ("rubric", {"id": ""}),
    ("judge", {"score_type": "levels"}),
    ("judge", {"model": "m"}),
    ("judge", {"validation": {"validated_at": 20261008}}),
    ("judge", {"validation": {"validated_at": 2026}}),
    ("judge", {"validation": {"validated_at": "08.05.2026"}}),
    ("judge", {"validation": {"confusion_matrix": [[1, 2], [3, 4]]}}),
    ("dataset", {"input": ["a"]}),
    ("dataset", {"expected": "Paris"}),
    ("dataset", {"tags": "a, b"}),
    ("dataset", {"expected_tools": {"a": {}}}),
    ("dataset", {"tags": 7}),
    ("dataset", {"rubric_ref": ["rubric/a@1.0.0"]}),
    ("rubric", {"version": {"a": 1}}),
    ("dataset", {"rubric_ref": True}),
    ("rubric", {"scoring": {"combine": ""}}),
    ("rubric", {"scoring": {"combine": ["min"]}}),
    ("dataset", {"bundle": "bundles/rag.schema.json"}),
    ("dataset", {"id": 7}),
    ("dataset", {"rubric_ref": "tone"}),
]  # fmt: skip


@pytest.mark.messages
def test_others(snapshot: SnapshotAssertion) -> None:
    base = {"rubric": RUBRIC, "judge": JUDGE, "dataset": ROW}
    found = [(keys, *said(kind, {**base[kind], **keys})) for kind, keys in OTHERS]
    assert told(found) == plain(snapshot)


@pytest.mark.messages
def test_a_rubric_without_scoring_is_shown_one(snapshot: SnapshotAssertion) -> None:
    without = {key: part for key, part in RUBRIC.items() if key != "scoring"}
    assert told([("no scoring", *said("rubric", without))]) == plain(snapshot)
