"""Keys of the contract where nobody reads them: reported with their place, custom keys are not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case

from evalcontract.datasets.gates import PLACES as OPEN
from evalcontract.datasets.gates import ExtraKeys
from evalcontract.datasets.root import root_schema
from evalcontract.structure.gate import Gate, gate_schema
from evalcontract.structure.keys.mismatches import misplaced_words
from evalcontract.structure.keys.spelling import generic_keys
from evalcontract.structure.schemas import definition, known_keys, load
from evalcontract.structure.validator import SchemaValidator
from evalcontract.workspace import configuration

ROW_SCHEMA = definition("row", of="dataset")
ROW: dict[str, Any] = {"id": "a", "input": "b", "criteria": "c", "expected_facts": ["d"]}
RUBRIC: dict[str, Any] = {
    "id": "r",
    "version": "1.0.0",
    "checks": [{"id": "a", "kind": "must_contain_any", "values": ["x"]}],
    "scoring": {"combine": "all_pass", "threshold": 0.5},
}
JUDGE: dict[str, Any] = {
    "id": "j",
    "version": "1.0.0",
    "template": "{{ output }}",
    "score_type": "binary",
    "pass_threshold": 0.5,
    "validation": {"tpr": 1, "tnr": 1},
}
#: Every place where misplaced words are reported: the kind of codes, the schema, a value.
PLACES = {
    "row": ("dataset", ROW_SCHEMA, ROW),
    "dataset": ("dataset", root_schema(), {"id": "d", "questions": []}),
    "rubric": ("rubric", load("rubric"), RUBRIC),
    "judge": ("judge", load("judge"), JUDGE),
}


def findings(place: str, also: Any = None, **keys: Any) -> list[tuple[str, Any, str]]:
    """Return the code, key and advice of each finding of a value with further keys."""
    kind, schema, value = PLACES[place]
    problems = SchemaValidator(kind, schema, also).check({**value, **keys})
    return [(problem.code, problem.path[-1], problem.help or "") for problem in problems]


# (a place, a key, its value, what the advice names)
MISPLACED = [
    ("row", "regex", "^Dear", "`kind: regex`"),
    ("row", "json_schema", {}, "`kind: json_schema`"),
    ("row", "forbidden_tools", ["delete"], "`kind: tool_usage`"),
    ("row", "max_calls", 3, "`kind: tool_usage`"),
    ("row", "min_recall", 0.8, "`kind: fact_match`"),
    ("row", "judge_prompt_ref", "judge/tone@1.0.0", "`llm_judge`"),
    ("row", "checks", [{"kind": "regex"}], "rubric"),
    ("row", "checks", [], "rubric"),
    ("dataset", "checks", [], "rubric"),
    ("row", "scoring", {"combine": "min"}, "rubric"),
    ("row", "threshold", 0.5, "`scoring`"),
    ("row", "order", "sequence", "`kind: tool_usage`"),
    ("row", "values", ["Paris"], "`must_contain_any`"),
    ("row", "facts", ["Paris"], "`kind: fact_match`"),
    ("row", "pattern", "^a", "`kind: regex`"),
    ("row", "strict_validation", True, "`targets/{id}.yaml`"),
    ("row", "score_type", "binary", "judge"),
    ("row", "sample_size", 40, "`validation`"),
    ("row", "max_validation_age_days", 30, "`evalcontract.toml`"),
    ("row", "strict", True, "`evalcontract.toml`"),
    ("dataset", "strict_validation", True, "`targets/{id}.yaml`"),
    ("dataset", "scoring", {"combine": "min"}, "rubric"),
    ("dataset", "llm_judge", {}, "`kind: llm_judge`"),
    ("dataset", "datasets", ["*.yaml"], "`evalcontract.toml`"),
    ("rubric", "min_recall", 0.8, "`kind: fact_match`"),
    ("rubric", "score_type", "binary", "judge"),
    ("rubric", "expected_facts", ["Paris"], "dataset"),
    ("rubric", "must_contain_any", ["Paris"], "`kind: must_contain_any`"),
    ("judge", "scoring", {"combine": "min"}, "rubric"),
    ("judge", "case_sensitive", True, "`must_contain_any`"),
]
# Words that may be a custom key, with values that the contract does not give them.
CUSTOM = [
    *[("row", "order", 1042), ("row", "order", "A-17"), ("row", "model", "small-1")],
    *[
        ("row", "template", "Dear {{ name }}"),
        ("row", "dataset", "trips"),
        ("row", "split", "test"),
    ],
    *[("row", "match", "Ghent v Bruges"), ("row", "schema", "CREATE TABLE trips (id INT)")],
    *[("row", "flags", ["urgent"]), ("row", "values", [1, 2]), ("row", "kind", "factual")],
    *[("row", "severity", "high"), ("row", "level", 3), ("row", "method", "phone")],
    *[("row", "threshold", "high"), ("row", "weight", 2), ("row", "provider", "acme")],
    *[("row", "checks", ["spelling"]), ("row", "values", []), ("row", "judges", [])],
    *[("row", "checks", None), ("dataset", "model", "small-1"), ("dataset", "split", "test")],
    *[("rubric", "tags", ["a"]), ("judge", "format", "A4"), ("dataset", "dataset", "trips")],
]


@every_case(("place", "key", "value", "named"), MISPLACED)
def test_the_place_is_named(place: str, key: str, value: Any, named: str) -> None:
    ((code, where, advice),) = findings(place, **{key: value})
    assert (code, where) == (f"{PLACES[place][0]}/misplaced-key", key)
    assert named in advice


@every_case(("place", "key", "value"), CUSTOM)
def test_custom_keys(place: str, key: str, value: Any) -> None:
    assert findings(place, **{key: value}) == []


@every_case(("place", "key", "value", "named"), MISPLACED)
def test_keys_that_somebody_owns(place: str, key: str, value: Any, named: str) -> None:
    assert named
    assert findings(place, **{f"x_{key}": value}) == []
    assert findings(place, metadata={key: value}) == []
    if place == "row":
        assert findings(place, {"properties": {key: {}}}, **{key: value}) == []
        assert findings(place, expected={"answer": 1, key: value}) == []


@every_case("place", ["row", "dataset"])
@every_case("kind", known_keys(load("rubric")["$defs"]["check"], {}, {})["kind"]["enum"])
def test_flags_of_other_tools(place: str, kind: str) -> None:
    ((code, where, advice),) = findings(place, **{f"check_{kind}": True})
    assert (code, where) == ("dataset/foreign-key", f"check_{kind}")
    assert f"`kind: {kind}`" in advice


@pytest.mark.parametrize("key", ["graders", "rubric_id"])
@pytest.mark.parametrize("place", ["row", "dataset"])
def test_names_of_other_tools(place: str, key: str) -> None:
    ((code, where, advice),) = findings(place, **{key: ["tone"]})
    assert (code, where) == ("dataset/foreign-key", key)
    assert advice


def properties_in(schema: Any) -> set[str]:
    """Return the names of all properties in a schema, at any depth."""
    if isinstance(schema, list):
        return set().union(*map(properties_in, schema))
    if not isinstance(schema, dict):
        return set()
    own = schema.get("properties", {})
    return set(own).union(*map(properties_in, schema.values())) - {"properties"}


@pytest.mark.parametrize("name", ["rubric", "judge", "target", "configuration"])
def test_every_key_of_several_words_counts(name: str) -> None:
    keys = {key for key in properties_in(load(name)) if "_" in key} - generic_keys()
    assert keys - misplaced_words().keys() == set()
    for key in keys:
        assert misplaced_words()[key].counts(None), key


def test_every_kind_and_setting_counts() -> None:
    kinds = load("rubric")["$defs"]["check"]["properties"]["kind"]["enum"]
    settings = set(configuration._READERS)  # noqa: SLF001 - the only list of the settings
    assert {*kinds, *settings} - misplaced_words().keys() == set()
    assert {key.replace("-", "_") for key in load("configuration")["properties"]} <= settings


WORDS = sorted(misplaced_words())
VALUES = st.sampled_from(
    [
        *[None, True, 0, 1, 0.5, 40, "", "a", "any", "min", "json", "regex", "i", {}, {"a": 1}],
        *[[], ["a"], ["i"], [1], [{}], [{"kind": "regex"}], ["a", 1]],
    ]
)
KEYS = st.sampled_from([*WORDS, *WORDS, "owner", "check_regex", "check_owner", "graders", "tour"])
ROWS = st.dictionaries(KEYS, VALUES, max_size=3).map(lambda keys: {**ROW, **keys})
BUNDLE = {"properties": {"threshold": {"type": "number"}, "order": {}, "documents": {}}}


@examples(600)
@given(rows=st.lists(ROWS, min_size=1, max_size=4), bundle=st.sampled_from([None, BUNDLE]))
def test_what_the_gate_learns_agrees_with_the_exact_check(rows: list[Any], bundle: Any) -> None:
    keys = ExtraKeys(ROW_SCHEMA, bundle)
    for row in [*rows, *map(dict, rows)]:  # some keys are learned from a second row
        keys.learn(row)
    bundles = [bundle] if bundle else []
    gate = Gate(gate_schema(ROW_SCHEMA, [], bundles, None, OPEN, keys.inside))
    validator = SchemaValidator("dataset", ROW_SCHEMA, bundle)
    for row in rows:
        # A key is tested where more than one row is.
        if keys.accept_all([row, dict(row)]) and gate.passes([row]):
            assert [problem.message for problem in validator.check(row)] == [], json.dumps(row)


def test_a_custom_word_passes_the_gate_with_a_value_of_its_own() -> None:
    keys = ExtraKeys(ROW_SCHEMA, None)
    rows = [{**ROW, "order": 1042, "model": "small-1", "match": "Ghent v Bruges"}]
    assert keys.accept_all([*rows, *map(dict, rows)])  # a key of a single row is not tested
    gate = Gate(gate_schema(ROW_SCHEMA, [], [], None, OPEN))
    assert gate.passes(rows)
    assert not gate.passes([{**ROW, "order": "any"}])
    assert not gate.passes([{**ROW, "model": {"name": "small-1"}}])
