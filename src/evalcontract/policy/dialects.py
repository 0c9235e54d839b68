"""What findings on other systems' datasets weigh.

What the system's own loader rejects is an error in both modes; what it passes over in silence is
a warning, and strict mode's error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.diagnostic import Severity

if TYPE_CHECKING:
    from evalcontract.policy.weight import Weight

_NOTE, _WARNING, _ERROR = Severity.NOTE, Severity.WARNING, Severity.ERROR

# What every loader may reject; what follows from the keywords of a schema stands below.
_REJECTED = ("rejected", "unread-medium", "missing-key", "wrong-type")
_REJECTED_BY: dict[str, tuple[str, ...]] = {
    "databricks": (),
    "evret": ("empty-value", "malformed-cell", "short-row"),
    "northstar": ("unknown-key", "out-of-range", "malformed-value"),
    "mlflow": (
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
}
# Of what the loader drops or takes without a word: strict mode fails on it.
_SWALLOWED = ("near-miss-key", "duplicate-key", "not-finite", "duplicate-id")
_SWALLOWED_BY: dict[str, tuple[str, ...]] = {
    "databricks": ("two-expectations", "undocumented"),
    "evret": (
        "blank-item",
        "cut-cell",
        "duplicate-column",
        "duplicate-document",
        "extra-cell",
        "hidden-column",
        "ignored-answers",
        "no-queries",
        "not-text",
        "nothing-expected",
        "other-release",
        "python-list",
        "repeated-item",
        "shadowed-key",
        "taken-for-absent",
        "unknown-document",
    ),
    "northstar": (
        *("empty", "blank-id", "blank-text", "empty-list", "missing-answer", "missing-metric"),
        *("missing-trace", "not-evaluated", "ungraded-retrieval", "unused-trace"),
        *("contradiction", "list-as-text"),
    ),
    "mlflow": (
        "misplaced-key",
        "equal-inputs",
        "reserved-goal",
        "facts-and-response",
        "no-list-of-texts",
        "unreadable-tool-call",
        "no-expectations",
    ),
}

#: The systems whose datasets are checked.
SYSTEMS = tuple(_REJECTED_BY)

#: Codes of what a system's own loader rejects.
REJECTED = frozenset(
    f"{system}/{fault}" for system in SYSTEMS for fault in (*_REJECTED, *_REJECTED_BY[system])
)

TABLE: dict[str, Weight] = {
    **dict.fromkeys(sorted(REJECTED), (_ERROR, _ERROR)),
    **{
        f"{system}/{fault}": (_WARNING, _ERROR)
        for system in SYSTEMS
        for fault in (*_SWALLOWED, *_SWALLOWED_BY[system])
    },
    # An unknown key may well be meant for somebody else, so it never fails a run.
    **{f"{system}/ignored-key": (_WARNING, _WARNING) for system in SYSTEMS},
    **{f"{system}/detected": (_NOTE, _NOTE) for system in SYSTEMS},
}
