"""The rules of a run: the built-in ones, and those of other packages.

The built-in ones are imported when they are first asked for: a run without judges needs none on
judges.
"""

from __future__ import annotations

import sys
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from evalcontract.model.code import Code
from evalcontract.model.errors import PluginError
from evalcontract.model.reference import Kind
from evalcontract.rules import (
    DATASET_RULES,
    JUDGE_RULES,
    ROW_RULES,
    RUBRIC_RULES,
    load_rules,
    rules_named_for,
)
from evalcontract.workspace.plugins import entry_points

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from evalcontract.rules._dataset_rule import DatasetRule
    from evalcontract.rules._row_rule import RowRule
    from evalcontract.rules._rule import Rule

    AnyRule = Rule | RowRule | DatasetRule

_WITHOUT_DOCSTRINGS = 2  # python -OO


class RulesInUse:
    """The rules by what they look at, those of other packages behind the built-in ones.

    Raises:
        PluginError: one of other packages is no rule, or its code cannot be used.

    """

    def __init__(self, others: Mapping[str, Any] | None = None) -> None:
        self._artifact: tuple[Rule, ...] = ()
        self._row: tuple[RowRule, ...] = ()
        self._dataset: tuple[DatasetRule, ...] = ()
        if others:
            self._take(others)

    def _take(self, others: Mapping[str, Any]) -> None:
        from evalcontract.rules._dataset_rule import DatasetRule  # rarely needed, all three
        from evalcontract.rules._row_rule import RowRule
        from evalcontract.rules._rule import Rule

        taken = {rule.code for rule in _built_in()}
        for name, rule in others.items():
            if not isinstance(rule, Rule | RowRule | DatasetRule):
                raise PluginError(f"`{name}` of evalcontract.rules is no rule")
            if fault := _fault_of(rule.code, taken):
                raise PluginError(f"`{name}` of evalcontract.rules: the code {rule.code} {fault}")
            taken.add(rule.code)
        self._artifact = tuple(rule for rule in others.values() if isinstance(rule, Rule))
        self._row = tuple(rule for rule in others.values() if isinstance(rule, RowRule))
        self._dataset = tuple(rule for rule in others.values() if isinstance(rule, DatasetRule))

    @cached_property
    def row(self) -> tuple[RowRule, ...]:
        """The rules on one row."""
        return (*load_rules(ROW_RULES), *self._row)

    @cached_property
    def dataset(self) -> tuple[DatasetRule, ...]:
        """The rules on a dataset as a whole."""
        return (*load_rules(DATASET_RULES), *self._dataset)

    def on(self, kind: Kind) -> tuple[Rule, ...]:
        """Return the rules on rubrics or on judges."""
        modules = RUBRIC_RULES if kind is Kind.RUBRIC else JUDGE_RULES
        others = (rule for rule in self._artifact if kind in rule.kinds)
        return (*load_rules(modules, kind), *others)

    @property
    def every(self) -> tuple[AnyRule, ...]:
        """All of them, each once."""
        return (*_built_in(), *self._artifact, *self._row, *self._dataset)

    @cached_property
    def codes(self) -> Mapping[str, Code]:
        """The codes of all of them, by name."""
        return {rule.code: rule.code for rule in self.every}

    def code(self, name: str) -> Code | None:
        """Return a code by its name; most are found without importing every rule."""
        likely = {rule.code: rule.code for rule in rules_named_for(name)}
        return likely.get(name) or self.codes.get(name)


def _built_in() -> tuple[AnyRule, ...]:
    return (
        *load_rules(RUBRIC_RULES, Kind.RUBRIC),
        *load_rules(JUDGE_RULES, Kind.JUDGE),
        *load_rules(ROW_RULES),
        *load_rules(DATASET_RULES),
    )


def _fault_of(code: object, taken: Container[object]) -> str | None:
    """Say what is wrong with the code of a rule of another package."""
    if not isinstance(code, Code):
        return "is a plain text: declare it with `Code(…)`"
    if code in taken:
        return "is taken"
    if code.docstring is None and sys.flags.optimize < _WITHOUT_DOCSTRINGS:
        return "has no page: give it one, `page=__doc__`"
    return None


@cache
def rules_in_use() -> RulesInUse:
    """Return the built-in rules, and the entry points of `evalcontract.rules`.

    Raises:
        PluginError: one does not load, is no rule, or its code cannot be used.

    """
    return RulesInUse(entry_points("rules"))
