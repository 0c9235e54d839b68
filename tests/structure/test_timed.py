"""The native engine is asked only where it is quick; the exact one decides the rest."""

from __future__ import annotations

from typing import Any

import pytest
from tables import every_case
from work import calls_of

from evalcontract.structure import gate as timed
from evalcontract.structure import violations
from evalcontract.structure.gate import (
    FEW_ALTERNATIVES,
    MAX_SECONDS,
    MAX_WORK,
    Gate,
    TimedValidator,
    TooMuchWork,
    gate_schema,
    number_of_values,
)
from evalcontract.structure.schemas import definition
from evalcontract.structure.validator import SchemaValidator

ROW = definition("row", of="dataset")
CONSTANTS: list[Any] = [{"const": number} for number in range(FEW_ALTERNATIVES)]


def choice(*more: Any) -> dict[str, Any]:
    """Return a schema with so many alternatives that its work is limited."""
    return {"anyOf": [*CONSTANTS, *more]}


def in_context(schema: dict[str, Any]) -> dict[str, Any]:
    return {"properties": {"context": schema}}


def test_equal_gates_are_compiled_once_unless_a_search_is_limited() -> None:
    one, other, further = (
        TimedValidator({}, whole=gate_schema(ROW, references, [])).native
        for references in (["rubrics/a@1"], ["rubrics/a@1"], ["rubrics/b@1"])
    )
    assert one is other
    assert one is not further
    asked: list[str] = []

    def search(_: str, text: str) -> bool:
        asked.append(text)
        return True

    demand = {"properties": {"input": {"pattern": "^(?=a)"}}}
    for each in ("a", "b"):
        gate = Gate(gate_schema(ROW, [], [], demand=demand), search=search)
        assert gate.passes([{"id": "c", "input": each}])
    assert asked == ["a", "b"]


class Clock:
    """A clock that goes on by so much each time it is asked."""

    def __init__(self, step: float) -> None:
        self._now, self._step = 0.0, step

    def __call__(self) -> float:
        """Return the next time."""
        self._now += self._step
        return self._now


@pytest.mark.slow
@every_case(
    "schema",
    [
        choice({"type": "string"}),
        {"oneOf": [*CONSTANTS, {"type": "string"}]},
        {"items": {"anyOf": [{"enum": [*range(30), "a"]}, True]}},
        {"items": {"anyOf": [{"enum": [{"a": number} for number in range(30)]}, True]}},
        {"patternProperties": {f"^{number}": True for number in range(30)}},
        {"dependentRequired": {f"{number}": ["a"] for number in range(30)}},
    ],
    ids=str,
)
def test_a_value_with_too_many_parts_for_the_alternatives_is_not_tried(
    schema: dict[str, Any],
) -> None:
    validator = TimedValidator(schema)
    assert validator.is_valid("a") is True
    with pytest.raises(TooMuchWork):
        validator.is_valid(["a"] * MAX_WORK)


