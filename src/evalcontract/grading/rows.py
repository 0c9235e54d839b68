"""Grade rows in blocks, within a bound on outputs times checks times wanted texts.

The work is counted in steps of about a microsecond, before a row is graded and in the order of the
rows, so that the number of processes changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from evalcontract.checks.outcome import ANY_SCORE, UNANSWERED, Outcome, Output
from evalcontract.checks.plan import NestedRubric, Plan
from evalcontract.datasets.placing import to_diagnostics
from evalcontract.datasets.run import Run
from evalcontract.grading.results import TAGS, VALUES, CheckResult, RowResult
from evalcontract.grading.runner import OwnRunner, RubricRunner, Task
from evalcontract.library.library import Resolution
from evalcontract.model.diagnostic import Diagnostic, Problem
from evalcontract.model.reference import Reference
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import NAME_LENGTH, clipped, many

if TYPE_CHECKING:
    from evalcontract.checks._kind import Ask

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


_NOTHING = _Size()


class WorkBudget:
    """What may still be spent on rows with more checks or texts than every row may have."""

    def __init__(self) -> None:
        self._left = STEPS
        self._sizes: dict[int, _Size] = {}
        self._ungraded: dict[int, tuple[Plan | None, int]] = {}

    def refusal(self, plan: Plan | None, row: Mapping[str, Any], output: Output) -> str | None:
        """Count the work on an output by the plan of its rubric, or by the row's expectations.

        Return why the row is not graded, if that would be too much.
        """
        self._left += len(output.text or "")
        needed = self._steps(plan, row, output)
        if needed <= max(self._left, 0) or not needed:
            self._left -= needed
            return None
        _, rows = self._ungraded.get(id(plan), (plan, 0))
        self._ungraded[id(plan)] = plan, rows + 1
        return _TOO_MUCH

    def are_ordinary(
        self,
        plan_of: Callable[[str | None], Plan | None],
        rows: Sequence[Mapping[str, Any]],
        outputs: Sequence[Output],
    ) -> bool:
        """Whether the work on no output is more than every row may have: it is not counted.

        `plan_of` returns the plan of a row's rubric.
        """
        # The greatest numbers of all rows together are within the bounds of almost every dataset.
        plans = [plan_of(rubric) for rubric in {row.get("rubric_ref") for row in rows}]
        sizes = [self._size(plan) for plan in plans if plan]
        size = _Size(*map(max, zip(_NOTHING, *sizes, strict=True)))
        lists = {
            key: max([len(row[key]) for row in rows if row.get(key).__class__ is list], default=0)
            for key in _LISTS
        }
        calls = max([len(output.tool_calls or ()) for output in outputs], default=0)
        if (
            size.checks <= CHECKS
            and size.patterns <= CHECKS
            and size.texts + sum(lists.values()) <= TEXTS
            and calls * (size.tools + lists["expected_tools"]) <= PAIRS
        ):
            return True
        plans_of_rows = [plan_of(row.get("rubric_ref")) for row in rows]
        return not any(map(self._steps, plans_of_rows, rows, outputs))

    def _steps(self, plan: Plan | None, row: Mapping[str, Any], output: Output) -> int:
        size = self._size(plan) if plan else _NOTHING
        items = sum([len(row[key]) for key in _LISTS if row.get(key).__class__ is list])
        characters, calls = len(output.text or ""), len(output.tool_calls or ())
        pairs = calls * (size.tools + len(row.get("expected_tools") or ())) - PAIRS
        texts = size.texts + items - TEXTS
        checks, searches = size.checks - CHECKS, size.patterns - CHECKS
        if pairs <= 0 and texts <= 0 and checks <= 0 and searches <= 0:  # of almost every row
            return 0
        steps = max(0, checks) * (_OF_CHECK + characters // 100 + calls + items)
        steps += max(0, searches) * _OF_SEARCH
        return steps + max(0, texts) * (1 + characters // 1000) // 3 + max(0, pairs)

    def _size(self, plan: Plan) -> _Size:
        size = self._sizes.get(id(plan))
        if size is None:
            parts = [
                self._size(part.plan) if isinstance(part, NestedRubric) else _size_of(part.check)
                for part in plan.steps.parts
            ]
            size = self._sizes[id(plan)] = _Size(*map(sum, zip(_NOTHING, *parts, strict=True)))
        return size

    def diagnostics(self, run: Run) -> Iterator[Diagnostic]:
        """Yield a finding for each rubric that some rows are not graded by."""
        for plan, rows in self._ungraded.values():
            if plan is None:
                continue
            rows_are = many(rows, "row is", "rows are")
            message = f"{rows_are} not graded by {plan.artifact.name}: {_TOO_MUCH}"
            problem = Problem("source/limit-exceeded", message, (), "divide the rubric or the rows")
            yield from to_diagnostics([problem], plan.artifact.document, run.standards.base)


def _size_of(check: Mapping[str, Any] | None) -> _Size:
    check = check or {}
    lists = [value for value in check.values() if isinstance(value, list)]
    tools = len(check.get("expected_tools") or ())
    return _Size(1, sum(map(len, lists)), tools, int("pattern" in check))


# The keys of a row that results keep besides its output, in the order of `CONTENT`.
_KEPT = ("tags", "metadata", "input")
#: What a row expects of the output, by the keys that it has there.
EXPECTATIONS = (
    *("criteria", "expected", "expected_facts", "expected_tools"),
    *("must_contain_any", "must_not_contain"),
)
_LEFT_OUT = "its reason was left out of the results"


def with_content(tasks: Sequence[Task], rows: Sequence[RowResult]) -> list[RowResult]:
    """Return results with what the rows and outputs say; see `CONTENT`."""
    return [row._replace(content=_content_of(task)) for task, row in zip(tasks, rows, strict=True)]


def _content_of(task: Task) -> dict[str, Any]:
    row, output = task.row, task.output
    content = {key: row[key] for key in _KEPT if key in row}
    if output.text is not None:
        content["output"] = output.text
    if output.tool_calls is not None:
        content["tool_calls"] = [
            {"name": call.name, "arguments": call.arguments} for call in output.tool_calls
        ]
    if expected := {key: row[key] for key in EXPECTATIONS if key in row}:
        content["expected"] = expected
    return content


def without_texts(row: RowResult) -> RowResult:
    """Return a result without texts of the data: only what groups rows stays, and no reasons."""
    content = content_without_texts(row.content or {}) or None
    return row._replace(reason=None, content=content, checks=_without_texts(row.checks))


def content_without_texts(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return what groups rows of what is kept of a row and its output."""
    return {key: value for key, value in content.items() if key in (TAGS, VALUES)}


