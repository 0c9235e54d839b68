"""The codes for references between artifacts."""

from __future__ import annotations

from evalcontract.model.code import CodeTable

CODES = CodeTable(
    (["reference/dangling", "reference/unpinned", "rubric/cycle", "rubric/nested-composite"], {})
)
