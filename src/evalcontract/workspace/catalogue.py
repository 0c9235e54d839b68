"""The rules in use and the codes that are known: built in, and of other packages.

Built-in rules are imported at first use: a run without judges does not import the rules on judges.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from typing import Any

from evalcontract.model.codes import CORE, Code, is_published, page_url
from evalcontract.model.diagnostic import Severity
from evalcontract.model.reference import Kind
from evalcontract.rules import (
    DATASET_RULES,
    JUDGE_RULES,
    ROW_RULES,
    RUBRIC_RULES,
    load_rules,
    rules_named_for,
)
from evalcontract.rules._rule import DatasetRule, RowRule, Rule
from evalcontract.source.installed import entry_points

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


class KnownCodes(Mapping[str, Code]):
    """The codes by name: those of evalcontract, sorted, then those of other dataset formats.

    Looking up one code does not load the others.

    Raises:
        PluginError: on any lookup, if a rule of another package does not load or is not a rule.

    """

    def __getitem__(self, name: str) -> Code:
        code = CORE.get(name) or _code_of_format(name) or rules_in_use().code(name)
        if code is None:
            raise KeyError(name)
        return code

    def __iter__(self) -> Iterator[str]:
        yield from sorted({*CORE, *rules_in_use().codes})
        yield from sorted(_of_formats())

    def __len__(self) -> int:
        return sum(1 for _ in self)


def code_named(name: str) -> Code:
    """Return the code with a name; an undeclared code has the default severities."""
    return name if isinstance(name, Code) else KnownCodes().get(name) or Code(name)


def url_of(name: str) -> str | None:
    """Return the address of the page of a code; for a code of another package, the one it gives.

    Returns None if there is none, as for all of our codes while their pages are not published.
    """
    code = KnownCodes().get(name)
    if code is None or code.url is not None:
        return code and code.url
    return page_url(name) if is_published() and name not in _of_others() else None


@cache
def _of_others() -> frozenset[str]:
    """Return the codes of other packages."""
    dialects = entry_points("dialects").values()
    return frozenset(
        [*rules_in_use().other_codes, *(code for each in dialects for code in each.codes)]
    )


@cache
def _code_of_format(name: str) -> Code | None:
    if kind_of(name) in set(map(kind_of, CORE)):
        return None  # not a dialect, and the formats are slow to import
    return _of_formats().get(name)


@cache
def _of_formats() -> Mapping[str, Code]:
    """Return the codes of every other dataset format."""
    from evalcontract.formats import formats_in_use  # slow to import

    return {code: code for form in formats_in_use() for code in form.codes}


def is_rejection(name: str) -> bool:
    """Whether another system's loader rejects what a code reports: an error in both modes."""
    code = _of_formats().get(name)
    return code is not None and code.severities.soft is Severity.ERROR


def kind_of(name: str) -> str:
    """Return the first part of a code: the kind of thing that has the fault."""
    return name.partition("/")[0]
