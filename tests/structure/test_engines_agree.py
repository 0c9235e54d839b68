"""One verdict of two engines on patterns and drafts, and bounds on what a check may take."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from tables import every_case
from work import calls_of

from evalcontract.structure import violations
from evalcontract.structure.exact import (
    AuthoredSchema,
    StepCounter,
    StepLimitExceeded,
    UndecidedError,
    validator_for,
)
from evalcontract.structure.gate import Gate, gate_schema
from evalcontract.structure.native import PatternLimitError, native_for
from evalcontract.structure.parts import plain
from evalcontract.structure.schemas import definition
from evalcontract.structure.validator import SchemaValidator

TEXTS = ("1", "٣", "é", "a", "a\n", "\u2003", "\ufeff", "\r", "ABC", "abc", "aa", "", "Z", "😀")
PATTERNS = (
    r"^\d$", r"^\w$", r"^\s$", "^.$", "^a$", r"^\p{L}$", "(?i)^abc$", r"\bé", "^[^a]$",
    r"^(a)\1$", r"^\W$", r"^\S$", r"^\D$", "^(?!a).$", "a|^$", r"^(?<x>a)$",
)  # fmt: skip


@pytest.mark.costly
@every_case("pattern", PATTERNS)
def test_patterns(pattern: str) -> None:
    for schema, values in (
        ({"pattern": pattern}, list(TEXTS)),
        ({"patternProperties": {pattern: False}}, [{text: 1} for text in TEXTS]),
        ({"patternProperties": {pattern: {}}, "additionalProperties": False},
         [{text: 1} for text in TEXTS]),
        ({"patternProperties": {pattern: {}}, "unevaluatedProperties": False},
         [{text: 1} for text in TEXTS]),
        ({"$ref": "#/$defs/a", "unevaluatedProperties": {"type": "string"},
          "$defs": {"a": {"patternProperties": {pattern: {}}}}},
         [{text: 1} for text in TEXTS]),
    ):  # fmt: skip
        for value in values:
            quick = native_for(schema).is_valid(value)
            assert quick == validator_for(schema).is_valid(value), (schema, value)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"dependencies": {"a": ["b"]}}, {"a": 1}),
        ({"not": {"dependencies": {"a": ["b"]}}}, {"a": 1}),
        (
            {"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/$defs/a",
             "minLength": 3, "$defs": {"a": {"type": "string"}}},
            "x",
        ),
        (
            {"$schema": "https://json-schema.org/draft/2020-12/schema",
             "anyOf": [{"pattern": "^a$"}, {"items": {"$ref": "#"}, "type": "array"}]},
            ["a\n"],
        ),
    ],
    ids=str,
)  # fmt: skip
def test_drafts(schema: Any, value: Any) -> None:
    """What an older draft, or a `$schema` in the middle, would mean is read by both alike."""
    sound = plain(schema)
    embedded = {"$defs": {"x": {"$id": "urn:x", **sound}}, "$ref": "urn:x"}
    verdict = validator_for(sound).is_valid(value)
    assert native_for(sound).is_valid(value) == verdict
    assert native_for(embedded).is_valid(value) == verdict


UNEVALUATED: list[Any] = [
    {"allOf": [{"properties": {"a": {}}}]},
    {"anyOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]},
               {"properties": {"b": {}}, "required": ["b"]}]},
    {"if": {"properties": {"a": {"const": 1}}, "required": ["a"]},
     "then": {"properties": {"b": {}}}, "else": {"properties": {"c": {}}}},
    {"dependentSchemas": {"a": {"properties": {"a": {}, "b": {}}}}},
    {"oneOf": [{"additionalProperties": {"type": "integer"}}, {"required": ["c"]}]},
    {"$ref": "#/$defs/x", "$defs": {"x": {"properties": {"a": {}}, "not": {"required": ["z"]}}}},
    {"allOf": [{"unevaluatedProperties": {"type": "integer"}}]},
    {"not": {"properties": {"a": {"type": "null"}}, "required": ["a"]}},
    {"properties": {"b": {}}, "patternProperties": {"^c": {}}},
]  # fmt: skip


@every_case("rest", UNEVALUATED, ids=str)
def test_keys_that_nothing_has_looked_at(rest: Any) -> None:
    values = [{}, {"a": 1}, {"a": "x"}, {"b": 1}, {"a": 1, "b": 2}, {"a": "x", "c": 1}, {"z": 1},
              {"a": 1, "b": 2, "c": 3}, {"c": "x"}]  # fmt: skip
    for closing in (False, {"type": "string"}, True):
        schema = {**rest, "unevaluatedProperties": closing}
        for value in values:
            quick = native_for(schema).is_valid(value)
            assert quick == validator_for(schema).is_valid(value), (schema, value)


ROW: dict[str, Any] = {"type": "object", "properties": {"id": {"type": "string"}}}
TREE: dict[str, Any] = {"properties": {"c": {"$ref": "#"}, "id": {}}, "required": ["id"]}


def nested(depth: int, leaf: Any) -> Any:
    value = leaf
    for _ in range(depth):
        value = {"id": "x", "c": value}
    return value


def test_a_deep_value_is_checked_all_the_same() -> None:
    structure = SchemaValidator("dataset", ROW, TREE)
    assert structure.check(nested(95, {"id": "x"})) == []
    assert structure.check(nested(400, {"id": "x"})) == []
    (found,) = structure.check(nested(400, {}))
    assert (found.code, found.path) == ("dataset/invalid-value", ())


def test_a_check_takes_a_bounded_number_of_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(violations, "MAX_STEPS", 5_000)
    twice = {"anyOf": [{"properties": {"c": {"$ref": "#"}}, "required": ["no"]}] * 2}
    (found,) = SchemaValidator("dataset", ROW, twice).check(nested(60, {}))
    assert found.code == "dataset/undecided-value"
    assert "steps" in found.message


@pytest.mark.costly
def test_many_rows_take_a_bounded_number_of_steps_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each row would take fewer than the steps of one row; what any row takes is never refused."""
    monkeypatch.setattr(violations, "MAX_STEPS", 5_000)
    monkeypatch.setattr(violations, "MAX_TOTAL_STEPS", 8_000)
    choice = {"properties": {"c": {"$ref": "#"}}, "required": ["no"]}
    structure = SchemaValidator("dataset", ROW, {"anyOf": [choice, choice]})
    messages = [structure.check(nested(7, {}))[0].message for _ in range(10)]
    refused = ["steps" in message for message in messages]
    assert refused == sorted(refused)
    assert 1 <= refused.index(True) <= 5
    assert "steps" not in structure.check({"c": {}})[0].message


