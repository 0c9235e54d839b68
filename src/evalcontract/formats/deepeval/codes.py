"""The codes of findings on goldens of DeepEval."""

from __future__ import annotations

from evalcontract.formats._codes import codes_of_system

CODES = codes_of_system(
    "deepeval",
    rejected=("ragged-row", "malformed-value", "number-column", "mixed-goldens", "unknown-value"),
    silently_accepted=("empty-input", "null-text", "other-kind", "shifted-columns", "no-rows"),
    guesses=("list-as-text", "no-expectation"),
)
