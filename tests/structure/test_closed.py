"""The quick look of the structure stage: what it lets pass must have no finding."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from evalcontract.structure.check import SchemaValidator
from evalcontract.structure.schemas import load

SUITE = Path(__file__).parents[2] / "fixtures" / "schema"
CASES = [
    pytest.param(group["schema"], case, id=f"{path.stem}: {case['description']}")
    for path in sorted(SUITE.glob("*/*.json"))
    for group in json.loads(path.read_text(encoding="utf-8"))
    for case in group["tests"]
]


@cache
def structure(name: str) -> SchemaValidator:
    return SchemaValidator(name, load(name))


@pytest.mark.no_cover
@pytest.mark.parametrize(("name", "case"), CASES)
def test_what_passes_quickly_has_no_finding(
    name: str, case: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    checked = structure(name)
    quick = checked.is_clean(case["data"])
    monkeypatch.setattr(SchemaValidator, "is_clean", lambda *_: False)
    exact = checked.check(case["data"])

    assert not (quick and exact)


def test_most_of_what_is_fine_passes_quickly() -> None:
    """A key of the author's own takes the exact way; hardly anything else does."""
    quick = [
        structure(group["schema"]).is_clean(case["data"])
        for path in SUITE.glob("*/*.json")
        for group in json.loads(path.read_text(encoding="utf-8"))
        for case in group["tests"]
        if case["valid"]
    ]

    assert sum(quick) > 0.9 * len(quick) > 100
