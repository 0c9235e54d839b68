"""Diagnostic codes for files that cannot be parsed, so that their content is not checked."""

from __future__ import annotations

from evalcontract.model.code import Code
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

CODES = tuple(Code(f"source/{fault}", soft=Severity.ERROR) for fault in _FAULTS)
