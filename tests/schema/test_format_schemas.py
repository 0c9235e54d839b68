"""The schemas of other systems' datasets: for authors in an editor, and as the loaders read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from examples import mostly_costly
from jsonschema import Draft202012Validator
from tables import every_case

from evalcontract.formats import dialects
from evalcontract.structure.schemas import load, names, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES = names("formats/")
every = every_case("name", NAMES)


def parts(schema: Any, at: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every property and definition of a schema, with where it stands."""
    for keyword in ("properties", "$defs", "patternProperties"):
        for key, inner in schema.get(keyword, {}).items():
            if isinstance(inner, dict):
                yield f"{at}/{keyword}/{key}", inner
                yield from parts(inner, f"{at}/{keyword}/{key}")
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            yield from parts(schema[keyword], f"{at}/{keyword}")


def test_every_dialect_has_its_schema() -> None:
    assert sorted(NAMES) == sorted(each.schema for each in dialects())


@pytest.mark.parametrize("name", mostly_costly(NAMES))
def test_it_is_a_schema(name: str) -> None:
    Draft202012Validator.check_schema(load(name))


@every
def test_its_id_says_where_it_stands(name: str) -> None:
    assert load(name)["$id"] == f"https://evalcontract.example/schema/1.0/{name}.schema.json"


@every
def test_it_refers_to_itself_alone(name: str) -> None:
    text = text_of(name)
    references = [line.split('"$ref":')[1] for line in text.split("\n") if '"$ref":' in line]
    assert all(each.strip().startswith('"#/$defs/') for each in references)


@every
def test_every_key_is_described(name: str) -> None:
    schema = load(name)
    for at, part in parts(schema):
        if at.startswith("/properties") or "/properties/" in at:
            target = part
            while "$ref" in target and "description" not in target:
                target = schema["$defs"][target["$ref"].rpartition("/")[2]]
            assert target.get("title"), at
            assert target.get("description", "").endswith("."), at


@every
def test_its_examples_are_valid(name: str) -> None:
    schema = load(name)
    for at, part in [("", schema), *parts(schema)]:
        inner = {key: value for key, value in part.items() if key not in ("$schema", "$id")}
        engine = Draft202012Validator({**inner, "$defs": schema["$defs"]})
        for example in part.get("examples", ()):
            assert engine.is_valid(example), (at, json.dumps(example))


@every
def test_a_row_has_an_example(name: str) -> None:
    assert load(name)["$defs"]["row"]["examples"]
