"""The published schema of NorthStar: explained in every field, and lenient as its loader is."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from hypothesis import given
from northstar_cases import cases
from northstar_models import Case, Expected, Metrics, ToolArguments, TraceExpected, Transition
from tables import every_case

from evalcontract.source.installed import table
from evalcontract.structure.exact import validator_for
from evalcontract.structure.native import native_for
from evalcontract.structure.schemas import load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import BaseModel

SCHEMA = load("formats/northstar")
EXACT, NATIVE = validator_for(SCHEMA), native_for(SCHEMA)
KNOWN = {
    *("$schema", "$id", "$defs", "$ref", "title", "description", "examples", "type", "const"),
    *("pattern", "minimum", "maximum", "required", "properties", "items", "not"),
    *("additionalProperties", "if", "then", "else"),
}
MODELS: dict[str, type[BaseModel]] = {
    "row": Case,
    "expected": Expected,
    "trace_expected": TraceExpected,
    "metrics": Metrics,
    "tool_arguments": ToolArguments,
    "transition": Transition,
}


def parts(schema: Any, name: str = "#") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every schema that describes something, with its name."""
    yield name, schema
    for key in ("properties", "$defs"):
        for inner, part in schema.get(key, {}).items():
            yield from parts(part, f"{name}/{inner}")
    if isinstance(schema.get("items"), dict) and "$ref" not in schema["items"]:
        yield from parts(schema["items"], f"{name}/items")


PARTS = dict(parts(SCHEMA))


@every_case("name", PARTS)
def test_every_field_is_explained(name: str) -> None:
    part = PARTS[name]
    assert part.keys() <= KNOWN
    assert part["title"]
    assert re.fullmatch(r"[A-Z`][^\n]*[.]", part["description"])
    assert part["examples"]
    validator = validator_for({**part, "$defs": SCHEMA["$defs"]})
    for example in part["examples"]:
        assert list(validator.iter_errors(example)) == []
    if "pattern" in part:
        assert re.fullmatch(r"\^.*\$", part["pattern"], re.DOTALL)


@every_case("name", MODELS)
def test_its_keys_are_those_of_the_models(name: str) -> None:
    fields = MODELS[name].model_fields
    definition = SCHEMA["$defs"][name]
    assert definition["properties"].keys() == fields.keys()
    required = {key for key, field in fields.items() if field.is_required()}
    assert set(definition.get("required", ())) == required
    assert definition["additionalProperties"] is False


def test_definitions_are_used() -> None:
    used = set(re.findall(r'"#/\$defs/(\w+)"', json.dumps(SCHEMA)))
    assert used == SCHEMA["$defs"].keys()


CASE = {"id": "a", "messages": []}
FILES: list[tuple[Any, bool]] = [
    ([], True),
    ([CASE], True),
    ({"cases": [CASE], "owner": 1}, True),
    (CASE, True),
    ({"cases": 5}, False),
    ({}, False),
    (5, False),
    ([5], False),
    ([{**CASE, "more": 1}], False),
]


@every_case(("value", "is_valid"), FILES)
def test_the_root_takes_what_a_file_may_hold(value: Any, *, is_valid: bool) -> None:
    assert EXACT.is_valid(value) is is_valid
    assert NATIVE.is_valid(value) is is_valid


def test_a_mistake_is_told_at_its_place() -> None:
    for value, path in (([{**CASE, "id": 5}], [0, "id"]), ({**CASE, "id": 5}, ["id"])):
        (error,) = EXACT.iter_errors(value)
        assert list(error.absolute_path) == path


@given(cases)
def test_the_engines_agree(case: dict[str, Any]) -> None:
    try:
        verdict = NATIVE.is_valid([case])
    except ValueError:
        return  # a value that is no JSON
    assert verdict == EXACT.is_valid([case])


@every_case("key", [key for key in table("formats/northstar.samples")["samples"] if key])
def test_a_sample_is_what_a_case_may_have(key: str) -> None:
    value = json.loads(table("formats/northstar.samples")["samples"][key])
    for place in reversed(key.split(".")):
        value = {place: value}
    (name, inner), *_ = value.items()
    outer = {} if name in SCHEMA["$defs"]["row"]["properties"] else {"expected": value}
    if name in SCHEMA["$defs"]["trace_expected"]["properties"]:
        outer = {"expected": {"trace": value}}
    if name == "arguments":
        outer = {"expected": {"tool_arguments": [{"name": "weather", "arguments": inner}]}}
    Case.model_validate({"id": "weather", "messages": [], **(outer or value)})
