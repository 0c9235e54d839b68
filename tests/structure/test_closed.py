"""The quick look of the structure stage: what it lets pass must have no finding."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tables import every_case

from evalcontract.structure.schemas import load
from evalcontract.structure.validator import SchemaValidator

SUITE = Path(__file__).parents[2] / "fixtures" / "schema"
FILES = {f"{path.parent.name}/{path.stem}": path for path in sorted(SUITE.glob("*/*.json"))}


def cases_of(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """Return the cases of a file of the suite, each with the name of its schema."""
    groups = json.loads(path.read_text(encoding="utf-8"))
    return [(group["schema"], case) for group in groups for case in group["tests"]]


@cache
def structure(name: str) -> SchemaValidator:
    return SchemaValidator(name, load(name))


@pytest.mark.slow
@pytest.mark.no_cover
@every_case("path", FILES.values(), ids=FILES)
def test_what_passes_quickly_has_no_finding(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = cases_of(path)
    quick = [case for name, case in cases if structure(name).is_clean(case["data"])]
    monkeypatch.setattr(SchemaValidator, "is_clean", lambda *_: False)
    faulty = [case for name, case in cases if structure(name).check(case["data"])]
    assert [case["description"] for case in quick if case in faulty] == []


def test_most_of_what_is_fine_passes_quickly() -> None:
    """A key of the author's own takes the exact way; hardly anything else does."""
    cases = [pair for path in FILES.values() for pair in cases_of(path) if pair[1]["valid"]]
    quick = [structure(name).is_clean(case["data"]) for name, case in cases]
    assert sum(quick) > 0.9 * len(quick) > 100
