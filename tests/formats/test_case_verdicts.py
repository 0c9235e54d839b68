"""Every case that was put to a real loader, or is documented, gets that verdict here."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from tables import every_case

from evalcontract.checking.pipeline import validate
from evalcontract.datasets.opening import Input, Options
from evalcontract.model.reference import Kind

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from evalcontract.model.diagnostic import Diagnostic

#: Cases whose verdict does not depend on a dataset of the system, and why.
OF_NO_DATASET = {
    ("databricks", "databricks-row-into-oss-evaluate"): "a row of this format for another system",
    ("evret", "file-missing"): "there is no file to judge",
    (
        "mlflow",
        "create_dataset no-name",
    ): "the name of a dataset stands in a call, not in its records",
    ("mlflow", "create_dataset tags-int-value"): "tags of a dataset stand in a call",
    ("mlflow", "create_dataset duplicate-name"): "the name of a dataset stands in a call",
    ("mlflow", "create_dataset empty-name"): "the name of a dataset stands in a call",
    ("mlflow", "to_df empty-to_df-columns"): "these are columns that MLflow writes",
    ("mlflow", "evaluate predict_fn-arg-mismatch"): "the function is not in the data",
    ("mlflow", "scorer Correctness-neither"): "what a scorer makes of a row",
    ("mlflow", "scorer ExpectationsGuidelines-empty"): "what a scorer makes of a row",
    ("mlflow", "scorer Equivalence-no-response"): "what a scorer makes of a row",
}
#: How many cases a dialect is held to at least.
ENOUGH = {
    "databricks": 20,
    "evret:0.0.1": 40,
    "evret:0.0.2": 40,
    "evret:0.0.3": 40,
    "mlflow": 50,
    "northstar": 40,
}


def name_of(case: dict[str, Any]) -> str:
    """Return what names a case in its system: MLflow's are named by what was called, too."""
    return f"{case['op']} {case['name']}" if "op" in case else str(case["name"])


class Asked(NamedTuple):
    """A file that holds a case, the dialect, and whether its loader rejects it."""

    dialect: str
    name: str
    text: str
    is_rejected: bool


def asked(case: dict[str, Any], dialect: str) -> Asked:
    """Return what is asked of a case of the system that a dialect belongs to."""
    system, _, variant = dialect.partition(":")
    given, name = case["input"], "d.json"
    verdict = case["verdict"]
    if system == "databricks":
        verdict = case["documented"]
        if isinstance(given, dict) and "mode" in given:
            dialect, given = f"databricks:{given['mode']}", given["row"]
        given = given if isinstance(given, list) else [given]
    elif system == "evret":
        verdict = case["by_version"][variant]["verdict"]
    elif system == "mlflow":
        dialect = {"merge_records": "mlflow:oss", "evaluate": "mlflow:evaluate"}[case["op"]]
        if isinstance(given, dict) and "DataFrame" in given:
            given = given["DataFrame"]
        elif isinstance(given, list) and given and all(isinstance(each, list) for each in given):
            given = [record for call in given for record in call]  # calls in turn are one file
    elif "records" in given:
        given = given["records"]
    text = json.dumps(given)
    if isinstance(given, dict) and "text" in given:
        name, text = given["filename"], given["text"]
    return Asked(dialect, name, text, verdict == "reject")


def findings(case: Asked, folder: Path) -> list[Diagnostic]:
    path = folder / case.name
    path.write_text(case.text, encoding="utf-8")
    options = Options(root=folder, strict=False, dialect=case.dialect)
    return validate(Kind.DATASET, [Input(path)], options).diagnostics


@pytest.mark.slow
@every_case("dialect", ENOUGH)
def test_every_verdict_is_the_loaders(
    dialect: str, tmp_path: Path, cases_of: Callable[[str], list[dict[str, Any]]]
) -> None:
    system = dialect.partition(":")[0]
    cases = [each for each in cases_of(system) if (system, name_of(each)) not in OF_NO_DATASET]
    differ = []
    for case in cases:
        question = asked(case, dialect)
        found = findings(question, tmp_path)
        if any(each.is_error for each in found) is not question.is_rejected:
            differ.append((name_of(case), question.is_rejected, [each.code for each in found]))
        if case.get("documented") == "accept":
            assert found == [], case["name"]
    assert differ == []
    assert len(cases) >= ENOUGH[dialect]


def test_every_case_that_is_left_out_is_there(
    cases_of: Callable[[str], list[dict[str, Any]]],
) -> None:
    for system, name in OF_NO_DATASET:
        assert name in {name_of(each) for each in cases_of(system)}
