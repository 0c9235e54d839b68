"""The codes of findings on recorded outputs."""

from __future__ import annotations

from evalcontract.model.code import Code
from evalcontract.model.diagnostic import Severity

CODES = (
    Code("output/invalid-record", soft=Severity.ERROR),
    Code("output/no-answer", soft=Severity.ERROR),
    Code("output/unread-answer", soft=Severity.ERROR),
    Code("output/unreadable-tool-call", soft=Severity.ERROR),
    Code("output/near-miss-key", guess=True),
    Code("output/duplicate-id", soft=Severity.ERROR),
    Code("output/missing", soft=Severity.ERROR),
    Code("output/undecided"),
    Code("output/unknown-id", strict=Severity.WARNING),
)
