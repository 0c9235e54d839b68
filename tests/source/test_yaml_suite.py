"""The yaml-test-suite: what it reads has the value that it states, what it refuses is a fault.

Refused besides is what the contract has no use for, or libyaml cannot read. Nothing of the suite
is read as another value, and nothing that it refuses is read at all.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from node_scripts import run_script
from source_texts import read

from evalcontract.source import Document, UnreadableFile

# Why a text is refused that YAML 1.2 allows: the part of the message that says so, and the cases.
REFUSED: dict[str, tuple[str, str]] = {
    "more documents than one": (
        "second document",
        "35KP 6XDY 6ZKB 9DXL 9KAX JHB9 KSS4 L383 PUW8 RZT7 U9NS",
    ),
    "more documents than one, behind `...`": ("the end of the document, `...`", "7Z25 M7A3"),
    "no value": ("empty", "AVM7"),
    "no value but comments": ("no value", "8G76 98YD"),
    "no value but an end": ("a value is expected", "HWV9 QT73"),
    "a tag beyond the core schema": (
        "the tag",
        "2XXW 565N 5TYM 6CK3 6WLZ 7FWL 9WXW C4HZ CC74 CUP7 J7PZ M5C3 P76L UGM3 Z67P Z9M4",
    ),
    "a directive that is not known": ("is a directive", "2LFX 6LVF MUS6-5 MUS6-6 W4TN"),
    "another version": ("`%YAML", "BEC7 MUS6-2 MUS6-3 MUS6-4"),
    "a key that is no text": (
        "a key must be text",
        "4FJ6 6BFJ 6PBE 9MMW KK5P LX3P M2N8-0 M2N8-1 M5DY Q9WF RZP5 SBG9 V9D5 X38W XW4D",
    ),
    "libyaml: a key that is empty": ("a key is expected", "2JQS 6M2F NHX8 NKF9 S3PD SM9W-1 UKK6-0"),
    "libyaml: a `:` beside brackets": (
        "a `:` inside brackets",
        "58MP 5T43 CFD4 DBG4 HM87-0",
    ),
    "libyaml: a `:` before a comma": ("a space is missing after the `:`", "4ABK FRK4"),
    "libyaml: a key over several lines": (
        "the `:` is not on the line",
        "4MUZ-0 4MUZ-1 4MUZ-2 5MUD K3WX VJP3-1",
    ),
    "libyaml: a key with a line break": ("a key spans two lines", "9SA2 NJ66"),
    "libyaml: a key with a line break, at the margin": ("is not closed", "UT92"),
    "libyaml: a name of an anchor with `:`": ("the name of an anchor", "2SXE Y2GN"),
    "libyaml: a name of an anchor beyond ASCII": ("`*` and `&`", "8XYN W5VH"),
    "libyaml: a tab behind a dash": ("a tab after `-`", "6BCT A2M4 Y79Y-10"),
    "libyaml: a tab in an empty line": ("a tab in an empty line", "DK95-3 DK95-4 R4YG Y79Y-1"),
    "libyaml: a tab before the value": ("a tab cannot indent", "6CA3 DK95-0 Q5MG"),
    "libyaml: a block that begins with a tab": ("begins with a tab", "96NN-0 96NN-1"),
    "libyaml: a block at the margin": ("of a block scalar is not indented", "DK3J FP8R"),
}


@pytest.fixture(scope="module")
def suite() -> list[dict[str, Any]]:
    """Return the cases of the suite."""
    found: list[dict[str, Any]] = run_script("yaml_suite.mjs", "yaml-test-suite")
    assert len(found) > 400
    return found


@pytest.mark.slow
def test_no_value_is_another(suite: list[dict[str, Any]]) -> None:
    compared = 0
    for case in suite:
        found = read(case["yaml"], "x.yaml")
        if isinstance(found, Document) and case["json"] is not None:
            (stated,) = _values(case["json"])
            assert _alike(found.value, stated), (case["id"], found.value)
            compared += 1
    assert compared > 180


@pytest.mark.slow
def test_what_is_no_yaml_is_a_fault(suite: list[dict[str, Any]]) -> None:
    broken = [case for case in suite if case["fail"]]
    assert len(broken) > 90
    for case in broken:
        found = read(case["yaml"], "x.yaml")
        assert isinstance(found, UnreadableFile), case["id"]
        for fault in found.faults:
            assert fault.help, case["id"]


@pytest.mark.slow
def test_what_is_refused_besides_is_known(suite: list[dict[str, Any]]) -> None:
    texts = {case["id"]: case["yaml"] for case in suite if not case["fail"]}
    known = {case: part for part, cases in REFUSED.values() for case in cases.split()}
    unreadable = {case: read(text, "x.yaml") for case, text in texts.items()}
    refused = {case: one for case, one in unreadable.items() if isinstance(one, UnreadableFile)}
    assert sorted(refused) == sorted(known)
    for case, one in refused.items():
        assert known[case] in one.faults[0].message, (case, one.faults)


def _values(text: str) -> list[Any]:
    """Return the values that stand in a text one behind the other."""
    values: list[Any] = []
    text = text.strip()
    while text:
        value, end = json.JSONDecoder().raw_decode(text)
        values.append(value)
        text = text[end:].strip()
    return values


def _alike(ours: Any, stated: Any) -> bool:
    """Whether two values are the same data; JSON does not tell 1.0 from 1."""
    if isinstance(ours, dict) and isinstance(stated, dict):
        return ours.keys() == stated.keys() and all(_alike(ours[key], stated[key]) for key in ours)
    if isinstance(ours, list) and isinstance(stated, list):
        return len(ours) == len(stated) and all(map(_alike, ours, stated))
    if isinstance(ours, bool) or isinstance(stated, bool):
        return ours is stated
    return bool(ours == stated)