UNIQUE = [
    [], [1, 2], [1, 1.0], [1, True], [0, False], [True, True], ["1", 1], [None, None], [None, 0],
    [{}, []], [{"a": 1, "b": [2]}, {"b": [2.0], "a": 1}], [{"a": 1}, {"a": True}], [[1], [1]],
    [[1, 2], [2, 1]], [["a"], "a"], ["", None], [2**70, 2**70 + 1], [[[{"a": [{}]}]]] * 2,
]  # fmt: skip


@every_case("items", UNIQUE, ids=str)
def test_equal_items(items: Any) -> None:
    schema = {"uniqueItems": True}
    assert native_for(schema).is_valid(items) == validator_for(schema).is_valid(items)


def test_the_work_for_equal_items_is_linear() -> None:
    structure = SchemaValidator("dataset", ROW, {"properties": {"c": {"uniqueItems": True}}})

    def work(number: int) -> int:
        items = [{"k": [index]} for index in [*range(number), number - 1]]
        return calls_of(structure.check, {"id": "x", "c": items})

    work(10)
    assert work(800) < 5 * work(200)
    (found,) = structure.check({"c": [True, 1, {"k": 1}, {"k": 1}]})
    assert (found.code, "`{" in found.message) == ("dataset/repeated-item", True)


