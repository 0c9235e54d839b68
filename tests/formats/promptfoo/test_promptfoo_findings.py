"""What is told of tests that promptfoo stops at, and of what it passes over in silence."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from tables import every_case

from evalcontract.checking.pipeline import validate
from evalcontract.datasets.opening import Input, Options
from evalcontract.formats.promptfoo import Promptfoo
from evalcontract.model.diagnostic import Diagnostic
from evalcontract.model.reference import Kind


def diagnostics(name: str, text: str) -> list[Diagnostic]:
    given = Input(Path(name), io.BytesIO(text.encode()))
    options = Options(dialect="promptfoo", strict=False)
    return [*validate(Kind.DATASET, [given], options).diagnostics]


def told(name: str, text: str) -> list[str]:
    """Return the places and the codes of findings on a file, without the name of the system."""
    found = diagnostics(name, text)
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


JSON = "is-json"


def of(type_: str, *values: Any) -> list[dict[str, Any]]:
    return [{"type": type_, "value": value} for value in values]


#: Assertions that fail whatever the output is, and where that is told.
FAILING: list[tuple[dict[str, Any], str]] = [
    *(({"type": type_, "value": value}, "value") for type_, value in (
        ("regex", "("), ("regex", "(?i)x"), ("not-regex", "a**"), ("equals", None),
        ("contains-any", []), ("icontains-any", []), ("not-contains-all", []),
        (JSON, {"type": "strng"}), (JSON, {"properties": {"a": {"required": "a"}}}), (JSON, True),
        (JSON, {"foo": 1}), (JSON, {"pattern": "("}),
        ("contains-json", {"items": {"minimum": "3"}}),
        (JSON, {"$schema": "https://json-schema.org/draft/2020-12/schema"}), (JSON, []),
        (JSON, {"dependencies": {"a": "b"}}), (JSON, {"allOf": []}), (JSON, {"type": []}),
        ("javascript", ""), ("javascript", " "), ("javascript", 5), ("javascript", "output ==="),
        ("javascript", "output.includes('a'"), ("javascript", "output.includes('a)"),
        ("javascript", "return true"), ("javascript", "const x = 1"), ("javascript", "[1)"),
        ("javascript", "output.trim()\n=== 'noon'"), ("not-javascript", "(a) => true"),
        ("javascript", "const x = 1; return x"), ("javascript", "function f() {}"),
        ("javascript", "output ="), ("python", ""), ("webhook", "noon"),
    )),
    ({"type": "equals"}, ""), ({"type": "javascript"}, ""),
    *(({"type": type_, "value": "noon", "threshold": limit}, "threshold") for type_, limit in (
        ("rouge-n", 1.5), ("rouge-n", "1.5"), ("bleu", 2), ("gleu", 1.1), ("levenshtein", -1),
        ("levenshtein", "x"),
    )),
    ({"type": "latency", "threshold": -1}, "threshold"),
]  # fmt: skip
#: Assertions with which a test ends with an error, and the code that tells it.
STOPPING: list[tuple[dict[str, Any], str]] = [
    *((each, "always-fails") for each in (
        *of("contains", "{{exp", "{{exp}", "{% if", "a {# b"), *of("equals", "{{exp"),
        *of("contains-any", ["a", "{{exp"]), *of("javascript", "output === '{{exp'"),
        {"type": "webhook"}, *of("webhook", "", 5),
    )),
    ({"type": "word-count", "value": {"min": 5, "max": 2}}, "malformed-value"),
    ({"type": "icontains"}, "malformed-value"),
]  # fmt: skip
#: Assertions that some output passes.
PASSING: list[dict[str, Any]] = [
    *of("regex", "no+n", "[N]?noon", "(?=n)noon|]", r"\w{4}"),
    *of(JSON,
        {"type": "object"}, {"items": [{"type": "number"}]}, {"format": "email"}, False, "", None,
        {"type": ["object", "null"]}, {"$schema": "http://json-schema.org/draft-07/schema#"},
        {"properties": {"type": {"enum": [1]}}}, {"minLength": 2.0}, {"allOf": [True]},
        {"$defs": {"a": {}}, "contains": {}}, "type: object", {"dependencies": {"b": ["c"]}},
    ),
    {"type": "not-is-json", "value": {"type": "strng"}},
    *of("javascript",
        "output.length > 3;", "const x = 1; x > 0", "let y = output.length;\nreturn y > 1",
        "`${output}`.length > 0", "output.length > 0 // ok", "/a\\(|n/.test(output)",
        "{ pass: true, score: 1, reason: 'x' }", "output.split(' ').length / 2 < 9", "true\n",
        "(() => true)()", "output.length++ > -1", "output !== ')'", "function () { return 1 }()",
    ),
    {"type": "rouge-n", "value": "noon", "threshold": 1}, {"type": "word-count", "value": "1"},
    {"type": "levenshtein", "value": "nood", "threshold": "2"},
    {"type": "latency", "threshold": " 9999 "}, {"type": "contains", "value": "{{q}}"},
    {"type": "regex", "value": "(", "weight": 0}, {"type": "contains", "value": "exp}}"},
    {"type": "not-equals"}, {"type": "contains-all", "value": []},
    {"type": "contains", "value": "{% raw %}{{{% endraw %}"},
]  # fmt: skip


@pytest.mark.costly
@every_case(("assertion", "place"), FAILING)
def test_an_assertion_that_can_only_fail(assertion: dict[str, Any], place: str) -> None:
    where = f"$[0].assert[0]{place and '.'}{place}"
    assert told("tests.json", json.dumps(asserting(assertion))) == [f"{where} always-fails"]
    assert states_of({"vars": {"q": "?"}, "assert": [assertion]}) == ["fail"]


@every_case(("assertion", "code"), STOPPING)
def test_an_assertion_that_stops_a_test(assertion: dict[str, Any], code: str) -> None:
    found = told("tests.json", json.dumps(asserting(assertion)))
    assert [each.split(" ")[1] for each in found] == [code]
    assert states_of({"vars": {"q": "?"}, "assert": [assertion]}) == ["fail"]


@every_case("assertion", PASSING)
def test_an_assertion_that_an_output_decides(assertion: dict[str, Any]) -> None:
    assert told("tests.json", json.dumps(asserting(assertion))) == []
    assert "fail" not in states_of({"vars": {"q": "?"}, "assert": [assertion]})


def states_of(test: dict[str, Any]) -> list[str]:
    return [each.state for each in Promptfoo().predict(test)]


def test_a_set_without_assertions_fails() -> None:
    sets = [{"type": "assert-set"}, {"type": "assert-set", "assert": []}]
    assert states_of({"assert": sets}) == ["fail"]


@every_case(
    ("cell", "meant"),
    [
        ("icontain noon", "icontains:"), ("is json", "is-json"), ("contains noon", "contains:"),
        ("not contains: x", "not-contains"), ("contain: noon", "contains"),
        ("is json: x", "is-json"), ("not contains x", "not-contains:"),
        ("starts with no", "starts-with:"), ("llm rubric: is kind", "llm-rubric"),
        ("levenstein(5): noon", "levenshtein"), ("cost is 5", None), ("it is high", None),
        ("the answer is: noon", None), ("equal parts of both", None), ("Contains: eggs", None),
    ],
)  # fmt: skip
def test_a_cell_that_is_like_an_assertion(cell: str, meant: str | None) -> None:
    found = diagnostics("tests.csv", f"q,__expected\n?,{cell}\n")
    assert [(each.code, each.help) for each in found] == (
        [("promptfoo/equals-of-text", f"did you mean `{meant}`?")] if meant else []
    )


@every_case(
    ("more", "place", "meant"),
    [
        *(({key: {}}, f"$.{key}", meant) for key, meant in (
            ("promts", "prompts"), ("provider", "providers"), ("descriptoin", "description"),
            ("default_test", "defaultTest"), ("evaluteOptions", "evaluateOptions"),
            ("scenario", "scenarios"), ("testCases", "tests"), ("models", "providers"),
        )),
        ({"evaluateOptions": {"maxConcurency": 1}}, "$.evaluateOptions.maxConcurency",
         "maxConcurrency"),
        ({"providers": ["echo", {"id": "echo", "confg": {}}]}, "$.providers[1].confg", "config"),
        ({"prompts": [{"raw": "{{q}}", "lable": "a"}]}, "$.prompts[0].lable", "label"),
        ({"commandLineOptions": {"repeats": 1}}, "$.commandLineOptions.repeats", "repeat"),
        *(({"tests": [{**TEST, "options": {key: "x"}}]}, f"$.tests[0].options.{key}", meant)
          for key, meant in (("transfrom", "transform"), ("prefx", "prefix"),
                             ("disableVarExpantion", "disableVarExpansion"))),
        ({"tests": [{**TEST, "options": {"factuality": {"agre": 1}}}]},
         "$.tests[0].options.factuality.agre", "agree"),
        ({"tests": [TEST, TEST], "defaultTest": {"options": {"rubricPromt": "x"}}},
         "$.defaultTest.options.rubricPromt", "rubricPrompt"),
        ({"tests": [{**TEST, "assert": [{"type": "assert-set", "treshold": 1, "assert": [NOON]}]}]},
         "$.tests[0].assert[0].treshold", "threshold"),
        ({"tests": [{**TEST, "assert": [
            {"type": "assert-set", "assert": [{**NOON, "weigth": 1}]}]}]},
         "$.tests[0].assert[0].assert[0].weigth", "weight"),
        ({"own": 1, "tests": [{**TEST, "options": {"temperature": 1}}]}, "", ""),
    ],
)  # fmt: skip
def test_a_misspelled_key_at_each_depth(more: Any, place: str, meant: str) -> None:
    value = {"prompts": ["{{q}}"], "providers": ["echo"], "tests": [TEST], **more}
    found = diagnostics("promptfooconfig.yaml", json.dumps(value))
    assert [(each.pointer, each.code, each.help) for each in found] == (
        [(place, "promptfoo/near-miss-key", f"did you mean `{meant}`?")] if place else []
    )


ASKED: dict[str, Any] = {"vars": {"queston": "When?"}, "assert": [NOON]}
UNUSED = "$.tests[0].vars.queston near-miss-key"


@every_case(
    ("value", "found"),
    [
        ({"prompts": ["{{question}}"]}, [UNUSED]),
        ({"prompts": "Answer: {{ question | upper }}."}, [UNUSED]),
        ({"prompts": [{"label": "p", "raw": "{% if question %}?{% endif %}"}, "Hello."]}, [UNUSED]),
        ({"prompts": ["{{question}}"], "tests": [{"vars": {"q": "?"}, "assert": [NOON]}]}, []),
        ({"prompts": ["{{question}}", "{{queston}}"]}, []),
        ({"prompts": ["{{question}}", "file://p.txt"]}, []),
        ({"prompts": ["{{question}}", "prompts/*.txt"]}, []),
        ({"prompts": ["{{question}}"], "providers": [{"id": "echo", "body": "{{queston}}"}]}, []),
        ({"prompts": ["{{question}}"],
          "tests": [{**ASKED, "assert": of("javascript", "context.vars.queston")}]}, []),
        ({"prompts": ["{{question}}"], "tests": [{"vars": {"queston": "?", "question": "!"}}]}, []),
        ({"prompts": ["{{question}}"], "tests": [ASKED, ASKED], "defaultTest": {"vars": {"a": 1}}},
         [UNUSED]),
        ({"prompts": ["{{question}}"], "tests": [{"vars": {}, "assert": [NOON]}] * 2,
          "defaultTest": {"vars": {"queston": "?"}}}, ["$.defaultTest.vars.queston near-miss-key"]),
    ],
)  # fmt: skip
def test_a_variable_that_is_like_one_of_a_prompt(value: Any, found: list[str]) -> None:
    value = {"providers": ["echo"], "tests": [ASKED], **value}
    assert told("promptfooconfig.yaml", json.dumps(value)) == found


@every_case(
    ("column", "meant"),
    [
        ("__expect", "__expected"), ("__assert", "__expected"), ("__metdata:cat", "__metadata:cat"),
        ("__desc", "__description"), ("_metadata:cat", "__metadata:cat"), ("_note", None),
        ("__treshold", "__threshold"), ("__note", None), ("__conifg:__expected:threshold",
                                                          "__config:__expected:threshold"),
    ],
)  # fmt: skip
def test_a_column_that_is_like_an_instruction(column: str, meant: str | None) -> None:
    found = diagnostics("tests.csv", f"q,__expected,{column}\n?,noon,x\n")
    assert [(each.code, each.help) for each in found] == (
        [("promptfoo/near-miss-key", f"did you mean `{meant}`?")] if meant else []
    )


@every_case(
    ("more", "found"),
    [
        ({"threshold": "0.5"}, ["$[0].threshold quoted-number"]),
        ({"threshold": "x"}, ["$[0].threshold quoted-number"]),
        ({"assert": [{**NOON, "weight": "2"}]}, ["$[0].assert[0].weight quoted-number"]),
        ({"assert": [{**NOON, "threshold": "2"}]}, []),
        ({"assert": [{**NOON, "threshold": "x"}]}, ["$[0].assert[0].threshold quoted-number"]),
        ({"assert": [{"type": "assert-set", "threshold": "1", "assert": [NOON]}]},
         ["$[0].assert[0].threshold quoted-number"]),
        ({"threshold": True}, ["$[0].threshold wrong-type"]),
    ],
)  # fmt: skip
def test_numbers_in_quotes_load(more: Any, found: list[str]) -> None:
    assert told("tests.json", json.dumps([{**TEST, **more}])) == found


def test_a_number_in_quotes_of_the_default_test_is_told_once() -> None:
    value = {"prompts": ["{{q}}"], "tests": [TEST, TEST], "defaultTest": {"threshold": "0.5"}}
    found = ["$.defaultTest.threshold quoted-number"]
    assert told("promptfooconfig.yaml", json.dumps(value)) == found


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


@pytest.mark.costly
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
