"""What is said of a fault of structure: every help can be typed as it stands there."""

from __future__ import annotations

from typing import Any

from tables import every_case

from evalcontract.structure.schemas import definition, load
from evalcontract.structure.validator import SchemaValidator

RUBRIC: dict[str, Any] = {
    "id": "a",
    "version": "1.0.0",
    "checks": [{"id": "c", "kind": "must_not_contain", "values": ["x"]}],
    "scoring": {"combine": "all_pass"},
}
JUDGE: dict[str, Any] = {"id": "a", "version": "1.0.0", "template": "{{ output }}"}
ROW: dict[str, Any] = {"id": "a", "input": "b", "criteria": "c"}


def said(kind: str, value: dict[str, Any], raw: str | None = None) -> list[tuple[str, str | None]]:
    schema = definition("row", of="dataset") if kind == "dataset" else load(kind)
    return [
        (each.message, each.help)
        for each in SchemaValidator(kind, schema).check(value, (), lambda _: raw)
    ]


# (a value, as it was written, the message, the help)
VERSIONS = [
    (1, "1", "`version` must be quoted: `1` is a number in YAML, not text", 'quote it: "1.0.0"'),
    (1.1, "1.10", "`version` must be quoted: `1.10` is a number in YAML, not text",
     'quote it: "1.10.0"'),
    ("1", "1", "`1` is not a version", 'write "1.0.0"'),
    ("v1.2", "v1.2", "`v1.2` is not a version", 'write "1.2.0"'),
    ("01.0.0", "01.0.0", "`01.0.0` is not a version", 'write "1.0.0"'),
    ("latest", "latest", "`latest` is not a version", "such as `1.0.0`, `1.4`"),
    ("", '""', "`version` is empty", "such as `1.0.0`, `1.4`"),
]  # fmt: skip


@every_case(("value", "raw", "message", "advice"), VERSIONS)
def test_versions(value: Any, raw: str, message: str, advice: str) -> None:
    assert said("rubric", {**RUBRIC, "version": value}, raw) == [(message, advice)]


CHECKS: list[tuple[dict[str, Any], str, str | None]] = [
    ({"kind": "fact_match", "min_recall": "80%"}, "must be a number, not text", "write 0.8"),
    ({"kind": "fact_match", "min_recall": "0,8"}, "must be a number", "write 0.8, with a point"),
    ({"kind": "fact_match", "min_recall": "0.8"}, "must be a number", "remove the quotes: 0.8"),
    ({"kind": "fact_match", "min_recall": "high"}, "a number", "write a number, such as 0.8"),
    ({"kind": "fact_match", "min_recall": float("nan")}, "not `.nan`",
     "write a number, such as 0.8"),
    ({"kind": "php_lint", "timeout_seconds": "10s"}, "a number", "write the number alone: 10"),
    ({"kind": "markdown_structure", "min_headings": 1.5}, "a whole number, not `1.5`",
     "write a whole number"),
    ({"kind": "regex", "pattern": "x", "negate": "yes"}, "true or false", "write true"),
    ({"kind": "regex", "pattern": "x", "negate": "Off"}, "true or false", "write false"),
    ({"kind": "regex", "pattern": "x", "negate": 0}, "true or false", "write false"),
    ({"kind": "regex", "pattern": "x", "negate": "true"}, "true or false",
     "write true, without quotes"),
    ({"kind": "must_contain_any"}, "`values` is missing",
     "such as `values: [30 days, thirty days]`"),
    ({"kind": "llm_judge"}, "`judge_prompt_ref` is missing",
     "such as `judge_prompt_ref: judge/tone_of_voice@1.2.0`"),
    ({"kind": "llm_judge", "jury": ["judge/a@1.0.0"]}, "must be a mapping, not a list",
     "write a mapping: {judges: […]}"),
    ({"kind": "llm_judge", "judge_prompt_ref": ""}, "`judge_prompt_ref` is empty",
     "such as `judge/tone_of_voice@1.2.0`"),
    ({"kind": "llm_judge", "judge_prompt_ref": "judges/a.yaml"}, "is not a judge reference",
     "write `judge/a@` and the version behind it"),
    ({"kind": "llm_judge", "judge_prompt_ref": "judge/a@v1"}, "is not a judge reference",
     "write `judge/a@1.0.0`"),
    ({"kind": "llm_judge", "judge_prompt_ref": "judge/a@^1.0"}, "is not a judge reference",
     "a version is exact, such as `judge/a@1.0.0`"),
    ({"kind": "llm_judge", "judge_prompt_ref": "rubric/a@1.0.0"}, "is not a judge reference",
     "a judge is asked for here, not a rubric: `judge/`, its id, `@` and its version"),
    ({"kind": "llm_judge", "jury": {"aggregation": "weighted_avg", "judges": [
        {"judge_prompt_ref": "judge/a@1.0.0"}, {"judge_prompt_ref": "judge/b@1.0.0"}]}},
     "cannot be `weighted_avg`", "here it is `weighted_average`"),
    ({"kind": "contains"}, "`kind` cannot be `contains`", "here it is `must_contain_any`"),
    ({"kind": "regex", "pattern": "x", "match": "contains"}, "cannot be `contains`",
     "here it is `search`"),
    ({"kind": "regex", "pattern": "x", "match": "fullmatch"}, "cannot be `fullmatch`",
     "here it is `full`"),
    ({"kind": "json_schema", "schema": True, "extract": "fence"}, "cannot be `fence`",
     "here it is `first_fence`"),
    ({"kind": "tool_usage", "expected_tools": ["a"], "order": "any_order"},
     "cannot be `any_order`", "here it is `any`"),
    ({"kind": "regex", "pattern": "x", "flags": "ix"}, "`flags` must be a list, not text",
     "write a list: [i, x]"),
    ({"kind": "json_schema"}, "`schema` is missing",
     "such as `schema: {type: object, required: [answer]}`"),
]  # fmt: skip


