"""The documented cases: what the documentation refuses is an error, all else is not."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from evalcontract.engine.options import Input, Options
from evalcontract.engine.pipeline import validate
from evalcontract.model.reference import Kind

if TYPE_CHECKING:
    from evalcontract.model.diagnostic import Diagnostic

CASES = Path(__file__).parents[4] / "shared" / "cases" / "databricks.json"
REASON = "../shared/cases is not there"
#: A row of this format that is put into another one.
OF_OTHERS = {"databricks-row-into-oss-evaluate"}

if not CASES.exists() and "CI" not in os.environ:
    pytest.skip(REASON, allow_module_level=True)

EVERY: dict[str, dict[str, Any]] = {
    each["name"]: each for each in json.loads(CASES.read_text(encoding="utf-8"))
}


def findings(rows: Any, dialect: str, folder: Path) -> list[Diagnostic]:
    path = folder / "set.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    options = Options(root=folder, strict=False, dialect=dialect)
    return validate(Kind.DATASET, [Input(path)], options).diagnostics


@pytest.mark.parametrize("name", sorted(EVERY.keys() - OF_OTHERS))
def test_case(name: str, tmp_path: Path) -> None:
    case = EVERY[name]
    given = case["input"]
    dialect = "databricks"
    if isinstance(given, dict) and "mode" in given:
        dialect, given = f"databricks:{given['mode']}", given["row"]
    found = findings(given if isinstance(given, list) else [given], dialect, tmp_path)
    assert any(each.is_error for each in found) is (case["documented"] == "reject")
    if case["documented"] == "accept":
        assert found == []


def test_the_other_case_is_one_of_mlflow() -> None:
    assert {EVERY[name]["documented"] for name in OF_OTHERS} == {"n/a"}
