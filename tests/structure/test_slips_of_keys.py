"""Slips of keys that YAML lets pass, such as `{tpr:0.9}`, a key without a value in braces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tables import every_case
from texts import facts

from evalcontract.datasets.gates import ExtraKeys
from evalcontract.structure.keys.spelling import split_key_value
from evalcontract.structure.schemas import definition
from evalcontract.structure.validator import structure_of

if TYPE_CHECKING:
    from evalcontract.structure.parts import Schema

JUDGE = {"id": "a", "version": "1.0.0", "template": "Right? {{ output }}"}
ROW: Schema = definition("row", of="dataset")


def said(kind: str, value: Any) -> list[tuple[str, list[str]]]:
    return [(each.code, facts(each.help)) for each in structure_of(kind).check(value)]


def rubric(**check: Any) -> dict[str, Any]:
    whole = {"id": "a", "kind": "regex", "pattern": "x", **check}
    checks = [{key: part for key, part in whole.items() if part != "gone"}]
    return {"id": "r", "version": "1.0", "checks": checks, "scoring": {"combine": "min"}}


@every_case(
    ("key", "apart"),
    [
        ("tpr:0.9", ("tpr", "0.9")),
        ("tpr 0.9", ("tpr", "0.9")),
        ("tpr=0.9", ("tpr", "0.9")),
        ("tpr", None),
        ("tpr:", None),
        ("0:1", None),
    ],
)
def test_taken_apart(key: str, apart: tuple[str, str] | None) -> None:
    assert split_key_value(key, None) == apart
    assert split_key_value(key, 1) is None


@pytest.mark.parametrize("key", ["tpr:0.9", "tpr 0.9", "tpr=0.9"])
def test_open_mapping(key: str) -> None:
    judge = {**JUDGE, "validation": {key: None, "tnr": 0.9}}
    assert said("judge", judge) == [("judge/near-miss-key", ["tpr: 0.9"])]


def test_closed_mapping() -> None:
    value = rubric(pattern="gone", **{"pattern:x+": None})
    assert said("rubric", value) == [("rubric/unknown-key", ["pattern: x+"])]


def test_key_that_does_instead_of_a_missing_one() -> None:
    value = rubric(kind="llm_judge", pattern="gone", jurry={})
    assert said("rubric", value) == [("rubric/unknown-key", ["jury"])]


def test_mapping_of_any_keys() -> None:
    value = rubric()
    value["scoring"] = {"combine": "weighted_avg", "weights": {"a:1": None}}
    assert said("rubric", value) == [("rubric/wrong-type", ["a: 1"])]


def test_row() -> None:
    value = {"questions": [{"id": "a", "input:Where?": None, "criteria": "c"}]}
    assert said("dataset", value) == [("dataset/near-miss-key", ["input: Where?"])]


@pytest.mark.parametrize(
    "row",
    [
        {"id": "a", "input": "b", "input:de": None},
        {"id": "a", "input": "b", "criteria:de": "c"},
        {"id": "a", "input": "b", "my criteria": None},
    ],
)
def test_own_keys(row: dict[str, Any]) -> None:
    assert said("dataset", {"questions": [row]}) == []


def test_such_a_key_is_accepted_only_beside_the_key_itself() -> None:
    keys = ExtraKeys(ROW, None)
    alone = {"id": "a", "input": "b", "criteria:x": [1]}
    beside = {**alone, "criteria": "c"}
    assert not keys.accept_all([beside])  # a single row is checked instead
    assert not keys.accept_all([alone, dict(alone)])
    for _ in range(2):  # what is remembered is the same
        assert not keys.accept_all([alone])
        assert keys.accept_all([beside])
