"""Tests of promptfoo and rows of ours: what is carried, and that every row comes back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case

from evalcontract.formats.promptfoo import Promptfoo
from evalcontract.formats.promptfoo.assertions import assertion_of, cell_of
from evalcontract.formats.promptfoo.conversion import MAX_RUBRICS
from evalcontract.formats.promptfoo.rubrics import MAX_ASSERTIONS
from evalcontract.model.values import json_equal
from evalcontract.structure.dialect_checker import dialect_checker
from evalcontract.structure.schemas import definition
from evalcontract.structure.validator import SchemaValidator

TEXT = st.text(max_size=6)
SOME = st.sampled_from(["noon", "a.b", "^a$", "(", "{{q}}", "- x", "a\nb"]) | TEXT
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
TYPES = ("contains", "icontains", "equals", "regex", "starts-with", "is-json", "llm-rubric")
LISTS = ("contains-any", "icontains-any", "contains-all")
ASSERTION = st.fixed_dictionaries(
    {"type": st.sampled_from([f"{no}{each}" for each in TYPES for no in ("", "not-")]) | TEXT},
    optional={"value": SOME | ANY, "weight": st.just(2), "metric": TEXT},
) | st.fixed_dictionaries(
    {
        "type": st.sampled_from([f"{no}{each}" for each in LISTS for no in ("", "not-")]),
        "value": st.lists(SOME, max_size=2),
    }
)
THEIRS = st.fixed_dictionaries(
    {},
    optional={
        "vars": st.dictionaries(TEXT | st.sampled_from(["q", "input"]), ANY | SOME, max_size=3)
        | st.just("vars.yaml"),
        "assert": st.lists(ASSERTION, max_size=3),
        "description": TEXT | st.sampled_from(["row_1", "row_2"]),
        "threshold": st.floats(0, 1) | st.integers(0, 2),
        "metadata": st.dictionaries(TEXT, ANY, max_size=2),
        "providerOutput": SOME,
        "options": st.just({"prefix": "x"}),
        "own": ANY,
    },
)
OURS = st.fixed_dictionaries(
    {
        "id": st.text(min_size=1, max_size=6) | st.sampled_from(["row_1", "row_2"]),
        "input": st.text(max_size=6),
    },
    optional={
        "criteria": TEXT | st.sampled_from(["- a\n- b", " a "]),
        "expected": st.dictionaries(st.sampled_from(["reference", "own"]) | TEXT, ANY, max_size=3),
        "expected_facts": st.lists(TEXT, max_size=2),
        "must_contain_any": st.lists(SOME, max_size=2),
        "must_not_contain": st.lists(SOME, max_size=2),
        "context": ANY | st.dictionaries(TEXT | st.just("input"), SOME, max_size=2),
        "bundle": st.sampled_from(["rag", "agent", "other"]),
        "recorded_output": ANY,
        "metadata": st.dictionaries(TEXT, ANY, max_size=2),
        "rubric_ref": st.just("rubric/a@1.0.0"),
        "own": ANY,
    },
)
OUR_ROW = SchemaValidator("dataset", definition("row", of="dataset"))
OUR_RUBRIC = SchemaValidator("rubric", definition("check", of="rubric"))
STAGE = dialect_checker("promptfoo", "it", "formats/promptfoo")
GUESSES = ("foreign-key", "near-miss-key", "misplaced-key", "empty-value")


def there_and_back(test: dict[str, Any], index: int) -> Any:
    read = Promptfoo().lens("json").read(test, index)
    return Promptfoo().lens("json").write(read.row, read.rubric, index).row


@given(THEIRS, st.integers(0, 2))
def test_every_test_comes_back(test: dict[str, Any], index: int) -> None:
    assert json_equal(there_and_back(test, index), test)


@given(THEIRS, st.integers(0, 2))
def test_every_test_comes_back_when_its_rubric_has_a_name(test: dict[str, Any], index: int) -> None:
    read = Promptfoo().lens("json").read(test, index)
    if read.rubric is not None:
        row = {**read.row, "rubric_ref": "rubric/tests@1.0.0"}
        rubric = {"id": "tests", "version": "1.0.0", **read.rubric}
        written = Promptfoo().lens("json").write(row, rubric, index)
        assert json_equal(written.row, test)
        assert ("rubric_ref",) not in {loss.path for loss in written.losses}


@given(OURS, st.integers(0, 2))
def test_every_row_of_ours_comes_back(row: dict[str, Any], index: int) -> None:
    theirs = Promptfoo().lens("json").write(row, None, index).row
    back = Promptfoo().lens("json").read(theirs, index)
    assert json_equal(back.row, row)


@given(THEIRS)
def test_what_comes_of_theirs_is_a_row_and_a_rubric_of_ours(test: dict[str, Any]) -> None:
    read = Promptfoo().lens("json").read(test, 0)
    found = OUR_ROW.check(read.row)
    for check in (read.rubric or {}).get("checks", ()):
        found += OUR_RUBRIC.check(check)
    assert [each for each in found if not each.code.endswith(GUESSES)] == []


@given(OURS)
def test_what_comes_of_ours_is_a_test(row: dict[str, Any]) -> None:
    faults = STAGE.faults(Promptfoo().lens("json").write(row, None, 0).row, ())
    assert [each for each in faults if not each.code.endswith("ignored-key")] == []


@given(ASSERTION)
def test_a_cell_is_read_as_the_assertion_that_it_was(assertion: dict[str, Any]) -> None:
    cell = cell_of(assertion)
    assert cell is None or assertion_of(cell) == assertion


Q = {"vars": {"input": "When?"}}
CARRIED: list[tuple[Any, dict[str, Any], list[dict[str, Any]]]] = [
    ({"type": "icontains", "value": "noon"}, {"must_contain_any": ["noon"]},
     [{"kind": "must_contain_any"}]),
    ({"type": "contains-any", "value": ["a", "b"]}, {"must_contain_any": ["a", "b"]},
     [{"kind": "must_contain_any", "case_sensitive": True}]),
    ({"type": "not-icontains", "value": "x"}, {"must_not_contain": ["x"]},
     [{"kind": "must_not_contain"}]),
    ({"type": "equals", "value": "a.b"}, {},
     [{"kind": "regex", "pattern": r"a\.b", "match": "full"}]),
    ({"type": "not-regex", "value": "a.b"}, {},
     [{"kind": "regex", "pattern": "a.b", "negate": True}]),
    ({"type": "starts-with", "value": "a"}, {}, [{"kind": "regex", "pattern": "^a"}]),
    ({"type": "is-json"}, {}, [{"kind": "format", "format": "json"}]),
    ({"type": "is-json", "value": {"type": "object"}}, {},
     [{"kind": "json_schema", "schema": {"type": "object"}}]),
    ({"type": "llm-rubric", "value": "Is kind."}, {"criteria": "Is kind."},
     [{"kind": "llm_judge", "judge_prompt_ref": "judge/llm_rubric@1.0.0"}]),
    *(
        ({"type": name, "value": "At noon."}, {"expected": {"reference": "At noon."}},
         [{"kind": "llm_judge", "judge_prompt_ref": "judge/factuality@1.0.0"}])
        for name in ("factuality", "model-graded-factuality")
    ),
    ({"type": "contains-all", "value": ["a.b", "c"]}, {},
     [{"kind": "regex", "pattern": r"^(?=.*a\.b)(?=.*c)", "flags": ["s"]}]),
    ({"type": "not-icontains-all", "value": ["a", "(b)"]}, {},
     [{"kind": "regex", "pattern": r"^(?=.*a)(?=.*\(b\))", "flags": ["i", "s"], "negate": True}]),
    ({"type": "icontains-any", "value": 'a, "b, c"'}, {"must_contain_any": ["a", "b, c"]},
     [{"kind": "must_contain_any"}]),
    ({"type": "icontains", "value": "noon", "metric": "time"}, {"must_contain_any": ["noon"]},
     [{"kind": "must_contain_any", "label": "time"}]),
    ({"type": "llm-rubric", "value": "Is kind.", "metric": "tone"}, {"criteria": "Is kind."},
     [{"kind": "llm_judge", "judge_prompt_ref": "judge/llm_rubric@1.0.0", "label": "tone"}]),
]  # fmt: skip


@every_case(("assertion", "keys", "checks"), CARRIED)
def test_what_is_carried(assertion: Any, keys: dict[str, Any], checks: list[Any]) -> None:
    test = {**Q, "assert": [assertion]}
    read = Promptfoo().lens("json").read(test, 0)
    bare = {key: part for key, part in read.row.items() if key != "metadata"}
    assert bare == {"id": "row_1", "input": "When?", **keys}
    made = read.rubric["checks"] if read.rubric else []
    assert [{k: v for k, v in check.items() if k != "id"} for check in made] == checks
    assert read.losses == ()
    written = Promptfoo().lens("json").write({"id": "row_1", **bare}, read.rubric, 0).row
    assert [each["type"] for each in written["assert"]] == [
        assertion["type"].removeprefix("model-graded-")  # an older name of the same
    ]
    again = Promptfoo().lens("json").write({"id": "row_1", **read.row}, read.rubric, 0).row
    assert again["assert"] == [assertion]


@every_case(
    "assertion",
    [
        {"type": "javascript", "value": "output.length > 3"},
        {"type": "regex", "value": r"\p{L}"},
        {"type": "similar", "value": "noon"},
        {"type": "contains", "value": "{{ elsewhere }}"},
        {"type": "contains", "value": "file://expected.txt"},
        {"type": "contains", "value": "noon", "weight": 0},
        {"type": "is-json", "value": {"type": "strng"}},
        {"type": "is-json", "value": {"example": 1}},
        {"type": "contains", "value": "noon", "weight": "2"},
        {"type": "contains", "value": "noon", "metric": "{{ input }}"},
        {"type": "equals", "value": "NOON", "transform": "output.toUpperCase()"},
        {"type": "assert-set", "assert": []},
    ],
)
def test_what_no_check_does_is_a_loss(assertion: dict[str, Any]) -> None:
    read = Promptfoo().lens("json").read({**Q, "assert": [assertion]}, 0)
    assert [(loss.path, loss.is_kept) for loss in read.losses] == [(("assert", 0), True)]
    assert read.rubric is None


def test_a_variable_in_an_assertion_is_filled() -> None:
    test = {"vars": {"input": "When?", "hour": "noon"}, "assert": [
        {"type": "icontains", "value": "at {{hour}}"},
    ]}  # fmt: skip
    read = Promptfoo().lens("json").read(test, 0)
    assert read.row["must_contain_any"] == ["at noon"]
    assert read.row["context"] == {"hour": "noon"}
    assert there_and_back(test, 0) == test


def test_tests_that_assert_alike_share_a_rubric() -> None:
    reader = Promptfoo().lens("json")
    tests = [{**Q, "assert": [{"type": "contains", "value": text}]} for text in ("a", "b")]
    one, two = (reader.read(test, index) for index, test in enumerate(tests))
    assert one.rubric == two.rubric
    assert (one.row["must_contain_any"], two.row["must_contain_any"]) == (["a"], ["b"])


@pytest.mark.costly
def test_few_rubrics_are_made_of_many_tests() -> None:
    """Each text that is compared needs a rubric; what the row can say is said still."""
    reader, writer = Promptfoo().lens("json"), Promptfoo().lens("json")
    tests = [
        {
            "vars": {"input": f"{index}?"},
            "assert": [
                {"type": "equals", "value": f"{index}"},
                {"type": "icontains", "value": f"{index}"},
            ],
        }
        for index in range(3 * MAX_RUBRICS)
    ]
    read = [reader.read(test, index) for index, test in enumerate(tests)]
    assert len({repr(each.rubric) for each in read}) == MAX_RUBRICS + 1
    assert read[-1].rubric is not None
    assert [check["kind"] for check in read[-1].rubric["checks"]] == ["must_contain_any"]
    assert [loss.path for loss in read[-1].losses] == [("assert", 0)]
    back = [writer.write(each.row, each.rubric, at).row for at, each in enumerate(read)]
    assert back == tests


def test_few_rubrics_are_made_of_tests_with_other_thresholds() -> None:
    reader, writer = Promptfoo().lens("json"), Promptfoo().lens("json")
    tests = [
        {"vars": {"input": "?"}, "assert": [{"type": "is-json"}], "threshold": 1 / (index + 1)}
        for index in range(MAX_RUBRICS + 50)
    ]
    read = [reader.read(test, index) for index, test in enumerate(tests)]
    assert len({repr(each.rubric) for each in read if each.rubric}) == MAX_RUBRICS
    assert [loss.path for loss in read[-1].losses] == [("assert", 0), ("threshold",)]
    back = [writer.write(each.row, each.rubric, at).row for at, each in enumerate(read)]
    assert back == tests


def test_the_first_assertions_of_a_test_are_converted() -> None:
    given = {"type": "regex", "value": "[a-z]"}
    test = {"vars": {"input": "?"}, "assert": [given] * (MAX_ASSERTIONS + 1)}
    read = Promptfoo().lens("json").read(test, 0)
    assert read.rubric is not None
    ids = [check["id"] for check in read.rubric["checks"]]
    assert len({*ids}) == MAX_ASSERTIONS
    assert [loss.path for loss in read.losses] == [("assert",)]
    assert Promptfoo().lens("json").write(read.row, read.rubric, 0).row == test


def test_a_threshold_is_that_of_the_rubric() -> None:
    test = {**Q, "threshold": 0.5, "assert": [{"type": "is-json"}]}
    read = Promptfoo().lens("json").read(test, 0)
    assert read.rubric is not None
    assert read.rubric["scoring"] == {"combine": "weighted_avg", "threshold": 0.5}
    assert read.losses == ()


A = {"type": "contains", "value": "a"}
WEIGHED: list[tuple[list[Any], dict[str, Any], dict[str, Any]]] = [
    ([{**A, "weight": 2}, {"type": "is-json"}], {},
     {"combine": "weighted_avg", "weights": {"must_contain_any": 2, "format": 1},
      "threshold": 1}),
    ([{**A, "weight": 2}, {"type": "is-json", "weight": 0.5}], {"threshold": 0.7},
     {"combine": "weighted_avg", "weights": {"must_contain_any": 2, "format": 0.5},
      "threshold": 0.7}),
    ([{"type": "llm-rubric", "value": "Is kind.", "weight": 3}, A], {"threshold": 0.5},
     {"combine": "weighted_avg", "weights": {"must_contain_any": 1, "llm_rubric": 3},
      "threshold": 0.5}),
    ([{"type": "factuality", "value": "Noon.", "weight": 3}], {},
     {"combine": "weighted_avg", "weights": {"factuality": 3}, "threshold": 1}),
    ([{"type": "is-json"}], {"threshold": 0.5}, {"combine": "weighted_avg", "threshold": 0.5}),
    ([{"type": "is-json"}], {}, {"combine": "all_pass"}),
]  # fmt: skip


@every_case(("asserted", "more", "scoring"), WEIGHED)
def test_a_threshold_and_weights_are_those_of_the_rubric(
    asserted: list[Any], more: dict[str, Any], scoring: dict[str, Any]
) -> None:
    read = Promptfoo().lens("json").read({**Q, **more, "assert": asserted}, 0)
    assert read.rubric is not None
    assert (read.rubric["scoring"], read.losses) == (scoring, ())
    bare = {key: part for key, part in read.row.items() if key != "metadata"}
    rubric = {**read.rubric, "scoring": {**scoring, "threshold": 0.25}}
    for graded, limit in ((read.rubric, more), (rubric, {"threshold": 0.25})):
        if graded is read.rubric or "threshold" in scoring:
            written = dict(Promptfoo().lens("json").write(bare, graded, 0).row)
            said = sorted(written.pop("assert"), key=repr)
            assert said == sorted(asserted, key=repr)
            assert {key: written[key] for key in ("threshold",) if key in written} == limit


def test_an_edit_of_a_weight_counts_beside_what_is_kept() -> None:
    code = {"type": "javascript", "value": "output.length > 3"}
    test = {**Q, "threshold": 0.5, "assert": [{**A, "weight": 2}, {"type": "is-json"}, code]}
    read = Promptfoo().lens("json").read(test, 0)
    assert read.rubric is not None
    scoring = {**read.rubric["scoring"], "weights": {"must_contain_any": 4}, "threshold": 0.25}
    edited = Promptfoo().lens("json").write(read.row, {**read.rubric, "scoring": scoring}, 0).row
    assert {**A, "weight": 4} in edited["assert"]
    assert edited["threshold"] == 0.25


@every_case(
    ("test", "lost"),
    [
        ({"options": {"transform": "x"}, "assert": [A]}, [("assert", 0), ("options",)]),
        ({"options": {"postprocess": "x"}, "assert": [{"type": "llm-rubric", "value": "a"}]},
         [("assert", 0), ("options",)]),
        ({"options": {"prefix": "x"}, "assert": [A]}, [("options",)]),
        ({"threshold": "0.5", "assert": [A]}, [("threshold",)]),
        ({"threshold": 1.5, "assert": [A]}, [("threshold",)]),
        ({"assert": [{**A, "weight": 2}, {"type": "llm-rubric", "value": "a"},
                     {"type": "llm-rubric", "value": "b", "weight": 2}]}, [("assert", 2)]),
        ({"vars": {"input": "?", "choices": ["A", "B"]}}, [("vars", "choices")]),
        ({"vars": {"input": "?", "choices": ["A", "B"]}, "options": {"disableVarExpansion": True}},
         []),
        ({"vars": {"input": "?", "n": [1, 2], "m": [], "k": [["a"]]}}, []),
    ],
)  # fmt: skip
def test_what_is_lost_of_a_test(test: dict[str, Any], lost: list[Any]) -> None:
    test = {**Q, **test}
    read = Promptfoo().lens("json").read(test, 0)
    assert [loss.path for loss in read.losses if loss.is_kept] == lost
    if ("assert", 0) in lost:
        assert read.rubric is None
        assert not {"must_contain_any", "criteria"} & read.row.keys()
    assert there_and_back(test, 0) == test


def test_a_list_of_a_row_is_the_value_of_one_variable() -> None:
    row = {"id": "a", "input": "Which?", "context": {"choices": ["A", "B"]}}
    written = Promptfoo().lens("json").write(row, None, 0).row
    assert written["options"] == {"disableVarExpansion": True}
    assert "options" not in Promptfoo().lens("csv").write(row, None, 0).row
    test = {"vars": {"input": "?"}, "options": {"prefix": "x"}}
    edited = {**Promptfoo().lens("json").read(test, 0).row, "context": {"choices": ["A", "B"]}}
    assert Promptfoo().lens("json").write(edited, None, 0).row["options"] == {
        "disableVarExpansion": True,
        "prefix": "x",
    }


def test_an_edit_counts_more_than_what_was_preserved() -> None:
    code = {"type": "javascript", "value": "output.length > 3"}
    test = {
        "vars": {"question": "When?"},
        "assert": [{"type": "llm-rubric", "value": "Is kind."}, code],
    }
    row = Promptfoo().lens("json").read(test, 0).row
    assert Promptfoo().lens("json").write(row, None, 0).row["assert"] == test["assert"]
    edited = Promptfoo().lens("json").write({**row, "criteria": "Is brief."}, None, 0).row
    assert {"type": "llm-rubric", "value": "Is brief."} in edited["assert"]
    assert edited["vars"] != {}
