"""The codes of findings on datasets of MLflow."""

from __future__ import annotations

from evalcontract.formats._codes import codes_of_system

CODES = codes_of_system(
    "mlflow",
    rejected=(
        "unknown-key",
        "malformed-value",
        "mixed-goal",
        "mixed-granularity",
        "empty-inputs",
        "mixed-outputs",
        "mixed-traces",
        "documented-source",
        "open-source-source",
        "several-sources",
        "no-rows",
    ),
    silently_accepted=(
        "equal-inputs",
        "facts-and-response",
        "no-list-of-texts",
        "unreadable-tool-call",
        "no-expectations",
        "empty-tags",
    ),
    guesses=("misplaced-key", "reserved-goal"),
    notes=("data-frame", "export"),
)
