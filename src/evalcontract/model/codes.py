"""The codes for files of human labels and of a judge's verdicts."""

from __future__ import annotations

from evalcontract.model.code import CodeTable
from evalcontract.model.diagnostic import Severity

# With one of these, the figures would be of other outputs than the files say.
_ERRORS = (
    "conflicting-label",
    "conflicting-output",
    "conflicting-verdict",
    "duplicate-column",
    "extra-cell",
    "missing-column",
    "one-class",
    "several-models",
    "unanswered",
    "unknown-value",
    "wrong-type",
)
# What is left out or counted once, and told.
_WARNINGS = (
    "duplicate-label",
    "duplicate-verdict",
    "missing-value",
    "missing-verdict",
    "mixed-splits",
    "not-asked",
    "surplus-verdict",
    "tied",
    "unreadable-answer",
)

CODES = CodeTable(
    ([f"labels/{fault}" for fault in _ERRORS], {"soft": Severity.ERROR}),
    ([f"labels/{fault}" for fault in _WARNINGS], {}),
    (["labels/near-miss-key"], {"guess": True}),
)
