"""The codes of findings on exports of OpenAI's hosted evals and on samples of openai/evals."""

from __future__ import annotations

from evalcontract.formats._codes import codes_of_system

CODES = codes_of_system(
    "openai",
    rejected=("unknown-value", "too-few-items"),
    silently_accepted=(
        "constant-criterion",
        "empty-ideal",
        "invalid-schema",
        "no-rows",
        "not-lines",
        "nothing-expected",
        "schema-mismatch",
        "unknown-label",
        "unknown-variable",
    ),
    guesses=("misplaced-key",),
)
