"""`markdown_structure`: vacuous if none of its rules restricts the output."""

from __future__ import annotations

from evalcontract.checks._kind import (
    Check,
    CheckKind,
    EvalContext,
    Needs,
    State,
    never_runs,
    reads_nothing,
)

#: The value of each rule that restricts nothing.
IDLE = {
    "min_headings": 0,
    "max_heading_level": 6,
    "required_sections": [],
    "forbidden_patterns": [],
    "min_code_blocks": 0,
    "min_paragraphs": 0,
    "no_h1": False,
}


def _needs(check: Check, context: EvalContext) -> Needs:
    del context
    if all(check[key] == idle for key, idle in IDLE.items() if key in check):
        return never_runs(State.VACUOUS, "its rules allow every output")
    return Needs()


KIND = CheckKind("markdown_structure", reads_nothing, _needs)
