"""How the rows of one dataset are graded: their bundle, structure, rubric and plan.

The check of a dataset, its gates and its coverage all use this module, so that they agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from evalcontract.checks import EvalContext
from evalcontract.checks.plan import Plan, plan_of
from evalcontract.datasets.placing import crash
from evalcontract.library.library import Artifact, DanglingReference, Resolution
from evalcontract.model.diagnostic import Problem
from evalcontract.model.errors import PluginError
from evalcontract.model.reference import Kind, Reference
from evalcontract.structure.gate import closed_row
from evalcontract.structure.parts import Schema
from evalcontract.structure.schemas import definition
from evalcontract.structure.validator import SchemaValidator

if TYPE_CHECKING:
    from evalcontract.checks.coverage import RowCoverage


@cache
def row_schema() -> Schema:
    """Return the schema of one row."""
    return definition("row", of="dataset")


@cache
def row_structure() -> SchemaValidator:
    """Return the validator of one row."""
    return SchemaValidator("dataset", row_schema(), closed_schema=closed_row)


#: The predictions for all rows of a run, beyond those that every row may take: one for each set of
#: keys that some checks of the rubric need. A rubric has some ten such sets.
MAX_PREDICTIONS, PREDICTIONS_PER_ROW = 500_000, 30


class Plans:
    """The plans of rubrics, each made once for all datasets that share them.

    They limit the predictions that are made with them. `reads` has the names of the files that the
    checks of each rubric have read, by its exact name.
    """

    def __init__(self, context: EvalContext) -> None:
        self.reads: dict[str, set[str]] = {}
        self.context = context._replace(reads=self.reads)
        self._plans: dict[int, Plan | Exception] = {}
        self._inner: dict[int, Plan] = {}
        self._beside: dict[tuple[int, frozenset[str]], Plan] = {}
        self._predictions_left = MAX_PREDICTIONS

    def affords(self, plan: Plan) -> bool:
        """Count the predictions for another row; return whether they are within the limit."""
        extra = len(plan.steps.groups) - PREDICTIONS_PER_ROW
        self._predictions_left -= max(0, extra)
        return extra <= 0 or self._predictions_left >= 0

    def of(self, rubric: Artifact, graded: frozenset[str] = frozenset()) -> Plan | Exception:
        """Return the plan of a rubric, or the exception that making it raised.

        `graded` are the keys of rows that the graders of the runner read. Equal arguments give the
        same object: gates know plans by their `id()`.
        """
        plan = self._of(rubric)
        if not graded or isinstance(plan, Exception):
            return plan
        return self._beside.setdefault((id(rubric), graded), plan.beside(graded))

    def _of(self, rubric: Artifact) -> Plan | Exception:
        if id(rubric) not in self._plans:
            try:
                self._plans[id(rubric)] = plan_of(rubric, self.context, self._inner)
            except (PluginError, MemoryError):
                raise  # the installation or the machine is to blame, not the rubric
            except Exception as error:  # noqa: BLE001 - one rubric must not stop the others
                self._plans[id(rubric)] = error
        return self._plans[id(rubric)]


class GradingPlans:
    """How rows are graded. `default` is the bundle of rows that name none.

    `graded` are the keys of rows that the graders of the runner read, besides the rubric.
    `plans` may be shared with other datasets that have the same context. `crashes` are the internal
    errors, and the limits that are reached, by the file of the rubric or the code of the rule; the
    check goes on without these.
    """

    def __init__(
        self,
        context: EvalContext,
        bundles: Mapping[str, Schema],
        default: str | None,
        plans: Plans | None = None,
        graded: frozenset[str] = frozenset(),
    ) -> None:
        self.context = context
        self.default = default
        self.graded = graded
        self.crashes: dict[str, Problem] = {}
        self._bundles = bundles
        self._structures: dict[str | None, SchemaValidator] = {}
        self._plans = plans or Plans(context)

    def bundle_of(self, row: dict[str, Any]) -> str | None:
        """Return the bundle of a row, or of its dataset, whether declared or not."""
        name = row.get("bundle", self.default)
        return name if isinstance(name, str) else None

    def schema_of(self, bundle: str | None) -> Schema | None:
        """Return the schema of a bundle; None if it has no usable one."""
        schema = self._bundles.get(bundle) if bundle is not None else None
        return schema if isinstance(schema, dict) else None

    def structure(self, bundle: str | None) -> SchemaValidator:
        """Return the validator for rows with this bundle."""
        if bundle not in self._structures:
            schema = self.schema_of(bundle)
            rows = row_structure()
            search = self.context.schemas.patterns.matches
            self._structures[bundle] = rows.with_bundle(schema, search) if schema else rows
        return self._structures[bundle]

    def rubric_of(self, text: Any) -> Resolution | DanglingReference | None:
        """Resolve the `rubric_ref` of a row; return None if it is not a reference to a rubric."""
        reference = Reference.parse(text) if isinstance(text, str) else None
        if reference is None or reference.kind is not Kind.RUBRIC:
            return None
        return self.context.library.resolve(reference)

    def plan(self, rubric: Artifact) -> Plan | None:
        """Return the plan of a rubric; None if making it crashed, see `crashes`."""
        plan = self._plans.of(rubric, self.graded)
        if isinstance(plan, Plan):
            return plan
        self.crashes[rubric.file] = plan_crash(rubric, plan)
        return None

    def plan_for_row(self, rubric: Artifact) -> Plan | None:
        """Return the plan of the rubric of another row; None without it, see `crashes`."""
        plan = self.plan(rubric)
        if plan is None or self._plans.affords(plan):
            return plan
        self.crashes[rubric.file] = _too_many_predictions(plan)
        return None


def _too_many_predictions(plan: Plan) -> Problem:
    message = (
        f"the checks of {plan.artifact.name} need {len(plan.steps.groups):,} different sets of keys"
        " from a row: not all rows are compared with them"
    )
    return Problem("source/limit-exceeded", message, (), "divide the rubric")


def plan_crash(rubric: Artifact, error: Exception) -> Problem:
    """Return the problem for a rubric whose plan could not be made."""
    return crash(f"the plan of {rubric.file}", error, "its rows are checked without it")


_CRASHED = "its rubric cannot be analyzed: this is a bug in evalcontract"


def cover_row(grading: GradingPlans, index: int, row: Any, fault: str | None) -> RowCoverage:
    """Return the coverage of a row; `fault` is the reason if the row is ill-formed."""
    from evalcontract.checks.coverage import cover  # not to find faults

    if fault is not None:
        return cover(index, row, None, fault=fault)
    rubric = grading.rubric_of(row.get("rubric_ref"))
    if rubric is None:
        return cover(index, row, None, graded=grading.graded)
    if isinstance(rubric, DanglingReference):
        return cover(index, row, None, fault=f"there is no `{rubric.reference}`")
    if unusable := grading.context.library.fault_of(rubric.artifact):
        unusable = f"{rubric.artifact.name} cannot be used: {unusable}"
        return cover(index, row, None, fault=unusable)
    plan = grading.plan_for_row(rubric.artifact)
    why = None if plan else _why_unknown(grading.crashes[rubric.artifact.file])
    return cover(index, row, plan, fault=why, graded=grading.graded)


def _why_unknown(problem: Problem) -> str:
    return problem.message if problem.code == "source/limit-exceeded" else _CRASHED
