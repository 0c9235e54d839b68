"""What holds of the published schemas themselves, and that the suite leaves nothing of them out."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from evalcontract.structure import exact

if TYPE_CHECKING:
    from collections.abc import Iterator

Location = tuple[Any, ...]
#: A place in a schema, the schema there, and what is known of a value that gets there.
Place = tuple[Location, dict[str, Any], dict[str, Any]]

LEAVES = {
    *("type", "enum", "const", "pattern", "minLength", "minItems", "uniqueItems", "minimum"),
    *("maximum", "exclusiveMinimum", "exclusiveMaximum", "anyOf", "not"),
}
APPLICATORS = {"properties", "items", "additionalProperties", "allOf", "if", "then", "else"}
ANNOTATIONS = {"title", "description", "examples", "default"}
HEAD = {"$schema", "$id", "$defs"}


def places(schema: Any, root: Any, at: Location = (), known: Any = None) -> Iterator[Place]:
    """Yield every place where a value is judged, each use of a definition as one of its own.

    Inside of a `then` it is known that the `if` holds, so that much cannot fail there.
    """
    known = known or {}
    yield at, schema, known
    if "$ref" in schema:
        yield from places(root["$defs"][schema["$ref"].rpartition("/")[2]], root, at, known)
    for name, inner in schema.get("properties", {}).items():
        granted = known.get("properties", {}).get(name)
        yield from places(inner, root, (*at, "properties", name), granted)
    for number, inner in enumerate(schema.get("allOf", ())):
        yield from places(inner, root, (*at, "allOf", number))
    for key in ("items", "additionalProperties", "else"):
        if isinstance(schema.get(key), dict):
            yield from places(schema[key], root, (*at, key))
    if "then" in schema:
        yield from places(schema["then"], root, (*at, "then"), schema["if"])


def assertions(schema: Any) -> Iterator[Location]:
    """Yield where the schema can refuse a value; a required key counts by itself."""
    for at, part, known in places(schema, schema):
        for key in LEAVES & part.keys():
            if known.get(key) != part[key]:
                yield (*at, key)
        if part.get("additionalProperties") is False:
            yield (*at, "additionalProperties")
        for name in part.get("required", ()):
            if name not in known.get("required", ()):
                yield (*at, "required", name)


def refusals(validator: Any, data: Any) -> Iterator[Location]:
    """Yield where the schema does refuse a value."""
    for error in validator.iter_errors(data):
        at = tuple(error.absolute_schema_path)
        if error.validator == "required":
            missing = (key for key in error.validator_value if key not in error.instance)
            yield from ((*at, key) for key in missing)
        else:
            yield at


def properties(schema: Any) -> dict[Location, dict[str, Any]]:
    """Return every property that a value may have, with its schema and what it refers to."""
    found: dict[Location, dict[str, Any]] = {}
    for at, part, _ in places(schema, schema):
        if at and "properties" in at[-2:-1] and "not" not in part:
            found[at] = {**part, **found.get(at, {})}
    return found


def uses(validator: Any, schema: Any, data: Any, at: Location = ()) -> Iterator[Location]:
    """Yield the properties that a valid value has."""
    if "$ref" in schema:
        target = validator.schema["$defs"][schema["$ref"].rpartition("/")[2]]
        yield from uses(validator, target, data, at)
    if isinstance(data, dict):
        for name in schema.get("properties", {}).keys() & data.keys():
            inside = (*at, "properties", name)
            yield inside
            yield from uses(validator, schema["properties"][name], data[name], inside)
    if isinstance(data, list) and "items" in schema:
        for item in data:
            yield from uses(validator, schema["items"], item, (*at, "items"))
    for number, inner in enumerate(schema.get("allOf", ())):
        yield from uses(validator, inner, data, (*at, "allOf", number))
    if "if" in schema and validator.evolve(schema=schema["if"]).is_valid(data):
        yield from uses(validator, schema["then"], data, (*at, "then"))


def subschemas(schema: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every place of the schema and of each definition, with a name to report."""
    for name, start in {"#": schema, **schema["$defs"]}.items():
        for at, part, _ in places(start, {"$defs": {key: {} for key in schema["$defs"]}}):
            yield "/".join(map(str, (name, *at))), part


@pytest.mark.slow
def test_every_keyword_refuses_something(
    schema_name: str, schemas: Any, exact: Any, cases: Any
) -> None:
    """For each keyword of each property some invalid case fails by just that."""
    hit = {
        at
        for case in cases
        if case["schema"] == schema_name and not case["valid"]
        for at in refusals(exact[schema_name], case["data"])
    }
    assert set(assertions(schemas[schema_name])) - hit == set()


def test_every_property_is_used(schema_name: str, schemas: Any, exact: Any, cases: Any) -> None:
    """Each property stands in some valid case."""
    schema, validator = schemas[schema_name], exact[schema_name]
    used = {
        at
        for case in cases
        if case["schema"] == schema_name and case["valid"]
        for at in uses(validator, schema, case["data"])
    }
    assert properties(schema).keys() - used == set()


