"""A file of another kind than the one that it is checked as."""

from __future__ import annotations

from typing import Any

from evalcontract.model.diagnostic import Problem
from evalcontract.model.reference import Kind

# The keys that no other kind has; a file with none of its own and one of another's is taken for
# that other.
_OWN = {
    Kind.DATASET: ("questions",),
    Kind.RUBRIC: ("checks", "scoring"),
    Kind.JUDGE: ("template",),
}


def other_kind(kind: Kind, value: Any) -> Kind | None:
    """Return what a file is meant as; None where it may well be of this kind."""
    if not isinstance(value, dict) or any(key in value for key in _OWN[kind]):
        return None
    return next((each for each, keys in _OWN.items() if any(key in value for key in keys)), None)


def wrong_kind(kind: Kind, other: Kind) -> Problem:
    """Say it once, in place of every key that is missing."""
    key = _OWN[other][0]
    return Problem(
        f"{kind}/wrong-kind",
        f"this is a {other}, not a {kind}: it has `{key}`",
        (key,),
        f"check it with validate-{other}, or move it to its folder",
        on_key=True,
    )
