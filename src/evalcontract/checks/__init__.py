"""The kinds of checks, one per file: what each reads from a row, and when it does not run."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from evalcontract.checks import (
    composite,
    fact_match,
    json_schema,
    llm_judge,
    markdown_structure,
    must_contain_any,
    must_not_contain,
    output_format,
    php_lint,
    regex,
    tool_usage,
)
from evalcontract.checks._kind import (
    CheckKind,
    EvalContext,
    Needs,
    Prediction,
    State,
    always_runs,
    reads_nothing,
)
from evalcontract.structure.foreign import foreign_kinds

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["KINDS", "CheckKind", "EvalContext", "Needs", "Prediction", "State", "kinds_in_use"]

#: Every built-in kind by name; a test compares it with the `kind` enum of the rubric schema.
KINDS: dict[str, CheckKind] = {
    kind.name: kind
    for kind in (
        must_contain_any.KIND,
        must_not_contain.KIND,
        regex.KIND,
        json_schema.KIND,
        php_lint.KIND,
        markdown_structure.KIND,
        tool_usage.KIND,
        output_format.KIND,
        fact_match.KIND,
        llm_judge.KIND,
        composite.KIND,
    )
}


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
    return CheckKind(name, reads_nothing, always_runs, entry.schema, entry)


def _fault_of(name: str, kind: Any) -> str | None:
    if not isinstance(kind, CheckKind):
        return None if callable(kind) else "is neither a CheckKind nor an executor"
    if kind.name != name:
        return f"is called `{kind.name}`"
    return "has a name that is taken: the kind is built in" if name in KINDS else None
