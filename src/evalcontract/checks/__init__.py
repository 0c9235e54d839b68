"""The kinds of checks, one per file: what each reads from a row, and when it does not run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from evalcontract.checks._kind import CheckKind, EvalContext, Needs, Prediction, State
from evalcontract.structure.schemas import foreign_kinds

__all__ = ["KINDS", "CheckKind", "EvalContext", "Needs", "Prediction", "State", "kinds_in_use"]

# The module of each built-in kind.
_MODULES = {
    "must_contain_any": "must_contain_any",
    "must_not_contain": "must_not_contain",
    "regex": "regex",
    "json_schema": "json_schema",
    "php_lint": "php_lint",
    "markdown_structure": "markdown_structure",
    "tool_usage": "tool_usage",
    "format": "output_format",
    "fact_match": "fact_match",
    "llm_judge": "llm_judge",
    "composite": "composite",
}


class _Kinds(Mapping[str, CheckKind]):
    """The built-in kinds; the module of a kind is imported when it is looked up."""

    def __getitem__(self, name: str) -> CheckKind:
        kind: CheckKind = import_module(f"{__name__}.{_MODULES[name]}").KIND
        return kind

    def __contains__(self, name: object) -> bool:
        return name in _MODULES

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)


#: Every built-in kind by name; a test compares it with the `kind` enum of the rubric schema.
KINDS = _Kinds()


@cache
def kinds_in_use() -> Mapping[str, CheckKind]:
    """Return the built-in kinds and the entry points of `evalcontract.checks`, by name.

    Raises:
        PluginError: one does not load, is not a kind, or has a name that is taken.

    """
    foreign = foreign_kinds(_fault_of).items()
    return {**KINDS, **{name: _kind_of(name, entry) for name, entry in foreign}}


def _kind_of(name: str, entry: Any) -> CheckKind:
    """Return a kind; that of a bare executor reads nothing of a row, and always runs."""
    if isinstance(entry, CheckKind):
        return entry
    return CheckKind(name, schema=entry.schema, prepare=entry)


def _fault_of(name: str, kind: Any) -> str | None:
    if not isinstance(kind, CheckKind):
        return None if callable(kind) else "is neither a CheckKind nor an executor"
    if kind.name != name:
        return f"is called `{kind.name}`"
    return "has a name that is taken: the kind is built in" if name in KINDS else None
