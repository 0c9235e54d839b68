"""The rules of a run: the built-in rules and those of other packages.

Built-in rules are imported at first use: a run without judges does not import the rules on judges.
"""

from __future__ import annotations

import sys
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from evalcontract.model.code import Code
from evalcontract.model.reference import Kind
from evalcontract.rules import (
    DATASET_RULES,
    JUDGE_RULES,
    ROW_RULES,
    RUBRIC_RULES,
    load_rules,
    rules_named_for,
)
from evalcontract.source.installed import entry_points

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcontract.rules._rule import DatasetRule, RowRule, Rule

    AnyRule = Rule | RowRule | DatasetRule

_WITHOUT_DOCSTRINGS = 2  # python -OO


class RulesInUse:
    """The rules by scope; those of other packages follow the built-in ones."""

    def __init__(self, others: Mapping[str, AnyRule] | None = None) -> None:
        self._artifact: tuple[Rule, ...] = ()
        self._row: tuple[RowRule, ...] = ()
        self._dataset: tuple[DatasetRule, ...] = ()
        if not others:
            return
        from evalcontract.rules._rule import (
            DatasetRule,  # all three are rarely needed
            RowRule,
            Rule,
        )

        self._artifact = tuple(rule for rule in others.values() if isinstance(rule, Rule))
        self._row = tuple(rule for rule in others.values() if isinstance(rule, RowRule))
        self._dataset = tuple(rule for rule in others.values() if isinstance(rule, DatasetRule))

    @classmethod
    def none(cls) -> RulesInUse:
        """Return no rules, for rows of which only the structure matters."""
        rules = cls()
        rules.row = rules.dataset = ()
        return rules

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
        """Every rule, once."""
        return (*_built_in(), *self._artifact, *self._row, *self._dataset)

    @property
    def other_codes(self) -> tuple[Code, ...]:
        """The codes of the rules of other packages."""
        rules: tuple[AnyRule, ...] = (*self._artifact, *self._row, *self._dataset)
        return tuple(rule.code for rule in rules)

    @cached_property
    def codes(self) -> Mapping[str, Code]:
        """The codes of all rules, by name."""
        return {rule.code: rule.code for rule in self.every}

    def code(self, name: str) -> Code | None:
        """Return the code with a name; most are found without importing every rule."""
        likely = {rule.code: rule.code for rule in rules_named_for(name)}
        return likely.get(name) or self.codes.get(name)


def _built_in() -> tuple[AnyRule, ...]:
    return (
        *load_rules(RUBRIC_RULES, Kind.RUBRIC),
        *load_rules(JUDGE_RULES, Kind.JUDGE),
        *load_rules(ROW_RULES),
        *load_rules(DATASET_RULES),
    )


class _RuleValidator:
    """Validates the rules of other packages, which must have distinct codes."""

    def __init__(self) -> None:
        self._codes: set[Code] | None = None

    def error_of(self, _: str, rule: Any) -> str | None:
        """Return why a rule cannot be used, or None if it can."""
        from evalcontract.rules._rule import (
            DatasetRule,  # all three are rarely needed
            RowRule,
            Rule,
        )

        if self._codes is None:
            self._codes = {built_in.code for built_in in _built_in()}
        if not isinstance(rule, Rule | RowRule | DatasetRule):
            return "is not a rule"
        code = rule.code
        if not isinstance(code, Code):
            return f"has the code {code!r}, which is a plain string: declare it with `Code(…)`"
        if code in self._codes:
            return f"has the code {code}, which is already in use"
        if code.docstring is None and sys.flags.optimize < _WITHOUT_DOCSTRINGS:
            return f"has the code {code} without a page: add `page=__doc__`"
        self._codes.add(code)
        return None


@cache
def rules_in_use() -> RulesInUse:
    """Return the built-in rules and those of the entry points `evalcontract.rules`.

    Raises:
        PluginError: an entry point does not load or is not a rule, or its code cannot be used.

    """
    return RulesInUse(entry_points("rules", _RuleValidator().error_of))
