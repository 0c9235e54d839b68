"""The JSON-Schema-Test-Suite, draft 2020-12: both engines, as configured, give its verdicts.

Needs `make suites`. Without it the test is skipped, but where `CI` is set its lack is a failure.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from conformance_suite import ROOT
from needs import SUITES, missing
from referencing.exceptions import Unresolvable
from tables import every_case

from evalcontract.structure.exact import validator_for
from evalcontract.structure.native import native_for

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = ROOT / "tests" / "suites" / ".unpacked"
#: The groups of `dynamicRef` and all of `refRemote` refer to schemas of a server. Nothing is
#: fetched: both engines refuse them.
REMOTE_FILE = "refRemote"
REMOTE_GROUPS = {
    "strict-tree schema, guards against misspelled properties",
    "tests for implementation dynamic anchor and reference link",
    "$ref and $dynamicAnchor are independent of order - $defs first",
    "$ref and $dynamicAnchor are independent of order - $ref first",
    "$ref to $dynamicRef finds detached $dynamicAnchor",
}
#: A metaschema that leaves a vocabulary out: the engines apply all keywords of the draft.
OTHER_VERDICTS = {"no validation: invalid number, but it still validates"}


@pytest.fixture(scope="module")
def suite() -> list[Path]:
    """Return the files of the required tests."""
    found = sorted(FOLDER.glob("*/json/tests/draft2020-12/*.json"))
    if not found:
        missing(SUITES)
    return found


def is_remote(file: Path, group: dict[str, Any]) -> bool:
    """Whether the schema of a group refers to a schema that would have to be fetched."""
    return file.stem == REMOTE_FILE or group["description"] in REMOTE_GROUPS


@every_case("engine", [validator_for, native_for], ids=["exact", "native"])
def test_verdicts(engine: Any, suite: list[Path]) -> None:
    verdicts, others = 0, set()
    for file in suite:
        for group in json.loads(file.read_text(encoding="utf-8")):
            if is_remote(file, group):
                continue
            validator = engine(group["schema"])
            for case in group["tests"]:
                verdicts += 1
                if validator.is_valid(case["data"]) is not case["valid"]:
                    others.add(case["description"])
    assert others == OTHER_VERDICTS
    assert verdicts > 1200


def test_nothing_is_fetched(suite: list[Path]) -> None:
    refused = 0
    for file in suite:
        for group in json.loads(file.read_text(encoding="utf-8")):
            if is_remote(file, group):
                with pytest.raises(ValueError, match="is not present in a registry"):
                    native_for(group["schema"])
                exact = validator_for(group["schema"])
                for case in group["tests"]:
                    with pytest.raises(Unresolvable):
                        exact.is_valid(case["data"])
                refused += 1
    assert refused > 15
