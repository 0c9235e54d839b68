"""What the rules about rubrics say, beyond where; that they never break, whatever is written."""

from __future__ import annotations

import json
from copy import deepcopy
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from doors import Options, check_workspaces
from examples import examples
from hypothesis import example, given
from hypothesis import strategies as st
from tables import every_case
from texts import facts

if TYPE_CHECKING:
    from pathlib import Path

    from evalcontract import Diagnostic

JUDGE = {
    "id": "levels",
    "version": "1.0.0",
    "template": "{{ output }}",
    "score_type": "levels",
    "level_names": ["a", "b"],
    "level_values": [0, 1],
    "min_score": 0,
    "max_score": 2,
    "pass_threshold": 1,
    "validation": {"tpr": 0.95, "tnr": 0.9, "validated_at": "2026-05-08", "sample_size": 200},
}


def text_of(value: Any) -> str:
    """Write a value as YAML, with the numbers that JSON has not."""
    text = json.dumps(value)
    return text.replace("-Infinity", "-.inf").replace("Infinity", ".inf").replace("NaN", ".nan")


def check(folder: Path, rubric: Any, judge: Any = None, inner: Any = None) -> list[Diagnostic]:
    files = {"rubrics/own.yaml": rubric, "judges/levels.yaml": judge or JUDGE}
    if inner is not None:
        files["rubrics/inner.yaml"] = inner
    for name, value in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text_of(value), encoding="utf-8")
    row = {"id": "a", "input": "b", "rubric_ref": "rubric/own@1.0.0"}
    (folder / "data.yaml").write_text(text_of({"questions": [row]}), encoding="utf-8")
    options = Options(root=folder, strict=True, today=date(2026, 6, 1))
    return check_workspaces(folder, options).diagnostics


def words(*ids: Any) -> list[Any]:
    return [
        {"id": id_, "kind": "must_contain_any", "values": [f"w{n}"]} for n, id_ in enumerate(ids)
    ]


def weighing(checks: Any, weights: Any, **more: Any) -> dict[str, Any]:
    scoring = {"combine": "weighted_avg", "weights": weights}
    return {"id": "own", "version": "1.0.0", "checks": checks, "scoring": scoring, **more}


@every_case(
    ("checks", "weights", "codes"),
    [
        (words("kind-words"), {"kind_words": 1}, ["rubric/malformed-value"]),
        (words("kind-words"), {"kind-words": 1}, ["rubric/malformed-value"]),
        (words(5), {"5": 1}, ["rubric/wrong-type"]),
        (words(["a"], "b"), {"b": 0}, ["rubric/wrong-type"]),
        (words("one", "one"), {"one": 1}, ["rubric/duplicate-check-id"]),
        ([], {"one": 1}, ["rubric/too-few-items"]),
        (None, {"one": 1}, ["rubric/wrong-type"]),
        (5, {"one": 1}, ["rubric/wrong-type"]),
        ({"one": words("one")[0]}, {"one": 1}, ["rubric/wrong-type"]),
        (
            [{"ID": "one", "kind": "must_contain_any", "values": ["a"]}],
            {"one": 1},
            ["rubric/unknown-key"],
        ),
        (
            [{"kind": "must_contain_any", "values": [each]} for each in "ab"],
            {"one": 1, "two": 2},
            ["rubric/unknown-weight", "rubric/unnamed-check", "rubric/unnamed-check"],
        ),
        (words("one", "two"), {"one": 0.0, "two": 0}, ["rubric/zero-weights"]),
    ],
    ids=json.dumps,
)
def test_one_mistake_about_weights_is_one_finding(
    tmp_path: Path, checks: Any, weights: Any, codes: list[str]
) -> None:
    found = sorted(each.code for each in check(tmp_path, weighing(checks, weights)))
    assert found == codes


def test_misspelled_checks_are_one_finding(tmp_path: Path) -> None:
    rubric = weighing(None, {"one": 1, "two": 2}, cheks=words("one", "two"))
    del rubric["checks"]
    assert [each.code for each in check(tmp_path, rubric)] == ["rubric/near-miss-key"]


def test_the_checks_are_listed_once_and_only_a_few(tmp_path: Path) -> None:
    ids = [f"check_{letter * 3}" for letter in "abcdefg"]
    # Of two checks with one id, one may be what a weight means.
    rubric = weighing(words(*ids, ids[0]), {**dict.fromkeys(ids, 1), "zebra": 1, "giraffe": 1})
    (found,) = [each for each in check(tmp_path, rubric) if each.code == "rubric/unknown-weight"]
    assert ", ".join(ids[:5]) in (found.help or "")
    assert "2" in facts(found.help)