def test_a_pattern_that_backtracks_does_not_hang() -> None:
    bundle = {"properties": {"t": {"pattern": "^(a+)+$"}}, "patternProperties": {"^(b+)+$": {}}}
    found = SchemaValidator("dataset", ROW, bundle).check({"t": "a" * 60 + "!", "b" * 60 + "!": 1})
    assert [each.code for each in found] == ["dataset/malformed-value"]


#: A pattern, and a text on which its search reaches the limit of steps: it would match at the end.
HARD, LONG = r"(a*)*\1b|z$", "a" * 40 + "z"


@pytest.mark.slow
@every_case(
    ("schema", "value"),
    [
        ({"pattern": HARD}, LONG),
        ({"not": {"pattern": HARD}}, LONG),
        ({"not": {"not": {"pattern": HARD}}}, LONG),
        ({"if": {"pattern": HARD}, "then": False}, LONG),
        ({"oneOf": [{"pattern": HARD}, {"const": 1}]}, LONG),
        ({"anyOf": [{"pattern": HARD}, False]}, LONG),
        ({"contains": {"type": "string", "pattern": HARD}}, [1, LONG]),
        ({"propertyNames": {"pattern": HARD}}, {LONG: 1}),
        ({"patternProperties": {HARD: {"type": "integer"}}}, {LONG: "x"}),
        ({"patternProperties": {HARD: True}, "additionalProperties": False}, {LONG: 1}),
        ({"patternProperties": {HARD: True}, "unevaluatedProperties": False}, {LONG: 1}),
        ({"$id": "https://a.example/", "$ref": "#/x", "x": {"pattern": HARD}}, LONG),
    ],
)
def test_a_search_that_reaches_its_limit_decides_nothing(schema: Any, value: Any) -> None:
    native = native_for(schema)
    for ask in (native.is_valid, native.validate, native.iter_errors):
        with pytest.raises(PatternLimitError, match="cannot be decided"):
            ask(value)
    with pytest.raises(PatternLimitError):
        list(validator_for(schema).iter_errors(value))
    row = SchemaValidator("dataset", ROW, {"properties": {"c": schema}})
    (found,) = row.check({"id": "x", "c": value}, ("questions", 3))
    assert (found.code, found.path) == ("dataset/undecided-value", ("questions", 3))
    assert HARD in found.message
    references = gate_schema(definition("row", of="dataset"), [], [{"properties": {"c": schema}}])
    assert not Gate(references, {"properties": {"c": schema}}).passes([{"id": "x", "c": value}])
    with pytest.raises(UndecidedError, match="cannot be decided"):
        AuthoredSchema(schema).first_violation(value)


@every_case(
    ("schema", "value", "is_valid"),
    [
        ({"pattern": HARD}, "z", True),
        ({"pattern": HARD}, "y", False),
        ({"pattern": HARD}, "\ud800", False),
        ({"pattern": HARD}, 5, True),
        ({"not": {"pattern": HARD}}, "y", True),
        ({"anyOf": [{"const": LONG}, {"pattern": HARD}]}, LONG, True),
        ({"properties": {"a": {"pattern": HARD}}}, {"b": LONG}, True),
        ({"patternProperties": {HARD: {"type": "integer"}}}, {"z": "x"}, False),
        ({"patternProperties": {HARD: {"type": "integer"}}}, {"y": "x"}, True),
        ({"pattern": "^(?!test_)[a-z]+$"}, "a" * 1000, True),
        ({"pattern": "^(?!test_)[a-z]+$"}, "test_a", False),
    ],
)
def test_a_pattern_that_needs_backtracking_is_decided_within_its_limit(
    schema: Any, value: Any, *, is_valid: bool
) -> None:
    assert (AuthoredSchema(schema).first_violation(value) is None) is is_valid
    found = SchemaValidator("dataset", ROW, {"properties": {"c": schema}}).check(
        {"id": "x", "c": value}
    )
    assert (not found) is is_valid


