"""The codes of findings on recorded outputs."""

from __future__ import annotations

from evalcontract.model.code import CodeTable
from evalcontract.model.diagnostic import Severity

_ERRORS = (
    "invalid-record",
    "no-answer",
    "unread-answer",
    "unreadable-tool-call",
    "duplicate-id",
    "missing",
)

CODES = CodeTable(
    ([f"output/{fault}" for fault in _ERRORS], {"soft": Severity.ERROR}),
    (["output/near-miss-key"], {"guess": True}),
    (["output/undecided"], {}),
    (["output/unknown-id"], {"strict": Severity.WARNING}),
)