@every_case(("check", "message", "advice"), CHECKS)
def test_checks(check: dict[str, Any], message: str, advice: str | None) -> None:
    ((found, help_),) = said("rubric", {**RUBRIC, "checks": [{"id": "c", **check}]})
    assert message in found
    assert help_ == advice


OTHERS: list[tuple[str, dict[str, Any], str, str | None]] = [
    ("rubric", {"scoring": "weighted_avg"}, "`scoring` must be a mapping, not text",
     "write a mapping: {combine: weighted_avg}"),
    ("rubric", {"scoring": {"combine": "average"}}, "`scoring.combine` cannot be `average`",
     "here it is `weighted_avg`"),
    ("rubric", {"scoring": {"combine": "weighted_average"}},
     "`scoring.combine` cannot be `weighted_average`", "here it is `weighted_avg`"),
    ("rubric", {"scoring": {"combine": "minimum"}},
     "`scoring.combine` cannot be `minimum`", "here it is `min`"),
    ("rubric", {"id": "Tone Of Voice"}, "`Tone Of Voice` is not an id in snake_case",
     "write `tone_of_voice`"),
    ("rubric", {"id": ""}, "`id` is empty", "such as `release_notes`, `sql_safety_2`"),
    ("judge", {"score_type": "levels"}, "`level_names` is missing",
     "such as `level_names: [poor, fair, good]`"),
    ("judge", {"model": "m"}, "`model` must be a mapping, not text", "write a mapping: {name: m}"),
    ("judge", {"validation": {"validated_at": 20261008}},
     "`validation.validated_at` must be text, not a number", 'write "2026-10-08"'),
    ("judge", {"validation": {"validated_at": 2026}},
     "`validation.validated_at` must be text, not a number", 'such as "2026-05-08"'),
    ("judge", {"validation": {"validated_at": "08.05.2026"}}, "`08.05.2026` is not a date",
     "such as `2026-05-08`, `2026-05-08T09:30:00Z`"),
    ("judge", {"validation": {"confusion_matrix": [[1, 2], [3, 4]]}},
     "`validation.confusion_matrix` must be a mapping, not a list",
     "write a mapping, such as {tp: 55, fn: 5, tn: 52, fp: 8}"),
    ("dataset", {"input": ["a"]}, "`input` must be text, not a list",
     "write one text; what was said before it goes into `context`"),
    ("dataset", {"expected": "Paris"}, "`expected` must be a mapping, not text",
     "an answer in words is `criteria` (prose) or `expected_facts` (a list)"),
    ("dataset", {"tags": "a, b"}, "`tags` must be a list, not text", "write a list: [a, b]"),
    ("dataset", {"expected_tools": {"a": {}}},
     "`expected_tools` must be a list, not a mapping", "write a list: begin each item with `- `"),
    ("dataset", {"tags": 7}, "`tags` must be a list, not a number", "write a list: ['7']"),
    ("dataset", {"rubric_ref": ["rubric/a@1.0.0"]}, "`rubric_ref` must be text, not a list",
     "write it without the brackets: rubric/a@1.0.0"),
    ("rubric", {"version": {"a": 1}}, "`version` must be text, not a mapping",
     'write one text, such as "1.0.0"'),
    ("dataset", {"rubric_ref": True}, "`rubric_ref` must be text, not `true`",
     'such as "rubric/release_notes@1.2.0"'),
    ("rubric", {"scoring": {"combine": ""}}, "`scoring.combine` is empty",
     "one of `all_pass`, `any_pass`, `weighted_avg`, `min`, `max`, `median`"),
    ("rubric", {"scoring": {"combine": ["min"]}}, "`scoring.combine` cannot be a list",
     "one of `all_pass`, `any_pass`, `weighted_avg`, `min`, `max`, `median`"),
    ("dataset", {"bundle": "bundles/rag.schema.json"},
     "`bundles/rag.schema.json` is not an id in snake_case", "write `rag`"),
    ("dataset", {"id": 7}, "`id` must be text, not a number", 'quote it: "7"'),
    ("dataset", {"rubric_ref": "tone"}, "`tone` is not a rubric reference",
     "write `rubric/tone@` and the version behind it"),
]  # fmt: skip


@every_case(("kind", "keys", "message", "advice"), OTHERS)
def test_others(kind: str, keys: dict[str, Any], message: str, advice: str | None) -> None:
    base = {"rubric": RUBRIC, "judge": JUDGE, "dataset": ROW}[kind]
    assert said(kind, {**base, **keys}) == [(message, advice)]


def test_a_rubric_without_scoring_is_shown_one() -> None:
    without = {key: part for key, part in RUBRIC.items() if key != "scoring"}
    ((message, advice),) = said("rubric", without)
    assert message == "`scoring` is missing"
    assert advice is not None
    assert advice.startswith("such as `scoring: {combine: ")
