"""Which gate a row has to pass: one for each bundle and each demand of a rubric."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from evalcontract.api.own_keys import OwnKeys
from evalcontract.checks.demand import demand_of
from evalcontract.checks.plan import Plan, plan_of
from evalcontract.library.library import Resolved
from evalcontract.model.reference import Kind, Reference
from evalcontract.structure.gate import Gate
from evalcontract.structure.schemas import Schema, definition

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcontract.checks._kind import Surroundings
    from evalcontract.library.artifact import Artifact


@cache
def row_schema() -> Schema:
    """Return the schema of one row."""
    return definition("row", of="dataset")


class Gates:
    """The gates of one dataset, made when a row first needs them.

    `default` is the bundle of rows that name none.
    """

    def __init__(
        self, around: Surroundings, bundles: Mapping[str, Schema], default: str | None
    ) -> None:
        self._around = around
        self._bundles = bundles
        self._default = default
        self._plans: dict[int, Plan] = {}
        self._gates: dict[tuple[str | None, str], Gate] = {}
        self._by_words: dict[tuple[Any, Any], Gate | None] = {}
        self._own_keys: dict[str | None, OwnKeys] = {}

    def learn(self, rows: list[Any]) -> bool:
        """Judge keys that the gates refused; return whether it is worth to ask them again."""
        grew = False
        for row in rows:
            if isinstance(row, dict):
                name = self._declared(self.bundle_of(row))
                grew |= self._keys_of(name).learn([row])
        if grew:
            self._gates.clear()
            self._by_words.clear()
        return grew

    def _keys_of(self, bundle: str | None) -> OwnKeys:
        if bundle not in self._own_keys:
            self._own_keys[bundle] = OwnKeys(row_schema(), self.schema_of(bundle))
        return self._own_keys[bundle]

    def _declared(self, bundle: str | None) -> str | None:
        return bundle if self.schema_of(bundle) is not None else None

    def pass_all(self, rows: list[Any]) -> bool:
        """Whether nothing can be found in any of these rows; False may be too careful."""
        try:
            words = {(row.get("bundle"), row.get("rubric_ref")) for row in rows}
        except (AttributeError, TypeError):
            return False
        gates = {self._gate(*each) for each in words}
        if len(gates) == 1:
            gate = gates.pop()
            return gate is not None and gate.passes(rows)
        if None in gates:
            return False
        groups: dict[Gate | None, list[Any]] = {}
        for row in rows:
            gate = self._by_words[row.get("bundle"), row.get("rubric_ref")]
            groups.setdefault(gate, []).append(row)
        return all(gate is not None and gate.passes(group) for gate, group in groups.items())

    def bundle_of(self, row: dict[str, Any]) -> str | None:
        """Return the bundle that a row names, or the dataset's, whether declared or not."""
        name = row.get("bundle", self._default)
        return name if isinstance(name, str) else None

    def schema_of(self, bundle: str | None) -> Schema | None:
        """Return the schema of a bundle; None where it has none to judge by."""
        schema = self._bundles.get(bundle) if bundle is not None else None
        return schema if isinstance(schema, dict) else None

    def plan(self, artifact: Artifact) -> Plan:
        """Return the plan of a rubric."""
        if id(artifact) not in self._plans:
            self._plans[id(artifact)] = plan_of(artifact, self._around)
        return self._plans[id(artifact)]

    def _gate(self, bundle: Any, reference: Any) -> Gate | None:
        """Return the gate for what a row names; None where it must be looked at closely."""
        words = (bundle, reference)
        if words not in self._by_words:
            self._by_words[words] = self._choose(*words)
        return self._by_words[words]

    def _choose(self, bundle: Any, reference: Any) -> Gate | None:
        plan = None
        name = self._default if bundle is None else bundle
        if reference is not None:
            parsed = Reference.parse(reference) if isinstance(reference, str) else None
            found = self._around.library.resolve(parsed) if parsed else None
            if not isinstance(found, Resolved) or not found.pinned:
                return None
            if found.artifact.kind is not Kind.RUBRIC:
                return None
            plan = self.plan(found.artifact)
            if name is not None and plan.bundles and name not in plan.bundles:
                return None
        schema = self.schema_of(name if isinstance(name, str) else None)
        demand = demand_of(plan, has_bundle=name is not None)
        own = name if schema is not None else None
        key = (own, json.dumps(demand, sort_keys=True))
        if key not in self._gates:
            references = self._around.library.pinned_references(Kind.RUBRIC)
            extra = [schema] if schema is not None else []
            harmless = self._keys_of(own).harmless
            self._gates[key] = Gate(row_schema(), references, extra, demand, harmless)
        return self._gates[key]
