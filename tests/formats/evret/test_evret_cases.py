"""The verdicts of the real loaders on the measured cases, for every release."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from evret_files import found_in, laid_out, read_text

from evalcontract.formats.evret.releases import RELEASES, parsed

CASES = Path(__file__).parents[4] / "shared" / "cases" / "evret.json"
#: Cases that are of no dataset, and why.
OF_NO_DATASET = {"file-missing": "there is no file to judge"}


def every_case() -> list[dict[str, Any]]:
    if not CASES.is_file():
        reason = "the measured cases do not stand beside the repository"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    found: list[dict[str, Any]] = json.loads(CASES.read_text(encoding="utf-8"))
    return found


def cases() -> list[dict[str, Any]]:
    return [each for each in every_case() if each["name"] not in OF_NO_DATASET]


@pytest.mark.parametrize("release", RELEASES)
def test_verdicts_are_those_of_the_real_loaders(release: str) -> None:
    differ = []
    for case in cases():
        found = found_in(case["input"]["text"], release, case["input"]["filename"])
        said = "reject" if any(each.is_error for each in found) else "accept"
        if said != case["by_version"][release]["verdict"]:
            differ.append((case["name"], said, [str(each) for each in found]))
    assert differ == []


@pytest.mark.parametrize("release", RELEASES)
def test_queries_are_read_as_the_real_loaders_read_them(release: str) -> None:
    count = 0
    for case in cases():
        real = case["by_version"][release]["parsed"]
        if real is None:
            continue
        read = read_text(case["input"]["text"], case["input"]["filename"])
        rows = laid_out(read, release).rows or []
        found = [parsed(row, RELEASES[release]) for row in rows]
        count += len(found)
        assert found == [
            (
                each["query_id"],
                each["query_text"],
                each.get("expected_doc_ids", each.get("relevant_doc_ids", [])),
                each["expected_answers"],
            )
            for each in real["queries"]
        ], case["name"]
    assert count > 20


def test_every_case_is_judged_but_for_those_that_are_named() -> None:
    names = {each["name"] for each in every_case()}
    assert names - {each["name"] for each in cases()} == set(OF_NO_DATASET)
    assert len(names) > 40
