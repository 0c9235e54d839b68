"""The verdicts of the real loader, on files that were given to it."""

from __future__ import annotations

import json
import os
from io import BytesIO
from pathlib import Path
from typing import Any

import pydantic
import pytest
from northstar_checks import check_text
from northstar_models import Case

from evalcontract.formats.northstar import NORTHSTAR
from evalcontract.source import RowStream
from evalcontract.source.document import Document
from evalcontract.source.foreign import Foreign, read_foreign_stream
from evalcontract.structure.dialect_stage import SchemaStage

SCHEMA = "formats/northstar"

FILE = Path(__file__).parents[4] / "shared" / "cases" / "northstar.json"


@pytest.fixture(scope="module")
def cases() -> list[dict[str, Any]]:
    """Return the cases, which stand beside the repository."""
    if not FILE.is_file():
        reason = "the cases do not stand beside the repository"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    found: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    assert found
    return found


def test_every_verdict_is_the_loaders(cases: list[dict[str, Any]], tmp_path: Path) -> None:
    differ = []
    for case in cases:
        given = case["input"]
        text = given["text"] if "text" in given else json.dumps(given["records"])
        found = check_text(text, tmp_path, given.get("filename", "records.json"))
        is_accepted = not any(each.is_error for each in found)
        if is_accepted != (case["verdict"] == "accept"):
            differ.append((case["name"], case["verdict"], [each.code for each in found]))
    assert differ == []


def test_the_models_of_these_tests_are_the_loaders(cases: list[dict[str, Any]]) -> None:
    """What the differential test rests on agrees with the real loader, too."""
    given = [case for case in cases if "records" in case["input"]]
    assert given
    for case in given:
        try:
            for row in case["input"]["records"]:
                Case.model_validate(row)
            verdict = "accept"
        except pydantic.ValidationError:
            verdict = "reject"
        assert verdict == case["verdict"], case["name"]


def test_the_reader_sees_what_the_loader_parsed(cases: list[dict[str, Any]]) -> None:
    seen = 0
    for case in cases:
        if case["verdict"] != "accept":
            continue
        rows = rows_of(case["input"])
        assert len(rows) == len(case["parsed_excluding_defaults"]), case["name"]
        for row, parsed in zip(rows, case["parsed_excluding_defaults"], strict=True):
            reader = NORTHSTAR.reader(Foreign("json", RowStream("d", BytesIO, 0)), None)
            ours = reader.read(row, 0)
            # The parsed values leave out what a case has by default, and the usual messages.
            theirs = reader.read({"messages": row["messages"], **parsed}, 0)
            ours.row.pop("metadata", None)
            theirs.row.pop("metadata", None)
            assert ours.row == theirs.row, case["name"]
            assert ours.rubric == theirs.rubric, case["name"]
            seen += 1
    assert seen


def rows_of(given: dict[str, Any]) -> list[Any]:
    if "records" in given:
        return list(given["records"])
    read = read_foreign_stream(BytesIO(given["text"].encode()), given["filename"])
    if not isinstance(read, Foreign) or not isinstance(read.source, Document):
        return []
    layout = NORTHSTAR.find_rows(read, None, SchemaStage("northstar", "NorthStar", SCHEMA))
    return layout.rows or []


def test_the_cases_cover_both_verdicts(cases: list[dict[str, Any]]) -> None:
    assert {case["verdict"] for case in cases} == {"accept", "reject"}