@pytest.mark.slow
def test_schema_is_a_schema(schema_name: str, schemas: Any) -> None:
    """The schema follows its own metaschema."""
    Draft202012Validator.check_schema(schemas[schema_name])


def test_suite_schema_is_a_schema(suite_schema: Any) -> None:
    """So does the schema of the suite's files."""
    Draft202012Validator.check_schema(suite_schema)


def test_ids_are_versioned_and_unique(schemas: Any, suite_schema: Any) -> None:
    """Each id ends in the version and the file's name."""
    ids = {name: schema["$id"] for name, schema in schemas.items()}
    for name, identity in ids.items():
        assert identity.endswith(f"/schema/1.0/{name}.schema.json")
    assert len({*ids.values(), suite_schema["$id"]}) == len(ids) + 1


def test_keywords_are_known(schema_name: str, schemas: Any) -> None:
    """Only standard keywords that these tests and every editor understand; local references."""
    allowed = LEAVES | APPLICATORS | ANNOTATIONS | HEAD | {"required", "$ref"}
    for name, part in subschemas(schemas[schema_name]):
        assert part.keys() <= allowed, name
        assert name == "#" or not HEAD & part.keys(), name
        target = part.get("$ref", "#/$defs/").removeprefix("#/$defs/")
        assert not target or target in schemas[schema_name]["$defs"], name


def test_definitions_are_used(schema_name: str, schemas: Any) -> None:
    """No definition stands there for nothing."""
    used = {part["$ref"] for _, part in subschemas(schemas[schema_name]) if "$ref" in part}
    assert used == {f"#/$defs/{name}" for name in schemas[schema_name]["$defs"]}


def test_everything_is_explained(schema_name: str, schemas: Any) -> None:
    """Each property, definition and schema has a title and a description in whole sentences."""
    schema = schemas[schema_name]
    explained = {("#",): schema, **{(name,): part for name, part in schema["$defs"].items()}}
    for at, part in {**explained, **properties(schema)}.items():
        assert part.get("title"), at
        assert re.fullmatch(r"[A-Z`][^\n]*[.]", part.get("description", "")), at


def test_defaults_and_examples_are_valid(schema_name: str, schemas: Any) -> None:
    """What an editor offers is accepted."""
    schema = schemas[schema_name]
    for name, part in subschemas(schema):
        offered = [*part.get("examples", ()), *([part["default"]] if "default" in part else ())]
        validator = exact.validator_for({**part, "$defs": schema["$defs"]})
        for value in offered:
            assert list(validator.iter_errors(value)) == [], (name, value)


def test_patterns_mean_the_same_everywhere(schema_name: str, schemas: Any) -> None:
    """Patterns are anchored, and free of what the dialects read differently."""
    for name, part in subschemas(schemas[schema_name]):
        if "pattern" in part:
            assert re.fullmatch(r"\^.*\$", part["pattern"]), name
            assert not re.search(r"\\[^.+n\\]", part["pattern"]), name


def test_shared_definitions_are_equal(schemas: Any) -> None:
    """A definition of the same name says the same in each schema, which stands alone."""
    by_name: dict[str, list[Any]] = {}
    for schema in schemas.values():
        for name, part in schema["$defs"].items():
            by_name.setdefault(name, []).append(part)
    for name, parts in by_name.items():
        assert all(one == other for one, other in pairwise(parts)), name


def test_each_kind_has_a_closed_branch(schemas: Any) -> None:
    """`kind` leads to one branch for each of its values."""
    definitions = schemas["rubric"]["$defs"]
    check = definitions["check"]
    kinds = [part["if"]["properties"]["kind"]["const"] for part in check["allOf"]]
    assert sorted(kinds) == sorted(check["properties"]["kind"]["enum"])
    for kind, part in zip(kinds, check["allOf"], strict=True):
        assert part["if"]["properties"] == {"kind": {"const": kind}}
        assert part["then"] == {"$ref": f"#/$defs/check_{kind}"}
        branch = definitions[f"check_{kind}"]
        assert branch["additionalProperties"] is False
        assert "kind" in branch["required"]
        assert {"id", "kind", "label", "description", "metadata"} <= branch["properties"].keys()


@pytest.mark.parametrize("kind", [None, "other"])
def test_a_branch_alone_insists_on_its_kind(schemas: Any, kind: str | None) -> None:
    """A branch that is used without the dispatch refuses a check of another kind."""
    definitions = schemas["rubric"]["$defs"]
    for name, branch in definitions.items():
        if not name.startswith("check_") or "properties" not in branch:
            continue
        check = {**branch["examples"][0], "kind": kind}
        if kind is None:
            del check["kind"]
        errors = list(exact.validator_for({**branch, "$defs": definitions}).iter_errors(check))
        assert [error.validator for error in errors] == ["const" if kind else "required"], name
