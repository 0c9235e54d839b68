"""The codes of references between artifacts, and of what they lead to."""

from __future__ import annotations

from evalcontract.model.code import Code

CODES = (
    Code("reference/dangling"),
    Code("reference/unpinned"),
    Code("rubric/cycle"),
    Code("rubric/nested-composite"),
)
