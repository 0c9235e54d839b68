"""The codes of findings on plain CSV tables.

No loader decides what is right: what makes the meaning of a cell uncertain is an error.
"""

from __future__ import annotations

from evalcontract.model.code import Code
from evalcontract.model.diagnostic import Severity

CODES = (
    *(
        Code(f"csv/{fault}", soft=Severity.ERROR)
        for fault in (
            "duplicate-column",
            "empty-value",
            "extra-cell",
            "malformed-cell",
            "missing-key",
            "no-rows",
            "unclosed-quote",
            "unread-medium",
        )
    ),
    *(Code(f"csv/{fault}") for fault in ("duplicate-id", "shadowed-column", "short-row")),
    Code("csv/near-miss-key", guess=True),
)
