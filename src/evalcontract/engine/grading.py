"""How the rows of one dataset are graded: bundle, structure, rubric and its plan, each once.

The check of a dataset, its gates and its coverage all ask here, so that they cannot differ.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from evalcontract.checks.plan import Plan, plan_of
from evalcontract.engine.crash import crash
from evalcontract.model.errors import PluginError
from evalcontract.model.reference import Kind, Reference
from evalcontract.structure.schemas import Schema, definition
from evalcontract.structure.validator import SchemaValidator

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcontract.checks import EvalContext
    from evalcontract.library.artifact import Artifact
    from evalcontract.library.library import Dangling, Resolved
    from evalcontract.model.diagnostic import Problem


@cache
def row_schema() -> Schema:
    """Return the schema of one row."""
    return definition("row", of="dataset")


@cache
def _row_structure() -> SchemaValidator:
    return SchemaValidator("dataset", row_schema())


class Plans:
    """The plans of rubrics, each worked out once, for all datasets that share them."""

    def __init__(self, around: EvalContext) -> None:
        self.around = around
        self._plans: dict[int, Plan | Exception] = {}

    def of(self, rubric: Artifact) -> Plan | Exception:
        """Return the plan of a rubric, or how working it out crashed."""
        if id(rubric) not in self._plans:
            try:
                self._plans[id(rubric)] = plan_of(rubric, self.around)
            except PluginError:
                raise  # the installation is broken, and not this rubric
            except Exception as error:  # noqa: BLE001 - one rubric must not stop the others
                self._plans[id(rubric)] = error
        return self._plans[id(rubric)]


class Grading:
    """What rows are judged by. `default` is the bundle of rows that name none.

    `plans` may be shared with other datasets of the same surroundings.
    `crashes` are the rubrics of which no plan could be made, by their names: a bug of ours, of
    which the other rubrics and rows must not suffer.
    """

    def __init__(
        self,
        around: EvalContext,
        bundles: Mapping[str, Schema],
        default: str | None,
        plans: Plans | None = None,
    ) -> None:
        self.around = around
        self.default = default
        self.crashes: dict[str, Problem] = {}
        self._bundles = bundles
        self._structures: dict[str | None, SchemaValidator] = {}
        self._plans = plans or Plans(around)

    def bundle_of(self, row: dict[str, Any]) -> str | None:
        """Return the bundle that a row names, or the dataset's, whether declared or not."""
        name = row.get("bundle", self.default)
        return name if isinstance(name, str) else None

    def schema_of(self, bundle: str | None) -> Schema | None:
        """Return the schema of a bundle; None where it has none to judge by."""
        schema = self._bundles.get(bundle) if bundle is not None else None
        return schema if isinstance(schema, dict) else None

    def structure(self, bundle: str | None) -> SchemaValidator:
        """Return the structure of a row of a bundle, or of none."""
        if bundle not in self._structures:
            own = self.schema_of(bundle)
            whole = SchemaValidator("dataset", row_schema(), own) if own else _row_structure()
            self._structures[bundle] = whole
        return self._structures[bundle]

    def rubric_of(self, text: Any) -> Resolved | Dangling | None:
        """Return what a row's `rubric_ref` leads to; None where it is no reference to a rubric."""
        reference = Reference.parse(text) if isinstance(text, str) else None
        if reference is None or reference.kind is not Kind.RUBRIC:
            return None
        return self.around.library.resolve(reference)

    def plan(self, rubric: Artifact) -> Plan | None:
        """Return the plan of a rubric; None where working it out crashed, see `crashes`."""
        plan = self._plans.of(rubric)
        if isinstance(plan, Plan):
            return plan
        self.crashes[rubric.file] = plan_crash(rubric, plan)
        return None


def plan_crash(rubric: Artifact, error: Exception) -> Problem:
    """Return the finding that says that the plan of a rubric could not be worked out."""
    return crash(f"the plan of {rubric.file}", error, "its rows are judged without it")
