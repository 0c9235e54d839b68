"""The scale of a judge's grades."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evalcontract.rules._rule import Subject


def score_type(subject: Subject) -> str | None:
    """Return the judge's `score_type`, or None if it is malformed."""
    if "score_type" in subject.value:
        return str(subject.value["score_type"])
    return None if "score_type" in subject.artifact.document.value else "binary"


def is_withheld(subject: Subject, *keys: str) -> bool:
    """Whether one of the keys is present but malformed."""
    written = subject.artifact.document.value
    return any(key in written and key not in subject.value for key in keys)


def ends(subject: Subject) -> tuple[float | None, float | None]:
    """Return the lowest and the highest grade, each None if unknown.

    The grades of levels with values are these; without, they are spaced over the whole scale. A
    scale without ends is 0 to 1. See `model.scale`, which needs a judge without faults.
    """
    lowest, highest = subject.value.get("min_score"), subject.value.get("max_score")
    if score_type(subject) == "levels":
        values = subject.value.get("level_values")
        if values:
            return min(values), max(values)
    if lowest is None and highest is None and score_type(subject) != "binary":
        return 0, 1
    return lowest, highest
