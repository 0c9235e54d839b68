"""The codes of findings on datasets of NorthStar."""

from __future__ import annotations

from evalcontract.formats._codes import codes_of_system

CODES = codes_of_system(
    "northstar",
    rejected=("unknown-key", "out-of-range", "malformed-value"),
    silently_accepted=(
        "blank-id",
        "blank-text",
        "contradiction",
        "empty",
        "empty-list",
        "missing-answer",
        "missing-metric",
        "missing-trace",
        "not-evaluated",
        "ungraded-retrieval",
        "unused-trace",
    ),
    guesses=("list-as-text",),
    notes=("judges-only",),
)
