"""What the checks make of outputs: the cases that other languages run, too."""

from __future__ import annotations

import json
from typing import Any

import pytest
from check_cases import FOLDER, around, cases, graded, output, predicted, suites
from doors import ROOT
from tables import every_case

from evalcontract.checks import KINDS, State
from evalcontract.checks.outcome import Outcome, ToolCall
from evalcontract.checks.tool_usage import SHAPES, CallShape, ReadCalls, read_calls
from evalcontract.structure.native import native_for
from evalcontract.structure.schemas import definition, properties


def test_every_kind_that_runs_has_cases() -> None:
    running = {name for name, kind in KINDS.items() if kind.prepare is not None}
    assert running == set(KINDS) - {"composite"}
    assert {path.stem for path in suites()} == running


def test_the_suites_are_valid() -> None:
    schema = json.loads((FOLDER / "suite.schema.json").read_text(encoding="utf-8"))
    validator = native_for(schema)
    checks = native_for(definition("check", of="rubric"))
    rows = native_for(definition("row", of="dataset"))
    for path in suites():
        suite = json.loads(path.read_text(encoding="utf-8"))
        assert [error.message for error in validator.iter_errors(suite)] == []
        assert suite["kind"] == path.stem
        names = [case["description"] for case in suite["tests"]]
        assert len(names) == len(set(names))
        for case in suite["tests"]:
            assert case["check"]["kind"] == suite["kind"]
            assert checks.is_valid(case["check"]), case["description"]
            assert rows.is_valid(case["row"]), case["description"]


@pytest.mark.slow
@pytest.mark.usefixtures("short_searches")
@every_case(
    ("name", "case"), list(cases()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_case(name: str, case: dict[str, Any]) -> None:
    del name
    context = around(case.get("judges"), case.get("files"))
    assert predicted(case["check"], case["row"], context).state is State.RUN
    verdict = graded(case["check"], case["row"], output(**case["output"]), context)
    assert verdict.outcome == case["outcome"], verdict
    assert verdict.score == (pytest.approx(case["score"]) if "score" in case else None), verdict
    assert verdict.bounds == bounds(case), verdict
    assert (verdict.reason is None) is (verdict.outcome is Outcome.PASSED)


def bounds(case: dict[str, Any]) -> Any:
    """Return the bounds that a case asks for: any score, if it ends without one."""
    has_any = case["outcome"] in ("error", "unavailable")
    wanted = case.get("bounds", (0, 1) if has_any else None)
    return wanted and pytest.approx(tuple(wanted))


@every_case("shape", SHAPES, ids=str)
def test_every_shape_of_a_call_is_read_and_described(shape: CallShape) -> None:
    call: dict[str, Any] = {}
    for path, value in ((shape.name, "find"), (shape.arguments, {"n": 1})):
        inner = call
        for key in path[:-1]:
            inner = inner.setdefault(key, {})
        inner[path[-1]] = value
    assert read_calls([call]) == ReadCalls((ToolCall("find", {"n": 1}),))
    calls = definition("tool_call", of="output")
    assert native_for(calls).is_valid(call)
    assert call.keys() <= properties(calls).keys()
    page = (ROOT / "docs" / "checks.md").read_text(encoding="utf-8")
    rows = [line.split("|") for line in page.splitlines() if line.startswith("| ")]
    name, arguments = f"`{'.'.join(shape.name)}`", shape.arguments[-1]
    assert any(len(row) > 3 and name in row[2] and arguments in row[3] for row in rows)