@every_case(
    "schema",
    [
        {"items": {"enum": [f"{number}" for number in range(3000)]}},
        {"items": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
        {"properties": {f"k{number}": {"type": "string"} for number in range(300)}},
    ],
    ids=str,
)
def test_what_is_looked_up_takes_any_number_of_values(schema: dict[str, Any]) -> None:
    assert TimedValidator(schema).is_valid(["1"] * (MAX_WORK // 10))


def test_few_alternatives_take_any_number_of_values() -> None:
    few = TimedValidator({"items": {"anyOf": CONSTANTS}})
    assert few.is_valid([1] * (MAX_WORK // FEW_ALTERNATIVES + 1))


def test_the_most_work_of_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timed, "MAX_WORK", 5 * (FEW_ALTERNATIVES + 1))
    validator = TimedValidator({"items": choice(True)})
    assert validator.is_valid([1] * 4), "the list is a value, too"
    with pytest.raises(TooMuchWork):
        validator.is_valid([1] * 5)


def test_slow_answers_end_the_questions() -> None:
    # The third one is asked when the time is just up.
    validator = TimedValidator(choice(True), clock=Clock(MAX_SECONDS / 2))
    assert [validator.is_valid(1) for _ in range(3)] == [True] * 3
    with pytest.raises(TooMuchWork):
        validator.is_valid(1)


@pytest.mark.costly
def test_slow_answers_about_many_values_do_not() -> None:
    validator = TimedValidator(choice(True), clock=Clock(MAX_SECONDS / 2))
    assert all(validator.is_valid([1] * 60_000) for _ in range(10))


def test_number_of_values() -> None:
    assert number_of_values({"a": [1, {"b": None}], "c": "d"}) == 6


def test_a_gate_tries_the_parts_of_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timed, "MAX_WORK", 30 * FEW_ALTERNATIVES)
    bundle = in_context({"items": choice({"type": "integer"})})
    gate = Gate(gate_schema(ROW, [], [bundle]), bundle)
    assert gate.passes([row(*[-1] * 20)] * 4)
    assert not gate.passes([row(*[-1] * 20), row("a")])
    assert not gate.passes([row(*[-1] * 40)]), "nobody knows"


@pytest.fixture
def little_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower the limits, so that the values of a test may be small."""
    monkeypatch.setattr(timed, "MAX_WORK", 10_000)
    monkeypatch.setattr(violations, "_MAX_ORDINARY_STEPS", 4_000)
    monkeypatch.setattr(violations, "MAX_STEPS", 500)
    monkeypatch.setattr(violations, "MAX_TOTAL_STEPS", 1_200)


OF_INTEGERS = in_context({"items": choice({"type": "integer"})})


def row(*items: Any) -> dict[str, Any]:
    return {"id": "a", "input": "b", "criteria": "c", "context": [*items]}


@pytest.mark.usefixtures("little_work")
def test_the_exact_engine_decides_about_large_values() -> None:
    validator = SchemaValidator("dataset", ROW, OF_INTEGERS)
    valid = [3] * 500
    assert validator.check(row(*valid)) == []
    (wrong,) = validator.check(row(*valid, "a"))
    assert wrong.path == ("context", len(valid))


@pytest.mark.slow
@pytest.mark.usefixtures("little_work")
def test_a_large_value_that_takes_too_many_steps_is_told() -> None:
    validator = SchemaValidator("dataset", ROW, OF_INTEGERS)
    large = row(*[-1] * 3000)
    calls = []
    for _ in range(4):
        (problem,) = validator.check(large)
        assert (problem.code, problem.path) == ("dataset/undecided-value", ())
        assert "steps" in problem.message
        calls.append(calls_of(validator.check, large))
    assert calls[-1] < calls[0] / 10, "once the steps of all rows are spent, it is not tried again"


@pytest.mark.slow
@pytest.mark.usefixtures("little_work")
def test_without_the_native_engine_there_are_fewer_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each row spends 500 steps beyond its own, until the last one is only told to take more."""
    large = row(*[-1] * 3000)
    tried = []
    for most in (1_200, 900, 400):
        monkeypatch.setattr(violations, "MAX_TOTAL_STEPS_ALONE", most)
        validator = SchemaValidator("dataset", ROW, OF_INTEGERS)
        counts = [calls_of(validator.check, large) for _ in range(4)]
        tried.append(sum(count > counts[-1] * 10 for count in counts))
    assert tried == [3, 2, 1]


@pytest.mark.usefixtures("little_work")
def test_of_a_large_value_that_is_wrong_the_first_fault_is_told() -> None:
    validator = SchemaValidator("dataset", ROW, in_context({"items": {"type": "integer"}}))
    wrong, rest = validator.check(row(*[1] * 5000, "a"))
    assert (wrong.code, wrong.path) == ("dataset/wrong-type", ("context", 5000))
    assert rest.code == "source/limit-exceeded"