def _without_texts(checks: Iterable[CheckResult]) -> tuple[CheckResult, ...]:
    return tuple(
        [
            check
            if check.reason is None and check.details is None and not check.checks
            else _without_text(check)
            for check in checks
        ]
    )


def _without_text(check: CheckResult) -> CheckResult:
    id_, kind, outcome, score, *_ = check
    details, inner = details_without_texts(check), _without_texts(check.checks)
    return CheckResult(id_, kind, outcome, score, None, details, check.bounds, inner)


def details_without_texts(check: CheckResult) -> dict[str, Any] | None:
    """Return the details of a check without texts: whether one of its judges gave no verdict."""
    return {UNANSWERED: _LEFT_OUT} if check.unanswered else None


# Of a task.
_rubric_and_reasons = itemgetter(1, 4, 5)


class RowGrader:
    """Grades outputs; each rubric of the workspace is made ready once."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._plan_for = cache(self._find_plan)
        self._runner_for = cache(self._make_runner)
        self._askers: dict[str, RubricRunner | str] = {}
        self._own = OwnRunner(run.plans.context)

    def grade(self, task: Task) -> RowResult:
        """Return what a rubric, or the row's own expectations, make of an output."""
        return self.grade_all((task,))[0]

    def grade_all(self, tasks: Sequence[Task]) -> list[RowResult]:
        """Return the results of tasks, in order; those by the same rubric are graded together."""
        kinds = [*map(_rubric_and_reasons, tasks)]
        if len({*kinds}) == 1:
            return self._grade_group(tasks)
        groups: dict[tuple[str | None, ...], list[int]] = {}
        for number, kind in enumerate(kinds):
            groups.setdefault(kind, []).append(number)
        results: dict[int, RowResult] = {}
        for numbers in groups.values():
            some = self._grade_group([tasks[number] for number in numbers])
            results.update(zip(numbers, some, strict=True))
        return [results[number] for number in range(len(tasks))]

    def _grade_group(self, tasks: Sequence[Task]) -> list[RowResult]:
        """Return the results of tasks that have the same rubric and the same reasons."""
        _, rubric, _, _, reason, lacks, _ = tasks[0]
        runner = reason or (self._own if rubric is None else self._runner_for(rubric))
        if isinstance(runner, str):
            undecided = RowResult("", None, Outcome.UNDECIDED, None, runner, ANY_SCORE)
            return [undecided._replace(id=task.id) for task in tasks]
        results = runner.grade(tasks)
        if lacks is None:
            return results
        return [
            row._replace(reason=lacks) if row.outcome is Outcome.UNDECIDED else row
            for row in results
        ]

    def prepare(self, rubric: str) -> None:
        """Make a rubric ready, if it is valid, as its first output would."""
        self._runner_for(rubric)

    def ask(self, task: Task, ask: Ask) -> None:
        """Run only the checks of a task that ask judges, by `ask`."""
        rubric = task.rubric
        if rubric is None or task.reason is not None:
            return
        if rubric not in self._askers:
            self._askers[rubric] = self._make_runner(rubric, ask)
        asker = self._askers[rubric]
        if not isinstance(asker, str) and asker.asks:
            asker.grade((task,))

    def plan_of(self, rubric: str | None) -> Plan | None:
        """Return the plan that a row is graded by; None if it has no rubric, or no valid one."""
        plan = None if rubric is None else self._plan_for(rubric)
        return None if isinstance(plan, str) else plan

    def _find_plan(self, text: str) -> Plan | str:
        reference = Reference.parse(text)
        library = self._run.workspace.library
        target = library.resolve(reference) if reference else None
        if not isinstance(target, Resolution):
            return f"there is no `{clipped(text, NAME_LENGTH)}`"
        if fault := library.fault_of(target.artifact):
            return f"{target.artifact.name} cannot be used: {fault}"
        plan, _ = self._run.plan(target.artifact)
        if plan is None or plan.scoring is None:
            return f"{target.artifact.name} is not valid"
        return plan

    def _make_runner(self, text: str, ask: Ask | None = None) -> RubricRunner | str:
        """Return the runner of a rubric, or why there is none; findings tell it, too."""
        # With `ask`, it has only the checks that ask judges, by this.
        plan, context = self._plan_for(text), self._run.plans.context
        if isinstance(plan, str):
            return plan
        try:
            if ask is None:
                return RubricRunner(plan, context)
            return RubricRunner(plan, context._replace(ask=ask), only_judges=True)
        except ValueError as error:
            return str(error)
