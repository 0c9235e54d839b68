"""The codes of structure: `{kind}/{fault}`.

What can be wrong follows from the keywords of a kind's schema (`sentences.FAULTS`); a bundle may
use every keyword. What is said of keys that the schema leaves open is a guess.
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
    "dataset": (*_OF_LIBRARY, "invalid-value"),
    "rubric": _OF_LIBRARY,
    "judge": _OF_LIBRARY,
}
_GUESSES = ("near-miss-key", "misplaced-key", "foreign-key")

#: The codes of values that cannot be used as they are; a guess on a key leaves its value usable.
ILL_FORMED = frozenset(
    f"{kind}/{fault}"
    for kind, faults in {**_FAULTS, "target": _OF_TARGET}.items()
    for fault in faults
)
#: How the codes of guesses end, of every kind and of other systems.
GUESSES = tuple(f"/{guess}" for guess in _GUESSES)


def _codes() -> Iterator[Code]:
    for kind, faults in _FAULTS.items():
        yield from (Code(f"{kind}/{fault}") for fault in faults)
        yield from (Code(f"{kind}/{fault}", guess=True) for fault in _GUESSES)
    # A target decides the mode of others: where it is wrong, no mode can be trusted.
    yield from (Code(f"target/{fault}", soft=Severity.ERROR) for fault in _OF_TARGET)


CODES = tuple(_codes())
