"""The verdicts of the real loader, on files that were given to it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from northstar_checks import check_text

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