# Whatever is written

CHECKS: list[dict[str, Any]] = [
    {"id": "a", "kind": "must_contain_any", "values": ["left"], "case_sensitive": True},
    {"id": "b", "kind": "must_not_contain", "values": ["left", "right"]},
    {"id": "c", "kind": "regex", "pattern": "[0-9]+", "flags": ["i"], "negate": False},
    {"id": "d", "kind": "json_schema", "schema": {"type": "object"}, "extract": "whole"},
    {"id": "e", "kind": "markdown_structure", "min_headings": 1, "required_sections": ["A"]},
    {"id": "f", "kind": "tool_usage", "expected_tools": ["x", {"name": "y"}], "max_calls": 2},
    {"id": "g", "kind": "format", "format": "json", "max_chars": 100, "required_keys": ["a"]},
    {"id": "h", "kind": "fact_match", "facts": ["c"], "min_recall": 0.5},
    {"id": "i", "kind": "llm_judge", "judge_prompt_ref": "judge/levels@1.0.0", "threshold": 0.4},
    {
        "id": "j",
        "kind": "llm_judge",
        "threshold": 0.5,
        "jury": {
            "judges": [
                {"judge_prompt_ref": "judge/levels@1.0.0", "weight": 1},
                {"judge_prompt_ref": "judge/levels@1.0.0", "weight": 2},
            ],
            "aggregation": "weighted_average",
        },
    },
    {"id": "k", "kind": "composite", "rubric_ref": "rubric/inner@1.0.0", "threshold": 0.5},
]
WHOLE: dict[str, Any] = {
    "id": "own",
    "version": "1.0.0",
    "applicable_bundles": ["x"],
    "checks": CHECKS,
    "scoring": {
        "combine": "weighted_avg",
        "weights": {each["id"]: 1 for each in CHECKS},
        "threshold": 0.5,
    },
}
JUNK: list[Any] = [
    *[None, True, False, 0, -1, 1, 0.5, 2, 10**400, 1e308, float("nan"), float("inf")],
    *["", " ", "left", "a", [], {}, [None], ["a", "a"], [[]], {"a": 1}, {"id": ["a"]}, [{}], [5]],
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    steps = range(len(value)) if isinstance(value, list) else value
    for step in steps if isinstance(value, dict | list) else ():
        found += places(value[step], (*path, step))
    return found


def changed(value: Any, changes: list[tuple[tuple[Any, ...], Any]]) -> Any:
    copied = deepcopy(value)
    for path, junk in changes:
        holder = copied
        try:
            for step in path[:-1]:
                holder = holder[step]
            holder[path[-1]] = junk
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change has taken it out
    return copied


def changes_of(value: Any) -> st.SearchStrategy[Any]:
    change = st.tuples(st.sampled_from(places(value)), st.sampled_from(JUNK))
    return st.lists(change, max_size=2)


WEIGHT = ("checks", 9, "jury", "judges", 0, "weight")
INNER = {**WHOLE, "id": "inner", "checks": CHECKS[:-1]}


@pytest.mark.slow
@examples(100)
@given(own=changes_of(WHOLE), inner=changes_of(INNER), judge=changes_of(JUDGE))
@example(own=[(WEIGHT, 10**400)], inner=[], judge=[])
@example(own=[(WEIGHT, float("nan"))], inner=[], judge=[])
@example(own=[(("scoring", "weights", "a"), 10**400)], inner=[], judge=[])
@example(own=[(("checks", 0, "id"), ["a"])], inner=[], judge=[])
@example(own=[], inner=[(("checks", 0, "id"), ["a"])], judge=[])
@example(own=[], inner=[(("checks", 9, "jury", "judges", 0), "a")], judge=[])
@example(own=[], inner=[], judge=[(("max_score",), 10**400), (("min_score",), 0.5)])
@example(own=[], inner=[], judge=[(("max_score",), float("inf")), (("level_values", 0), True)])
def test_no_rule_breaks(tmp_path: Path, own: Any, inner: Any, judge: Any) -> None:
    found = check(tmp_path, changed(WHOLE, own), changed(JUDGE, judge), changed(INNER, inner))
    told = [each.message for each in found if each.code == "internal/rule-crashed"]
    assert told == []


@every_case(
    ("files", "advice"),
    [
        ({"polite.yaml": "1.0.0"}, "rename it to tone.yaml"),
        ({"polite.yaml": "1.0.0", "tone.yaml": "2.0.0"}, "rename it to tone@1.0.0.yaml"),
        (
            {"polite.yaml": "1.0.0", "tone.yaml": "2.0.0", "tone@1.0.0.yaml": "1.0.0"},
            "rename it to tone/1.0.0.yaml",
        ),
        (
            {
                "polite.yaml": "1.0.0",
                "tone.yaml": "2.0.0",
                "tone@1.0.0.yaml": "1.0.0",
                "tone/1.0.0.yaml": "1.0.0",
            },
            "give it a different id or version",
        ),
        ({"polite@1.0.0.yaml": "1.0.0"}, "rename it to tone@1.0.0.yaml"),
        ({"polite/1.0.0.yaml": "1.0.0"}, "rename it to tone/1.0.0.yaml"),
        ({"tone@2.0.0.yaml": "1.0.0"}, "rename it to tone@1.0.0.yaml"),
        ({"tone@2.0.0.yaml": "1.0.0", "tone@1.0.0.yaml": "1.0.0"}, "rename it to tone/1.0.0.yaml"),
        ({"tone/2.0.0.yaml": "1.0.0"}, "rename it to tone/1.0.0.yaml"),
    ],
)
def test_the_name_that_is_free(tmp_path: Path, files: dict[str, str], advice: str) -> None:
    for name, version in files.items():
        path = tmp_path / "rubrics" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        rubric = {**weighing(words("one"), {"one": 1}), "id": "tone", "version": version}
        path.write_text(text_of(rubric), encoding="utf-8")
    found = check_workspaces(tmp_path, Options(root=tmp_path)).diagnostics
    assert [each.help for each in found if each.code == "rubric/file-name"] == [advice]


@every_case(
    ("name", "message"),
    [
        ("polite.yaml", "the file name says `polite`, but the id is `tone`"),
        ("polite@1.0.0.yaml", "the file name says `polite`, but the id is `tone`"),
        ("polite/1.0.0.yaml", "the folder name says `polite`, but the id is `tone`"),
        ("tone/2.0.0.yaml", "the file name says version 2.0.0, but the version is 1.0.0"),
    ],
)
def test_what_a_name_says(tmp_path: Path, name: str, message: str) -> None:
    path = tmp_path / "rubrics" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    rubric = {**weighing(words("one"), {"one": 1}), "id": "tone"}
    path.write_text(text_of(rubric), encoding="utf-8")
    problems = check_workspaces(tmp_path, Options(root=tmp_path)).diagnostics
    assert [each.message for each in problems if each.code == "rubric/file-name"] == [message]


WORDS = {"kind": "must_contain_any", "values": ["Yes", "No"]}
TOOLS = {"kind": "tool_usage", "expected_tools": ["a", "b"]}
FACTS = {"kind": "fact_match", "facts": ["Paris", "Rome"]}
OLD, NEW = ({"judge_prompt_ref": f"judge/levels@{version}"} for version in ("1.0.0", "2.0.0"))
JURY = {"kind": "llm_judge", "jury": {"judges": [OLD, NEW]}}


@every_case(
    ("check_", "other", "is_same"),
    [
        (WORDS, {"values": ["no", "yes"]}, True),
        (WORDS, {"case_sensitive": True}, False),
        (WORDS, {"case_sensitive": False, "label": "x"}, True),
        ({**WORDS, "case_sensitive": True}, {"values": ["no", "yes"]}, False),
        ({**WORDS, "case_sensitive": True}, {"values": ["No", "Yes"]}, True),
        (WORDS, {"kind": "must_not_contain"}, False),
        (TOOLS, {"expected_tools": ["b", "a"]}, True),
        ({**TOOLS, "order": "sequence"}, {"expected_tools": ["b", "a"]}, False),
        (TOOLS, {"forbidden_tools": ["c"]}, False),
        (FACTS, {"facts": ["Rome", "Paris"]}, True),
        (FACTS, {"facts": ["rome", "Paris"]}, False),
        (FACTS, {"min_recall": 0.5}, False),
        ({**FACTS, "min_recall": 1}, {"min_recall": 1.0}, True),
        (JURY, {"jury": {"judges": [NEW, OLD]}}, True),
        (JURY, {"jury": {"judges": [{**NEW, "weight": 1.0}, {**OLD, "weight": 1}]}}, True),
        (JURY, {"jury": {"judges": [OLD, {**NEW, "weight": 2}]}}, False),
        (JURY, {"jury": {"judges": [OLD, NEW], "aggregation": "majority_vote"}}, True),
        (JURY, {"jury": {"judges": [OLD, NEW], "tie_break": "fail"}}, True),
        (JURY, {"jury": {"judges": [OLD, NEW], "aggregation": "median"}}, False),
    ],
)
def test_checks_that_are_the_same(
    tmp_path: Path, check_: dict[str, Any], other: dict[str, Any], *, is_same: bool
) -> None:
    checks = [{"id": "one", **check_}, {"id": "two", **check_, **other}]
    rubric = {"id": "own", "version": "1.0.0", "checks": checks, "scoring": {"combine": "min"}}
    problems = [each for each in check(tmp_path, rubric) if each.code == "rubric/same-check"]
    assert [(each.pointer, each.message) for each in problems] == (
        [("$.checks[1]", "duplicate of check `one`")] if is_same else []
    )


def test_a_judge_that_a_jury_has_twice_is_shown_both_times(tmp_path: Path) -> None:
    jury = {"judges": [NEW, OLD, {"judge_prompt_ref": "judge/levels"}]}
    checks = [{"id": "one", "kind": "llm_judge", "jury": jury}]
    rubric = {"id": "own", "version": "1.0.0", "checks": checks, "scoring": {"combine": "min"}}
    (problem,) = [each for each in check(tmp_path, rubric) if each.code == "rubric/repeated-judge"]
    assert problem.pointer == "$.checks[0].jury.judges[2].judge_prompt_ref"
    ((_, place),) = problem.related
    assert place.span is not None
    assert text_of(rubric)[place.span.column - 1 :].startswith(text_of(OLD))


@every_case(("id_", "name"), [({"id": "never"}, "never"), ({}, "check 1")])
def test_a_check_inside_a_composite_has_both_names(
    tmp_path: Path, id_: dict[str, str], name: str
) -> None:
    outer = [
        {"id": "words", **WORDS},
        {"id": "more", "kind": "composite", "rubric_ref": "rubric/inner@1.0.0"},
    ]
    rubric = {"version": "1.0.0", "scoring": {"combine": "all_pass"}}
    forbidden = {**WORDS, **id_, "kind": "must_not_contain"}
    own, inner = {**rubric, "id": "own", "checks": outer}, {**rubric, "id": "inner"}
    problems = check(tmp_path, own, inner={**inner, "checks": [forbidden]})
    (problem,) = (each for each in problems if each.code == "rubric/contradiction")
    texts = (problem.message, problem.help, *(message for message, _ in problem.related))
    assert f"more/{name}" in " ".join(text for text in texts if text)


KEYWORDS: list[tuple[str, str, Any]] = [
    ("properties patternProperties dependentSchemas", "object", {"a": {}}),
    ("additionalProperties propertyNames unevaluatedProperties", "object", {"type": "string"}),
    ("required", "object", ["a"]),
    ("dependentRequired", "object", {"a": ["b"]}),
    ("minProperties maxProperties", "object", 2),
    ("items contains unevaluatedItems", "array", {"type": "string"}),
    ("prefixItems", "array", [{"type": "string"}]),
    ("minItems maxItems", "array", 2),
    ("uniqueItems", "array", True),
    ("minLength maxLength", "string", 2),
    ("pattern", "string", "^a"),
    ("minimum maximum exclusiveMinimum exclusiveMaximum multipleOf", "number", 2),
]


@pytest.mark.slow
@every_case(
    ("keyword", "type_", "value"),
    [
        (keyword, type_, value)
        for keywords, type_, value in KEYWORDS
        for keyword in keywords.split()
    ],
)
def test_a_keyword_of_another_type_is_ignored(
    tmp_path: Path, keyword: str, type_: str, value: Any
) -> None:
    other = "string" if type_ != "string" else "array"
    schemas = [{"type": type_, keyword: value}, {"type": other, keyword: value}]
    checks = [
        {"id": f"c{number}", "kind": "json_schema", "schema": schema}
        for number, schema in enumerate(schemas)
    ]
    rubric = {"id": "own", "version": "1.0.0", "checks": checks, "scoring": {"combine": "min"}}
    code = "rubric/ignored-keyword"
    pointers = [each.pointer for each in check(tmp_path, rubric) if each.code == code]
    assert pointers == [f"$.checks[1].schema.{keyword}"]


@every_case(
    ("schema", "marked"),
    [
        ({"type": "object", "propertis": {"a": {}}}, '"propertis"'),
        ({"type": "string", "nullable": True}, '"nullable"'),
        ({"type": "object", "properties": {"answer": {}}, "required": ["anwser"]}, '"anwser"'),
    ],
)
def test_what_is_marked_in_a_schema(tmp_path: Path, schema: Any, marked: str) -> None:
    checks = [{"id": "one", "kind": "json_schema", "schema": schema}]
    rubric = {"id": "own", "version": "1.0.0", "checks": checks, "scoring": {"combine": "min"}}
    codes = ("rubric/near-miss-keyword", "rubric/outdated-keyword", "rubric/near-miss-required")
    (span,) = (each.place.span for each in check(tmp_path, rubric) if each.code in codes)
    assert span is not None
    assert text_of(rubric)[span.column - 1 : span.end_column - 1] == marked


@every_case(
    ("checks", "scoring", "pointer", "message", "advice"),
    [
        ([{"kind": "llm_judge", **OLD, "threshold": 0}], {"combine": "min"},
         "$.checks[0].threshold", "`threshold: 0`", "raise it above 0, or remove the check"),
        ([{"kind": "fact_match", "facts": ["a"], "min_recall": 0}], {"combine": "min"},
         "$.checks[0].min_recall", "`min_recall: 0`", "raise it above 0, or remove the check"),
        ([WORDS], {"combine": "min", "threshold": 0},
         "$.scoring.threshold", "`threshold: 0`", "raise it above 0, or remove it"),
    ],
)  # fmt: skip
def test_thresholds_that_every_score_reaches(
    tmp_path: Path, checks: list[Any], scoring: Any, pointer: str, message: str, advice: str
) -> None:
    checks = [{"id": "one", **each} for each in checks]
    rubric = {"id": "own", "version": "1.0.0", "checks": checks, "scoring": scoring}
    code = "rubric/threshold-always-reached"
    problems = [each for each in check(tmp_path, rubric) if each.code == code]
    assert [(each.pointer, each.message, each.help) for each in problems] == [
        (pointer, f"every score reaches {message}", advice)
    ]


REQUIRED = {"required": ["a"]}


@every_case(
    ("schema", "path"),
    [
        (REQUIRED, ""),
        ({"type": "object", "properties": {"b": REQUIRED}}, ".properties.b"),
        ({"type": "array", "items": REQUIRED}, ".items"),
        ({"type": "array", "prefixItems": [{}, REQUIRED]}, ".prefixItems[1]"),
        ({"type": "object", "additionalProperties": REQUIRED}, ".additionalProperties"),
        ({"type": "object", "not": REQUIRED}, None),
        ({"type": "object", "allOf": [REQUIRED]}, None),
        ({"required": []}, None),
        ({**REQUIRED, "type": "object"}, None),
        ({**REQUIRED, "enum": [{"a": 1}]}, None),
        ({**REQUIRED, "const": {"a": 1}}, None),
        ({**REQUIRED, "$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}}, None),
        ({**REQUIRED, "$dynamicRef": "#a", "$defs": {"a": {"$dynamicAnchor": "a"}}}, None),
        *(({**REQUIRED, key: [{"type": "object"}]}, None) for key in ("allOf", "anyOf", "oneOf")),
        ({**REQUIRED, "not": {"type": "string"}}, None),
        ({**REQUIRED, "if": {"type": "string"}, "then": False}, None),
    ],
)
def test_required_keys_of_any_value(tmp_path: Path, schema: Any, path: str | None) -> None:
    checks = [{"id": "one", "kind": "json_schema", "schema": schema}]
    rubric = {"id": "own", "version": "1.0.0", "checks": checks, "scoring": {"combine": "min"}}
    problems = [each for each in check(tmp_path, rubric) if each.code == "rubric/untyped-schema"]
    expected = [] if path is None else [f"$.checks[0].schema{path}.required"]
    assert [each.pointer for each in problems] == expected


def test_a_circle_of_a_schema_is_told_with_its_hops(tmp_path: Path) -> None:
    circle = {
        "$ref": "#/$defs/a",
        "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
    }
    checks = [{"id": "shape", "kind": "json_schema", "schema": circle}]
    found = check(tmp_path, weighing(checks, {}))
    told = [each for each in found if each.code == "rubric/invalid-json-schema"]
    assert len(told) == 1
    hops = [(message, place.span) for message, place in told[0].related]
    assert hops
    assert all(message and span for message, span in hops)


@every_case(
    ("others", "codes"),
    [([], ["dataset/nothing-runs"]), ([{"id": "x", "kind": "regex", "patern": "a"}], [])],
)
def test_what_is_unknown_may_run(others: list[Any], codes: list[str], tmp_path: Path) -> None:
    """Of a check that is malformed nobody knows whether it would run."""
    found = check(tmp_path, weighing([{"id": "f", "kind": "fact_match"}, *others], {}))
    assert [each.code for each in found if each.code == "dataset/nothing-runs"] == codes
