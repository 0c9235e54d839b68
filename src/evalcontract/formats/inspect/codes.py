"""The codes of findings on datasets of Inspect."""

from __future__ import annotations

from evalcontract.formats._codes import codes_of_system

CODES = codes_of_system(
    "inspect",
    rejected=("ragged-row", "malformed-value"),
    silently_accepted=("no-target", "text-of-value", "split-choices", "empty-item", "no-rows"),
    guesses=("choice-target", "null-text"),
)
