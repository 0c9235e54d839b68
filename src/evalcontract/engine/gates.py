"""Which gate a row has to pass: one for each bundle, and for each silence of the row rules."""

from __future__ import annotations

import json
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.engine.crash import crash
from evalcontract.engine.extra_keys import ExtraKeys
from evalcontract.engine.grading import row_schema
from evalcontract.library.library import Resolved
from evalcontract.model.reference import Kind
from evalcontract.structure.gate import Gate, gate_schema
from evalcontract.structure.native import is_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from evalcontract.checks.plan import Plan
    from evalcontract.engine.grading import Grading
    from evalcontract.rules._row_rule import RowRule
    from evalcontract.structure.schemas import Schema

    _Pair = tuple[Any, Any]  # a `bundle` and a `rubric_ref`

# So many gates are made at once; for each one more so many rows have to ask.
_FREE_GATES, _ROWS_OF_A_GATE = 8, 20


class Words(NamedTuple):
    """What decides on the gates of some rows: each `bundle` and `rubric_ref`, whatever it is."""

    bundles: frozenset[Any]
    references: frozenset[Any]


def words_of(rows: list[Any]) -> Words | None:
    """Return the words of rows; None where one is no mapping, or has a word that none can be."""
    try:
        return Words(
            frozenset({row.get("bundle") for row in rows}),
            frozenset({row.get("rubric_ref") for row in rows}),
        )
    except (AttributeError, TypeError):
        return None


class Silence(NamedTuple):
    """The schema of rows of which no rule has anything to say, and the same as a text."""

    schema: Schema
    text: str


class SharedGates:
    """What the gates of all datasets of one run share: the silences of rules, compiled gates."""

    def __init__(self) -> None:
        self.silences: dict[tuple[int, str | None], Silence | None] = {}
        self.gates: dict[tuple[Any, ...], Gate] = {}


class _Asked(NamedTuple):
    """What is asked of a row: the bundle that has a schema, and the silence of the rules."""

    own: str | None
    silence: Silence


