"""The codes of findings on tests of promptfoo."""

from __future__ import annotations

from evalcontract.formats._codes import codes_of_system

CODES = codes_of_system(
    "promptfoo",
    rejected=("ragged-row", "unknown-assertion", "malformed-value"),
    silently_accepted=("assert-in-vars", "unread-cell", "no-rows"),
    guesses=("no-assertion", "equals-of-text", "split-list", "unknown-variable"),
    notes=("not-followed",),
)
