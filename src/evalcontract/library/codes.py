"""The codes for references between artifacts."""

from __future__ import annotations

from evalcontract.model.code import Code

CODES = (
    Code("reference/dangling"),
    Code("reference/unpinned"),
    Code("rubric/cycle"),
    Code("rubric/nested-composite"),
)
