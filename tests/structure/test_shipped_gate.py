"""The closed schema of a row that ships is the one that the schema of the contract gives."""

from __future__ import annotations

import runpy
from pathlib import Path

from evalcontract.structure.gate import closed, closed_row, gate_schema
from evalcontract.structure.schemas import definition

ROOT = Path(__file__).parents[2]


def test_what_ships_is_what_the_script_writes() -> None:
    """`make schemas` writes it anew."""
    script = runpy.run_path(str(ROOT / "release" / "build_closed.py"))
    assert (ROOT / "schema" / "closed.json").read_text(encoding="utf-8") == script["text"]()


def test_a_row_that_ships_is_closed_as_any_schema_is() -> None:
    assert closed_row() == closed(definition("row", of="dataset"))


def test_a_gate_of_the_contract_is_that_of_an_equal_schema() -> None:
    row = definition("row", of="dataset")
    equal = {**row, "$defs": dict(row["$defs"])}  # which is not known to ship
    bundle = {"properties": {"chapter": {"type": "integer"}, "context": {"type": "object"}}}
    harmless: dict[str, dict[str, list[str]]] = {
        "row": {"notes": [], "criteria:x": ["criteria"]},
        "expected": {"own": []},
    }
    for bundles in ([], [bundle]):
        made = [
            gate_schema(each, ["rubric/a@1.0"], bundles, None, harmless) for each in (row, equal)
        ]
        assert made[0] == made[1]
