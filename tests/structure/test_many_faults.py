"""A value with very many faults has some of them listed, and a problem that says so."""

from __future__ import annotations

from typing import Any

import pytest
from tables import every_case

from evalcontract.structure.native import MAX_VIOLATIONS
from evalcontract.structure.schemas import definition
from evalcontract.structure.validator import SchemaValidator, structure_of, valid_parts
from evalcontract.structure.violations import MAX_PARTS

LIMIT = "source/limit-exceeded"


def rubric(values: list[Any]) -> dict[str, Any]:
    check = {"id": "x", "kind": "must_contain_any", "values": values}
    scoring = {"combine": "all_pass"}
    return {"id": "a", "version": "1.0.0", "checks": [check], "scoring": scoring}


@pytest.mark.slow
@every_case(
    ("faults", "listed", "limits"),
    [
        (MAX_VIOLATIONS, MAX_VIOLATIONS, 0),
        (MAX_VIOLATIONS + 1, MAX_VIOLATIONS, 1),
        (MAX_PARTS, 1, 1),
    ],
)
def test_only_some_are_listed(faults: int, listed: int, limits: int) -> None:
    value = rubric([1] * faults)
    problems = structure_of("rubric").check(value)
    ours = [problem for problem in problems if problem.code == LIMIT]
    others = [problem.path for problem in problems if problem.code != LIMIT]
    assert others == [("checks", 0, "values", index) for index in range(listed)]
    assert len(ours) == limits
    valid, checks = valid_parts(value, problems)
    assert checks == ()
    assert bool(valid) is not bool(limits)


def test_a_fault_far_back_in_a_large_value_is_found() -> None:
    problems = structure_of("rubric").check(rubric([*(str(n) for n in range(MAX_PARTS)), 1]))
    assert [problem.path for problem in problems if problem.code != LIMIT] == [
        ("checks", 0, "values", MAX_PARTS)
    ]


def test_a_large_value_without_faults_has_no_problems() -> None:
    assert structure_of("rubric").check(rubric([str(n) for n in range(2 * MAX_PARTS)])) == []


@pytest.mark.slow
def test_so_are_those_of_a_bundle() -> None:
    """Each part of the bundle rejects each key of the row."""
    parts = [{"unevaluatedProperties": {"type": "string"}, "title": f"{n}"} for n in range(60)]
    row = {"id": "a", "input": "b", "criteria": "c", **{f"x_{n}": 1 for n in range(300)}}
    problems = SchemaValidator("dataset", definition("row", of="dataset"), {"allOf": parts}).check(
        row
    )
    assert len(problems) <= MAX_VIOLATIONS + 1
    assert LIMIT in [problem.code for problem in problems]
