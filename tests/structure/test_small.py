"""What is said of small values without an engine is what the engine says."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcontract.checks.demand import demand_of
from evalcontract.source import Document, read_file
from evalcontract.structure.engine import native_for
from evalcontract.structure.gate import closed, gate_schema
from evalcontract.structure.schemas import definition, load
from evalcontract.structure.small import SmallValues

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
KINDS = ("dataset", "rubric", "judge", "target")
ROW = definition("row", of="dataset")
GATE = gate_schema(
    ROW, ["rubric/tone@1.0.0"], [], demand_of(None, has_bundle=False), {"row": ["page"]}
)
SCHEMAS = {**{kind: load(kind) for kind in KINDS}, "gate": GATE}
SCHEMAS |= {f"closed {kind}": closed(load(kind)) for kind in KINDS}

ODD: list[Any] = [
    None, True, False, 0, 1, -1, 1.0, 0.5, 10**20, -(10**400), float("inf"), float("nan"), "",
    " ", "a", "x_1", "1.0.0",
    "1.0.0\n", "\ud800", "\u2028", "rubric/tone@1.0.0", "json", [], ["a", "a"], ["a", 1], [[]],
    {}, {"x_a": 1}, {"1": 2}, 2**53, "kind", "llm_judge", "2026-01-31", "2026-01-31\n",
]  # fmt: skip


def documents() -> list[Any]:
    """Return values of all kinds: what the conformance suite and the schemas' examples hold."""
    found: list[Any] = []
    for path in sorted((ROOT / "fixtures").rglob("*.yaml")):
        source = read_file(path, path.name)
        if isinstance(source, Document) and len(json.dumps(source.value)) < 4000:
            found.append(source.value)
    return [*found, *(each for kind in KINDS for each in load(kind).get("examples", ()))]


DOCUMENTS = documents()
VALUES = [*DOCUMENTS, *(each["questions"] for each in DOCUMENTS if "questions" in (each or ()))]


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every mapping or list below a value, with each of its keys or indexes."""
    if not isinstance(value, dict | list):
        return
    for key, part in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, key
        yield from places(part)


def native(schema: Any, value: Any) -> bool | None:
    """Return the verdict of the engine; None where it takes the value for no JSON."""
    try:
        return native_for(schema).is_valid(value)
    except (ValueError, TypeError, RecursionError):
        return None


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_verdict_is_that_of_the_engine(name: str) -> None:
    schema = SCHEMAS[name]
    engine = native_for(schema)
    verdicts = {}
    for number, value in enumerate(VALUES):
        verdict = SmallValues(schema).verdict(value)
        assert verdict in (None, engine.is_valid(value)), value
        verdicts[number] = verdict
    assert {True, False} <= set(verdicts.values()) or name.endswith("target")


@settings(max_examples=600, deadline=None)
@given(st.data())
def test_the_verdict_on_changed_values_is_that_of_the_engine(data: st.DataObject) -> None:
    """Parts are left out, renamed, and replaced by odd ones and by parts of other values."""
    schema = SCHEMAS[data.draw(st.sampled_from(sorted(SCHEMAS)))]
    value = copy.deepcopy(data.draw(st.sampled_from(VALUES)))
    for _ in range(data.draw(st.integers(1, 3))):
        holders = list(places(value))
        if not holders:
            break
        holder, key = data.draw(st.sampled_from(holders))
        change = data.draw(st.sampled_from(["drop", "odd", "rename"]))
        if change == "drop":
            del holder[key]
        elif change == "odd":
            holder[key] = copy.deepcopy(data.draw(st.sampled_from(ODD)))
        elif isinstance(holder, dict):
            holder[data.draw(st.sampled_from(["x_own", f"{key}s", "page"]))] = holder.pop(key)
    verdict = SmallValues(schema).verdict(value)
    assert verdict is None or verdict is native(schema, value)


KEYWORDS: list[Any] = [
    {"enum": [1, "a", None]}, {"enum": [True]}, {"const": 1}, {"const": 1.0}, {"const": []},
    {"type": "integer"}, {"type": ["number", "null"]}, {"type": "object", "minProperties": 1},
    {"items": {"type": "string"}, "uniqueItems": True, "maxItems": 2}, {"minItems": 1},
    {"pattern": "^[a-z]+$"}, {"pattern": "^\\d$"}, {"pattern": "a.c"}, {"pattern": "(a$|b)"},
    {"pattern": "\\u2028"}, {"pattern": "(?=a)a"}, {"pattern": "[a-]+?b{2,3}$"},
    {"minLength": 1, "maxLength": 2}, {"minimum": 1}, {"exclusiveMaximum": 1, "maximum": 3},
    {"not": {"type": "string"}}, {"anyOf": [{"type": "null"}, {"minimum": 1}]}, True, False,
    {"oneOf": [True]}, {"prefixItems": [True]}, {"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"},
    {"if": {"type": "string"}, "then": {"minLength": 2}, "else": {"type": "boolean"}},
    {"properties": {"x_a": {"const": 1}}, "additionalProperties": False},
    {"patternProperties": {"^x_": {"type": "integer"}}, "additionalProperties": {"const": 2}},
    {"additionalProperties": False}, {"required": ["x_a"]}, {"unheard": 1}, {"format": "date"},
    {"$id": "urn:a", "type": "null"}, {"propertyNames": False},
]  # fmt: skip


@pytest.mark.parametrize("part", KEYWORDS, ids=str)
def test_keyword(part: Any) -> None:
    schema = {"allOf": [part], "$defs": {"a": {"type": "string"}, "b": {"$ref": "#/$defs/a"}}}
    for value in ODD:
        verdict = SmallValues(schema).verdict(value)
        assert verdict is None or verdict is native(schema, value), value


def test_work_is_bounded() -> None:
    """However much there is to judge, a judge stops, and leaves the rest to the engines."""
    judge = SmallValues({"items": {"$ref": "#/$defs/a"}, "$defs": {"a": {"type": "integer"}}})
    assert judge.verdict([1]) is True
    assert judge.verdict([1] * 100_000) is None
    assert judge.verdict([1]) is None
    loop = SmallValues({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}})
    assert loop.verdict(1) is None
    deep: Any = []
    for _ in range(2000):
        deep = [deep]
    assert SmallValues({}).verdict(deep) is None
