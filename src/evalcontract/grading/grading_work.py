"""Bound the work of grading: outputs times checks times the texts that checks look for.

It is counted in steps of about a microsecond, before a row is graded and in the order of the rows,
so that the number of processes changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.checks.plan import Nested
from evalcontract.datasets.placing import to_diagnostics
from evalcontract.model.diagnostic import Problem
from evalcontract.model.startup import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from evalcontract.checks.outcome import Output
    from evalcontract.checks.plan import Plan
    from evalcontract.datasets.run import Run
    from evalcontract.model.diagnostic import Diagnostic

#: What every row may have: checks, texts that they look for, and pairs of tool calls, made and
#: expected, that are compared.
CHECKS, TEXTS, PAIRS = 50, 1000, 10_000
#: The steps of all that is beyond; each character of an output adds one.
STEPS = 2_000_000
_OF_CHECK = 20
# What a search for a pattern takes besides, which has a time limit of its own.
_OF_SEARCH = 20
_LISTS = ("must_contain_any", "must_not_contain", "expected_facts", "expected_tools")
_TOO_MUCH = "its checks take more steps than grading allows"


class _Size(NamedTuple):
    """The checks of a plan, the items of their lists, the tools they expect, and the patterns."""

    checks: int = 0
    texts: int = 0
    tools: int = 0
    patterns: int = 0

    def plus(self, other: _Size) -> _Size:
        return _Size(*(one + more for one, more in zip(self, other, strict=True)))


_NOTHING = _Size()


class Work:
    """What may still be spent on rows with more checks or texts than every row may have."""

    def __init__(self) -> None:
        self._left = STEPS
        self._sizes: dict[int, _Size] = {}
        self._ungraded: dict[int, tuple[Plan | None, int]] = {}

    def refusal(self, plan: Plan | None, row: Mapping[str, Any], output: Output) -> str | None:
        """Count the work on an output by the plan of its rubric, or by the row's expectations.

        Return why the row is not graded, if that would be too much.
        """
        characters = len(output.text or "")
        self._left += characters
        needed = self._steps(plan, row, characters, len(output.tool_calls or ()))
        if needed <= max(self._left, 0) or not needed:
            self._left -= needed
            return None
        _, rows = self._ungraded.get(id(plan), (plan, 0))
        self._ungraded[id(plan)] = plan, rows + 1
        return _TOO_MUCH

    def is_ordinary(self, plan: Plan | None, row: Mapping[str, Any], output: Output) -> bool:
        """Whether the work on an output is no more than every row may have: it is not counted."""
        checks, texts, tools, _ = self._size(plan) if plan else _NOTHING
        for key in _LISTS:
            if key in row and isinstance(row[key], list):
                texts += len(row[key])
        if output.tool_calls:
            tools += len(row.get("expected_tools") or ())
            if len(output.tool_calls) * tools > PAIRS:
                return False
        return checks <= CHECKS and texts <= TEXTS

    def _steps(self, plan: Plan | None, row: Mapping[str, Any], characters: int, calls: int) -> int:
        size = self._size(plan) if plan else _NOTHING
        items = sum(len(row[key]) for key in _LISTS if isinstance(row.get(key), list))
        each = _OF_CHECK + characters // 100 + calls + items
        texts = max(0, size.texts + items - TEXTS) * (1 + characters // 1000) // 3
        pairs = max(0, calls * (size.tools + len(row.get("expected_tools") or ())) - PAIRS)
        searches = max(0, size.patterns - CHECKS) * _OF_SEARCH
        return max(0, size.checks - CHECKS) * each + searches + texts + pairs

    def _size(self, plan: Plan) -> _Size:
        if id(plan) not in self._sizes:
            size = _Size()
            for part in plan.steps.parts:
                if isinstance(part, Nested):
                    size = size.plus(self._size(part.plan))
                else:
                    size = size.plus(_size_of(part.check or {}))
            self._sizes[id(plan)] = size
        return self._sizes[id(plan)]

    def diagnostics(self, run: Run) -> Iterator[Diagnostic]:
        """Yield a finding for each rubric that some rows are not graded by."""
        for plan, rows in self._ungraded.values():
            if plan is None:
                continue
            many = "1 row is" if rows == 1 else f"{rows:,} rows are"
            message = f"{many} not graded by {plan.artifact.name}: {_TOO_MUCH}"
            problem = Problem("source/limit-exceeded", message, (), "divide the rubric or the rows")
            yield from to_diagnostics([problem], plan.artifact.document, run.standards.base, {})


def _size_of(check: Mapping[str, Any]) -> _Size:
    lists = [value for value in check.values() if isinstance(value, list)]
    tools = len(check.get("expected_tools") or ())
    return _Size(1, sum(map(len, lists)), tools, int("pattern" in check))
