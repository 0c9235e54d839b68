"""Diagnostic codes for files that cannot be parsed, so that their content is not checked."""

from __future__ import annotations

from evalcontract.model.code import CodeTable
from evalcontract.model.diagnostic import Severity

_FAULTS = (
    "binary",
    "duplicate-key",
    "empty",
    "encoding",
    "lfs-pointer",
    "limit-exceeded",
    "multiple-documents",
    "syntax",
    "unreadable",
    "unsupported",
)

CODES = CodeTable(([f"source/{fault}" for fault in _FAULTS], {"soft": Severity.ERROR}))
