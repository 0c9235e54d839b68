"""The codes of schema validation: `{kind}/{fault}`.

The faults of a kind follow from the keywords of its schema (`messages.values.FAULTS`); a bundle
may use every keyword. Findings about keys that the schema permits are guesses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.code import Code
from evalcontract.model.diagnostic import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    f"{kind}/{fault}"
    for kind, faults in {**_FAULTS, "target": _OF_TARGET}.items()
    for fault in faults
)
#: The suffixes of the codes of guesses, for every kind and every dialect.
GUESSES = tuple(f"/{guess}" for guess in _GUESSES)


def _codes() -> Iterator[Code]:
    for kind, faults in _FAULTS.items():
        yield from (Code(f"{kind}/{fault}") for fault in faults)
        yield from (Code(f"{kind}/{fault}", guess=True) for fault in _GUESSES)
    # A target sets the mode of other files: if it is invalid, no mode can be trusted.
    yield from (Code(f"target/{fault}", soft=Severity.ERROR) for fault in _OF_TARGET)


CODES = tuple(_codes())
