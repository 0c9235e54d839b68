"""The gates that rows have to pass, one per bundle and per silent schema of the row rules."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import cache, cached_property, partial
from itertools import filterfalse, product, starmap
from typing import TYPE_CHECKING, Any

from evalcontract.datasets.placing import crash
from evalcontract.datasets.plans import GradingPlans, row_schema
from evalcontract.library.library import Resolution
from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple
from evalcontract.rules._rule import RowGroup, RowRule
from evalcontract.source.rows import RowBatches
from evalcontract.structure.gate import Gate, gate_schema, is_closed
from evalcontract.structure.native import is_schema
from evalcontract.structure.parts import Schema
from evalcontract.structure.schemas import OWN_PREFIX, properties

if TYPE_CHECKING:
    from evalcontract.structure.keys.bundle_fields import BundleFields
    from evalcontract.structure.keys.mismatches import KeyMismatches

#: The mappings of a row that allow extra keys: the name of the definition, and the path.
PLACES: dict[str, tuple[str, ...]] = {"row": (), "expected": ("expected",)}
# So many keys inside of a bundle's mappings are accepted, each of which makes another gate.
_MAX_KEYS = 500
# So many other keys are remembered: every row may have one of its own.
_REMEMBERED = 20_000


def _bundle_fields_of(bundle: Schema, row: Schema) -> BundleFields:
    from evalcontract.structure.keys.bundle_fields import BundleFields  # slow to import

    return BundleFields(bundle, row)


class ExtraKeys:
    """The extra keys of the rows of one bundle, or of rows without a bundle.

    A key is harmless if it causes no finding, alone or beside one of some known keys. This is
    tested with a mapping that has only the required keys: since all others are missing, each of
    them may be the one that was meant. A known key that is present rules out some meanings, and
    never adds one. `inside` are the harmless keys of the mappings that the bundle describes;
    `has_accepted` says whether any extra key of a row was accepted.

    A key that is reported beside the required keys alone is tested with each other known key, which
    takes long, only when a second mapping has it: most such keys are slips of one row. `mismatches`
    returns what tests keys; by default, one is made.
    """

    def __init__(
        self,
        row: Schema,
        bundle: Schema | None,
        mismatches: Callable[[], KeyMismatches] | None = None,
    ) -> None:
        self._row = row
        self._bundle = bundle
        self._classified: set[str] = set()
        self._mismatches_of = mismatches
        # The identity of the first mapping that has a key which is reported alone.
        self._reported: dict[tuple[str, str], int] = {}
        self._bundle_fields = _bundle_fields_of(bundle, row) if bundle else None
        self._free = {name: set(row["$defs"][name]["properties"]) for name in PLACES}
        self._free["row"].update(properties(bundle or {}))  # the bundle itself decides on these
        self._known_conditions: dict[tuple[str, str], frozenset[str] | None] = {}
        self._has_learned = False
        self._tests = True
        self.has_accepted = False
        self.inside: set[str] = set()

    def accept_all(self, rows: list[dict[str, Any]]) -> bool:
        """Whether no extra key of rows, or of their `expected`, causes a finding by its name.

        A key of a single row is not tested: checking the row takes no longer.
        """
        self._has_learned = False
        self._tests = len(rows) > 1
        # All are looked at: a later row may tell what a key of an earlier one may stand beside.
        expected = [each for row in rows if isinstance(each := row.get("expected"), dict)]
        odd = [
            (name, mapping)
            for name, mappings in (("row", rows), ("expected", expected))
            for mapping in filterfalse(self._free[name].issuperset, mappings)
        ]
        accepted = all([self._accepts(*each) for each in odd])  # noqa: C419
        return accepted or (self._has_learned and all(starmap(self._accepts, odd)))

    def learn(self, row: Any) -> bool:
        """Classify the unknown keys that a bundle describes; return whether one is harmless."""
        fields, grew = self._bundle_fields, False
        for key in fields.unknown(row) if fields else ():
            if key not in self._classified and len(self._classified) < _MAX_KEYS:
                self._classified.add(key)
                if fields is not None and fields.is_harmless(key):
                    self.inside.add(key)
                    grew = True
        return grew

    def _accepts(self, name: str, mapping: dict[str, Any]) -> bool:
        free = self._free[name]
        for key in mapping:
            if key in free or (isinstance(key, str) and key.startswith(OWN_PREFIX)):
                continue
            if not isinstance(key, str):
                return False
            conditions = self._remembered_conditions(name, key, mapping)
            if conditions is None or (conditions and conditions.isdisjoint(mapping)):
                return False
            self.has_accepted = True
        return True

    def _remembered_conditions(
        self, name: str, key: str, mapping: dict[str, Any]
    ) -> frozenset[str] | None:
        """Return the keys of which one makes a key harmless; None if it is not known to be."""
        known = self._known_conditions
        if (name, key) in known:
            return known[name, key]
        if not self._tests:
            return None
        first = self._reported.get((name, key))
        if first == id(mapping):
            return None
        if first is not None:
            del self._reported[name, key]
            conditions = self._beside(name, key)
            self._has_learned |= conditions is not None
        elif not PLACES[name] and self._is_closed:
            conditions = None  # the bundle forbids it
        elif self._is_reported(name, key):
            if len(self._reported) < _REMEMBERED:
                self._reported[name, key] = id(mapping)
            return None
        else:
            if len(self._free[name]) < _REMEMBERED:
                self._free[name].add(key)
            return frozenset()
        if len(known) < _REMEMBERED:
            known[name, key] = conditions
        return conditions

    def _beside(self, name: str, key: str) -> frozenset[str] | None:
        """Return the known keys of which one makes a key harmless; None if there is none."""
        known = self._row["$defs"][name]["properties"]
        return frozenset(k for k in known if not self._is_reported(name, key, beside=k)) or None

    def _is_reported(self, name: str, key: str, beside: str | None = None) -> bool:
        """Whether a key may be reported in a mapping with the required keys, and another."""
        path = PLACES[name]
        if self._mismatches.is_custom(key, path):
            return False
        from evalcontract.structure.keys.names import is_alias  # slow to import

        required = {} if path else dict.fromkeys(self._required)
        # A list of mappings is the value that suggests the most keys; null fits any key.
        candidates: tuple[Any, ...] = ([{}], None)
        # A bundle may describe continuous judges, whose keys have names of their own elsewhere.
        kinds: tuple[dict[str, Any], ...] = ({}, {"score_type": "continuous"})
        for candidate, kind in product(candidates, kinds if is_alias(key) else kinds[:1]):
            value: Any = {**required, **kind, **({beside: None} if beside else {}), key: candidate}
            for step in reversed(path):
                value = {step: value}
            for miss in self._mismatches.of(value):
                # The gate itself excludes the values of a word that is read elsewhere.
                is_word = miss.fault == "misplaced-key" and not miss.meant
                if miss.path == path and miss.key == key and not is_word:
                    return True
        return False

    @cached_property
    def _mismatches(self) -> KeyMismatches:
        if self._mismatches_of is not None:
            return self._mismatches_of()
        from evalcontract.structure.keys.mismatches import KeyMismatches  # slow to import

        return KeyMismatches(self._row, self._bundle)

    @cached_property
    def _required(self) -> list[str]:
        return [*self._row["$defs"]["row"]["required"], *(self._bundle or {}).get("required", ())]

    @cached_property
    def _is_closed(self) -> bool:
        return is_closed(self._bundle or {})


_Refs = tuple[Any, Any]  # the `bundle` and the `rubric_ref` of a row

# This many gates are compiled at first use; any further gate only after this many uses.
_FREE_GATES, _USES_OF_A_GATE = 8, 20
# So many gates are kept for other datasets: each new key of a row makes another gate, of megabytes.
_KEPT_GATES = 32


class RowRefs(NamedTuple):
    """Every `bundle` and `rubric_ref` of some rows, valid or not; they determine the gates."""

    bundles: frozenset[Any]
    rubrics: frozenset[Any]


def refs_of_rows(rows: list[Any]) -> RowRefs | None:
    """Return the refs of rows; None if a row is not a mapping or has a ref of an invalid type."""
    try:
        return RowRefs(
            frozenset({row.get("bundle") for row in rows}),
            frozenset({row.get("rubric_ref") for row in rows}),
        )
    except (AttributeError, TypeError):
        return None


class SilentSchema(NamedTuple):
    """The schema of rows in which no rule can find a problem, and a text that identifies it."""

    schema: Schema
    text: str


class SharedGates:
    """The silent schemas and compiled gates that all datasets of one run share."""

    def __init__(self) -> None:
        self.silent_schemas: dict[tuple[Any, ...], SilentSchema | None] = {}
        self.gates: dict[tuple[Any, ...], Gate] = {}


class _GateKey(NamedTuple):
    """What determines a gate: the silent schema of the rules, and a bundle with a schema."""

    bundle: str | None
    silent: SilentSchema


class _Barrier:
    """What rows have to pass: a gate, once their extra keys are known to be harmless."""

    # The gate accepts extra keys only when a row has brought one: most datasets have none, and what
    # it takes to judge their values is slow to make. `gate_of` compiles both.

    def __init__(self, keys: ExtraKeys, gate_of: Callable[[bool], Gate]) -> None:
        self._keys = keys
        self._gate_of = gate_of
        self._gate: tuple[bool, Gate] | None = None

    def passes(self, rows: list[Any]) -> bool:
        if not self._keys.accept_all(rows):
            return False
        is_open = self._keys.has_accepted
        if self._gate is None or self._gate[0] != is_open:
            self._gate = is_open, self._gate_of(is_open)
        return self._gate[1].passes(rows)


class Gates:
    """The gates of one dataset, compiled when a row first needs them.

    `rules` are the row rules. `has_odd_numbers` returns whether the fast reader may have read
    numbers differently from the exact reader; if so, rows of a bundle get no gate, since the schema
    of a bundle may restrict numbers. `rows` know how they are written; without them, texts and
    keys may be bare.
    """

    def __init__(
        self,
        grading: GradingPlans,
        rules: Iterable[RowRule],
        has_odd_numbers: Callable[[], bool] = lambda: False,
        shared: SharedGates | None = None,
        *,
        rows: RowBatches | None = None,
    ) -> None:
        self._grading = grading
        self._rules = tuple([rule for rule in rules if rule.silent is not None])
        self._has_odd_numbers = has_odd_numbers
        self._shared = shared or SharedGates()
        self._bare = (True, True) if rows is None else (rows.has_bare_keys, rows.has_bare_texts)
        self._group = cache(self._grouped)
        self._by_refs: dict[_Refs, _Barrier | None] = {}
        self._barriers: dict[tuple[Any, ...], _Barrier] = {}
        self._extra_keys: dict[str | None, ExtraKeys] = {}
        self._uses: dict[_Refs, int] = {}
        self.has_learned = False
        self._compiled = 0

    def pass_all(self, rows: list[Any], refs: RowRefs | None) -> bool:
        """Whether no row has a problem; False if that is uncertain.

        `refs` are the result of `refs_of_rows`.
        """
        if refs is None:
            return False
        gates = {self._gate(*pair) for pair in product(refs.bundles, refs.rubrics)}
        if len(gates) == 1:
            gate = gates.pop()
            return gate is not None and gate.passes(rows)
        groups: dict[_Barrier | None, list[Any]] = {}
        for row in rows:
            gate = self._gate(row.get("bundle"), row.get("rubric_ref"))
            groups.setdefault(gate, []).append(row)
        return all(gate is not None and gate.passes(group) for gate, group in groups.items())

    def group_of(self, row: dict[str, Any]) -> RowGroup | None:
        """Return what a row has in common with others; None if it is unknown how it is graded."""
        return self._group(row.get("bundle"), row.get("rubric_ref"))

    def learn(self, row: Any) -> bool:
        """Classify the keys that a row has inside; return whether some are new and accepted."""
        self.has_learned = True
        if not isinstance(row, dict):
            return False
        bundle = self._with_schema(self._grading.bundle_of(row))
        grew = self._keys_of(bundle).learn(row)
        if grew:
            self._by_refs.clear()
            self._barriers.clear()
            self._compiled = 0
        return grew

    def _keys_of(self, bundle: str | None) -> ExtraKeys:
        if bundle not in self._extra_keys:
            structure = self._grading.structure(bundle)
            self._extra_keys[bundle] = ExtraKeys(
                row_schema(), self._grading.schema_of(bundle), lambda: structure.key_mismatches
            )
        return self._extra_keys[bundle]

    def _with_schema(self, bundle: str | None) -> str | None:
        return bundle if self._grading.schema_of(bundle) is not None else None

    def _gate(self, bundle: Any, reference: Any) -> _Barrier | None:
        """Return the gate for rows with these refs; None if they must be checked one by one."""
        refs = (bundle, reference)
        if refs not in self._by_refs:
            key = self._resolve(bundle, reference)
            if key is None:
                self._by_refs[refs] = None
                return None
            keys = self._keys_of(key.bundle)
            name = (key.bundle, key.silent.text, frozenset(keys.inside))
            if name not in self._barriers:
                is_known = any((*name, is_open) in self._shared.gates for is_open in (False, True))
                if not is_known and not self._is_worth_compiling(refs):
                    return None
                self._barriers[name] = _Barrier(keys, partial(self._compiled_gate, key, name))
            self._by_refs[refs] = self._barriers[name]
        return self._by_refs[refs]

    def _compiled_gate(
        self,
        key: _GateKey,
        name: tuple[Any, ...],
        is_open: bool,  # noqa: FBT001 - as a barrier asks
    ) -> Gate:
        gates = self._shared.gates
        if (*name, is_open) not in gates:
            references = self._grading.context.library.pinned_references(Kind.RUBRIC)
            bundle = self._grading.schema_of(key.bundle)
            bundles = [bundle] if bundle is not None else []
            opened = PLACES if is_open else ()
            row = row_schema()
            schema = gate_schema(
                row, references, bundles, demand=key.silent.schema, open_=opened, inside=name[-1]
            )
            search = self._grading.context.schemas.patterns.matches
            if len(gates) >= _KEPT_GATES:
                del gates[next(iter(gates))]
            gates[*name, is_open] = Gate(schema, bundle, search)
        return gates[*name, is_open]

    def _is_worth_compiling(self, refs: _Refs) -> bool:
        """Whether to compile another gate, which costs as much as checking some rows without."""
        self._uses[refs] = self._uses.get(refs, 0) + 1
        if self._compiled >= _FREE_GATES and self._uses[refs] < _USES_OF_A_GATE:
            return False
        self._compiled += 1
        return True

    def _resolve(self, bundle: Any, reference: Any) -> _GateKey | None:
        """Return the key of the gate for these refs; None if there can be no gate for them."""
        group = self._group(bundle, reference)
        if group is None:
            return None
        with_schema = self._with_schema(group.bundle)
        silent = self._silent_schema(group)
        if silent is None or (with_schema is not None and self._has_odd_numbers()):
            return None
        return _GateKey(with_schema, silent)

    def _grouped(self, bundle: Any, reference: Any) -> RowGroup | None:
        """Return what rows with these refs have in common; None if their rubric is uncertain."""
        from evalcontract.rules._rule import RowGroup  # slow to import

        plan = None
        grading = self._grading
        name = grading.default if bundle is None else bundle
        if reference is not None:
            rubric = grading.rubric_of(reference)
            if not isinstance(rubric, Resolution) or not rubric.pinned:
                return None
            plan = grading.plan(rubric.artifact)
            if plan is None:
                return None
        name = name if isinstance(name, str) else None
        return RowGroup(plan, name, grading.graded, *self._bare)

    def _silent_schema(self, group: RowGroup) -> SilentSchema | None:
        """Return the schema of rows in which no rule finds a problem; None if there is none."""
        silent_schemas = self._shared.silent_schemas
        key = (id(group.plan), *group[1:])  # plans live as long as the run
        if key not in silent_schemas:
            parts = [self._silent_schema_of(rule, group) for rule in self._rules]
            by_text = {json.dumps(part, sort_keys=True): part for part in parts if part is not True}
            schemas = [part for part in by_text.values() if isinstance(part, dict)]
            all_schemas = len(schemas) == len(by_text)
            schema: Schema = {"allOf": schemas} if schemas else {}
            text = "\n".join(sorted(by_text))
            silent_schemas[key] = SilentSchema(schema, text) if all_schemas else None
        return silent_schemas[key]

    def _silent_schema_of(self, rule: RowRule, group: RowGroup) -> Schema | bool:
        """Return the silent schema of a rule; False if there is none, or `silent` fails."""
        try:
            schema = rule.silent(group) if rule.silent else False
            # Tests verify the schemas of built-in rules, and doing it here is slow.
            is_built_in = rule.check.__module__.startswith("evalcontract.rules.")
            if is_built_in or is_schema(schema):
                return schema
            error: Exception = TypeError("`silent` does not return a JSON Schema")
        except MemoryError:
            raise
        except Exception as raised:  # noqa: BLE001 - the other rules must run
            error = raised
        rest = "the rule runs on every row"
        self._grading.crashes[rule.code] = crash(f"`silent` of the rule {rule.code}", error, rest)
        return False
