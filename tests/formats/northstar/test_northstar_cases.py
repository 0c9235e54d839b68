"""What the real loader parsed of the files that were given to it, beside its verdicts."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

import pydantic
import pytest
from northstar_models import Case

from evalcontract.formats.northstar import Northstar
from evalcontract.source.document import Document
from evalcontract.source.external import ExternalFile, read_external_stream
from evalcontract.source.jsonl import RowStream
from evalcontract.structure.dialect_checker import dialect_checker

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEMA = "formats/northstar"


@pytest.fixture(scope="session")
def cases(cases_of: Callable[[str], list[dict[str, Any]]]) -> list[dict[str, Any]]:
    return cases_of("northstar")


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
            reader = Northstar().reader(ExternalFile("json", RowStream("d", BytesIO, 0)))
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
    read = read_external_stream(BytesIO(given["text"].encode()), given["filename"])
    if not isinstance(read.source, Document):
        return []
    layout = Northstar().rows(read, dialect_checker("northstar", "NorthStar", SCHEMA))
    return layout.rows or []


def test_the_cases_cover_both_verdicts(cases: list[dict[str, Any]]) -> None:
    assert {case["verdict"] for case in cases} == {"accept", "reject"}
