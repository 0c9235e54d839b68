"""Names that other tools use: each says what we call it, and an author's own words stay silent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tables import every_case
from texts import facts

from evalcontract.datasets.root import root_schema
from evalcontract.structure.schemas import definition, load
from evalcontract.structure.validator import SchemaValidator

if TYPE_CHECKING:
    from evalcontract.model.diagnostic import Problem

ROW = {"id": "a", "input": "b"}
FULL = {**ROW, "criteria": "c", "expected": {"answer": 1}, "rubric_ref": "rubric/a@1.0.0"}
JUDGE = {"id": "a", "version": "1.0.0"}


def of_row(row: dict[str, Any], also: Any = None) -> list[Problem]:
    return SchemaValidator("dataset", definition("row", of="dataset"), also).check(row)


def of_check(**check: Any) -> list[Problem]:
    scoring = {"combine": "all_pass"}
    rubric = {"id": "a", "version": "1.0.0", "checks": [check], "scoring": scoring}
    return SchemaValidator("rubric", load("rubric")).check(rubric)


def said(found: list[Problem]) -> list[tuple[Any, str]]:
    return [(each.path[-1], each.help or "") for each in found]


# (a key, what the help names): told wherever it stands in a row
ALWAYS = [
    ("expected_output", "expected_facts"),
    ("ground_truth", "expected_facts"),
    ("groundTruth", "expected_facts"),
    ("expect", "expected_facts"),
    ("reference_answer", "expected_facts"),
    ("reference_contexts", "expected"),
    ("actual_output", "metadata"),
    ("assert", "rubric_ref"),
    ("retrieved_contexts", "context"),
    ("retrieval_context", "context"),
    ("must_include", "must_contain_any"),
    ("not_contains", "must_not_contain"),
    ("must_not_include", "must_not_contain"),
    ("should_not_include", "must_not_contain"),
    ("rubric_reference", "rubric_ref: rubric/ID@VERSION"),
]
# Told only in a row that says nothing of what is expected.
WHERE_NOTHING_IS_EXPECTED = [
    *("answer", "reference", "target", "ideal"),
    *("response", "completion", "outputs", "output"),
]
# Told only in a row without an input.
WITHOUT_INPUT = [
    *("question", "query", "prompt", "request", "user_input", "messages", "vars"),
    *("instruction", "user_message"),
]


@every_case(("key", "ours"), ALWAYS)
def test_names_that_are_nobodys_own(key: str, ours: str) -> None:
    for row in (ROW, FULL):
        ((where, advice),) = said(of_row({**row, key: ["x"]}))
        assert (where, f"`{ours}`" in advice) == (key, True)


@every_case("key", WHERE_NOTHING_IS_EXPECTED)
def test_words_for_what_is_expected(key: str) -> None:
    ((where, advice),) = said(of_row({**ROW, key: "x"}))
    assert (where, "`expected_facts`" in advice) == (key, True)
    assert of_row({**FULL, key: "x"}) == []


@every_case("key", WITHOUT_INPUT)
def test_words_for_the_input(key: str) -> None:
    ((where, advice),) = said(of_row({"id": "a", "criteria": "c", key: "x"}))
    assert (where, "`input`" in advice) == (key, True)
    assert of_row({**ROW, "criteria": "c", key: "x"}) == []


# (a misspelled name of another tool, that name, what to use): nobody's own words, so always told
MISSPELLED = [
    ("mesages", "messages", "`input`"),
    ("user_qurey", "user_query", "`input`"),
    ("expected_ouput", "expected_output", "`expected_facts`"),
    ("groundtruht", "groundtruth", "`expected_facts`"),
    ("asertions", "assertions", "`rubric_ref`"),
]
# One edit away from such a name, but words of their own, or a plural.
NOT_MISSPELLED = ["message", "preference", "references", "passages", "complexion", "referenced"]


@every_case(("key", "name", "ours"), MISSPELLED)
def test_misspelled_names_of_other_tools(key: str, name: str, ours: str) -> None:
    for row in (ROW, FULL):
        (problem,) = of_row({**row, key: ["x"]})
        assert (problem.code, problem.path) == ("dataset/foreign-key", (key,))
        assert problem.help is not None
        assert problem.help.startswith(f"did you mean `{name}`? Here, ")
        assert ours in problem.help


@every_case("key", NOT_MISSPELLED)
def test_words_like_names_of_other_tools(key: str) -> None:
    assert of_row({**FULL, key: ["x"]}) == []


def test_the_original_beside_what_was_made_of_it() -> None:
    assert of_row({**FULL, "context": "c", "retrieved_contexts": ["c"], "user_input": "b"}) == []


def test_one_key_stands_for_what_is_missing() -> None:
    """A row of another tool has several words for one thing: the surest is told."""
    row = {"id": "a", "question": "b", "query": "b", "response": "c", "reference": "d"}
    assert [key for key, _ in said(of_row(row))] == ["question", "reference"]
    row = {"id": "a", "user_input": "b", "question": "b", "answer": "c", "ground_truth": "d"}
    assert [key for key, _ in said(of_row(row))] == ["user_input", "ground_truth"]


def test_the_keys_of_a_bundle_are_its_own() -> None:
    bundle: dict[str, Any] = {
        "properties": {"answer": {}, "ground_truth": {}, "chunks": {}, "gold_chunk": {}}
    }
    assert of_row({**ROW, "answer": "x", "ground_truth": "y"}, bundle) == []
    ((_, advice),) = said(of_row({**ROW, "chunk": "x", "chunks": []}, bundle))
    assert "`chunks`" in advice


ROOTS = [
    ({"tests": [{"vars": {}}]}, "`questions`"),
    ({"goldens": [{"input": "x"}]}, "`questions`"),
    ({"defaultTest": {"assert": []}}, "each row"),
    ({"assert": []}, "each row"),
    ({"rubric_ref": "rubric/a@1.0.0"}, "each item of `questions`"),
    ({"expected_facts": ["a"]}, "each item of `questions`"),
    ({"question": []}, "`questions`"),
    ({"rubric": "rubric/a@1.0.0"}, "each item of `questions`, as `rubric_ref`"),
    ({"rubrics": ["a"]}, "each item of `questions`, as `rubric_ref`"),
    ({"default_rubric": "rubric/a@1.0.0"}, "each item of `questions`, as `rubric_ref`"),
    ({"rubricRef": "rubric/a@1.0.0"}, "each item of `questions`, as `rubric_ref`"),
    ({"rubric_reference": "rubric/a@1.0.0"}, "set `rubric_ref` in each row"),
    ({"rubric_id": "a"}, "set `rubric_ref` in each row"),
    ({"judge": "judge/a@1.0.0"}, "`judge_prompt_ref`"),
    ({"default_judge": "judge/a@1.0.0"}, "`judge_prompt_ref`"),
    ({"mustnt_contain": ["a"]}, "each item of `questions`, as `must_not_contain`"),
    ({"must_not_include": ["a"]}, "each item of `questions`, as `must_not_contain`"),
    ({"expected_fact": ["a"]}, "each item of `questions`, as `expected_facts`"),
    ({"tools": ["search"], "judged_by": "kim", "judges": ["kim"]}, None),
    ({"default_locale": "en", "default_tools": ["search"], "default_model": "a"}, None),
    ({"default_text": "none", "text_cases": [{"text": "a"}]}, None),
    ({"tests": 12}, None),
    ({"tests": ["smoke"]}, None),
    ({"prompts": [{"id": "a"}], "providers": ["x"]}, None),
    ({"tags": ["a"], "criteria": "c", "examples": [{"a": 1}]}, None),
]


@every_case(("keys", "advice"), ROOTS)
def test_keys_at_the_root_of_a_dataset(keys: dict[str, Any], advice: str | None) -> None:
    found = SchemaValidator("dataset", root_schema()).check({"questions": [], **keys})
    assert [advice in (each.help or "") for each in found if advice] == ([True] if advice else [])
    assert len(found) == (advice is not None)


@every_case(
    ("keys", "ours"),
    [
        ({"prompt": "x"}, "template"),
        ({"system_prompt": "x"}, "template"),
        ({"instructions": "x"}, "template"),
        ({"messages": "x", "prompt_template": "x"}, "template"),
        ({"template": "{{ output }}", "score_type": "levels", "labels": ["a", "b"]}, "level_names"),
        ({"template": "{{ output }}", "choice_scores": [1]}, "level_values"),
        ({"template": "{{ output }}", "prompt": "x", "labels": [], "type": "x"}, None),
    ],
)
def test_keys_of_a_judge(keys: dict[str, Any], ours: str | None) -> None:
    found = said(SchemaValidator("judge", load("judge")).check({**JUDGE, **keys}))
    assert [f"`{ours}`" in advice for _, advice in found] == ([True] if ours else [])


# (a check, the keys that are found, what the help names)
CHECKS = [
    ({"type": "contains", "value": "x"}, "type", "kind"),
    ({"knd": "regex", "pattern": "x"}, "knd", "kind"),
    ({"must_contain_any": ["x"]}, 0, "kind: must_contain_any"),
    ({"kind": "must_contain_any", "text": "x"}, "text", "values"),
    ({"kind": "must_contain_any", "value": "x", "values": ["x"]}, "value", "values"),
    ({"kind": "llm_judge", "judge_ref": "judge/a@1.0.0"}, "judge_ref", "judge_prompt_ref"),
    ({"kind": "llm_judge", "prompt": "x"}, "prompt", "judge_prompt_ref"),
    ({"kind": "llm_judge", "value": "x"}, "value", "judge_prompt_ref"),
    ({"kind": "fact_match", "threshold": 0.5}, "threshold", "min_recall"),
    ({"kind": "regex", "regex": "x"}, "regex", "pattern"),
    ({"kind": "tool_usage", "expected_tools": [{"tool": "x"}]}, "tool", "name"),
    ({"kind": "regex", "pattern": "x", "weight": 2}, "weight", "scoring"),
    ({"kind": "markdown_structure", "headings": 2}, "headings", "min_headings"),
    ({"kind": "contains"}, "kind", "must_contain_any"),
    ({"kind": "icontains"}, "kind", "must_contain_any"),
    ({"kind": "not-contains"}, "kind", "must_not_contain"),
    ({"kind": "llm-rubric"}, "kind", "llm_judge"),
    ({"kind": "is-json"}, "kind", "json_schema"),
    ({"kind": "equals"}, "kind", "match: full"),
    ({"kind": "similar"}, "kind", "llm_judge"),
    ({"kind": "tool_usage", "order": "strict"}, "order", "sequence"),
]


@every_case(("check", "at", "ours"), CHECKS)
def test_keys_and_kinds_of_a_check(check: dict[str, Any], at: str | int, ours: str) -> None:
    ((where, advice),) = said(of_check(**check))
    assert (where, f"`{ours}`" in advice) == (at, True)


def test_what_is_missing_under_another_name_is_one_finding() -> None:
    matrix = {"true_positive": 1, "false_negative": 1, "tn": 1, "fp": 1}
    judge = {**JUDGE, "template": "{{ output }}", "validation": {"confusion_matrix": matrix}}
    found = said(SchemaValidator("judge", load("judge")).check(judge))
    assert [(key, facts(advice)) for key, advice in found] == [
        ("true_positive", ["tp"]),
        ("false_negative", ["fn"]),
    ]


@every_case(
    ("keys", "meant"),
    [
        ({"min": 1, "max": 5}, ["`min_score`", "`max_score`"]),
        ({"scale": [1, 5]}, ["`min_score` and `max_score`"]),
        ({"score_range": {"min": 1, "max": 5}}, ["`min_score` and `max_score`"]),
        ({"min_score": 1, "max": 5}, ["`max_score`"]),
        ({"min_score": 1, "max_score": 5, "range": "narrow", "max": 7}, []),
    ],
)
def test_ends_of_a_continuous_scale(keys: dict[str, Any], meant: list[str]) -> None:
    judge = {**JUDGE, "template": "{{ output }}", "score_type": "continuous", **keys}
    found = SchemaValidator("judge", load("judge")).check(judge)
    assert [each.code for each in found] == ["judge/foreign-key"] * len(meant)
    assert all(name in (each.help or "") for each, name in zip(found, meant, strict=True))


def test_ends_of_a_judge_that_has_no_continuous_scale() -> None:
    judge = {**JUDGE, "template": "{{ output }}", "min": 1, "max": 5}
    assert SchemaValidator("judge", load("judge")).check(judge) == []
