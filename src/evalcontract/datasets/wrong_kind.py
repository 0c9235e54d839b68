"""Detect files of another kind than the one that they are checked as."""

from __future__ import annotations

from typing import Any

from evalcontract.model.diagnostic import Problem
from evalcontract.model.reference import Kind

# Keys that only one kind has. A file without those of its kind, but with those of another kind,
# is considered to be of the other kind.
_DISTINCTIVE_KEYS = {
    Kind.DATASET: ("questions",),
    Kind.RUBRIC: ("checks", "scoring"),
    Kind.JUDGE: ("template",),
}


def other_kind(kind: Kind, value: Any) -> Kind | None:
    """Return the kind that a file seems to be of, if it is not `kind`; None for a target."""
    own = _DISTINCTIVE_KEYS.get(kind)
    if own is None or not isinstance(value, dict) or any(key in value for key in own):
        return None
    return next(
        (other for other, keys in _DISTINCTIVE_KEYS.items() if any(key in value for key in keys)),
        None,
    )


def wrong_kind(kind: Kind, other: Kind) -> Problem:
    """Return one problem, to report in place of every missing key."""
    key = _DISTINCTIVE_KEYS[other][0]
    return Problem(
        f"{kind}/wrong-kind",
        f"this is a {other}, not a {kind}: it has `{key}`",
        (key,),
        f"check it with `validate-{other}`, or move it to the folder `{other}s/`",
        on_key=True,
    )
