"""The codes of findings on datasets of Evret."""

from __future__ import annotations

from evalcontract.formats._codes import codes_of_system

CODES = codes_of_system(
    "evret",
    rejected=("empty-value", "malformed-cell", "short-row"),
    silently_accepted=(
        "blank-item",
        "duplicate-column",
        "duplicate-document",
        "extra-cell",
        "hidden-column",
        "ignored-answers",
        "no-queries",
        "not-text",
        "nothing-expected",
        "other-release",
        "repeated-item",
        "taken-for-absent",
        "unknown-document",
    ),
    guesses=("cut-cell", "python-list", "shadowed-key"),
    notes=("split-answer",),
)
