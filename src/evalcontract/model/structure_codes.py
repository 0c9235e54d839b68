"""The codes of schema validation: `{kind}/{fault}`.

The faults of a kind follow from the keywords of its schema (`messages.values.FAULTS`); a bundle
may use every keyword. Findings about keys that the schema permits are guesses.
"""

from __future__ import annotations

from evalcontract.model.code import CodeTable
from evalcontract.model.diagnostic import Severity

_OF_TARGET = ("malformed-value", "missing-key", "out-of-range", "unknown-key", "wrong-type")
_OF_LIBRARY = (
    *_OF_TARGET,
    "conflicting-key",
    "empty-value",
    "repeated-item",
    "too-few-items",
    "unknown-value",
)
_FAULTS = {
    "dataset": (*_OF_LIBRARY, "invalid-value", "undecided-value"),
    "rubric": _OF_LIBRARY,
    "judge": _OF_LIBRARY,
}
_GUESSES = ("near-miss-key", "misplaced-key", "foreign-key")

#: The codes of invalid values; a guess about a key leaves its value usable.
ILL_FORMED = frozenset(
    [
        f"{kind}/{fault}"
        for kind, faults in {**_FAULTS, "target": _OF_TARGET}.items()
        for fault in faults
    ]
)
#: The suffixes of the codes of guesses, for every kind and every dialect.
GUESSES = tuple(f"/{guess}" for guess in _GUESSES)

CODES = CodeTable(
    ([f"{kind}/{fault}" for kind, faults in _FAULTS.items() for fault in faults], {}),
    ([f"{kind}/{guess}" for kind in _FAULTS for guess in _GUESSES], {"guess": True}),
    # A target sets the mode of other files: if it is invalid, no mode can be trusted.
    ([f"target/{fault}" for fault in _OF_TARGET], {"soft": Severity.ERROR}),
)
