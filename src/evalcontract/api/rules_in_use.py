"""The rules of a run: the built-in ones, and those of other packages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from evalcontract.model.errors import PluginError
from evalcontract.rules import ARTIFACT_RULES, DATASET_RULES, ROW_RULES
from evalcontract.rules._dataset_rule import DatasetRule
from evalcontract.rules._row_rule import RowRule
from evalcontract.rules._rule import Rule
from evalcontract.workspace import entry_points

AnyRule = Rule | RowRule | DatasetRule


@dataclass(frozen=True, slots=True)
class RulesInUse:
    """The rules by what they look at.

    `gate_is_sound` is False where a package brings a row rule: the gate knows nothing of what it
    finds, so every row takes the exact way.
    """

    artifact: tuple[Rule, ...]
    row: tuple[RowRule, ...]
    dataset: tuple[DatasetRule, ...]
    gate_is_sound: bool

    @property
    def every(self) -> tuple[AnyRule, ...]:
        """All of them."""
        return (*self.artifact, *self.row, *self.dataset)


@cache
def rules_in_use() -> RulesInUse:
    """Return the built-in rules, and the entry points of `evalcontract.rules`.

    Raises:
        PluginError: one does not load, is no rule, or has a code that is taken.

    """
    others = entry_points("rules")
    built_in: tuple[AnyRule, ...] = (*ARTIFACT_RULES, *ROW_RULES, *DATASET_RULES)
    taken = {rule.code for rule in built_in}
    for name, found in others.items():
        if not isinstance(found, Rule | RowRule | DatasetRule):
            raise PluginError(f"`{name}` of evalcontract.rules is no rule")
        if found.code in taken:
            raise PluginError(f"`{name}` of evalcontract.rules: the code {found.code} is taken")
        taken.add(found.code)
    rows = tuple(each for each in others.values() if isinstance(each, RowRule))
    return RulesInUse(
        (*ARTIFACT_RULES, *(each for each in others.values() if isinstance(each, Rule))),
        (*ROW_RULES, *rows),
        (*DATASET_RULES, *(each for each in others.values() if isinstance(each, DatasetRule))),
        gate_is_sound=not rows,
    )
