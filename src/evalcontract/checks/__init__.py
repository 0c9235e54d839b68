"""The kinds of checks, one a file: what each reads of a row, and when it will not run."""

from __future__ import annotations

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
from evalcontract.checks._kind import CheckKind, Needs, Outlook, State, Surroundings

__all__ = ["KINDS", "CheckKind", "Needs", "Outlook", "State", "Surroundings"]

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
