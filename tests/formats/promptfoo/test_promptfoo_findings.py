"""What is told of tests that promptfoo stops at, and of what it passes over in silence."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from tables import every_case

from evalcontract.checking.pipeline import validate
from evalcontract.datasets.opening import Input, Options
from evalcontract.model.reference import Kind


def told(name: str, text: str) -> list[str]:
    """Return the places and the codes of findings on a file, without the name of the system."""
    given = Input(Path(name), io.BytesIO(text.encode()))
    options = Options(dialect="promptfoo", strict=False)
    found = validate(Kind.DATASET, [given], options).diagnostics
    return [f"{each.pointer} {each.code.removeprefix('promptfoo/')}" for each in found]


NOON = {"type": "icontains", "value": "noon"}
TEST = {"vars": {"q": "When?"}, "assert": [NOON]}


def asserting(*given: Any) -> list[Any]:
    return [{"vars": {"q": "When?"}, "assert": [*given]}]


@every_case(
    ("value", "found"),
    [
        ([TEST], []),
        (TEST, []),
        ([{"vars": {"q": "When?"}, "asserts": [NOON]}], ["$[0].asserts near-miss-key"]),
        ([{"asserts": [NOON]}], ["$[0].asserts missing-key"]),
        ([TEST, {"vars": {"q": "Who?"}}], ["$[1] no-assertion"]),
        ([{"vars": {"q": "When?", "assert": [NOON]}}], ["$[0].vars.assert assert-in-vars"]),
        (asserting({"type": "contain", "value": "a"}),
         ["$[0].assert[0].type unknown-assertion"]),
        (asserting({"type": "icontains"}), ["$[0].assert[0] malformed-value"]),
        (asserting({"type": "icontains", "value": "{{p}}"}),
         ["$[0].assert[0].value malformed-value"]),
        (asserting({"type": "icontains", "value": "at {{p}}"}),
         ["$[0].assert[0].value unknown-variable"]),
        (asserting({"type": "assert-set", "assert": [{"type": "contain", "value": "a"}]}),
         ["$[0].assert[0].assert[0].type unknown-assertion"]),
        ([{**TEST, "description": "d"}, {**TEST, "description": "d"}],
         ["$[1].description duplicate-id"]),
        (["others.yaml", TEST], ["$[0] not-followed"]),
        ({"prompts": ["p"], "tests": "tests.yaml"}, ["$.tests not-followed"]),
        ({"prompts": ["p"], "tests": [TEST], "defaultTest": {"assert": [{"type": "icontain"}]}},
         ["$.defaultTest.assert[0].type unknown-assertion"]),
        ({"prompts": ["p"], "tests": [TEST], "defaultTest": {"asserts": [NOON]}},
         ["$.defaultTest.asserts near-miss-key"]),
        ({"prompts": ["p"], "tests": [TEST, TEST], "defaultTest": {"assert": [{"value": "a"}]}},
         ["$.defaultTest.assert[0] missing-key"]),
        ({"prompts": ["p"], "tests": [TEST, TEST],
          "defaultTest": {"assert": [{**NOON, "weigth": 2}]}},
         ["$.defaultTest.assert[0].weigth near-miss-key"]),
        ({"prompts": ["p"], "tests": [TEST], "defaultTest": "file://default.yaml"},
         ["$.defaultTest not-followed"]),
        ({"prompts": ["p"], "test": [TEST]}, ["$ no-rows", "$.test near-miss-key"]),
        ({"prompts": ["p"], "tests": TEST}, ["$.tests no-rows"]),
        ({"prompts": ["p"], "redteam": {"plugins": []}}, ["$.redteam not-followed"]),
        ({"prompts": ["p"], "scenarios": [{"config": [], "tests": [TEST]}]},
         ["$.scenarios not-followed"]),
        ({"prompts": ["p"], "tests": [TEST, {"vars": {"q": "?"}, "assert": [{"$ref": "a.yaml"}]}]},
         ["$.tests[1].assert[0]['$ref'] not-followed"]),
        ({"prompts": ["p"], "tests": [{"vars": {"q": {"$ref": "#"}}}]},
         ["$.tests[0].vars.q['$ref'] rejected"]),
        ({"prompts": ["p"], "defaultTest": {"options": {"a": 1}, "vars": {"p": "Wick"}},
          "tests": [{"options": 5, "vars": {"q": "?"}}, {"vars": 5}]},
         ["$.tests[0].options wrong-type", "$.tests[1].vars wrong-type"]),
        ([{"vars": {"q": "When?"}}, {"vars": {"q": "Who?"}}, TEST], []),
        ([], ["$ no-rows"]),
        (5, ["$ rejected"]),
    ],
)  # fmt: skip
def test_what_is_told_of_tests(value: Any, found: list[str]) -> None:
    assert told("tests.json", json.dumps(value)) == found


def test_a_default_test_means_something_else_with_other_variables() -> None:
    default = {"assert": [{"type": "icontains", "value": "at {{p}}"}]}
    tests = [{"vars": {"p": "noon"}}, {"vars": {"p": "six"}}, {"vars": {"q": "When?"}}]
    value = {"prompts": ["p"], "defaultTest": default, "tests": tests}
    found = ["$.defaultTest.assert[0].value unknown-variable"]
    assert told("tests.json", json.dumps(value)) == found


def test_references_lead_on_for_a_while() -> None:
    """Neither a long way nor a deep value ends in a crash."""
    way = [{"$ref": f"#/t/{at + 1}"} for at in range(3_000)]
    value = {"prompts": ["p"], "tests": [asserting({"$ref": "#/t/2960"})[0]], "t": [*way, NOON]}
    assert told("tests.json", json.dumps(value)) == []
    value["tests"] = asserting({"$ref": "#/t/0"})
    found = ["$.tests[0].assert[0]['$ref'] not-followed"]
    assert told("tests.json", json.dumps(value)) == found
    deep: Any = {"$ref": "#/t/0"}
    for _ in range(60):
        deep = {"a": deep}
    value = {"prompts": ["p"], "tests": [{"vars": {"a": deep}}], "t": [deep["a"], NOON]}
    value["t"][0] = json.loads(json.dumps(deep).replace("#/t/0", "#/t/1"))
    assert told("tests.json", json.dumps(value)) == [
        f"$.tests[0].vars.a{'.a' * 60}['$ref'] not-followed"
    ]


def test_a_large_default_test_is_added_to_the_first_tests() -> None:
    """The rest have its beginning, so that nothing is told of them that is not true."""
    default = {"assert": [{"type": "icontains", "value": f"word {at}"} for at in range(5_000)]}
    tests = [{"vars": {"q": f"{at}?"}} for at in range(21)]
    few = {"prompts": ["p"], "defaultTest": default, "tests": tests[:20]}
    assert told("tests.json", json.dumps(few)) == []
    many = {"prompts": ["p"], "defaultTest": default, "tests": tests}
    assert told("tests.json", json.dumps(many)) == ["$.defaultTest not-followed"]


def test_a_variable_is_suggested_out_of_many() -> None:
    names = {f"variable_{at}": "a" for at in range(500)}
    text = "{{variable_250x}} {{other}}"
    given = Input(
        Path("tests.json"),
        io.BytesIO(json.dumps([{"vars": names, "assert": [{**NOON, "value": text}]}]).encode()),
    )
    found = validate(Kind.DATASET, [given], Options(dialect="promptfoo")).diagnostics
    assert {each.help for each in found} == {
        "did you mean `variable_250`?",
        "write it below `vars`",
    }
