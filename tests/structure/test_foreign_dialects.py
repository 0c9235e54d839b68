"""The schemas of dialects that other packages bring, found by their names."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from evalcontract.model.errors import InstallationError, PluginError
from evalcontract.structure import schemas as foreign

ROWS = {"$defs": {"row": {"type": "object"}}}


@pytest.fixture
def acme(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Install the dialects `other` and `acme`; the schemas of `acme` are returned, by variant."""
    schemas: dict[str, Any] = {}
    dialects = {
        "other": SimpleNamespace(name="other", schemas={"": ROWS}),
        "acme": SimpleNamespace(name="acme", schemas=schemas),
    }
    monkeypatch.setattr(foreign, "entry_points", {"dialects": dialects}.__getitem__)
    return schemas


def test_a_dialect_has_a_schema_for_each_variant(acme: dict[str, Any]) -> None:
    acme |= {"": ROWS, "2": {**ROWS, "title": "two"}}
    assert foreign.schema_of_dialect("acme") == {"$schema": foreign.DRAFT, **ROWS}
    assert foreign.schema_of_dialect("acme-2") == {"$schema": foreign.DRAFT, **acme["2"]}


def test_the_draft_that_a_schema_names_is_kept(acme: dict[str, Any]) -> None:
    acme[""] = {"$schema": "http://json-schema.org/draft-07/schema#", **ROWS}
    assert foreign.schema_of_dialect("acme") == acme[""]


@pytest.mark.parametrize("name", ["acme", "acme-3", "acme-", "nobody"])
def test_a_dialect_that_is_not_installed(name: str, acme: dict[str, Any]) -> None:
    acme["2"] = ROWS
    with pytest.raises(InstallationError, match=f"the schema `formats/{name}` is not installed"):
        foreign.schema_of_dialect(name)


@pytest.mark.parametrize(
    "schema", [{}, {"type": "object"}, {"$defs": {}}, {"$defs": {"rows": {}}}, {**ROWS, "type": 5}]
)
def test_a_schema_without_a_row(schema: dict[str, Any], acme: dict[str, Any]) -> None:
    acme["2"] = schema
    message = r"`acme-2` of evalcontract.dialects has no JSON Schema with `\$defs/row`"
    with pytest.raises(PluginError, match=message):
        foreign.schema_of_dialect("acme-2")
