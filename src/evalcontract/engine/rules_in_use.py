"""The rules of a run: the built-in ones, and those of other packages.

The built-in ones are imported when they are first asked for: a run without judges needs none on
judges.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from evalcontract.model.errors import PluginError
from evalcontract.model.reference import Kind
from evalcontract.rules import (
    DATASET_RULES,
    JUDGE_RULES,
    ROW_RULES,
    RUBRIC_RULES,
    load_rules,
)
from evalcontract.workspace import entry_points

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcontract.rules._dataset_rule import DatasetRule
    from evalcontract.rules._row_rule import RowRule
    from evalcontract.rules._rule import Rule

    AnyRule = Rule | RowRule | DatasetRule


class RulesInUse:
    """The rules by what they look at, those of other packages behind the built-in ones.

    Raises:
        PluginError: one of other packages is no rule, or has a code that is taken.

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
        for name, found in others.items():
            if not isinstance(found, Rule | RowRule | DatasetRule):
                raise PluginError(f"`{name}` of evalcontract.rules is no rule")
            if found.code in taken:
                raise PluginError(f"`{name}` of evalcontract.rules: the code {found.code} is taken")
            taken.add(found.code)
        every = others.values()
        self._artifact = tuple(each for each in every if isinstance(each, Rule))
        self._row = tuple(each for each in every if isinstance(each, RowRule))
        self._dataset = tuple(each for each in every if isinstance(each, DatasetRule))

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


def _built_in() -> tuple[AnyRule, ...]:
    return (
        *load_rules(RUBRIC_RULES, Kind.RUBRIC),
        *load_rules(JUDGE_RULES, Kind.JUDGE),
        *load_rules(ROW_RULES),
        *load_rules(DATASET_RULES),
    )


@cache
def rules_in_use() -> RulesInUse:
    """Return the built-in rules, and the entry points of `evalcontract.rules`.

    Raises:
        PluginError: one does not load, is no rule, or has a code that is taken.

    """
    return RulesInUse(entry_points("rules"))