def test_a_pattern_that_is_none_is_refused_beside_one_that_backtracks() -> None:
    with pytest.raises(ValueError, match="pattern"):
        native_for({"allOf": [{"pattern": "(?=a)"}, {"pattern": "(?!("}]})


@pytest.mark.parametrize("keyword", ["additionalProperties", "unevaluatedProperties"])
def test_a_bundle_that_is_closed(keyword: str) -> None:
    """It lets the keys of every row be; what nobody knows is told, with what it stands for."""
    bundle = {
        "properties": {"documents": {"type": "array"}},
        keyword: False,
    }
    row = definition("row", of="dataset")
    sound = {"id": "a", "input": "b", "criteria": "c", "documents": []}
    structure = SchemaValidator("dataset", row, bundle)
    assert structure.check(sound) == []
    assert Gate(gate_schema(row, [], [bundle])).passes([sound])
    (found,) = structure.check({"id": "a", "input": "b", "documenst": []})
    assert (found.code, found.path) == ("dataset/near-miss-key", ("documenst",))
    (found,) = structure.check({**sound, "colour": 1})
    assert (found.code, found.path) == ("dataset/unknown-key", ("colour",))
    inner = SchemaValidator("dataset", row, {"properties": {"source": bundle}})
    (found,) = inner.check({"id": "a", "input": "b", "source": {"documenst": []}})
    assert (found.code, found.path) == ("dataset/unknown-key", ("source", "documenst"))
    assert found.help == "did you mean `documents`?"


@pytest.mark.parametrize(
    "bundle",
    [
        {"$id": "x/", "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"type": "null"}}},
        {"properties": {"a": {"$ref": "y"}}, "$defs": {"a": {"$id": "y", "type": "null"}}},
        {"$id": "https://example.org/rag", "properties": {"a": {"type": "null"}}},
    ],
    ids=str,
)
def test_a_bundle_with_addresses(bundle: Any) -> None:
    row = definition("row", of="dataset")
    sound = {"id": "a", "input": "b", "criteria": "c", "a": None}
    assert Gate(gate_schema(row, [], [bundle])).passes([sound])
    assert not Gate(gate_schema(row, [], [bundle])).passes([{**sound, "a": 1}])
    assert SchemaValidator("dataset", row, bundle).check(sound) == []
    (found,) = SchemaValidator("dataset", row, bundle).check({**sound, "a": 1})
    assert found.path == ("a",)


def test_a_closed_bundle_with_schemas_that_are_true() -> None:
    bundle = {
        "properties": {"a": {}},
        "allOf": [True, {"if": True}, {"if": {"properties": {"a": True}}}],
        "additionalProperties": False,
    }
    row = definition("row", of="dataset")
    (found,) = SchemaValidator("dataset", row, bundle).check({"id": "a", "input": "b", "colour": 1})
    assert found.code == "dataset/unknown-key"


@pytest.mark.parametrize("value", [{"a": -1}, [-1], -1, True, None], ids=str)
def test_what_is_no_text_takes_more_steps_to_compare(value: Any) -> None:
    counter = StepCounter({"enum": [{"a": number} for number in range(1000)]})
    steps = []
    for each in ("a", value):
        assert len(counter.errors(each, 10_000)) == 1
        steps.append(counter.steps)
    assert steps == [101, 501]
    with pytest.raises(StepLimitExceeded):
        counter.errors(value, 500)


def test_a_panic_at_the_end_of_the_stack_is_a_deep_value(monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        pass

    def panic(*_: object) -> None:
        raise PanicException

    counter = StepCounter(TREE)
    monkeypatch.setattr(counter, "_validator", SimpleNamespace(iter_errors=panic))
    with pytest.raises(RecursionError):
        counter.errors({}, 100)
