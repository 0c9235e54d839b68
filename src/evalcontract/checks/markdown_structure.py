"""`markdown_structure`: says nothing where every rule allows everything."""

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

# What each rule is worth when it forbids nothing.
_IDLE = {
    "min_headings": 0,
    "max_heading_level": 6,
    "required_sections": [],
    "forbidden_patterns": [],
    "min_code_blocks": 0,
    "min_paragraphs": 0,
    "no_h1": False,
}


def _needs(check: Check, around: EvalContext) -> Needs:
    del around
    if all(check[key] == idle for key, idle in _IDLE.items() if key in check):
        return never_runs(State.VACUOUS, "its rules forbid nothing")
    return Needs()


KIND = CheckKind("markdown_structure", reads_nothing, _needs)