class Gates:
    """The gates of one dataset, made when a row first needs them.

    `rules` are those on one row. Where numbers may have been read in two ways, as
    `has_odd_numbers` tells, no gate is made for the rows of a bundle, which may ask for some.
    """

    def __init__(
        self,
        grading: Grading,
        rules: Iterable[RowRule],
        has_odd_numbers: Callable[[], bool] = lambda: False,
        shared: SharedGates | None = None,
    ) -> None:
        self._grading = grading
        self._rules = tuple(rule for rule in rules if rule.silent is not None)
        self._has_odd_numbers = has_odd_numbers
        self._shared = shared or SharedGates()
        self._by_words: dict[_Pair, Gate | None] = {}
        self._own_keys: dict[str | None, ExtraKeys] = {}
        self._waiting: dict[_Pair, int] = {}
        self.has_learnt = False
        self._made = 0

    def pass_all(self, rows: list[Any], words: Words | None) -> bool:
        """Whether nothing can be found in any of these rows; False may be too careful.

        `words` are those of the rows; None where they have none that can be told.
        """
        if words is None:
            return False
        gates = {self._gate(*each) for each in product(words.bundles, words.references)}
        if len(gates) == 1:
            gate = gates.pop()
            return gate is not None and gate.passes(rows)
        groups: dict[Gate | None, list[Any]] = {}
        for row in rows:
            gate = self._gate(row.get("bundle"), row.get("rubric_ref"))
            groups.setdefault(gate, []).append(row)
        return all(gate is not None and gate.passes(group) for gate, group in groups.items())

    def learn(self, row: Any) -> bool:
        """Judge the keys of a row; return whether one that was refused is worth another try."""
        self.has_learnt = True
        if not isinstance(row, dict):
            return False
        own = self._with_schema(self._grading.bundle_of(row))
        grew = self._keys_of(own).learn(row)
        if grew:
            self._by_words.clear()
            self._made = 0
        return grew

    def _keys_of(self, bundle: str | None) -> ExtraKeys:
        if bundle not in self._own_keys:
            self._own_keys[bundle] = ExtraKeys(row_schema(), self._grading.schema_of(bundle))
        return self._own_keys[bundle]

    def _with_schema(self, bundle: str | None) -> str | None:
        return bundle if self._grading.schema_of(bundle) is not None else None

    def _gate(self, bundle: Any, reference: Any) -> Gate | None:
        """Return the gate for what a row names; None where it must be looked at closely."""
        pair = (bundle, reference)
        if pair not in self._by_words:
            asked = self._work_out(bundle, reference)
            gate = self._gate_of(asked, pair) if asked else None
            if asked and gate is None:
                return None
            self._by_words[pair] = gate
        return self._by_words[pair]

    def _gate_of(self, asked: _Asked, pair: _Pair) -> Gate | None:
        """Return the gate for what is asked; None where it is not worth to make one yet."""
        keys = self._keys_of(asked.own).harmless
        name = (asked.own, asked.silence.text, *(frozenset(each) for each in keys.values()))
        gates = self._shared.gates
        if name not in gates:
            if not self._is_worth(pair):
                return None
            references = self._grading.around.library.pinned_references(Kind.RUBRIC)
            bundle = self._grading.schema_of(asked.own)
            extra = [bundle] if bundle is not None else []
            schema = gate_schema(row_schema(), references, extra, asked.silence.schema, keys)
            gates[name] = Gate(schema)
        return gates[name]

    def _is_worth(self, pair: _Pair) -> bool:
        """Whether one more gate pays: to make it costs as much as to look closely at some rows."""
        self._waiting[pair] = self._waiting.get(pair, 0) + 1
        if self._made >= _FREE_GATES and self._waiting[pair] < _ROWS_OF_A_GATE:
            return False
        self._made += 1
        return True

    def _work_out(self, bundle: Any, reference: Any) -> _Asked | None:
        """Return what is asked of a row by what it names; None: it must be looked at closely."""
        plan = None
        grading = self._grading
        name = grading.default if bundle is None else bundle
        if reference is not None:
            found = grading.rubric_of(reference)
            if not isinstance(found, Resolved) or not found.pinned:
                return None
            plan = grading.plan(found.artifact)
            if plan is None:
                return None
        own = self._with_schema(name) if isinstance(name, str) else None
        silence = self._silence(plan, name if isinstance(name, str) else None)
        if silence is None or (own is not None and self._has_odd_numbers()):
            return None
        return _Asked(own, silence)

    def _silence(self, plan: Plan | None, bundle: str | None) -> Silence | None:
        """Return the silence of all rules; None: one of them is never silent."""
        silences = self._shared.silences
        name = (id(plan), bundle)  # plans live as long as the run
        if name not in silences:
            parts = [self._silence_of(rule, plan, bundle) for rule in self._rules]
            texts = {json.dumps(each, sort_keys=True): each for each in parts if each is not True}
            schemas = [each for each in texts.values() if isinstance(each, dict)]
            is_one = len(schemas) == len(texts)
            schema: Schema = {"allOf": schemas} if schemas else {}
            silences[name] = Silence(schema, "\n".join(sorted(texts))) if is_one else None
        return silences[name]

    def _silence_of(self, rule: RowRule, plan: Plan | None, bundle: str | None) -> Schema | bool:
        """Ask a rule for its silence; one that fails at it is asked about every row."""
        try:
            schema = rule.silent(plan, bundle) if rule.silent else False
            if _is_built_in(rule) or is_schema(schema):
                return schema
            error: Exception = TypeError("`silent` returns no JSON Schema")
        except Exception as raised:  # noqa: BLE001 - whatever a rule does, the others run
            error = raised
        rest = "it is asked about every row"
        self._grading.crashes[rule.code] = crash(f"`silent` of the rule {rule.code}", error, rest)
        return False


def _is_built_in(rule: RowRule) -> bool:
    """Whether a test has seen that the silence of a rule is a schema; it takes long to see."""
    return rule.check.__module__.startswith("evalcontract.rules.")
