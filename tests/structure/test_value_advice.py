"""What is to be typed where a text is no number, a list no text, or a key is in a check."""

from __future__ import annotations

from typing import Any

from tables import every_case

from evalcontract.structure.schemas import definition, load
from evalcontract.structure.validator import SchemaValidator
from evalcontract.structure.value_messages import number_advice

WHOLE: dict[str, Any] = {"type": "integer", "minimum": 1}
NUMBER: dict[str, Any] = {"type": "number", "exclusiveMinimum": 0}
FRACTION: dict[str, Any] = {"type": "number", "minimum": 0, "maximum": 1}
# (a text, its key, the schema, the advice)
NUMBERS = [
    ("2k", "top_k", WHOLE, "write a whole number, without a unit"),
    ("2K", "max_chars", WHOLE, "write a whole number, without a unit"),
    ("10m", "timeout_seconds", NUMBER, "write a number, without a unit"),
    ("10s", "timeout_seconds", NUMBER, "write only the number: 10"),
    ("10 seconds", "timeout_seconds", NUMBER, "write only the number: 10"),
    ("200 chars", "max_chars", WHOLE, "write only the number: 200"),
    ("2,000", "sample_size", WHOLE, "write only the number: 2000"),
    ("2_000", "sample_size", WHOLE, "write only the number: 2000"),
    ("2,000", "timeout_seconds", NUMBER, "write a number"),
    ("2.5", "sample_size", WHOLE, "write a whole number"),
    ("0", "sample_size", WHOLE, "write a whole number"),
    ("3", "sample_size", WHOLE, "remove the quotes: 3"),
    ("1e3 calls", "max_calls", WHOLE, "write a whole number"),
    ("two", "max_calls", WHOLE, "write a whole number"),
    ("2.5", "timeout_seconds", NUMBER, "remove the quotes: 2.5"),
    ("2,5", "timeout_seconds", NUMBER, "write 2.5, with a decimal point"),
    ("0,8", "threshold", FRACTION, "write 0.8, with a decimal point"),
    ("80%", "threshold", FRACTION, "write 0.8"),
    ("80 %", "threshold", FRACTION, "write 0.8"),
    ("80", "threshold", FRACTION, "write a number, such as 0.8"),
    ("high", "threshold", FRACTION, "write a number, such as 0.8"),
]
# (the texts of the items as written, the advice at each item of a wrong type)
LISTS = [
    (["50%", "1", "000 EUR"], {1: 'quote the text with its comma: "1,000 EUR"'}),
    (
        ["-1", "000"],
        dict.fromkeys((0, 1), 'quote the text with its comma: "-1,000"'),
    ),
    (["1", "2000"], {0: 'quote it: "1"', 1: 'quote it: "2000"'}),
    (["1", "two"], {0: 'quote it: "1"'}),
    (["1", '"000 EUR"'], {0: 'quote it: "1"'}),
]


@every_case(("text", "key", "schema", "advice"), NUMBERS)
def test_numbers(text: str, key: str, schema: dict[str, Any], advice: str) -> None:
    noun = "a whole number" if schema is WHOLE else "a number"
    assert number_advice(text, schema, noun, key) == advice


@every_case(("items", "advice"), LISTS)
def test_texts_that_a_comma_splits(items: list[str], advice: dict[int, str]) -> None:
    values = [int(item) if item.strip("-").isdigit() else item for item in items]
    row = {"id": "a", "input": "b", "expected_facts": values}
    validator = SchemaValidator("dataset", definition("row", of="dataset"))
    written: dict[Any, str] = dict(enumerate(items))
    problems = validator.check(row, (), lambda path: written.get(path[-1]))
    assert {problem.path[-1]: problem.help for problem in problems} == advice
    for problem in problems:
        assert (problem.fix is None) is ("comma" in (problem.help or ""))


@every_case(
    ("value", "advice"),
    [
        ("- a: 1 year\n- b\n", "write a list: ['a: 1 year', b]"),
        ("first\nsecond", "write a list: [first, second]"),
        ("a, b", "write a list: [a, b]"),
        ("- " + "a" * 40 + "\n- " + "b" * 40, "write each line as an item of a list"),
        ([{"warranty": "2 years"}], 'quote it: "warranty: 2 years"'),
        ([{"warranty": 2}], 'quote it: "warranty: 2"'),
        ([{"said": 'he "said" it'}], 'quote it: "said: he \\"said\\" it"'),
        ([{"a": 1, "b": 2}], "write plain text, in quotes if it begins with `[` or `{`"),
    ],
)
def test_lists(value: Any, advice: str) -> None:
    row = {"id": "a", "input": "b", "expected_facts": value}
    (problem,) = SchemaValidator("dataset", definition("row", of="dataset")).check(row)
    assert problem.help == advice


@every_case("number", [1, 3])
def test_a_key_of_the_root_in_a_check(number: int) -> None:
    checks: list[dict[str, Any]] = [
        {"id": f"c{index}", "kind": "format", "format": "json"} for index in range(number)
    ]
    checks[-1]["scoring"] = {"combine": "all_pass"}
    rubric = {"id": "a", "version": "1.0.0", "checks": checks}
    (problem,) = SchemaValidator("rubric", load("rubric")).check(rubric)
    assert problem.path == ("checks", number - 1, "scoring")
    assert problem.help == "move it to the root, beside `checks`"
    assert problem.fix is None
