"""The schemas of Evret's releases explain themselves, and their examples are clean."""

from __future__ import annotations

import json
from typing import Any

import pytest
from evret_files import codes_in
from tables import every_case

from evalcontract.formats.evret.releases import ID_KEYS, NAMES, RELEASES
from evalcontract.structure.native import native_for
from evalcontract.structure.parts import follow
from evalcontract.structure.schemas import definition, load

DEFINITIONS = ("file", "row", "document")
FIELDS = [(release, name) for release in RELEASES for name in DEFINITIONS]


@every_case(("release", "name"), FIELDS)
def test_every_field_is_explained(release: str, name: str) -> None:
    whole = load(f"formats/evret-{release}")
    for key, part in whole["$defs"][name]["properties"].items():
        field = follow(part, whole)
        assert field["title"], key
        assert field["description"].endswith("."), key
        for example in field["examples"]:
            value = {**whole["$defs"][name]["examples"][0], key: example}
            schema = native_for(definition(name, of=f"formats/evret-{release}"))
            assert schema.is_valid(value), (key, example)


@pytest.mark.parametrize("release", RELEASES)
def test_the_examples_of_a_file_have_no_findings(release: str) -> None:
    for example in load(f"formats/evret-{release}")["examples"]:
        assert codes_in(json.dumps(example), release) == []


@pytest.mark.parametrize("release", RELEASES)
def test_a_query_has_the_keys_that_its_release_reads(release: str) -> None:
    row: dict[str, Any] = load(f"formats/evret-{release}")["$defs"]["row"]
    read = {*RELEASES[release].lists, *NAMES[0], *NAMES[1]}
    assert row["properties"].keys() == {*read, "metadata"}
    assert not {key for key in ID_KEYS if key not in read} & row["properties"].keys()
