"""Which gate a row has to pass: one for each bundle and each demand of a rubric."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.api.grading import row_schema
from evalcontract.api.own_keys import OwnKeys
from evalcontract.checks.demand import demand_of
from evalcontract.library.library import Resolved
from evalcontract.model.reference import Kind
from evalcontract.structure.gate import Gate, gate_schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from evalcontract.api.grading import Grading
    from evalcontract.structure.schemas import Schema

# Rows that name more different things than these gain nothing by one schema for them all.
_MOST_WORDS = 1000
# So many gates are made at once; for each one more so many rows have to ask.
_FREE_GATES, _ROWS_OF_A_GATE = 8, 20


class _Asked(NamedTuple):
    """What is asked of a row: the bundle that has a schema, and a demand, also as a text."""

    own: str | None
    demand: Schema
    text: str


class Gates:
    """The gates of one dataset, made when a row first needs them."""

    def __init__(self, grading: Grading) -> None:
        self._grading = grading
        self._gates: dict[tuple[str | None, str], Gate] = {}
        self._by_words: dict[tuple[Any, Any], Gate | None] = {}
        self._own_keys: dict[str | None, OwnKeys] = {}
        self._waiting: dict[tuple[Any, Any], int] = {}
        self._answers: dict[tuple[Any, Any], _Asked | None] = {}

    def learn(self, rows: list[Any]) -> bool:
        """Judge keys that the gates refused; return whether it is worth to ask them again."""
        grew = False
        for row in rows:
            if isinstance(row, dict):
                name = self._declared(self._grading.bundle_of(row))
                grew |= self._keys_of(name).learn([row])
        if grew:
            self._gates.clear()
            self._by_words.clear()
        return grew

    def _keys_of(self, bundle: str | None) -> OwnKeys:
        if bundle not in self._own_keys:
            self._own_keys[bundle] = OwnKeys(row_schema(), self._grading.schema_of(bundle))
        return self._own_keys[bundle]

    def _declared(self, bundle: str | None) -> str | None:
        return bundle if self._grading.schema_of(bundle) is not None else None

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
            gate = self._gate(row.get("bundle"), row.get("rubric_ref"))
            groups.setdefault(gate, []).append(row)
        return all(gate is not None and gate.passes(group) for gate, group in groups.items())

    def _gate(self, bundle: Any, reference: Any) -> Gate | None:
        """Return the gate for what a row names; None where it must be looked at closely."""
        words = (bundle, reference)
        if words not in self._by_words:
            gate = self._choose(*words)
            if gate is None and words in self._waiting:
                return None
            self._by_words[words] = gate
        return self._by_words[words]

    def _is_worth(self, words: tuple[Any, Any]) -> bool:
        """Whether one more gate pays: to make it costs as much as to look closely at some rows."""
        self._waiting[words] = self._waiting.get(words, 0) + 1
        if len(self._gates) >= _FREE_GATES and self._waiting[words] < _ROWS_OF_A_GATE:
            return False
        del self._waiting[words]
        return True

    def _choose(self, bundle: Any, reference: Any) -> Gate | None:
        asked = self._asked(bundle, reference)
        if asked is None:
            return None
        key = (asked.own, asked.text)
        if key not in self._gates:
            if not self._is_worth((bundle, reference)):
                return None
            references = self._grading.around.library.pinned_references(Kind.RUBRIC)
            self._gates[key] = Gate(self._schema(asked.own, references, asked.demand))
        return self._gates[key]

    def _asked(self, bundle: Any, reference: Any) -> _Asked | None:
        """Return what is asked of a row by what it names; None: it must be looked at closely."""
        words = (bundle, reference)
        if words not in self._answers:
            self._answers[words] = self._work_out(*words)
        return self._answers[words]

    def _work_out(self, bundle: Any, reference: Any) -> _Asked | None:
        plan = None
        grading = self._grading
        name = grading.default if bundle is None else bundle
        if reference is not None:
            found = grading.rubric_of(reference)
            if not isinstance(found, Resolved) or not found.pinned:
                return None
            plan = grading.plan(found.artifact)
            if plan is None or (name is not None and plan.bundles and name not in plan.bundles):
                return None
        schema = grading.schema_of(name if isinstance(name, str) else None)
        own = name if schema is not None else None
        demand = demand_of(plan, has_bundle=name is not None)
        return _Asked(own, demand, json.dumps(demand, sort_keys=True))

    def _schema(self, own: str | None, references: Iterable[str], demand: Schema) -> Schema:
        bundle = self._grading.schema_of(own)
        extra = [bundle] if bundle is not None else []
        return gate_schema(row_schema(), references, extra, demand, self._keys_of(own).harmless)

    def schema_of_all(self, rows: list[dict[str, Any]]) -> Schema | None:
        """Return a schema of one row, for rows that name what some of these rows name.

        What it accepts passes its own gate, whichever it is. None where there is no such schema.
        """
        bundles = {row.get("bundle") for row in rows}
        references = {row.get("rubric_ref") for row in rows}
        if len(bundles) * len(references) > _MOST_WORDS:
            return None
        if any(self._declared(each) is None for each in bundles if each is not None):
            return None
        asked = [self._asked(one, other) for one in bundles for other in references]
        demands = {each.text: each.demand for each in asked if each}
        owns = {each.own for each in asked if each}
        if None in asked or len(owns) != 1:
            return None
        alike = references | set(self._alike(bundles, owns, demands))
        texts = [each for each in alike if each is not None]
        schema = self._schema(owns.pop(), texts, {"allOf": list(demands.values())})
        names = sorted(each for each in bundles if each is not None)
        schema["$defs"]["row"]["properties"]["bundle"] = {"enum": names} if names else False
        row: Schema = schema.pop("items")
        return {**schema, "type": "object", **row}

    def _alike(
        self, bundles: set[Any], owns: set[str | None], demands: Mapping[str, Schema]
    ) -> Iterator[str]:
        """Yield the references whose rubrics ask nothing that is not asked already."""
        every = self._grading.around.library.pinned_references(Kind.RUBRIC)
        for text in every if len(every) <= _MOST_WORDS else ():
            asked = [self._asked(bundle, text) for bundle in bundles]
            if all(each and each.own in owns and each.text in demands for each in asked):
                yield text
