"""A case that is taken for quiet is one: the slow way finds nothing in it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from northstar_cases import cases

from evalcontract.formats import dialect_of
from evalcontract.formats.northstar.numbers import refused_numbers
from evalcontract.formats.northstar.quiet import is_quiet
from evalcontract.formats.northstar.traps import traps
from evalcontract.structure.dialect_stage import SchemaStage

STAGE = SchemaStage("northstar", "NorthStar", dialect_of("northstar").schema)
ANSWERED = {"id": "a", "messages": [{"role": "assistant", "content": "Sunny."}]}


@pytest.mark.slow
@settings(max_examples=1000)
@given(cases, st.booleans())
def test_quiet_cases_are_quiet(row: dict[str, Any], is_answered: bool) -> None:  # noqa: FBT001
    row = {**row, **ANSWERED} if is_answered else row
    if STAGE.passes([row]) and is_quiet(row):
        assert refused_numbers(row, ()) == []
        assert list(traps(row, ())) == []


QUIET: list[dict[str, Any]] = [
    {"expected": {"contains": ["a"], "goal": "g"}},
    {"expected": {"ground_truth": "a", "required_tools": ["b"], "max_tool_calls": 3}},
    {"expected": {"require_tool_output_reference": True}, "input": "text"},
    {"expected": {"max_latency_ms": 5}, "metrics": {"latency_ms": 0.5}, "trace": {"run_id": "r"}},
]


@pytest.mark.parametrize("part", QUIET)
def test_ordinary_cases_are_taken_for_quiet(part: dict[str, Any]) -> None:
    assert is_quiet({**ANSWERED, **part})
